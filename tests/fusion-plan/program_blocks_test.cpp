// SPDX-License-Identifier: Apache-2.0
// Plans of programs with blocks: the best mix of kernels that have calls of one block each, by brute force; launched block by block; with a
// workspace in which what crosses blocks has a slot of its own.
#include "fusion/columns.hpp"
#include "fusion/enumerate.hpp"
#include "toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace fusec::fusion {
namespace {

dag::CallGraph in_blocks(const dag::CallGraph& graph, std::mt19937_64& random, std::uint32_t most) {
    frontend::CheckedProgram program = graph.program();
    std::uint32_t block = 0;
    program.blocks = {"a"};
    for (frontend::Call& call : program.calls) {
        if (block < most && random() % 3 == 0) {
            ++block;
            program.blocks.push_back("b" + std::to_string(block));
        }
        call.block = block;
    }
    // A list that is read in a later block than the one that updates it has a copy by now (order_updates): no such program comes here.
    std::erase_if(program.updates, [&](const frontend::Update& update) {
        const DataId old = program.inputs[update.input];
        const std::uint32_t made = program.call(*program.datum(program.outputs[update.output]).producer).block;
        return std::any_of(program.calls.begin(), program.calls.end(), [&](const frontend::Call& call) {
            return call.block > made && std::count(call.operands.begin(), call.operands.end(), old) > 0;
        });
    });
    return dag::CallGraph(program);
}

bool one_block(const dag::CallGraph& graph, const CallSet& set) {
    return std::all_of(set.begin(), set.end(), [&](CallId call) { return graph.call(call).block == graph.call(set.front()).block; });
}

TEST(ProgramBlocks, ThePlanIsTheBestMixOfKernelsOfOneBlock) {
    std::size_t blocks = 0, dearer = 0, updates = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const std::size_t calls = 3 + seed % 5;
        const dag::CallGraph graph =
            in_blocks(seed % 2 == 0 ? toy::random_graph(random, calls) : toy::random_updating_graph(random, calls), random, 3);
        blocks += graph.program().blocks.size();
        updates += graph.program().updates.size();
        toy::TableSource all = toy::random_columns(graph, random, calls, 0);
        // By definition: of all fusions of the program without blocks, those of one.
        frontend::CheckedProgram without = graph.program();
        without.blocks.clear();
        std::for_each(without.calls.begin(), without.calls.end(), [](frontend::Call& call) { call.block = 0; });
        const dag::CallGraph whole(without);
        const std::vector<std::vector<CallId>> joined = connections(whole);
        toy::TableSource of_one;
        std::map<std::pair<CallSet, std::vector<DataId>>, double> seconds;
        for (std::size_t c = 0; c < all.columns().size(); ++c) {
            const Column& column = all.columns()[c];
            seconds[{column.executes, column.stores}] = all.peek(ColumnId(c));
            if (one_block(graph, column.executes) && whole.convex(column.executes) && connected(joined, column.executes)) {
                of_one.add(column, all.peek(ColumnId(c)), 1e-7);
            }
        }
        // By the compiler.
        toy::TableSource made;
        for (const Column& column :
            make_columns(graph, enumerate_fusions(graph, 8, 100000).sets, std::vector<double>(calls, 1), true, 8).columns) {
            EXPECT_TRUE(one_block(graph, column.executes));
            const auto found = seconds.find({column.executes, column.stores});
            ASSERT_NE(found, seconds.end());
            made.add(column, found->second, found->second / 2);
        }
        EXPECT_EQ(made.columns().size(), of_one.columns().size());
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, of_one, 1);
        ASSERT_EQ(expected.size(), 1U);
        for (const PlanMode mode : {PlanMode::automatic, PlanMode::none, PlanMode::max, PlanMode::greedy}) {
            const CoverResult result = solve_cover(graph, made, {.mode = mode});
            ASSERT_EQ(result.covers.size(), 1U);
            const Cover& plan = result.covers.front();
            std::uint32_t block = 0;
            std::vector<Candidate> kernels;
            for (const ColumnId id : plan.columns) {
                const Column& column = made.columns()[id.index()];
                EXPECT_LE(block, graph.call(column.executes.front()).block) << "launched before a kernel of an earlier block";
                block = graph.call(column.executes.front()).block;
                Candidate& kernel = kernels.emplace_back();
                kernel.calls = column.executes;
                kernel.loads = column.loads;
                kernel.stores = column.stores;
                kernel.cost.seconds = made.peek(id);
            }
            if (mode == PlanMode::automatic) {
                EXPECT_NEAR(plan.seconds, expected.front().seconds, 1e-12 * plan.seconds);
                dearer += toy::best_plans_by_search(graph, all, 1).front().seconds < plan.seconds * (1 - 1e-9) ? 1U : 0U;
            }
            verify({kernels, plan_workspace(graph, kernels), plan.seconds, result.bound, result.gap()}, graph);
        }
    }
    EXPECT_GT(blocks, 250U);
    EXPECT_GT(updates, 30U);
    EXPECT_GT(dearer, 20U); // blocks are not without effect
}

