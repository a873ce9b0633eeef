// SPDX-License-Identifier: Apache-2.0
// The call graph against definitions: paths by depth-first search, boundaries by hand.
#include "dag/call_graph.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace fusec::dag {
namespace {

using test::ProgramBuilder;

CallSet calls(std::initializer_list<std::size_t> indices) {
    CallSet set;
    for (std::size_t index : indices) {
        set.push_back(CallId(index));
    }
    return set;
}

/// True if a path of one or more edges leads from one call to the other.
bool path(const CallGraph& graph, CallId from, CallId to) {
    for (std::size_t call = 0; call < graph.calls(); ++call) {
        const auto& operands = graph.call(CallId(call)).operands;
        if (std::count(operands.begin(), operands.end(), graph.call(from).result) != 0 &&
            (CallId(call) == to || path(graph, CallId(call), to))) {
            return true;
        }
    }
    return false;
}

TEST(CallGraph, ClosuresAreThePathsOfRandomGraphs) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const CallGraph graph = test::random_graph(random, 1 + round % 9);
        verify(graph);
        for (std::size_t a = 0; a < graph.calls(); ++a) {
            for (std::size_t b = 0; b < graph.calls(); ++b) {
                ASSERT_EQ(graph.descendants(CallId(a)).test(b), path(graph, CallId(a), CallId(b)));
                ASSERT_EQ(graph.ancestors(CallId(b)).test(a), path(graph, CallId(a), CallId(b)));
            }
        }
    }
}

/// r reads the old value of y, s its new one:   old -> r    old, in -> y    y -> s
TEST(CallGraph, ReadersOfAnOldValueComeBeforeTheNewOne) {
    ProgramBuilder builder;
    const DataId old = builder.input("old", test::vector_shape(3)), in = builder.input("in", test::vector_shape(3));
    const DataId r = builder.call("vneg", {old}, "r"), y = builder.call("vadd", {old, in}, "y"), s = builder.call("vneg", {y}, "s");
    for (const DataId output : {r, s, y}) {
        builder.output(output);
    }
    frontend::CheckedProgram program = builder.program();
    program.inputs = {old, in};
    program.outputs = {r, s, y};
    program.updates = {{0, 2}};
    const CallGraph graph(program);
    verify(graph);
    EXPECT_EQ(graph.predecessors(CallId(1)), calls({0})) << "not itself, though it reads the old value too";
    EXPECT_EQ(graph.successors(CallId(0)), calls({1}));
    EXPECT_TRUE(graph.descendants(CallId(0)).test(2));
    EXPECT_FALSE(graph.convex(calls({0, 2})));
    EXPECT_EQ(graph.new_value(old), y);
    EXPECT_EQ(graph.old_value(y), old);
    EXPECT_FALSE(graph.new_value(in) || graph.old_value(s));
    program.updates.clear();
    EXPECT_TRUE(CallGraph(program).convex(calls({0, 2})));
}

TEST(CallGraph, ConvexityByDefinition) {
    std::mt19937 random(8);
    int convex = 0;
    int not_convex = 0;
    for (int round = 0; round < 60; ++round) {
        const CallGraph graph = test::random_graph(random, 7);
        for (unsigned bits = 1; bits < 128; ++bits) {
            CallSet set;
            for (std::size_t call = 0; call < 7; ++call) {
                if ((bits >> call & 1) != 0) {
                    set.push_back(CallId(call));
                }
            }
            bool expected = true;
            for (std::size_t outside = 0; outside < 7; ++outside) {
                if ((bits >> outside & 1) == 0) {
                    const bool below = std::any_of(set.begin(), set.end(), [&](CallId call) { return path(graph, call, CallId(outside)); });
                    const bool above = std::any_of(set.begin(), set.end(), [&](CallId call) { return path(graph, CallId(outside), call); });
                    expected = expected && !(below && above);
                }
            }
            ASSERT_EQ(graph.convex(set), expected);
            ++(expected ? convex : not_convex);
        }
    }
    EXPECT_GT(convex, 100);
    EXPECT_GT(not_convex, 100);
}

TEST(CallGraph, UsesAndBoundaryOfTheDemo) {
    const CallGraph graph = test::demo();
    verify(graph);
    const auto names = [&](const std::vector<DataId>& data) {
        std::string text;
        for (DataId datum : data) {
            text += graph.datum(datum).name + " ";
        }
        return text;
    };
    EXPECT_EQ(names(graph.uses(calls({0, 1}))), "A B c ");  // M1, v1
    EXPECT_EQ(names(graph.boundary(calls({0, 1}))), "v1 "); // M1 stays inside
    EXPECT_EQ(names(graph.uses(calls({4, 5}))), "D s1 M2 ");
    EXPECT_EQ(names(graph.boundary(calls({4, 5}))), "F ");
    EXPECT_EQ(names(graph.boundary(calls({0, 3}))), "M1 M2 ");
}

TEST(CallGraph, AnOutputUsedInsideIsStillBoundary) {
    ProgramBuilder builder;
    const auto first = builder.node({builder.input("x", test::scalar_shape)});
    const auto second = builder.node({first, first});
    builder.output(first);
    builder.output(second);
    const CallGraph graph = builder.graph();
    EXPECT_EQ(graph.boundary(calls({0, 1})), (std::vector<DataId>{first, second}));
    EXPECT_EQ(graph.consumers(first), calls({1})); // once, although used twice
    EXPECT_EQ(graph.predecessors(CallId(1)), calls({0}));
}

TEST(CallGraph, ACycleIsAnInternalError) {
    ProgramBuilder builder;
    const auto first = builder.node({builder.input("x", test::scalar_shape)});
    const auto second = builder.node({first});
    builder.output(second);
    frontend::CheckedProgram program = builder.program();
    program.calls[0].operands.push_back(second);
    EXPECT_THROW(CallGraph{program}, InternalError);
}

TEST(CallGraph, AThousandCallsAreQuick) {
    std::mt19937 random(1);
    const CallGraph graph = test::random_graph(random, 1000);
    EXPECT_EQ(graph.calls(), 1000U);
    EXPECT_TRUE(graph.convex(calls({0})));
}

} // namespace
} // namespace fusec::dag
