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

// The first of two calls has the whole, the second what is new: of [A B] one column.
TEST(RemainingArithmetic, CountsForTheFirstCall) {
    Square s(4);
    const DataId v = s.builder.input("v", vector_shape(4));
    s.builder.output(s.call("vouter", {v, v}, "P"));
    s.builder.output(s.call("vouter", {v, v}, "Q"));
    EXPECT_THAT(left(s.builder), ElementsAre(DoubleEq(10.0 / 16), 0));
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
