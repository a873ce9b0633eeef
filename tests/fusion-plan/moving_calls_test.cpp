// SPDX-License-Identifier: Apache-2.0
// Plans of programs with slices and assemblies: the best mix of the kernels that the compiler lists, by brute force.
#include "fusion/carried_moves.hpp"
#include "fusion/columns.hpp"
#include "toy.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fusec::fusion {
namespace {

/// A launch, the lists that the kernel touches, and up to a fifth more.
toy::TableSource priced(const dag::CallGraph& graph, const std::vector<Column>& columns, std::mt19937_64& random) {
    toy::TableSource source;
    for (const Column& column : columns) {
        double bytes = 0;
        for (const std::vector<DataId>* lists : {&column.loads, &column.stores}) {
            for (const DataId list : *lists) {
                bytes += graph.datum(list).list_bytes();
            }
        }
        const double least = 2e-6 + 1e-7 * bytes;
        source.add(column, least * (1 + 0.001 * static_cast<double>(random() % 200)), least);
    }
    return source;
}

TEST(MovingCalls, ThePlanIsTheBestMix) {
    std::size_t better = 0, moved_twice = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const std::size_t calls = 3 + seed % 5;
        const dag::CallGraph graph = toy::random_graph(random, calls);
        std::vector<bool> moves;
        for (std::size_t i = 0; i < calls; ++i) {
            moves.push_back(random() % 3 == 0);
        }
        const Places places(moves);
        std::vector<double> flops;
        for (const bool moving : moves) {
            flops.push_back(moving ? 0 : 10);
        }
        const int largest = static_cast<int>(1 + seed % 3);
        const std::vector<CallSet> sets = enumerate_fusions(graph, places, largest, 100000).sets;
        const Columns columns = make_columns(graph, sets, flops, true, static_cast<std::size_t>(largest), places);
        EXPECT_TRUE(columns.complete);
        toy::TableSource source = priced(graph, columns.columns, random);
        // The same prices without what moving calls add.
        toy::TableSource counted;
        for (std::size_t c = 0; c < columns.columns.size(); ++c) {
            if (columns.columns[c].executes.size() <= static_cast<std::size_t>(largest)) {
                counted.add(columns.columns[c], source.peek(ColumnId(c)), source.lower_bound(ColumnId(c)));
            }
        }
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 1);
        ASSERT_EQ(expected.size(), 1U);
        better += expected.front().seconds < toy::best_plans_by_search(graph, counted, 1).front().seconds * (1 - 1e-9) ? 1U : 0U;
        for (const PlanMode mode : {PlanMode::automatic, PlanMode::none, PlanMode::max, PlanMode::greedy}) {
            const CoverResult result = solve_cover(graph, source, {.mode = mode});
            ASSERT_EQ(result.covers.size(), 1U);
            const Cover& plan = result.covers.front();
            std::vector<Candidate> kernels;
            std::vector<std::size_t> executed(calls, 0);
            for (const ColumnId id : plan.columns) {
                const Column& column = source.columns()[id.index()];
                EXPECT_LE(places.of(column.executes), static_cast<std::size_t>(largest));
                std::for_each(column.executes.begin(), column.executes.end(), [&](CallId call) { ++executed[call.index()]; });
                Candidate& kernel = kernels.emplace_back();
                kernel.calls = column.executes;
                kernel.loads = column.loads;
                kernel.stores = column.stores;
                kernel.cost.seconds = source.peek(id);
            }
            if (mode == PlanMode::automatic) {
                EXPECT_NEAR(plan.seconds, expected.front().seconds, 1e-12 * plan.seconds);
                EXPECT_EQ(result.gap(), 0);
                for (std::size_t i = 0; i < calls; ++i) {
                    moved_twice += moves[i] && executed[i] > 1 ? 1U : 0U;
                }
            } else {
                EXPECT_GE(plan.seconds, expected.front().seconds * (1 - 1e-12));
            }
            verify({kernels, plan_workspace(graph, kernels), plan.seconds, result.bound, result.gap()}, graph);
        }
    }
    EXPECT_GT(better, 30U); // it matters that moving calls take no place
    EXPECT_GT(moved_twice, 5U);
}

} // namespace
} // namespace fusec::fusion
