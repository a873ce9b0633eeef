// SPDX-License-Identifier: Apache-2.0
// Arithmetic with components as calls: the condensed program computes what the program as written computes, call by call in the
// reference; and what condensing is for, few calls and short routines, of programs that people write.
#include "elementary-lib/scalar_expression.hpp"
#include "execute/domains.hpp"
#include "frontend/condense.hpp"
#include "frontend/frontend.hpp"
#include "tests/execute/reference_program.hpp"
#include "tests/random/generator.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;

struct Condensed {
    CheckedProgram written, condensed;
    library::Catalog before, after;
};

Condensed condensed(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("program.fus", text), diagnostics);
    const auto program = tree ? frontend::check(*tree, standard_catalog(), {}, diagnostics) : std::nullopt;
    std::ostringstream messages;
    render(diagnostics, messages, false);
    if (!program) {
        throw std::invalid_argument(messages.str() + text);
    }
    library::Catalog before = standard_catalog().with(program->functions);
    CheckedProgram made = frontend::condense(*program, before);
    library::Catalog after = standard_catalog().with(made.functions);
    frontend::verify(made, standard_catalog());
    return {*program, std::move(made), std::move(before), std::move(after)};
}

/// The outputs of both programs on the same random inputs: the same operations are done in the same order.
void expect_same(const Condensed& both, const std::string& text) {
    constexpr std::size_t elements = 3;
    const RandomCases cases = draw_cases(both.written, both.before, elements, 7);
    DataValues given(both.condensed.data.size());
    ASSERT_EQ(both.written.inputs.size(), both.condensed.inputs.size()) << text;
    for (std::size_t i = 0; i < both.written.inputs.size(); ++i) {
        given[both.condensed.inputs[i].index()] = cases.given[both.written.inputs[i].index()];
    }
    const ReferenceResult result = evaluate(both.condensed, both.after, elements, given);
    ASSERT_EQ(both.written.outputs.size(), both.condensed.outputs.size()) << text;
    for (std::size_t i = 0; i < both.written.outputs.size(); ++i) {
        const DataId before = both.written.outputs[i], after = both.condensed.outputs[i];
        EXPECT_EQ(both.written.datum(before).name, both.condensed.datum(after).name) << text;
        const auto& values = cases.reference.values[before.index()];
        const auto& bounds = cases.reference.bounds[before.index()];
        ASSERT_EQ(values.size(), result.values[after.index()].size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            EXPECT_NEAR(result.values[after.index()][k], values[k], 0x1p-50 * bounds[k]) << both.written.datum(before).name << " of\n"
                                                                                         << text;
            // The bound of an entry-wise function's reference may be closer than that of its operations one by one.
            EXPECT_THAT(result.bounds[after.index()][k], testing::AllOf(testing::Ge(0.99 * bounds[k]), testing::Le(2 * bounds[k] + 1e-300)))
                << both.written.datum(before).name << " of\n"
                << text;
        }
    }
}

const library::Function& function_of(const Condensed& both, const std::string& name) {
    const auto call = std::find_if(both.condensed.calls.begin(), both.condensed.calls.end(),
        [&](const frontend::Call& c) { return both.condensed.datum(c.result).name == name; });
    return both.after.function(call->instance.function);
}

std::vector<std::string> names(const Condensed& both) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < both.condensed.calls.size(); ++i) {
        result.push_back(both.condensed.name_of(CallId(i)));
    }
    return result;
}

std::vector<std::string> implementations(const library::Function& function) {
    std::vector<std::string> result;
    for (const library::Implementation& one : function.implementations) {
        result.push_back(one.name);
    }
    return result;
}

std::ptrdiff_t lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

TEST(Condense, RandomProgramsComputeTheSame) {
    std::size_t fewer = 0;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        const std::string text = random_programs::random_program(seed,
            {.calls = 3 + static_cast<int>(seed % 9),
                .largest = 6,
                .f64 = seed % 2 == 1,
                .blocks = seed % 3 == 0,
                .slices = true,
                .components = true,
                .selections = seed % 2 == 0});
        const Condensed both = condensed(text);
        expect_same(both, text);
        EXPECT_LE(both.condensed.calls.size(), both.written.calls.size()) << text;
        fewer += both.condensed.calls.size() < both.written.calls.size() ? 1U : 0U;
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(fewer, 180U) << "hardly a program has what is condensed";
}

