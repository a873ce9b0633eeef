// SPDX-License-Identifier: Apache-2.0
// What a host's compiler leaves of kernels, worked out by hand. tests/cli/remaining_arithmetic_test.py counts the same in machine code.
#include "fusion/remaining_arithmetic.hpp"

#include "space_cases.hpp"

#include <gmock/gmock.h>

namespace fusec::fusion {
namespace {

using test::matrix_shape;
using test::ProgramBuilder;
using test::vector_shape;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pair;

/// Per call of the kernel of all calls, which stores the outputs.
std::vector<double> left(const ProgramBuilder& builder) {
    const dag::CallGraph graph = builder.graph();
    DeviceLimits limits;
    limits.target = Target::host;
    const std::vector<CallRoutines> routines = find_routines(graph, test::catalog(), limits);
    CallCosts costs(graph, routines);
    const Space all = test::space(graph, limits);
    RemainingArithmetic remaining(graph, test::catalog());
    for (const Column& column : all.columns()) {
        if (column.executes.size() == graph.calls()) {
            KernelOutline kernel = outline(graph, column, routines, costs);
            remaining.find(kernel);
            remaining.find(kernel); // again
            std::vector<double> result;
            for (const KernelOutline::Call& call : kernel.calls) {
                result.push_back(call.remaining);
            }
            return result;
        }
    }
    ADD_FAILURE() << "no kernel has all calls";
    return {};
}

struct Square {
    explicit Square(int size) : n(size) {}
    int n;
    ProgramBuilder builder{Precision::f64};
    DataId a = builder.input("A", matrix_shape(n, n)), b = builder.input("B", matrix_shape(n, n));
    DataId call(const char* function, const std::vector<DataId>& operands, const char* name) {
        return builder.call(function, operands, name);
    }
};

TEST(RemainingArithmetic, IsTheDiagonalWhereATraceIsNeeded) {
    Square s(6);
    s.builder.output(s.call("mtrace", {s.call("madd", {s.call("mmul", {s.a, s.b}, "P"), s.a}, "Q")}, "t"));
    EXPECT_THAT(left(s.builder), ElementsAre(DoubleEq(6.0 / 36), DoubleEq(6.0 / 36), 1));
}

TEST(RemainingArithmetic, IsAllOfWhatIsStored) {
    Square s(6);
    const DataId product = s.call("mmul", {s.a, s.b}, "P");
    s.builder.output(product);
    s.builder.output(s.call("mtrace", {product}, "t"));
    EXPECT_THAT(left(s.builder), ElementsAre(1, 1));
}

// F'F is symmetric, and so is what is made of it component by component.
TEST(RemainingArithmetic, ComputesEqualComponentsOnce) {
    Square s(3);
    const DataId product = s.call("mtmul", {s.a, s.a}, "C");
    const DataId scale = s.builder.input("s", test::scalar_shape);
    s.builder.output(s.call("smmul", {product, scale}, "E"));
    EXPECT_THAT(left(s.builder), ElementsAre(DoubleEq(6.0 / 9), DoubleEq(6.0 / 9)));
    Square unlike(3);
    unlike.builder.output(unlike.call("mtmul", {unlike.a, unlike.b}, "C"));
    EXPECT_THAT(left(unlike.builder), ElementsAre(1));
}

// The first of two calls has what both compute.
TEST(RemainingArithmetic, CountsForTheFirstCall) {
    Square s(4);
    const DataId v = s.builder.input("v", vector_shape(4));
    s.builder.output(s.call("vouter", {v, v}, "P"));
    s.builder.output(s.call("vouter", {v, v}, "Q"));
    EXPECT_THAT(left(s.builder), ElementsAre(DoubleEq(10.0 / 16), 0));
}

// Transposed, the second is the first.
TEST(RemainingArithmetic, TellsEqualComponentsOfUnlikeCalls) {
    Square s(3);
    s.builder.output(s.call("mtmul", {s.a, s.b}, "C"));
    s.builder.output(s.call("mtmul", {s.b, s.a}, "D"));
    EXPECT_THAT(left(s.builder), ElementsAre(1, 0));
}

// Either order of the operands of a sum or a product is the same; of a difference or a quotient it is another.
TEST(RemainingArithmetic, KnowsWhatCommutes) {
    const Shape square = matrix_shape(3, 3), scalar = test::scalar_shape;
    for (const auto& [function, shape, second] :
        {std::tuple{"madd", square, 0.0}, std::tuple{"msub", square, 1.0}, std::tuple{"sadd", scalar, 0.0}, std::tuple{"smul", scalar, 0.0},
            std::tuple{"ssub", scalar, 1.0}, std::tuple{"sdiv", scalar, 1.0}}) {
        ProgramBuilder builder;
        const DataId a = builder.input("A", shape), b = builder.input("B", shape);
        builder.output(builder.call(function, {a, b}, "C"));
        builder.output(builder.call(function, {b, a}, "D"));
        EXPECT_THAT(left(builder), ElementsAre(1, second)) << function;
    }
}

// Compilers leave loops of more than 17 passes.
TEST(RemainingArithmetic, IsWholeInLongLoops) {
    for (const int n : {17, 20}) {
        ProgramBuilder builder;
        const DataId v = builder.input("v", vector_shape(n)), w = builder.input("w", vector_shape(3));
        builder.output(builder.call("vouter", {v, w}, "P"));
        builder.output(builder.call("vouter", {v, w}, "Q"));
        EXPECT_THAT(left(builder), ElementsAre(1, n == 17 ? 0 : 1)) << n;
    }
}

/// Of the kernel of all calls as the space has it: shares of the steps that compute, in the kernel and in one of their own.
std::vector<std::pair<double, double>> shares_in_steps(const ProgramBuilder& builder) {
    const dag::CallGraph graph = builder.graph();
    DeviceLimits limits;
    limits.target = Target::host;
    SpaceOptions options;
    options.with_steps = true;
    Space space = test::space(graph, limits, options);
    std::vector<std::pair<double, double>> shares;
    for (std::size_t i = 0; i < space.columns().size(); ++i) {
        if (space.columns()[i].executes.size() == graph.calls()) {
            for (const WorkStep& step : space.front(ColumnId(i)).kept.front().work.steps) {
                if (step.kind == WorkStep::Kind::compute) {
                    shares.emplace_back(step.remaining, step.alone);
                }
            }
        }
    }
    return shares;
}

TEST(RemainingArithmetic, IsInTheStepsOfKernels) {
    Square s(6);
    s.builder.output(s.call("mtrace", {s.call("mmul", {s.a, s.b}, "P")}, "t"));
    EXPECT_THAT(shares_in_steps(s.builder), ElementsAre(Pair(DoubleEq(1.0 / 6), 1), Pair(1, 1)));
    // Each product is part of the instruction of a sum, of which there are nine.
    Square joined(3);
    const DataId v = joined.builder.input("v", vector_shape(3));
    joined.builder.output(joined.call("madd", {joined.a, joined.call("vouter", {v, v}, "P")}, "R"));
    EXPECT_THAT(shares_in_steps(joined.builder), ElementsAre(Pair(1, DoubleEq(6.0 / 9)), Pair(1, 1)));
}

// What takes all components of an operand, and values whose components compilers do not follow.
TEST(RemainingArithmetic, IsWholeBehindAlgorithmsAndInLargeValues) {
    Square inverse(3);
    inverse.builder.output(inverse.call("mtrace", {inverse.call("minv", {inverse.call("mmul", {inverse.a, inverse.b}, "P")}, "I")}, "t"));
    EXPECT_THAT(left(inverse.builder), ElementsAre(1, 1, 1));
    Square followed(8), large(9);
    for (Square* s : {&followed, &large}) {
        s->builder.output(s->call("mtrace", {s->call("madd", {s->a, s->b}, "S")}, "t"));
    }
    EXPECT_THAT(left(followed.builder), ElementsAre(DoubleEq(8.0 / 64), 1));
    EXPECT_THAT(left(large.builder), ElementsAre(1, 1));
}

} // namespace
} // namespace fusec::fusion
