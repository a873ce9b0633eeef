// SPDX-License-Identifier: Apache-2.0
// No fusion has calls of two program blocks, and of those of one block none is left out: against all subsets.
#include "fusion/columns.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/grown.hpp"
#include "fusion/segments.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fusec::fusion {
namespace {

using dag::CallSet;

/// The random graph with its calls in up to four blocks: cut at random places.
dag::CallGraph random_blocks(std::mt19937& random, int calls) {
    frontend::CheckedProgram program = test::random_graph(random, calls).program();
    program.blocks = {"a", "b", "c", "d"};
    std::uint32_t block = 0;
    for (frontend::Call& call : program.calls) {
        block += block < 3 && random() % 4 == 0 ? 1U : 0U;
        call.block = block;
    }
    return dag::CallGraph(program);
}

bool one_block(const dag::CallGraph& graph, const CallSet& set) {
    return std::all_of(set.begin(), set.end(), [&](CallId call) { return graph.call(call).block == graph.call(set.front()).block; });
}

TEST(ProgramBlocks, EveryConnectedConvexSetOfOneBlockIsTriedAndNoOther) {
    std::size_t sets = 0, mixed = 0;
    for (unsigned seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const dag::CallGraph graph = random_blocks(random, 4 + static_cast<int>(seed % 8));
        // As if there were no blocks, then those sets that have calls of one.
        frontend::CheckedProgram whole = graph.program();
        whole.blocks.clear();
        for (frontend::Call& call : whole.calls) {
            call.block = 0;
        }
        std::vector<CallSet> expected;
        const dag::CallGraph without(whole);
        for (std::size_t bits = 1; bits < std::size_t{1} << graph.calls(); ++bits) {
            CallSet set;
            for (std::size_t call = 0; call < graph.calls(); ++call) {
                if ((bits >> call & 1) != 0) {
                    set.emplace_back(call);
                }
            }
            if (set.size() <= 8 && without.convex(set) && connected(connections(without), set)) {
                mixed += one_block(graph, set) ? 0U : 1U;
                if (one_block(graph, set)) {
                    expected.push_back(set);
                }
            }
        }
        std::vector<CallSet> found = enumerate_fusions(graph, 8, 1000000).sets;
        sets += found.size();
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
        EXPECT_FALSE(hubs_are_left_out(graph));
    }
    EXPECT_GT(sets, 2000U);
    EXPECT_GT(mixed, 2000U); // what blocks keep apart
}

TEST(ProgramBlocks, GrownSetsConesSegmentsAndColumnsDoNotMixThem) {
    std::size_t larger = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const dag::CallGraph graph = random_blocks(random, 20 + static_cast<int>(seed * 3));
        const std::vector<double> operations(graph.calls(), 1);
        std::vector<CallId> roots;
        for (std::size_t i = 0; i < graph.calls(); ++i) {
            if (graph.datum(graph.call(CallId(i)).result).output) {
                roots.emplace_back(i);
            }
        }
        const std::vector<CallSet> sets = grown_fusions(graph, roots, operations, 2);
        for (const CallSet& set : sets) {
            larger += set.size() > 4 ? 1U : 0U;
            EXPECT_TRUE(one_block(graph, set));
            EXPECT_TRUE(graph.convex(set));
        }
        for (const CallId root : roots) {
            for (const CallId call : cone(graph, root, 64)) {
                EXPECT_EQ(graph.block(call), graph.block(root));
            }
        }
        for (const std::vector<CallId>& order : orders_to_cut(graph)) {
            std::set<CallId> before;
            for (std::size_t i = 0; i < order.size(); ++i) {
                EXPECT_TRUE(i == 0 || graph.block(order[i - 1]) <= graph.block(order[i]));
                for (const CallId needed : graph.predecessors(order[i])) {
                    EXPECT_TRUE(before.contains(needed));
                }
                before.insert(order[i]);
            }
            for (const CallSet& set : segments(graph, order, operations, 2)) {
                EXPECT_TRUE(one_block(graph, set));
            }
        }
        for (const Column& column : make_columns(graph, sets, operations, true, 8).columns) {
            EXPECT_TRUE(one_block(graph, column.executes)); // recomputed calls too
        }
    }
    EXPECT_GT(larger, 100U);
}

TEST(ProgramBlocks, TheReasonNamesThem) {
    frontend::CheckedProgram program = test::demo().program();
    program.blocks = {"first", "second"};
    for (std::size_t i = 3; i < program.calls.size(); ++i) {
        program.calls[i].block = 1;
    }
    const dag::CallGraph graph(program);
    const auto reason = why_no_fusion(graph, {CallId(1), CallId(2), CallId(5)}, 8);
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->reason, Rejection::Reason::several_blocks);
    EXPECT_EQ(reason->detail, "`v1` is computed in block `first`, `F` is computed in block `second`: a kernel has calls of one block");
    EXPECT_FALSE(why_no_fusion(graph, {CallId(1), CallId(2)}, 8));
}

} // namespace
} // namespace fusec::fusion
