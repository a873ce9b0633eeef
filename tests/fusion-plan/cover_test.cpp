// SPDX-License-Identifier: Apache-2.0
// The plan against a brute-force search that shares nothing with the solver, on random and on constructed programs.
#include "toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fusec::fusion {
namespace {

std::vector<ColumnId> ascending(std::vector<ColumnId> columns) {
    std::sort(columns.begin(), columns.end());
    return columns;
}

// Costs lie on a grid of 0.1 %, so a plan that is not optimal is off by far more than this.
constexpr double rounding = 1e-12;

TEST(Cover, EqualsBruteForceOnRandomPrograms) {
    std::size_t columns = 0, infeasible = 0, recomputing = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 2 + seed % 6);
        toy::TableSource source = toy::random_columns(graph, random, 2 + seed % 6, seed % 3 == 0 ? 0.3 : 0);
        columns += source.columns().size();
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 1);
        const CoverResult result = solve_cover(graph, source, {});
        if (expected.empty()) {
            ++infeasible;
            EXPECT_TRUE(result.covers.empty());
            continue;
        }
        ASSERT_EQ(result.covers.size(), 1U);
        const Cover& plan = result.covers.front();
        EXPECT_NEAR(plan.seconds, expected.front().seconds, rounding * plan.seconds);
        EXPECT_EQ(result.gap(), 0);
        std::vector<ColumnId> order;
        EXPECT_TRUE(launch_order(graph, source.columns(), plan.columns, order));
        EXPECT_EQ(order, plan.columns);
        double sum = 0;
        std::multiset<CallId> executed;
        for (const ColumnId column : plan.columns) {
            sum += source.peek(column);
            executed.insert(source.columns()[column.index()].executes.begin(), source.columns()[column.index()].executes.end());
        }
        EXPECT_NEAR(sum, plan.seconds, rounding * sum);
        recomputing += executed.size() > graph.calls();
    }
    // The programs exercise what they are for.
    EXPECT_GT(columns, 5000U);
    EXPECT_GT(recomputing, 20U);
    EXPECT_LT(infeasible, 60U);
}

TEST(Cover, RunnersUpAreTheNextBestPlans) {
    for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 2 + seed % 4);
        toy::TableSource source = toy::random_columns(graph, random, 4, 0);
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 6);
        const CoverResult result = solve_cover(graph, source, {.runners_up = 5});
        ASSERT_EQ(result.covers.size(), expected.size());
        std::set<std::vector<ColumnId>> different;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(result.covers[i].seconds, expected[i].seconds, rounding * expected[i].seconds) << "rank " << i;
            different.insert(ascending(result.covers[i].columns));
        }
        EXPECT_EQ(different.size(), expected.size());
    }
}

} // namespace
} // namespace fusec::fusion