TEST(Condense, ALoopOverAllComponentsIsOneCallWrittenAsALoop) {
    const std::string text = "MATRIX24x24 A, K; input A;\n"
                             "for i in 0..24 { for j in 0..24 { K[i, j] = 0.5 * (A[i, j] + A[j, i]); } }\nreturn K;\n";
    const Condensed both = condensed(text);
    EXPECT_GT(both.written.calls.size(), 576U);
    EXPECT_THAT(names(both), testing::ElementsAre("K"));
    const library::Function& function = function_of(both, "K");
    EXPECT_THAT(implementations(function), testing::ElementsAre("element", "entry", "row", "rows2", "rows3", "rows4"));
    EXPECT_LE(lines(function.source), 30) << function.source;
    EXPECT_EQ(function.flops.text(), "1152") << "a sum and a product for each of 576 components";
    expect_same(both, text);
}

TEST(Condense, AProductWrittenTermByTermAgreesWithEigen) {
    const std::string text = "double MATRIX3x4 A; double MATRIX4x5 B; double MATRIX3x5 C; input A, B;\n"
                             "for i in 0..3 { for j in 0..5 {\n    s = A[i, 0] * B[0, j];\n"
                             "    for k in 1..4 { s += A[i, k] * B[k, j]; }\n    C[i, j] = s; } }\nreturn C;\n";
    const Condensed both = condensed(text);
    EXPECT_THAT(names(both), testing::ElementsAre("C"));
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Matrix a = Matrix::Random(3, 4), b = Matrix::Random(4, 5), c = a * b;
    DataValues given(both.condensed.data.size());
    given[both.condensed.inputs[0].index()] = {a.data(), a.data() + a.size()};
    given[both.condensed.inputs[1].index()] = {b.data(), b.data() + b.size()};
    const std::vector<double> made = evaluate(both.condensed, both.after, 1, given).values[both.condensed.outputs[0].index()];
    for (int i = 0; i < c.size(); ++i) {
        EXPECT_NEAR(made.at(static_cast<std::size_t>(i)), c.data()[i], 1e-14) << i;
    }
}

constexpr const char* cholesky_and_solve = R"(
double MATRIX6x6 A, L; double VECTOR6 b, x; input A, b;
for j in 0..6 {
    for i in 0..j { L[i, j] = 0; }
    s = A[j, j];
    for k in 0..j { s -= L[j, k] * L[j, k]; }
    L[j, j] = ssqrt(s);
    for i in j + 1..6 {
        t = A[i, j];
        for k in 0..j { t -= L[i, k] * L[j, k]; }
        L[i, j] = t / L[j, j];
    }
}
for i in 0..6 {
    t = b[i];
    for j in 0..i { t -= L[i, j] * x[j]; }
    x[i] = t / L[i, i];
}
)";

TEST(Condense, WhatOneValueHoldsIsReadFromItByOthers) {
    const Condensed both = condensed(std::string(cholesky_and_solve) + "return L, x;\n");
    EXPECT_THAT(names(both), testing::ElementsAre("L", "x"));
    const library::Function& function = function_of(both, "x");
    EXPECT_EQ(function.inputs.size(), 2U) << "b and L";
    // 6 divisions, and a product and a difference below the diagonal: nothing of L is computed again.
    EXPECT_EQ(function.divisions.text(), "6");
    EXPECT_EQ(function.flops.text(), std::to_string(6 + 2 * 15));
    // Against Eigen, on a positive definite matrix.
    using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
    const Matrix r = Matrix::Random();
    const Matrix a = r * r.transpose() + Matrix::Identity();
    const Eigen::Matrix<double, 6, 1> b = Eigen::Matrix<double, 6, 1>::Random();
    const Matrix l = a.llt().matrixL();
    const Eigen::Matrix<double, 6, 1> x = l.triangularView<Eigen::Lower>().solve(b);
    DataValues given(both.condensed.data.size());
    given[both.condensed.inputs[0].index()] = {a.data(), a.data() + a.size()};
    given[both.condensed.inputs[1].index()] = {b.data(), b.data() + b.size()};
    const ReferenceResult made = evaluate(both.condensed, both.after, 1, given);
    for (std::size_t i = 0; i < 36; ++i) {
        EXPECT_NEAR(made.values[both.condensed.outputs[0].index()].at(i), l.data()[i], 1e-13) << i;
    }
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(made.values[both.condensed.outputs[1].index()].at(i), x.data()[i], 1e-13) << i;
    }
}

TEST(Condense, WithoutTheFactorAsAnOutputThereIsOneCall) {
    const Condensed both = condensed(std::string(cholesky_and_solve) + "return x;\n");
    EXPECT_THAT(names(both), testing::ElementsAre("x"));
    EXPECT_THAT(implementations(function_of(both, "x")), testing::ElementsAre("element")) << "every component has a formula of its own";
}