/// in -> a -> b -> c -> d (output), each a kernel: alone a is dead behind b, and c takes its slot. Across blocks it does not.
TEST(ProgramBlocks, WhatCrossesHasASlotOfItsOwn) {
    for (const bool crosses : {false, true}) {
        toy::GraphBuilder builder;
        DataId last = builder.input("in");
        std::vector<DataId> made;
        for (const char* name : {"a", "b", "c", "d"}) {
            last = builder.call(name, {last});
            made.push_back(last);
        }
        builder.output(last);
        frontend::CheckedProgram program = builder.build().program();
        program.blocks = {"first", "second"};
        for (std::size_t i = crosses ? 1 : 3; i < 4; ++i) {
            program.calls[i].block = 1;
        }
        const dag::CallGraph graph(program);
        Plan plan;
        for (std::size_t i = 0; i < 4; ++i) {
            Candidate& kernel = plan.kernels.emplace_back();
            kernel.calls = {CallId(i)};
            kernel.loads = toy::loads_of(graph, kernel.calls);
            kernel.stores = {made[i]};
            kernel.cost.seconds = 1e-6;
        }
        plan.workspace = plan_workspace(graph, plan.kernels);
        plan.seconds = 4e-6;
        plan.gap = 1;
        EXPECT_EQ(plan.workspace.slots.size(), 3U); // a, b, c: with a crossing b and c meet; with c crossing a and b do
        verify(plan, graph);
        Plan wrong = plan; // c where a lies
        wrong.workspace.placed = {{made[0], 0}, {made[1], 1}, {made[2], 0}};
        EXPECT_THROW(verify(wrong, graph), InternalError);
        wrong = plan;
        std::swap(wrong.kernels[0], wrong.kernels[3]);
        EXPECT_THROW(verify(wrong, graph), InternalError);
    }
}

TEST(ProgramBlocks, APlanThatMixesOrExchangesThemIsBroken) {
    toy::GraphBuilder builder;
    const DataId in = builder.input("in");
    const DataId a = builder.call("a", {in}), b = builder.call("b", {in});
    builder.output(a);
    builder.output(b);
    frontend::CheckedProgram program = builder.build().program();
    program.blocks = {"first", "second"};
    program.calls[1].block = 1;
    const dag::CallGraph graph(program);
    Plan plan;
    for (std::size_t i = 0; i < 2; ++i) {
        Candidate& kernel = plan.kernels.emplace_back();
        kernel.calls = {CallId(i)};
        kernel.loads = {in};
        kernel.stores = {i == 0 ? a : b};
        kernel.cost.seconds = 1e-6;
    }
    plan.seconds = 2e-6;
    plan.gap = 1;
    verify(plan, graph);
    Plan exchanged = plan;
    std::swap(exchanged.kernels[0], exchanged.kernels[1]);
    EXPECT_THROW(verify(exchanged, graph), InternalError);
    Plan mixed = plan;
    mixed.kernels.pop_back();
    mixed.kernels[0].calls = {CallId(0), CallId(1)};
    mixed.kernels[0].stores = {a, b};
    mixed.seconds = 1e-6;
    EXPECT_THROW(verify(mixed, graph), InternalError);
}

} // namespace
} // namespace fusec::fusion
