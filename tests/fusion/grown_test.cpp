// SPDX-License-Identifier: Apache-2.0
// Grown fusions against their definition: a chain of merges that looks at all pairs of groups each time, and sets checked one by one.
#include "fusion/grown.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace fusec::fusion {
namespace {

using dag::CallSet;
using test::ProgramBuilder;

/// Bytes of the lists that a kernel of these calls loads and stores.
long traffic(const dag::CallGraph& graph, const CallSet& set) {
    std::set<DataId> lists;
    long bytes = 0;
    for (const CallId call : set) {
        for (const DataId operand : graph.call(call).operands) {
            const auto& datum = graph.datum(operand);
            const bool list = datum.kind == frontend::DatumKind::input || datum.kind == frontend::DatumKind::computed;
            const bool inside = datum.producer && std::binary_search(set.begin(), set.end(), *datum.producer);
            bytes += list && !inside && lists.insert(operand).second ? datum.type.bytes() : 0;
        }
        const DataId made = graph.call(call).result;
        const auto& users = graph.consumers(made);
        const bool stored = graph.datum(made).output || !std::includes(set.begin(), set.end(), users.begin(), users.end());
        bytes += stored ? graph.datum(made).type.bytes() : 0;
    }
    return bytes;
}

std::vector<double> one_each(const dag::CallGraph& graph) {
    return std::vector<double>(graph.calls(), 1);
}

CallSet joined(const CallSet& a, const CallSet& b) {
    CallSet both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

/// True if the groups can be put in an order of launch.
bool acyclic(const dag::CallGraph& graph, std::vector<CallSet> groups) {
    std::set<CallId> done;
    for (bool some = true; some;) {
        some = false;
        for (auto group = groups.begin(); group != groups.end() && !some; ++group) {
            const bool ready = std::all_of(group->begin(), group->end(), [&](CallId call) {
                const auto& before = graph.predecessors(call);
                return std::all_of(before.begin(), before.end(),
                    [&](CallId p) { return done.contains(p) || std::binary_search(group->begin(), group->end(), p); });
            });
            if (ready) {
                done.insert(group->begin(), group->end());
                groups.erase(group);
                some = true;
                break;
            }
        }
    }
    return groups.empty();
}

std::vector<CallSet> naive_chain(const dag::CallGraph& graph, std::size_t largest) {
    std::vector<CallSet> groups, unions;
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        groups.push_back({CallId(i)});
    }
    while (true) {
        std::tuple<long, std::size_t, CallId, CallId> best{};
        std::size_t from = 0, into = 0;
        for (std::size_t a = 0; a < groups.size(); ++a) { // by first call: they are never put in another order
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                const CallSet both = joined(groups[a], groups[b]);
                std::vector<CallSet> after = groups;
                after[a] = both;
                after.erase(after.begin() + static_cast<std::ptrdiff_t>(b));
                if (both.size() > largest || !shares_all(graph, both) || !acyclic(graph, after)) {
                    continue;
                }
                const long saved = traffic(graph, groups[a]) + traffic(graph, groups[b]) - traffic(graph, both);
                const std::tuple now{-saved, both.size(), groups[a].front(), groups[b].front()};
                if (into == from || now < best) {
                    best = now;
                    into = a;
                    from = b;
                }
            }
        }
        if (into == from) {
            return unions;
        }
        groups[into] = joined(groups[into], groups[from]);
        unions.push_back(groups[into]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(from));
    }
}

TEST(Grown, TheChainIsThatOfTheDefinitionOn100RandomGraphs) {
    std::mt19937 random(21);
    std::size_t unions = 0;
    for (int round = 0; round < 100; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 2 + round % 15);
        const auto largest = static_cast<std::size_t>(3 + round % 12);
        const std::vector<CallSet> found = chain_of_merges(graph, largest, one_each(graph));
        ASSERT_EQ(found, naive_chain(graph, largest)) << "round " << round;
        unions += found.size();
    }
    EXPECT_GT(unions, 400U);
}

