// SPDX-License-Identifier: Apache-2.0
// Segments against all ways to cut an order, and connectedness against a walk over pairs of calls.
#include "fusion/segments.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace fusec::fusion {
namespace {

using dag::CallSet;
using test::ProgramBuilder;

/// Bytes that a kernel of these calls loads and stores.
long traffic(const dag::CallGraph& graph, const CallSet& set) {
    const auto bytes = [&](const std::vector<DataId>& lists) {
        long sum = 0;
        for (const DataId list : lists) {
            sum += graph.datum(list).per_element() ? graph.datum(list).type.bytes() : 0;
        }
        return sum;
    };
    return bytes(graph.uses(set)) + bytes(graph.boundary(set));
}

CallSet interval(const std::vector<CallId>& order, std::size_t begin, std::size_t end) {
    CallSet set(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(set.begin(), set.end());
    return set;
}

/// Least traffic and kernels of a cut into intervals that `allowed` holds for.
template <class Allowed>
std::pair<long, int> best_cut(const dag::CallGraph& graph, const std::vector<CallId>& order, Allowed allowed) {
    std::vector<std::pair<long, int>> best(order.size() + 1, {1L << 40, 0});
    best[0] = {0, 0};
    for (std::size_t end = 1; end <= order.size(); ++end) {
        for (std::size_t begin = 0; begin < end; ++begin) {
            if (const CallSet set = interval(order, begin, end); allowed(set)) {
                best[end] = std::min(best[end], {best[begin].first + traffic(graph, set) + 1, best[begin].second + 1});
            }
        }
    }
    return best.back();
}

std::vector<double> one_each(const dag::CallGraph& graph) {
    return std::vector<double>(graph.calls(), 1);
}

/// Each call reads x, so that every interval is connected, and two results among the last ten.
dag::CallGraph random_calls_of_one_input(std::mt19937& random, std::size_t calls) {
    ProgramBuilder builder;
    const DataId x = builder.input("x", test::scalar_shape);
    std::vector<DataId> made;
    std::set<DataId> used;
    for (std::size_t i = 0; i < calls; ++i) {
        std::vector<DataId> operands = {x};
        for (int operand = 0; operand < 2 && i != 0; ++operand) {
            operands.push_back(made[i - 1 - random() % std::min<std::size_t>(i, 10)]);
            used.insert(operands.back());
        }
        made.push_back(builder.node(operands, test::vector_shape(1 + static_cast<int>(random() % 8))));
    }
    for (const DataId result : made) {
        if (!used.contains(result)) {
            builder.output(result);
        }
    }
    return builder.graph();
}

TEST(Segments, HoldTheCheapestCutOfEverySize) {
    std::mt19937 random(31);
    for (std::size_t round = 0; round < 10; ++round) {
        const dag::CallGraph graph = random_calls_of_one_input(random, 17 + 3 * round);
        for (const std::vector<CallId>& order : orders_to_cut(graph)) {
            const std::vector<CallSet> found = segments(graph, order, one_each(graph), 0);
            const std::set<CallSet> sets(found.begin(), found.end());
            for (const std::size_t size : {16U, 32U}) {
                const auto best = best_cut(graph, order, [&](const CallSet& set) { return set.size() <= size; });
                const auto of_found = best_cut(graph, order, [&](const CallSet& set) { return set.size() <= size && sets.contains(set); });
                EXPECT_EQ(of_found.first, best.first) << "round " << round << ", at most " << size;
            }
        }
    }
}

TEST(Segments, EveryOneIsConvexConnectedAndAnIntervalOfAnOrder) {
    std::mt19937 random(32);
    std::size_t count = 0;
    for (int round = 0; round < 20; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 20 + 20 * round);
        for (const std::vector<CallId>& order : orders_to_cut(graph)) {
            std::set<CallId> before;
            for (const CallId call : order) { // topological, each call once
                for (const CallId needed : graph.predecessors(call)) {
                    EXPECT_TRUE(before.contains(needed));
                }
                EXPECT_TRUE(before.insert(call).second);
            }
            EXPECT_EQ(before.size(), graph.calls());
            for (const CallSet& set : segments(graph, order, one_each(graph), 8)) {
                EXPECT_TRUE(graph.convex(set));
                EXPECT_GT(set.size(), 8U);
                EXPECT_TRUE(shares_all(graph, set));
                const auto first =
                    std::find_if(order.begin(), order.end(), [&](CallId call) { return std::binary_search(set.begin(), set.end(), call); });
                EXPECT_EQ(interval(order, static_cast<std::size_t>(first - order.begin()),
                              static_cast<std::size_t>(first - order.begin()) + set.size()),
                    set);
                ++count;
            }
        }
    }
    EXPECT_GT(count, 100U);
}

/// F += f(x, q) for `points` points of `calls` calls each; the terms are matrices, the sum is a vector. All first calls come first.
dag::CallGraph sum_of_terms(int points, int calls) {
    ProgramBuilder builder;
    const DataId x = builder.input("x", test::matrix_shape(4, 4));
    std::vector<DataId> terms(static_cast<std::size_t>(points), x);
    for (int step = 0; step + 2 < calls; ++step) {
        for (DataId& term : terms) {
            term = builder.node({term, x}, test::matrix_shape(4, 4));
        }
    }
    DataId sum = builder.node({terms[0]}, test::vector_shape(2));
    for (std::size_t point = 1; point < terms.size(); ++point) {
        sum = builder.node({sum, builder.node({terms[point]}, test::vector_shape(2))}, test::vector_shape(2));
    }
    builder.output(sum);
    return builder.graph();
}

TEST(Segments, ASumIsCutBetweenItsTermsThoughTheProgramMakesThemSideBySide) {
    const dag::CallGraph graph = sum_of_terms(8, 12);
    std::set<CallSet> sets;
    for (const std::vector<CallId>& order : orders_to_cut(graph)) {
        const std::vector<CallSet> found = segments(graph, order, one_each(graph), 8);
        sets.insert(found.begin(), found.end());
    }
    // What the partial sums are made from, ascending: the first one's call, then a call for a term and one for its sum by turns.
    std::vector<CallSet> made_from = {{}};
    for (std::size_t sum = 80; sum < graph.calls(); sum += 2) {
        CallSet set;
        for (std::size_t call = 0; call <= sum; ++call) {
            if (call == sum || graph.ancestors(CallId(sum)).test(call)) {
                set.emplace_back(call);
            }
        }
        made_from.push_back(set);
    }
    ASSERT_EQ(made_from.size(), 9U);
    // Between any two: x (64 bytes) is loaded, and the sum before unless it is the first, and a sum is stored, 8 bytes each.
    for (std::size_t from = 0; from < made_from.size(); ++from) {
        for (std::size_t to = from + 1; to < made_from.size(); ++to) {
            CallSet set;
            std::set_difference(
                made_from[to].begin(), made_from[to].end(), made_from[from].begin(), made_from[from].end(), std::back_inserter(set));
            EXPECT_TRUE(sets.contains(set)) << from << " to " << to;
            EXPECT_EQ(traffic(graph, set), from == 0 ? 64 + 8 : 64 + 8 + 8);
        }
    }
}

TEST(Segments, KernelsOfManyCallsDoNotDoTooManyOperations) {
    const dag::CallGraph graph = sum_of_terms(16, 12);
    const std::vector<double> operations(graph.calls(), most_operations / 80);
    std::size_t largest = 0;
    for (const std::vector<CallId>& order : orders_to_cut(graph)) {
        for (const CallSet& set : segments(graph, order, operations, 8)) {
            largest = std::max(largest, set.size());
        }
    }
    EXPECT_GT(largest, 64U);
    EXPECT_LE(largest, 80U);
}

TEST(Connected, OverEveryListWhateverTheNumberOfItsUsers) {
    ProgramBuilder builder;
    const DataId x = builder.input("x", test::scalar_shape);
    const DataId u = builder.uniform("u", test::scalar_shape);
    std::vector<DataId> made;
    for (int i = 0; i < 20; ++i) {
        made.push_back(builder.node({x, u}));
        builder.output(made.back());
    }
    const DataId y = builder.input("y", test::scalar_shape);
    builder.output(builder.node({y, u}));
    const dag::CallGraph graph = builder.graph();
    EXPECT_TRUE(shares_all(graph, {CallId(0), CallId(7), CallId(19)}));
    EXPECT_FALSE(shares_all(graph, {CallId(0), CallId(20)})); // a uniform joins nothing
    EXPECT_FALSE(connected(connections(graph), {CallId(0), CallId(7)}));
    EXPECT_TRUE(hubs_are_left_out(graph));
}

TEST(Connected, InAProgramOfFewCallsHubsAreEnumerated) {
    ProgramBuilder builder;
    const DataId x = builder.input("x", test::scalar_shape);
    for (int i = 0; i < 10; ++i) {
        builder.output(builder.node({x}));
    }
    const dag::CallGraph graph = builder.graph();
    EXPECT_FALSE(hubs_are_left_out(graph));
    // Any set of at most 8 of 10: 2^10 less the empty one, 10 of nine and the whole.
    const Enumeration found = enumerate_fusions(graph, 8, 200000);
    EXPECT_EQ(found.sets.size(), 1024U - 1 - 10 - 1);
    EXPECT_TRUE(found.complete);
}

} // namespace
} // namespace fusec::fusion
