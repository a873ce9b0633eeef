// SPDX-License-Identifier: Apache-2.0
// Sums that are executed in the instructions of the products before them.
#include "fusion/choice_search.hpp"
#include "fusion/joined_sums.hpp"
#include "fusion/kernel_builder.hpp"
#include "space_cases.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

namespace fusec::fusion {
namespace {

using test::ProgramBuilder;
using testing::ElementsAre;
using testing::Pair;

/// Of the kernel of all calls: instructions by routine, over what all take beyond their operations (1.15 times 0.55 a flop), smallest first.
std::multimap<std::string, double> flops_issued(const dag::CallGraph& graph, Target target) {
    DeviceLimits limits;
    limits.target = target;
    const std::vector<CallRoutines> routines = find_routines(graph, test::catalog(), limits);
    CallCosts costs(graph, routines);
    const Space all = test::space(graph, limits);
    KernelBuilder builder(limits, true);
    std::multimap<std::string, double> issued;
    for (const Column& column : all.columns()) {
        const KernelOutline kernel = outline(graph, column, routines, costs);
        if (kernel.calls.size() < graph.calls()) {
            continue;
        }
        ChoiceSpace choices(kernel, limits);
        builder.begin(kernel);
        search_choices(choices, 1, [&](const KernelChoice& choice) -> Trial {
            if (!issued.empty() || builder.decide(choices.combination(choice.combination), choice)) {
                return {};
            }
            double sum = 0;
            for (const WorkStep& step : builder.draft().work.steps) {
                sum += step.instructions;
                if (step.kind == WorkStep::Kind::compute) {
                    issued.emplace(
                        step.routine->substr(0, step.routine->find('_')), std::round(step.instructions / (1.15 * 0.55) * 1e6) / 1e6);
                }
            }
            EXPECT_NEAR(sum / 32, builder.draft().work.instructions, 1e-9);
            return {false, 1};
        });
    }
    return issued;
}

struct Matrices {
    ProgramBuilder builder{Precision::f32};
    DataId a = builder.input("A", test::matrix_shape(3, 3)), b = builder.input("B", test::matrix_shape(3, 3)),
           s = builder.input("s", test::scalar_shape);
    DataId product(const char* name) { return builder.call("smmul", {s, a}, name); }
    std::multimap<std::string, double> issued(Target target = Target::host) { return flops_issued(builder.graph(), target); }
};

// 9 multiplications and 9 additions: on a host all in the step of the product.
TEST(JoinedSums, AreExecutedWithTheirProducts) {
    Matrices m;
    m.builder.output(m.builder.call("madd", {m.b, m.product("P")}, "R"));
    EXPECT_THAT(m.issued(), ElementsAre(Pair("madd", 0), Pair("smmul", 18)));
    const auto on_a_gpu = m.issued(Target::cuda);
    EXPECT_GE(on_a_gpu.find("madd")->second, 9);
}

TEST(JoinedSums, TakeOneOfTwoProducts) {
    Matrices m;
    const DataId p = m.product("P");
    m.builder.output(m.builder.call("msub", {p, m.builder.call("smmul", {m.s, m.b}, "Q")}, "R"));
    EXPECT_THAT(m.issued(), ElementsAre(Pair("msub", 0), Pair("smmul", 18), Pair("smmul", 9)));
}

TEST(JoinedSums, LeaveProductsThatAreNeededBesides) {
    Matrices stored;
    const DataId p = stored.product("P");
    stored.builder.output(p);
    stored.builder.output(stored.builder.call("madd", {stored.b, p}, "R"));
    EXPECT_THAT(stored.issued(), ElementsAre(Pair("madd", 9), Pair("smmul", 9)));
    Matrices twice;
    const DataId q = twice.product("P");
    twice.builder.output(twice.builder.call("madd", {q, q}, "R"));
    EXPECT_THAT(twice.issued(), ElementsAre(Pair("madd", 9), Pair("smmul", 9)));
}

// Each of the sums is executed in as many instructions as it has components, and the product in none of its own: those of the first are its.
TEST(JoinedSums, ShareAProduct) {
    Matrices m;
    const DataId p = m.product("P");
    m.builder.output(m.builder.call("madd", {m.b, p}, "R"));
    m.builder.output(m.builder.call("msub", {m.a, p}, "Q"));
    EXPECT_THAT(m.issued(), ElementsAre(Pair("madd", 0), Pair("msub", 9), Pair("smmul", 18)));
    Matrices otherwise;
    const DataId q = otherwise.product("P");
    otherwise.builder.output(otherwise.builder.call("madd", {otherwise.b, q}, "R"));
    otherwise.builder.output(otherwise.builder.call("mmul", {otherwise.b, q}, "Q"));
    EXPECT_THAT(otherwise.issued(), ElementsAre(Pair("madd", 9), Pair("mmul", 45), Pair("smmul", 9)));
}

// Not a sum of products.
TEST(JoinedSums, AreSumsOfProductsOfTheKernel) {
    Matrices m;
    m.builder.output(m.builder.call("madd", {m.b, m.builder.call("mmul", {m.a, m.b}, "P")}, "R"));
    EXPECT_THAT(m.issued(), ElementsAre(Pair("madd", 9), Pair("mmul", 45)));
}

// By hand: calls of so many operations each, a product before a sum.
TEST(JoinedSums, LeaveProductsOfFewerComponents) {
    CallRoutines product, sum;
    product.product = sum.sum = true;
    sum.operations.flops = 9;
    KernelOutline kernel;
    kernel.calls = {{CallId(0), &product, {}, 0, nullptr}, {CallId(1), &sum, {0}, 1, nullptr}};
    kernel.data.resize(2);
    kernel.data[0].shape = test::matrix_shape(3, 3);
    kernel.data[0].producer = 0;
    kernel.data[0].uses = {{1, 0}};
    kernel.data[1].producer = 1;
    for (const double flops : {0.0, 3.0, 9.0, 27.0}) {
        product.operations.flops = flops;
        EXPECT_EQ(product_of_sum(kernel, 1, 16), flops < 9 ? -1 : 0) << flops;
        EXPECT_EQ(sum_of_product(kernel, 0, 16), flops < 9 ? -1 : 1) << flops;
    }
    product.operations.flops = sum.operations.flops = 0;
    EXPECT_EQ(product_of_sum(kernel, 1, 16), -1);
    product.operations.flops = sum.operations.flops = 9;
    kernel.data[1].precision = Precision::f64;
    EXPECT_EQ(product_of_sum(kernel, 1, 16), -1);
    kernel.data[1].precision = Precision::f32;
    // What the test of g++'s machine code joins, and what not (tests/cli/joined_sums_test.py).
    for (const Shape& joined : {test::matrix_shape(5, 5), test::matrix_shape(7, 4), test::matrix_shape(14, 2), test::vector_shape(17)}) {
        kernel.data[0].shape = joined;
        EXPECT_EQ(product_of_sum(kernel, 1, 16), 0) << to_string(joined);
    }
    for (const Shape& apart : {test::matrix_shape(5, 6), test::matrix_shape(8, 8), test::vector_shape(18), test::vector_shape(36)}) {
        kernel.data[0].shape = apart;
        EXPECT_EQ(product_of_sum(kernel, 1, 16), -1) << to_string(apart);
    }
    // Of lists in halves of a tile, which are of 16 floats or 8 doubles.
    const auto joins = [&](const Shape& shape, Precision precision, int lanes) {
        kernel.data[0].shape = shape;
        kernel.data[0].precision = kernel.data[1].precision = precision;
        return product_of_sum(kernel, 1, lanes) == 0;
    };
    EXPECT_TRUE(joins(test::matrix_shape(6, 6), Precision::f32, 16));
    EXPECT_FALSE(joins(test::matrix_shape(6, 6), Precision::f32, 8));
    EXPECT_TRUE(joins(test::matrix_shape(8, 5), Precision::f64, 8));
    EXPECT_FALSE(joins(test::matrix_shape(6, 6), Precision::f64, 8));
}

TEST(JoinedSums, AreFoundInReferences) {
    const auto reference = [](const char* text) {
        std::string error;
        std::size_t where = 0;
        const auto parsed = library::parse_reference(text, error, where);
        EXPECT_TRUE(parsed) << error;
        return *parsed;
    };
    EXPECT_TRUE(is_product(reference("C[i,j] = a[i] * b[j]")));
    EXPECT_TRUE(is_product(reference("c = a * b")));
    EXPECT_FALSE(is_product(reference("c[i] = v[i] / s")));
    EXPECT_FALSE(is_product(reference("C[i,j] = sum(k) A[i,k] * B[k,j]")));
    EXPECT_FALSE(is_product(reference("det")));
    EXPECT_TRUE(is_sum(reference("C[i,j] = A[i,j] - B[i,j]")));
    EXPECT_TRUE(is_sum(reference("c = a + b")));
    EXPECT_FALSE(is_sum(reference("C[i,j] = A[i,j] + B[j,i]")));
    EXPECT_FALSE(is_sum(reference("y[i] = s * x[i] + z[i]")));
    EXPECT_FALSE(is_sum(reference("C[i,j] = s * A[i,j]")));
    EXPECT_TRUE(is_commutative(reference("c = a * b")));
    EXPECT_TRUE(is_commutative(reference("C[i,j] = A[i,j] + B[i,j]")));
    EXPECT_FALSE(is_commutative(reference("c = a - b")));
    EXPECT_FALSE(is_commutative(reference("c = a * (a - b)")));
    EXPECT_FALSE(is_commutative(reference("C[i,j] = a[i] * b[j]")));
}

} // namespace
} // namespace fusec::fusion
