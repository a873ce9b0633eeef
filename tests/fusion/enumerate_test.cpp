// SPDX-License-Identifier: Apache-2.0
// Enumeration of fusions against a naive one over all subsets, and its behaviour when the space is too large.
#include "fusion/enumerate.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace fusec::fusion {
namespace {

using dag::CallSet;
using test::ProgramBuilder;

CallSet calls(std::initializer_list<int> indices) {
    CallSet set;
    for (int index : indices) {
        set.push_back(CallId(static_cast<std::size_t>(index)));
    }
    return set;
}

/// Edges from the definition: a call uses another's result, or both use a list with at most eight users.
bool naively_connected_pair(const dag::CallGraph& graph, CallId a, CallId b) {
    const auto uses = [&](CallId call, DataId datum) {
        const auto& operands = graph.call(call).operands;
        return std::count(operands.begin(), operands.end(), datum) != 0;
    };
    if (uses(a, graph.call(b).result) || uses(b, graph.call(a).result)) {
        return true;
    }
    for (DataId datum : graph.call(a).operands) {
        const auto kind = graph.datum(datum).kind;
        if ((kind != frontend::DatumKind::input && kind != frontend::DatumKind::computed) || !uses(b, datum)) {
            continue;
        }
        int users = 0;
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            users += uses(CallId(call), datum) ? 1 : 0;
        }
        if (users <= 8) {
            return true;
        }
    }
    return false;
}

/// True if some walk along edges starts in the set, leaves it and comes back.
bool naively_convex(const dag::CallGraph& graph, const CallSet& set) {
    const std::set<CallId> inside(set.begin(), set.end());
    std::vector<CallId> open;
    std::set<CallId> outside;
    const auto step = [&](CallId from) {
        for (CallId to : graph.consumers(graph.call(from).result)) {
            if (inside.count(to) == 0 && outside.insert(to).second) {
                open.push_back(to);
            }
        }
    };
    for (CallId call : set) {
        step(call);
    }
    while (!open.empty()) {
        const CallId at = open.back();
        open.pop_back();
        for (CallId to : graph.consumers(graph.call(at).result)) {
            if (inside.count(to) != 0) {
                return false;
            }
        }
        step(at);
    }
    return true;
}

std::vector<CallSet> naive(const dag::CallGraph& graph, int largest) {
    std::vector<CallSet> result;
    for (std::size_t bits = 1; bits < std::size_t{1} << graph.calls(); ++bits) {
        CallSet set;
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            if ((bits >> call & 1) != 0) {
                set.push_back(CallId(call));
            }
        }
        if (set.size() > static_cast<std::size_t>(largest) || !naively_convex(graph, set)) {
            continue;
        }
        std::set<CallId> reached = {set.front()};
        for (std::size_t round = 0; round < set.size(); ++round) {
            for (CallId a : set) {
                for (CallId b : set) {
                    if (reached.count(a) != 0 && naively_connected_pair(graph, a, b)) {
                        reached.insert(b);
                    }
                }
            }
        }
        if (reached.size() == set.size()) {
            result.push_back(set);
        }
    }
    std::sort(result.begin(), result.end(),
        [](const CallSet& a, const CallSet& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    return result;
}

TEST(Enumerate, EqualsNaiveEnumerationOn200RandomGraphs) {
    std::mt19937 random(1);
    std::size_t sets = 0;
    for (int round = 0; round < 200; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 1 + round % 11);
        const int largest = 1 + round % 8;
        const Enumeration found = enumerate_fusions(graph, largest, 100000);
        EXPECT_TRUE(found.complete);
        ASSERT_EQ(found.sets, naive(graph, largest)) << "round " << round;
        sets += found.sets.size();
    }
    EXPECT_GT(sets, 5000U); // the graphs are not trivial
}

TEST(Enumerate, TheDemoHas21Fusions) {
    // M1 - v1 - s1 - F - M3 - M2 is a path, all of whose 6 * 7 / 2 pieces are convex.
    EXPECT_EQ(enumerate_fusions(test::demo(), 8, 200000).sets.size(), 21U);
}

