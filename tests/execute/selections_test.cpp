// SPDX-License-Identifier: Apache-2.0
// Selections: bounds of the reference where rounding may turn a comparison, inputs that take both values, and the calls they are condensed to.
#include "execute/selections.hpp"

#include "elementary-lib/selection.hpp"
#include "execute/domains.hpp"
#include "frontend/condense.hpp"
#include "frontend/frontend.hpp"
#include "tests/execute/reference_program.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;

CheckedProgram checked(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    const auto program = tree ? frontend::check(*tree, standard_catalog(), {}, diagnostics) : std::nullopt;
    if (!program) {
        std::ostringstream errors;
        render(diagnostics, errors, false);
        throw std::invalid_argument(errors.str());
    }
    return *program;
}

TEST(SelectionBounds, ComparisonsThatRoundingMayTurnHaveNone) {
    constexpr double u = 0x1p-24;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(comparison_in_doubt({1, 0}, {1, 0})) << "exact and equal";
    EXPECT_FALSE(comparison_in_doubt({1, 1}, {1 + 9 * u, 1})) << "8 u is what both may be off";
    EXPECT_TRUE(comparison_in_doubt({1, 1}, {1 + 7 * u, 1}));
    EXPECT_TRUE(comparison_in_doubt({1, 1}, {1, 0}));
    EXPECT_TRUE(comparison_in_doubt({std::nan(""), 1}, {1, 0}));
    EXPECT_TRUE(comparison_in_doubt({1, infinity}, {100, 0}));
    EXPECT_EQ(choose(false, {2, 3}, {5, 7}).bound, 3);
    EXPECT_EQ(choose(true, {2, 3}, {5, 7}).bound, infinity);
    EXPECT_EQ(choose(true, {2, 3}, {2, 7}).bound, 7) << "whichever is taken";
    EXPECT_EQ(choose(true, {2, 3}, {2, 7}).value, 2);
}

TEST(SelectionBounds, SuchElementsAreDrawnAgain) {
    const CheckedProgram program =
        checked("SCALAR a, b, x, y;\ninput a, b, x, y;\nd = (a + b) * (a - b);\ne = a * a - b * b;\nz = select(d < e, x, y);\nreturn z;\n");
    const RandomCases cases = draw_cases(program, standard_catalog(), 300, 1);
    EXPECT_EQ(cases.ill, 300U) << "d and e are one value, computed in two ways";
    const CheckedProgram agreeing = checked(
        "SCALAR a, b, x;\ninput a, b, x;\nd = (a + b) * (a - b);\ne = a * a - b * b;\nz = select(d < e, 2 * x, x + x);\nreturn z;\n");
    EXPECT_LT(draw_cases(agreeing, standard_catalog(), 300, 1).redrawn, 60U) << "both values are one";
}

TEST(SelectionInputs, TakeBothValuesAndMeetEquals) {
    const CheckedProgram program = checked("SCALAR a, b;\nVECTOR3 v, w;\nMATRIX3x3 E;\nuniform SCALAR k;\ninput a, b, v, w, E;\n"
                                           "f = select(a <= b, v, w);\n"
                                           "g = select(v[1] == w[2], a, b);\n"
                                           "h = select(mfnorm(E) > 0.5 * k * k + 0.25, v, -v);\n"
                                           "return f, g, h;\n");
    const library::Catalog catalog = standard_catalog().with(program.functions);
    constexpr std::size_t elements = 400;
    const RandomCases cases = draw_cases(program, catalog, elements, 1);
    EXPECT_TRUE(cases.acceptable());
    EXPECT_TRUE(one_sided_selections(program, catalog, cases.reference, elements).empty());
    std::size_t equal = 0, less = 0;
    for (std::size_t i = 0; i < elements; ++i) {
        const double a = cases.given[program.inputs[1].index()][i], b = cases.given[program.inputs[2].index()][i]; // behind k
        equal += a == b ? 1 : 0;
        less += a < b ? 1 : 0;
    }
    EXPECT_GT(equal, elements / 40) << "`<=` and `<` differ only there";
    EXPECT_GT(less, elements / 4);
    EXPECT_LT(less, 3 * elements / 4);
}

TEST(SelectionInputs, WhatIsNeverTakenIsTold) {
    const CheckedProgram program = checked("SCALAR a, b;\ninput a, b;\nc = select(a < 8, a, b);\nd = select(a * a < -1, a, c);\n"
                                           "e = select(a < b, c, d);\nf = e + select(1 < 2, a, b);\nreturn f;\n");
    const RandomCases cases = draw_cases(program, standard_catalog(), 100, 1);
    const std::vector<OneSidedSelection> found = one_sided_selections(program, standard_catalog(), cases.reference, 100);
    ASSERT_EQ(found.size(), 2U) << "constants are compared by the compiler";
    EXPECT_EQ(found[0].place.text(), "select(a < 8, a, b)");
    EXPECT_TRUE(found[0].first);
    EXPECT_EQ(found[1].place.text(), "select(a * a < -1, a, c)");
    EXPECT_FALSE(found[1].first);
}

TEST(SelectionInputs, DemandsOnTheResultAreOnWhatIsChosen) {
    const CheckedProgram program = checked("SCALAR a, b, x, y;\nMATRIX2x2 P, Q;\nVECTOR2 r;\ninput a, b, x, y, P, Q, r;\n"
                                           "s = slog(select(a < b, x, y));\nz = s * mcholsolve(select(x < 3, P, Q), r);\nreturn z;\n");
    const std::vector<Demands> found = demands(program, standard_catalog());
    const auto of = [&](std::size_t input) { return found[program.inputs[input].index()]; };
    EXPECT_FALSE(of(0).positive || of(1).positive);
    EXPECT_TRUE(of(0).compared && of(1).compared && of(2).compared && !of(3).compared);
    EXPECT_TRUE(of(2).positive && of(3).positive);
    EXPECT_TRUE(of(4).spd && of(5).spd);
    EXPECT_FALSE(of(6).compared || of(6).varied);
}