TEST(Condense, NoUnitWaitsForItself) {
    // s is in w and in P, and P needs the norm of w: P cannot hold what w is made of.
    const std::string text =
        "MATRIX2x2 A; input A;\ns = A[0, 0] * A[1, 1];\nw = rows(2 * s, 3 * s);\nt = venorm(w);\nP = rows(s, t, s + t);\nreturn P;\n";
    const Condensed both = condensed(text);
    expect_same(both, text);
    EXPECT_EQ(both.condensed.calls.size(), 4U) << "s, w, its norm, P";
}

TEST(Condense, LongSumsAreCutInUnitsOfBoundedDepth) {
    const std::string text = "double MATRIX64x64 A; double SCALAR s; input A;\n"
                             "for i in 0..64 { for j in 0..64 { s += A[i, j] * A[j, i]; } }\nreturn s;\n";
    const Condensed both = condensed(text);
    EXPECT_GT(both.condensed.calls.size(), 4095U / 402U);
    EXPECT_LT(both.condensed.calls.size(), 25U);
    expect_same(both, text);
}

TEST(Condense, EntryWiseCallsOfRowsArePartsOfTheAssembly) {
    const std::string text =
        "MATRIX64x64 A, B, C; SCALAR s; input A, B, s;\nfor i in 0..64 { C[i] = B[i]; }\nfor i in 0..64 { C[i] += s * A[i]; }\nreturn C;\n";
    const Condensed both = condensed(text);
    EXPECT_THAT(names(both), testing::ElementsAre("C"));
    EXPECT_LE(lines(function_of(both, "C").source), 30);
    expect_same(both, text);
}

TEST(Condense, ZerosOfAnAssemblyAreReadFromIt) {
    const std::string text = "MATRIX4x4 A, C; VECTOR4 v; input A, v;\nD = diag(v);\nfor i in 0..4 { C[i] = D[i] - A[i]; }\nreturn C;\n";
    const Condensed both = condensed(text);
    expect_same(both, text);
}

TEST(Condense, OtherProgramsStayAsTheyAre) {
    for (const char* text :
        {"MATRIX3x3 A, B; input A, B; M = A * B; F = M + A; return F;", "SCALAR a, b; input a, b; c = a + b; d = c * c; return d;",
            "MATRIX4x3 X; input X; J = X[1:] - rows(X[0], X[0], X[0]); d = mdet(J) / 6; return d, J;"}) {
        const Condensed both = condensed(text);
        EXPECT_EQ(frontend::to_text(both.condensed, standard_catalog()), frontend::to_text(both.written, standard_catalog())) << text;
    }
}

TEST(Condense, TheLibrarysScalarFunctionsMayBeSteps) {
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < standard_catalog().library_size(); ++i) {
        const library::Function& function = standard_catalog().function(FunctionId(i));
        if (library::may_be_step(function)) {
            steps.push_back(function.name);
        }
    }
    EXPECT_THAT(steps, testing::IsSupersetOf({"sadd", "ssub", "smul", "sdiv", "sneg", "ssqrt", "sexp", "smax", "spow"}));
}

TEST(ScalarExpression, KeepsTheOrderOfEvaluation) {
    const auto expression = [](const char* name) {
        return library::ScalarExpression::of(standard_catalog().function(*standard_catalog().find(name))).value();
    };
    const auto add = expression("sadd"), subtract = expression("ssub"), multiply = expression("smul"), divide = expression("sdiv"),
               negate = expression("sneg"), root = expression("ssqrt");
    const library::BoundText a{"a"}, b{"b"}, c{"c"};
    const auto text = [](const library::BoundText& made) { return made.text; };
    EXPECT_EQ(text(add.with({add.with({a, b}), c})), "a + b + c");
    EXPECT_EQ(text(add.with({a, add.with({b, c})})), "a + (b + c)") << "another sum in floating point";
    EXPECT_EQ(text(subtract.with({a, subtract.with({b, c})})), "a - (b - c)");
    EXPECT_EQ(text(multiply.with({add.with({a, b}), c})), "(a + b) * c");
    EXPECT_EQ(text(multiply.with({a, multiply.with({b, c})})), "a * (b * c)");
    EXPECT_EQ(text(divide.with({a, divide.with({b, c})})), "a / (b / c)");
    EXPECT_EQ(text(divide.with({multiply.with({a, b}), c})), "a * b / c");
    EXPECT_EQ(text(negate.with({negate.with({a})})), "-(-a)");
    EXPECT_EQ(text(negate.with({add.with({a, b})})), "-(a + b)");
    EXPECT_EQ(text(subtract.with({a, negate.with({b})})), "a - -b");
    EXPECT_EQ(text(multiply.with({negate.with({a}), b})), "-a * b");
    EXPECT_EQ(text(root.with({add.with({a, b})})), "fusec::sqrt(a + b)");
}

} // namespace
} // namespace fusec::execute