TEST(Enumerate, ADiamondIsReachedAlthoughItsHalvesAreNotConvex) {
    //   0
    //  / \     {0,1,3} leaves through 2 and comes back
    // 1   2
    //  \ /
    //   3
    ProgramBuilder builder;
    const auto top = builder.node({builder.input("x", test::scalar_shape)});
    const auto left = builder.node({top});
    const auto right = builder.node({top});
    builder.output(builder.node({left, right}));
    const auto sets = enumerate_fusions(builder.graph(), 8, 1000).sets;
    const auto has = [&](const CallSet& set) { return std::find(sets.begin(), sets.end(), set) != sets.end(); };
    EXPECT_TRUE(has(calls({0, 1, 2, 3})));
    EXPECT_TRUE(has(calls({1, 2}))); // share the list that 0 makes
    EXPECT_FALSE(has(calls({0, 1, 3})));
    EXPECT_FALSE(has(calls({0, 3})));
}

TEST(Enumerate, UniformsAndBusyListsConnectNothing) {
    for (const auto& [users, pairs] : {std::pair{8, 28U}, std::pair{9, 36U}, std::pair{12, 66U}, std::pair{13, 0U}}) {
        ProgramBuilder builder;
        const auto shared = builder.input("x", test::scalar_shape);
        for (int i = 0; i < users; ++i) {
            builder.output(builder.node({shared}));
        }
        EXPECT_EQ(enumerate_fusions(builder.graph(), 2, 1000).sets.size(), static_cast<unsigned>(users) + pairs);
    }
    ProgramBuilder builder;
    const auto uniform = builder.uniform("u", test::scalar_shape);
    const auto constant = builder.constant("k", test::scalar_shape);
    builder.output(builder.node({uniform, constant}));
    builder.output(builder.node({uniform, constant}));
    EXPECT_EQ(enumerate_fusions(builder.graph(), 2, 1000).sets.size(), 2U);
}

TEST(Enumerate, AProducerStaysConnectedToAllConsumersOfABusyList) {
    ProgramBuilder builder;
    const auto made = builder.node({builder.input("x", test::scalar_shape)});
    for (int i = 0; i < 12; ++i) {
        builder.output(builder.node({made}));
    }
    // 13 single calls and the producer with each of 12 consumers.
    EXPECT_EQ(enumerate_fusions(builder.graph(), 2, 1000).sets.size(), 25U);
}

TEST(Enumerate, StopsAtTheLimitWithEveryCallCoveredAtEverySize) {
    std::mt19937 random(5);
    const dag::CallGraph graph = test::random_graph(random, 300);
    const Enumeration found = enumerate_fusions(graph, 8, 5000);
    EXPECT_FALSE(found.complete);
    EXPECT_LE(found.sets.size(), 5000U);
    EXPECT_GT(found.sets.size(), 4000U);
    const auto sharing = connections(graph);
    std::vector<std::size_t> by_size(9);
    std::set<std::size_t> quarters;
    for (const CallSet& set : found.sets) {
        ++by_size[set.size()];
        EXPECT_TRUE(graph.convex(set));
        EXPECT_TRUE(connected(sharing, set));
        if (set.size() == 8) {
            quarters.insert(set.front().index() * 4 / graph.calls());
        }
    }
    EXPECT_EQ(by_size[1], 300U);
    for (std::size_t size = 2; size <= 8; ++size) {
        EXPECT_GT(by_size[size], 300U) << size;
    }
    EXPECT_EQ(quarters.size(), 4U); // the largest ones lie all over the graph
    EXPECT_EQ(std::set<CallSet>(found.sets.begin(), found.sets.end()).size(), found.sets.size());
}

TEST(Enumerate, TheLimitItselfIsStillComplete) {
    EXPECT_TRUE(enumerate_fusions(test::demo(), 8, 21).complete);
    const Enumeration cut = enumerate_fusions(test::demo(), 8, 20);
    EXPECT_FALSE(cut.complete);
    EXPECT_LE(cut.sets.size(), 20U);
    EXPECT_EQ(enumerate_fusions(test::demo(), 8, 0).sets.size(), 6U); // single calls always
}