// What only selections choose from is within its functions' domains in half of the elements; what is used without a guard, in all.
TEST(SelectionInputs, DomainsBehindSelectionsHoldWhereTheyAreTaken) {
    const CheckedProgram program = checked("SCALAR p, q, r;\ninput p, q, r;\na = select(q > 0, ssqrt(q) / slog(p), 0);\n"
                                           "b = select(r > 0, 1 / r, 0);\nc = slog(r);\nreturn a, b, c;\n");
    const std::vector<Demands> found = demands(program, standard_catalog());
    const auto of = [&](std::size_t input) { return found[program.inputs[input].index()]; };
    EXPECT_TRUE(of(0).if_taken.positive && !of(0).positive);
    EXPECT_TRUE(of(1).if_taken.positive && !of(1).positive && of(1).compared);
    EXPECT_TRUE(of(2).positive) << "its logarithm is an output";
    constexpr std::uint64_t draws = 400;
    std::uint64_t positive = 0;
    for (std::uint64_t element = 0; element < draws; ++element) {
        const double value = random_value(scalar_type(), of(1), 1, 0, element, 0)[0];
        positive += value > 0 ? 1 : 0;
        EXPECT_TRUE(value > 0 || !takes_what_is_guarded(element));
    }
    EXPECT_GT(positive, draws / 2);
    EXPECT_LT(positive, draws * 7 / 8);
}

// What a selection does not take is judged all the same where it is well conditioned.
TEST(SelectionInputs, ValuesThatAreNotTakenAreComparedWhereTheyAreNumbers) {
    const CheckedProgram program = checked("SCALAR q;\ninput q;\na = q * q;\nb = ssqrt(q);\ny = select(q >= 0, a + b, q);\nreturn y;\n");
    const RandomCases cases = draw_cases(program, standard_catalog(), 200, 1);
    const std::vector<double>& q = cases.given[program.inputs[0].index()];
    ASSERT_GT(std::ranges::count_if(q, [](double x) { return x < 0; }), 20);
    for (std::size_t element = 0; element < 200; ++element) {
        EXPECT_GE(cases.reference.bounds[program.calls[0].result.index()][element], 0) << q[element];
        EXPECT_EQ(cases.reference.bounds[program.calls[1].result.index()][element] == not_compared, q[element] < 0) << q[element];
    }
}

// sign(q) sqrt(|q|) by a root on either side, of which one is no number in every element.
TEST(SelectionInputs, ValuesThatAreNotTakenMayBeAnything) {
    const CheckedProgram program = checked("SCALAR q;\ninput q;\ny = select(q >= 0, ssqrt(q), -ssqrt(-q));\nreturn y;\n");
    const RandomCases cases = draw_cases(program, standard_catalog(), 200, 1);
    EXPECT_TRUE(cases.acceptable());
    const std::vector<double>& q = cases.given[program.inputs[0].index()];
    const std::size_t y = program.outputs[0].index();
    std::size_t negative = 0;
    for (std::size_t element = 0; element < 200; ++element) {
        negative += q[element] < 0 ? 1U : 0U;
        EXPECT_NEAR(cases.reference.values[y][element], std::copysign(std::sqrt(std::abs(q[element])), q[element]), 1e-12);
        EXPECT_GE(cases.reference.bounds[y][element], 0);
    }
    EXPECT_GT(negative, 20U);
    EXPECT_LT(negative, 180U);
    const DataId root = program.calls[0].result; // of q itself
    for (std::size_t element = 0; element < 200; ++element) {
        EXPECT_EQ(cases.reference.bounds[root.index()][element] == not_compared, q[element] < 0) << q[element];
    }
}

TEST(SelectionCondensing, SelectionsOfComponentsAreOneCall) {
    const CheckedProgram program =
        checked("MATRIX6x6 A, B, K;\nuniform SCALAR k;\ninput A, B;\n"
                "for i in 0..6 { for j in 0..6 { K[i, j] = 2 * select(A[i, j] + 1 >= k, A[i, j], B[j, i] - k); } }\n"
                "return K;\n");
    const library::Catalog catalog = standard_catalog().with(program.functions);
    const CheckedProgram condensed = frontend::condense(program, catalog);
    ASSERT_EQ(condensed.calls.size(), 1U);
    const library::Catalog extended = standard_catalog().with(condensed.functions);
    const library::Function& function = extended.function(condensed.calls.front().instance.function);
    EXPECT_THAT(function.source, testing::HasSubstr("c(i, j) = a0() * fusec::select(a1() <= a2(i, j) + a3(), a2(i, j), a4(j, i) - a1());"));
    EXPECT_EQ(function.flops.text(), std::to_string(36 * 5)) << "per component: a product, a sum, a difference, a comparison, a choice";
    // An entry-wise selection of rows belongs to the matrix that they make.
    const CheckedProgram rows = checked("VECTOR3 a, b, c;\nSCALAR s;\ninput a, b, c, s;\nK = rows(select(s < 0, a, b), c);\nreturn K;\n");
    EXPECT_EQ(frontend::condense(rows, standard_catalog().with(rows.functions)).calls.size(), 1U);
}

} // namespace
} // namespace fusec::execute