TEST(Grown, AChainOfThirtyCallsIsOneSetInTheEnd) {
    ProgramBuilder builder;
    DataId last = builder.input("x", test::scalar_shape);
    for (int i = 0; i < 30; ++i) {
        last = builder.node({last});
    }
    builder.output(last);
    const dag::CallGraph graph = builder.graph();
    EXPECT_EQ(chain_of_merges(graph, 64, one_each(graph)).back().size(), 30U);
    EXPECT_EQ(chain_of_merges(graph, 20, one_each(graph)).back().size(), 16U); // pairs of equals: 16 and 14
    EXPECT_EQ(grown_fusions(graph, {CallId(29)}, one_each(graph), 8).back().size(), 30U);
}

TEST(Grown, SetsAreConvexConnectedDistinctAndNotTooLarge) {
    std::mt19937 random(22);
    std::size_t large = 0;
    for (int round = 0; round < 15; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 10 + 24 * round);
        std::vector<CallId> roots;
        for (std::size_t i = 0; i < graph.calls(); ++i) {
            if (graph.datum(graph.call(CallId(i)).result).output) {
                roots.emplace_back(i);
            }
        }
        const std::vector<CallSet> found = grown_fusions(graph, roots, one_each(graph), 8);
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
            [](const CallSet& a, const CallSet& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }));
        EXPECT_EQ(std::set<CallSet>(found.begin(), found.end()).size(), found.size());
        std::size_t above = 0;
        for (const CallSet& set : found) {
            EXPECT_TRUE(graph.convex(set));
            EXPECT_TRUE(shares_all(graph, set));
            EXPECT_TRUE(std::is_sorted(set.begin(), set.end()));
            EXPECT_GE(set.size(), 2U);
            EXPECT_LE(set.size(), 512U);
            above += set.size() > 8 ? 1U : 0U;
        }
        EXPECT_LE(above, most_grown);
        large += above;
    }
    EXPECT_GT(large, 500U);
}

TEST(Grown, MergesGoOverListsWithAnyNumberOfUsers) {
    for (const std::size_t users : {9U, 40U, 200U}) {
        ProgramBuilder builder;
        const DataId hub = builder.input("x", test::scalar_shape);
        for (std::size_t i = 0; i < users; ++i) {
            builder.output(builder.node({hub}));
        }
        const dag::CallGraph graph = builder.graph();
        ASSERT_FALSE(chain_of_merges(graph, 512, one_each(graph)).empty());
        EXPECT_EQ(chain_of_merges(graph, 512, one_each(graph)).back().size(), users);
        EXPECT_EQ(chain_of_merges(graph, 512, std::vector<double>(users, most_operations / 70)).back().size(), users < 70 ? users : 64U);
    }
}

TEST(Grown, AConeTakesWhatSavesMostAndStaysConvexAtEverySize) {
    // The matrix is worth more than the scalar; x is shared by both and comes last.
    ProgramBuilder builder;
    const auto x = builder.node({builder.input("in", test::scalar_shape)});
    const auto matrix = builder.node({x}, test::matrix_shape(4, 4));
    const auto scalar = builder.node({x});
    builder.output(builder.node({matrix, scalar}));
    const dag::CallGraph graph = builder.graph();
    EXPECT_EQ(cone(graph, CallId(3), 64), (std::vector<CallId>{CallId(3), CallId(1), CallId(2), CallId(0)}));

    std::mt19937 random(23);
    for (int round = 0; round < 30; ++round) {
        const dag::CallGraph other = test::random_graph(random, 40);
        const std::vector<CallId> calls = cone(other, CallId(39), 64);
        EXPECT_EQ(calls.size(), other.ancestors(CallId(39)).count() + 1);
        for (std::size_t size = 1; size <= calls.size(); ++size) {
            CallSet set(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(size));
            std::sort(set.begin(), set.end());
            EXPECT_TRUE(other.convex(set));
        }
    }
}

} // namespace
} // namespace fusec::fusion