TEST(Enumerate, NoKernelHoldsMoreThan64Calls) {
    ProgramBuilder builder;
    DataId last = builder.input("x", test::scalar_shape);
    for (int i = 0; i < 70; ++i) {
        last = builder.node({last});
    }
    builder.output(last);
    const Enumeration found = enumerate_fusions(builder.graph(), 1000, 10000);
    EXPECT_EQ(found.sets.back().size(), 64U);
    EXPECT_EQ(found.sets.size(), 64U * 70 - 64 * 63 / 2); // sum of 70 - k + 1 pieces of k calls, k = 1..64
}

TEST(Enumerate, EveryCallHasFusionsOfEverySizeWhenCut) {
    // Chains of scalars beside a dense part whose matrices save much more: if simply the best were taken, they would have single calls only.
    ProgramBuilder builder;
    const auto shared = builder.input("x", test::matrix_shape(8, 8));
    std::vector<DataId> row = {shared, shared, shared, shared};
    for (int layer = 0; layer < 30; ++layer) {
        std::vector<DataId> next;
        for (int i = 0; i < 4; ++i) {
            next.push_back(
                builder.node({row[static_cast<std::size_t>(i)], row[static_cast<std::size_t>(i + 1) % 4]}, test::matrix_shape(8, 8)));
        }
        row = next;
    }
    for (const DataId last : row) {
        builder.output(last);
    }
    for (int chain = 0; chain < 100; ++chain) {
        DataId at = builder.input("y" + std::to_string(chain), test::scalar_shape);
        for (int i = 0; i < 4; ++i) {
            at = builder.node({at});
        }
        builder.output(at);
    }
    const dag::CallGraph graph = builder.graph();
    const Enumeration found = enumerate_fusions(graph, 8, 20000);
    EXPECT_FALSE(found.complete);
    EXPECT_LE(found.sets.size(), 20000U);
    std::vector<std::set<std::size_t>> sizes(graph.calls());
    for (const CallSet& set : found.sets) {
        for (const CallId call : set) {
            sizes[call.index()].insert(set.size());
        }
    }
    for (std::size_t call = 0; call < graph.calls(); ++call) {
        EXPECT_EQ(sizes[call].size(), call < 120 ? 8U : 4U) << call;
    }
}

TEST(Enumerate, SetsWithACallOfHundredsOfOperandsAreFew) {
    // 300 scalars put together: sets that hold the last call have 300 operands each. What all sets list together is limited.
    ProgramBuilder builder;
    std::vector<DataId> parts;
    for (int i = 0; i < 300; ++i) {
        parts.push_back(builder.node({builder.input("x" + std::to_string(i), test::scalar_shape)}));
    }
    builder.output(builder.node(parts, test::matrix_shape(20, 15)));
    const dag::CallGraph graph = builder.graph();
    const Enumeration found = enumerate_fusions(graph, 8, 20000);
    EXPECT_FALSE(found.complete);
    std::size_t members = 0;
    for (const CallSet& set : found.sets) {
        for (const CallId call : set) {
            members += 1 + graph.call(call).operands.size();
        }
    }
    EXPECT_LE(members, 20000U * 48);
    EXPECT_GT(found.sets.size(), 1000U);
}

TEST(Enumerate, SameInputSameSets) {
    std::mt19937 a(9);
    std::mt19937 b(9);
    EXPECT_EQ(enumerate_fusions(test::random_graph(a, 200), 8, 3000).sets, enumerate_fusions(test::random_graph(b, 200), 8, 3000).sets);
}

TEST(Enumerate, AHubDoesNotExplode) {
    ProgramBuilder builder;
    const auto made = builder.node({builder.input("x", test::scalar_shape)});
    for (int i = 0; i < 1000; ++i) {
        builder.output(builder.node({made}));
    }
    const auto start = std::chrono::steady_clock::now();
    const Enumeration found = enumerate_fusions(builder.graph(), 8, 200000);
    EXPECT_FALSE(found.complete);
    EXPECT_GT(found.sets.size(), 100000U);
    // Takes about two seconds; a search over all neighbours of each set would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

} // namespace
} // namespace fusec::fusion
