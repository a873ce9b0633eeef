// SPDX-License-Identifier: Apache-2.0
// Launch order, workspace slots and `verify(Plan)` on a chain worked by hand.
#include "toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::fusion {
namespace {

/// in -> a -> b -> c -> d (output), and d also reads a. Floats per element: a 4, b 9, c 4, d 1.
///
///     kernel   0    1    2    3
///     a        store load      load       slot 1: 16 bytes (b came first: largest first)
///     b             store load            slot 0: 36 bytes
///     c                  store load       b and a are both alive in kernel 2: slot 2, 16 bytes
class Chain : public testing::Test {
protected:
    Chain() {
        const DataId in = builder_.input("in");
        data_.push_back(builder_.call("a", {in}, 4));
        data_.push_back(builder_.call("b", {data_[0]}, 9));
        data_.push_back(builder_.call("c", {data_[1]}, 4));
        data_.push_back(builder_.call("d", {data_[2], data_[0]}, 1));
        builder_.output(data_[3]);
        graph_.emplace(builder_.build());
        for (std::size_t i = 0; i < 4; ++i) {
            Candidate kernel;
            kernel.calls = {CallId(i)};
            kernel.loads = toy::loads_of(*graph_, kernel.calls);
            kernel.stores = {data_[i]};
            kernel.cost.seconds = 1e-6;
            plan_.kernels.push_back(kernel);
        }
        plan_.workspace = plan_workspace(*graph_, plan_.kernels);
        plan_.seconds = 4e-6;
        plan_.bound = 3e-6;
        plan_.gap = 0.25;
    }

    toy::GraphBuilder builder_;
    std::vector<DataId> data_;
    std::optional<dag::CallGraph> graph_;
    Plan plan_;
};

TEST_F(Chain, KeepsWhatIsAliveApart) {
    ASSERT_EQ(plan_.workspace.slots.size(), 3U);
    EXPECT_EQ(plan_.workspace.slots[0].bytes_per_element, 36);
    EXPECT_EQ(plan_.workspace.slots[1].bytes_per_element, 16);
    EXPECT_EQ(plan_.workspace.slots[2].bytes_per_element, 16);
    EXPECT_EQ(plan_.workspace.bytes_per_element(), 68);
    EXPECT_THAT(
        plan_.workspace.placed, testing::ElementsAre(testing::Pair(data_[0], 1), testing::Pair(data_[1], 0), testing::Pair(data_[2], 2)));
    verify(plan_, *graph_);
}

TEST(Workspace, ReusesASlotAfterTheLastUse) {
    // A plain chain in -> a -> b -> c -> d: a is dead after the kernel of b, so c takes its slot.
    toy::GraphBuilder builder;
    DataId last = builder.input("in");
    std::vector<Candidate> kernels(4);
    std::vector<DataId> made;
    for (const char* name : {"a", "b", "c", "d"}) {
        last = builder.call(name, {last}, 9);
        made.push_back(last);
    }
    builder.output(last);
    const dag::CallGraph graph = builder.build();
    for (std::size_t i = 0; i < 4; ++i) {
        kernels[i].calls = {CallId(i)};
        kernels[i].loads = toy::loads_of(graph, kernels[i].calls);
        kernels[i].stores = {made[i]};
    }
    const Workspace workspace = plan_workspace(graph, kernels);
    EXPECT_EQ(workspace.bytes_per_element(), 72);
    EXPECT_THAT(workspace.placed, testing::ElementsAre(testing::Pair(made[0], 0), testing::Pair(made[1], 1), testing::Pair(made[2], 0)));
}

TEST_F(Chain, VerifyFindsWhatIsWrong) {
    const auto broken = [&](auto change, const char* what) {
        Plan plan = plan_;
        change(plan);
        try {
            verify(plan, *graph_);
            ADD_FAILURE() << "not found: " << what;
        } catch (const InternalError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(what));
        }
    };
    broken([](Plan& p) { std::swap(p.kernels[1], p.kernels[2]); }, "no kernel before it stored");
    broken([](Plan& p) { p.kernels.pop_back(); }, "executed by no kernel");
    broken([](Plan& p) { p.kernels.push_back(p.kernels[0]); }, "two kernels store the same datum");
    broken([](Plan& p) { p.kernels[1].loads.clear(); }, "loads are not the lists");
    broken([&](Plan& p) { p.workspace.placed[2].second = 1; }, "overwritten before its last use");
    broken([&](Plan& p) { p.workspace.placed[2].second = 0; }, "a slot that it reads or stores already");
    broken([](Plan& p) { p.workspace.slots[0].bytes_per_element = 16; }, "smaller than its intermediate");
    broken([](Plan& p) { p.workspace.placed.pop_back(); }, "has no slot");
    broken([](Plan& p) { p.seconds = 5e-6; }, "not the sum");
    broken([](Plan& p) { p.bound = 5e-6; }, "faster than its bound");
    broken([](Plan& p) { p.gap = 0; }, "gap is not that of its bound");
}

TEST_F(Chain, LaunchOrderPutsStorersFirstAndBreaksTiesBySmallestCall) {
    std::vector<Column> columns;
    for (const Candidate& kernel : plan_.kernels) {
        columns.push_back({kernel.calls, kernel.loads, kernel.stores});
    }
    std::vector<ColumnId> order;
    EXPECT_TRUE(launch_order(*graph_, columns, {ColumnId(3), ColumnId(2), ColumnId(1), ColumnId(0)}, order));
    EXPECT_THAT(order, testing::ElementsAre(ColumnId(0), ColumnId(1), ColumnId(2), ColumnId(3)));
    EXPECT_FALSE(launch_order(*graph_, columns, {ColumnId(3), ColumnId(1), ColumnId(0)}, order)) << "c is loaded and not stored";
    EXPECT_FALSE(launch_order(*graph_, columns, {ColumnId(0), ColumnId(1), ColumnId(2)}, order)) << "the output is not stored";
    columns.push_back(columns[0]);
    EXPECT_FALSE(launch_order(*graph_, columns, {ColumnId(0), ColumnId(1), ColumnId(2), ColumnId(3), ColumnId(4)}, order))
        << "a is stored twice";
}

} // namespace
} // namespace fusec::fusion
