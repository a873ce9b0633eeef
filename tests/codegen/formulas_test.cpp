// SPDX-License-Identifier: Apache-2.0
#include "codegen/formulas.hpp"

#include "samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::codegen::test {
namespace {

using testing::ElementsAre;

struct Comments {
    std::vector<std::string> formulas;
    std::string lines;
};

/// The comments above a kernel that executes the whole program, a call a thread, and stores the outputs.
Comments comments_of(const std::string& text) {
    const auto program = sample("formulas", text);
    Draft draft;
    for (const frontend::Datum& datum : program->graph.program().data) {
        if (datum.producer) {
            draft.calls.emplace_back(datum.name, "element");
        }
        if (datum.output) {
            draft.stores.push_back(datum.name);
        }
    }
    const Unit unit = lower(plan_of({build(draft, *program)}, *program), program->graph, program->catalog);
    return {formulas(unit.kernels.at(0), program->graph, program->catalog), program_lines(unit.kernels.at(0), program->graph)};
}

std::vector<std::string> formulas_of(const std::string& text) {
    return comments_of(text).formulas;
}

TEST(Formulas, BracketsAreNotDoubled) {
    EXPECT_THAT(formulas_of("VECTOR3 a, b, c; input a, b, c;\n"
                            "s = sexp(vdot(a, b));\n"
                            "t = venorm(vcross(a, b));\n"
                            "u = sabs(vdot(b, c));\n"
                            "v = smax(vdot(a, c), venorm(c));\n"
                            "return s, t, u, v;\n"),
        ElementsAre("s = sexp(a . b)", "t = ||a x b||", "u = |b . c|", "v = smax(a . c, ||c||)"));
}

TEST(Formulas, BracketsThatBindStay) {
    EXPECT_THAT(formulas_of("VECTOR3 a, b, c; SCALAR s; MATRIX3x3 A, B; input a, b, c, s, A, B;\n"
                            "x = vdot(vcross(a, b), c);\n"
                            "y = s * vcross(b, c);\n"
                            "z = A * (B + A') * (-a);\n"
                            "w = mtrace(A * B) / (s - mdet(B));\n"
                            "m = minv(A + B)';\n"
                            "return x, y, z, w, m;\n"),
        ElementsAre("x = ((a x b) . c)", "y = (b x c) s", "z = A (B + A') (-a)", "w = tr(A B) / (s - det(B))", "m = (A + B)^-1'"));
}

TEST(Formulas, AQuotientThatIsAFactorIsBracketed) {
    EXPECT_THAT(formulas_of("SCALAR a, b, c; VECTOR3 v; MATRIX3x3 A; input a, b, c, v, A;\n"
                            "x = a / b * c;\n"
                            "y = b / c / a + a * c / b;\n"
                            "u = A' * v / a * b;\n"
                            "return x, y, u;\n"),
        ElementsAre("x = (a / b) c", "y = b / c / a + a c / b", "u = (A' v / a) b"));
}

/// x1 = x0 + a; x2 = x1 + a; ... all of them returned.
std::string chain(int calls) {
    std::string text = "SCALAR x0, a; input x0, a;\n", names;
    for (int i = 1; i <= calls; ++i) {
        text += "x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " + a;\n";
        names += (i == 1 ? "" : ", ") + ("x" + std::to_string(i));
    }
    return text + "return " + names + ";\n";
}

TEST(Formulas, OfManyTheFirstAndTheLastStand) {
    EXPECT_EQ(comments_of(chain(12)).formulas.size(), 12u);
    EXPECT_THAT(comments_of(chain(13)).formulas,
        ElementsAre("x1 = x0 + a", "x2 = x1 + a", "x3 = x2 + a", "x4 = x3 + a", "x5 = x4 + a", "x6 = x5 + a", "x7 = x6 + a", "x8 = x7 + a",
            "... 2 more", "x11 = x10 + a", "x12 = x11 + a", "x13 = x12 + a"));
    EXPECT_THAT(
        comments_of(chain(16)).lines, testing::HasSubstr(": x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16"));
    EXPECT_THAT(comments_of(chain(40)).lines, testing::EndsWith(": x1, x2, x3, x4, x5, x6, x7, x8, ... 29 more, x38, x39, x40"));
}

TEST(Formulas, OfALongOneTheStartAndTheEndStand) {
    std::string text = "SCALAR a; input a;\ny = a";
    for (int i = 0; i < 100; ++i) {
        text += " + a * " + std::to_string(i) + ".5";
    }
    const std::string line = formulas_of(text + ";\nreturn y;\n").at(0);
    EXPECT_LE(line.size(), 300u);
    EXPECT_THAT(line, testing::StartsWith("y = a + a 0.5 + a 1.5"));
    EXPECT_THAT(line, testing::HasSubstr(" ... "));
    EXPECT_THAT(line, testing::EndsWith("+ a 98.5 + a 99.5"));
}

} // namespace
} // namespace fusec::codegen::test
