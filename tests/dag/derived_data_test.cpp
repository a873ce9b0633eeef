// SPDX-License-Identifier: Apache-2.0
// Derived data in the call graph: uniform calls are no vertices, and what a set of calls uses is the closure over them.
#include "dag/call_graph.hpp"
#include "frontend/uniform_calls.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace fusec::dag {
namespace {

/// Scalar sums of random operands; results without a use are outputs, and so is every ninth.
frontend::CheckedProgram random_sums(std::mt19937& random, int calls) {
    const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
    test::ProgramBuilder builder;
    std::vector<DataId> data{builder.uniform("u", test::scalar_shape), builder.uniform("v", test::scalar_shape),
        builder.constant("c", test::scalar_shape), builder.input("x", test::scalar_shape)};
    std::set<DataId> used;
    for (int i = 0; i < calls; ++i) {
        const DataId a = data[below(data.size())], b = below(5) == 0 ? data[3] : data[below(data.size())];
        used.insert({a, b});
        data.push_back(builder.call("sadd", {a, b}, "s" + std::to_string(i)));
    }
    for (std::size_t i = 4; i < data.size(); ++i) {
        if (used.count(data[i]) == 0 || below(9) == 0) {
            builder.output(data[i]);
        }
    }
    return builder.program();
}

TEST(DerivedData, AreUsedWithAllThatTheyAreMadeOf) {
    std::mt19937 random(3);
    std::size_t derived = 0, nested = 0;
    for (int round = 0; round < 80; ++round) {
        const frontend::CheckedProgram before = random_sums(random, 4 + round % 8);
        const CallGraph graph(frontend::set_uniform_calls_apart(before, test::catalog()));
        verify(graph);
        const frontend::CheckedProgram& program = graph.program();
        ASSERT_EQ(graph.calls() + program.uniform_calls.size(), before.calls.size());
        // By the program as it was: what a value is made of, down to uniforms and constants.
        const std::function<void(DataId, std::set<DataId>&)> walk = [&](DataId datum, std::set<DataId>& met) {
            met.insert(datum);
            if (before.datum(datum).producer) {
                for (const DataId operand : before.call(*before.datum(datum).producer).operands) {
                    walk(operand, met);
                }
            }
        };
        for (std::size_t index = 0; index < program.data.size(); ++index) {
            if (program.data[index].kind != frontend::DatumKind::derived) {
                EXPECT_TRUE(graph.derivation(DataId(index)).empty());
                continue;
            }
            std::set<DataId> met;
            walk(DataId(index), met);
            EXPECT_EQ(graph.derivation(DataId(index)), std::vector<DataId>(met.begin(), met.end()));
            ++derived;
            nested += met.size() > 3;
        }
        for (unsigned bits = 1; bits < 1U << std::min<std::size_t>(graph.calls(), 6); ++bits) {
            CallSet set;
            std::set<DataId> made, expected, kernels_own;
            for (std::size_t call = 0; call < graph.calls() && call < 6; ++call) {
                if ((bits >> call & 1) != 0) {
                    set.push_back(CallId(call));
                    made.insert(graph.call(CallId(call)).result);
                }
            }
            for (const CallId call : set) {
                for (const DataId operand : graph.call(call).operands) {
                    if (graph.datum(operand).kind == frontend::DatumKind::derived) {
                        walk(operand, expected);
                    } else if (made.count(operand) == 0) {
                        expected.insert(operand);
                    }
                }
            }
            for (const DataId datum : expected) {
                if (graph.datum(datum).kind == frontend::DatumKind::derived) {
                    kernels_own.insert(datum);
                }
            }
            ASSERT_EQ(graph.uses(set), std::vector<DataId>(expected.begin(), expected.end()));
            ASSERT_EQ(graph.derives(set), std::vector<DataId>(kernels_own.begin(), kernels_own.end()));
            for (const DataId datum : graph.boundary(set)) {
                ASSERT_EQ(graph.datum(datum).kind, frontend::DatumKind::computed);
            }
        }
    }
    EXPECT_GE(derived, 50U);
    EXPECT_GE(nested, 20U);
}

} // namespace
} // namespace fusec::dag
