// SPDX-License-Identifier: Apache-2.0
#include "codegen/formulas.hpp"

#include "samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::codegen::test {
namespace {

using testing::ElementsAre;

/// The formulas of a kernel that executes the whole program, a call a thread, and stores the outputs.
std::vector<std::string> formulas_of(const std::string& text) {
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
    return formulas(unit.kernels.at(0), program->graph, program->catalog);
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

} // namespace
} // namespace fusec::codegen::test
