// SPDX-License-Identifier: Apache-2.0
// Linearization against all topological orders, each played step by step.
#include "fusion/linearize.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace fusec::fusion {
namespace {

/// Most bytes alive in a step of an order: a list is alive from its first touch (or the start) to its last (or the end).
int play(const dag::CallGraph& graph, const std::vector<CallId>& order, const std::vector<DataId>& stores, LoadOrder loads) {
    const int steps = static_cast<int>(order.size());
    std::vector<int> alive(order.size(), 0);
    for (std::size_t index = 0; index < graph.program().data.size(); ++index) {
        const DataId datum(index);
        const auto kind = graph.datum(datum).kind;
        int first = steps;
        int last = -1;
        bool made = false;
        for (int step = 0; step < steps; ++step) {
            const auto& call = graph.call(order[static_cast<std::size_t>(step)]);
            const bool makes = call.result == datum;
            if (makes || std::count(call.operands.begin(), call.operands.end(), datum) != 0) {
                first = std::min(first, step);
                last = step;
                made = made || makes;
            }
        }
        if (last < 0 || kind == frontend::DatumKind::uniform || kind == frontend::DatumKind::constant) {
            continue;
        }
        if (loads == LoadOrder::first) {
            first = made ? first : 0;
            last = made && std::count(stores.begin(), stores.end(), datum) != 0 ? steps - 1 : last;
        }
        for (int step = first; step <= last; ++step) {
            alive[static_cast<std::size_t>(step)] += graph.datum(datum).type.bytes();
        }
    }
    return *std::max_element(alive.begin(), alive.end());
}

TEST(Linearize, EqualsTheBestOfAllOrders) {
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 1 + round % 7);
        dag::CallSet set;
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            set.push_back(CallId(call));
        }
        const auto stores = graph.boundary(set);
        for (LoadOrder loads : {LoadOrder::first, LoadOrder::at_use}) {
            std::pair<int, std::vector<CallId>> best{1 << 30, {}};
            std::vector<CallId> order = set;
            do {
                bool topological = true;
                for (std::size_t i = 0; i < order.size() && topological; ++i) {
                    for (CallId before : graph.predecessors(order[i])) {
                        topological = topological &&
                            std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), before) !=
                                order.begin() + static_cast<std::ptrdiff_t>(i);
                    }
                }
                if (topological) {
                    best = std::min(best, {play(graph, order, stores, loads), order});
                }
            } while (std::next_permutation(order.begin(), order.end()));
            const Linearization found = linearize(graph, set, stores, loads);
            EXPECT_TRUE(found.exact);
            ASSERT_EQ(found.bytes, best.first) << "round " << round;
            ASSERT_EQ(found.order, best.second) << "round " << round;
        }
    }
}

TEST(Linearize, TheDemo) {
    const dag::CallGraph graph = test::demo();
    dag::CallSet all;
    for (std::size_t call = 0; call < 6; ++call) {
        all.push_back(CallId(call));
    }
    const auto stores = graph.boundary(all);
    // All loads first: the 71 words of A, B, c, D, E are there from the start; M1 first makes 80, M2 first would make 96.
    const Linearization first = linearize(graph, all, stores, LoadOrder::first);
    EXPECT_EQ(first.order, all);
    EXPECT_EQ(first.bytes, 80 * 4);
    // Loads at use: D, E, M2 (75 words) before anything else is there; M1 first would keep s1 beside them.
    const Linearization late = linearize(graph, all, stores, LoadOrder::at_use);
    EXPECT_EQ(late.order.front(), CallId(3));
    EXPECT_EQ(late.bytes, 75 * 4);
}

TEST(Linearize, ManyCallsAreOrderedGreedily) {
    test::ProgramBuilder builder;
    DataId last = builder.input("x", test::vector_shape(3));
    for (int i = 0; i < 30; ++i) {
        last = builder.node({last}, test::vector_shape(3));
    }
    builder.output(last);
    const dag::CallGraph graph = builder.graph();
    dag::CallSet all;
    for (std::size_t call = 0; call < 30; ++call) {
        all.push_back(CallId(call));
    }
    const Linearization found = linearize(graph, all, {last}, LoadOrder::at_use);
    EXPECT_FALSE(found.exact);
    EXPECT_EQ(found.order, all);
    EXPECT_EQ(found.bytes, 24);
}

} // namespace
} // namespace fusec::fusion
