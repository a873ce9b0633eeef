// SPDX-License-Identifier: Apache-2.0
// Symmetric matrices stored packed: element matrices against Eigen on every executor, every way to execute their calls, and the bytes that
// kernels move, counted by hand.
#include "tests/examples/construct.hpp"
#include "tests/execute/mutation/example_mutants.hpp"

#include <iostream>
#include <set>

namespace fusec {
namespace {

using examples::listed;
using examples::matrix;
using examples::symmetric;
using examples::triangle;
using Matrix = examples::RowMajor;
using Values = examples::Lists;

class Symmetric : public examples::Construct {};

/// A stiffness of a tetrahedron with 3 displacements per node: 12 x 12, 78 words, K += w B' C B; C in Voigt's notation is uniform.
constexpr const char* stiffness = R"(
double MATRIX6x12 B;
double SCALAR w;
double VECTOR12 u;
input B, w, u;
uniform double SYMMETRIC6 C;
double SYMMETRIC12 K;
K = symmetric(w * (B' * (C * B)));
f = K * u;
return K, f;
)";

Values stiffness_formula(const Values& in) {
    const Matrix b = matrix(in.at("B"), 6, 12), c = symmetric(in.at("C"), 6), u = matrix(in.at("u"), 12, 1);
    const Matrix k = in.at("w")[0] * (b.transpose() * c * b);
    Matrix mirrored = k.triangularView<Eigen::Lower>();
    mirrored.triangularView<Eigen::StrictlyUpper>() = k.transpose();
    return {{"K", triangle(k)}, {"f", listed(mirrored * u)}};
}

TEST_F(Symmetric, StiffnessOfATetrahedronIsEigens) {
    expect_formula(stiffness, stiffness_formula, {"auto", "none"});
}

/// Right Cauchy-Green tensor, its inverse, a stress and what they are contracted to: results that the metadata call symmetric.
constexpr const char* tensors = R"(
MATRIX3x3 F;
SYMMETRIC3 T, C, V;
VECTOR3 m;
SCALAR s;
input F, T, m, s;
C = mtmul(F, F);
D = minv(C);                                    // packed: C is
S = select(s < 0.25, T, D) - s * C / 2;
V = vouter(m, m) + msym(F);
e = mddot(S, V);
A = full(S);
G = S * F;
t = S[1] + T[:, 2] - V[0, 2] * m;
SYMMETRIC4 K;                                   // of parts
K[0:3, 0:3] = S;
K[3, 0:3] = t;
K[3, 3] = 1;
K[3, 1] += s;
return C, S, V, e, A, G, K;
)";

Values tensors_formula(const Values& in) {
    const Matrix f = matrix(in.at("F"), 3, 3), t = symmetric(in.at("T"), 3), m = matrix(in.at("m"), 3, 1);
    const double s = in.at("s")[0];
    const Matrix c = f.transpose() * f;
    const Matrix chosen = s < 0.25 ? t : Matrix(c.inverse());
    const Matrix stress = chosen - s * c / 2;
    const Matrix v = m * m.transpose() + (f + f.transpose()) / 2;
    const Matrix row = stress.col(1) + t.col(2) - v(2, 0) * m;
    Matrix k(4, 4);
    k << stress, row, row.transpose(), 1;
    k(3, 1) += s;
    return {{"C", triangle(c)}, {"S", triangle(stress)}, {"V", triangle(v)}, {"e", {stress.cwiseProduct(v).sum()}}, {"A", listed(stress)},
        {"G", listed(stress * f)}, {"K", triangle(k)}};
}

TEST_F(Symmetric, TensorsAreEigens) {
    expect_formula(tensors, tensors_formula, {"auto", "none", "max"});
}

/// All implementations and placements of a few calls, several threads per element among them.
TEST_F(Symmetric, EveryKernelOfProductsAndSumsAgreesUnderEmulatedCuda) {
    const auto c = compiled("MATRIX5x4 X; SYMMETRIC4 S, P, Q; VECTOR4 v; input X, S, v;\n"
                            "P = mtmul(X, X); Q = P - S'; w = Q * v; M = S * X'; L = symmetric(full(Q) + M * X); return Q, w, M, L;",
        fusion::Target::cuda, "space");
    ASSERT_NE(c, nullptr);
    const execute::VerifyResult result =
        execute::verify_candidates(*c->space, *c->graph, *c->catalog, {.most_calls_for_all = 0, .sample = 60}, setup());
    EXPECT_TRUE(result.passed()) << (result.failures.empty() ? ""
                                                             : result.failures.front().what + ": " + result.failures.front().texts.front());
    EXPECT_GE(result.checked, 60U);
    std::cout << result.checked << " kernels, " << result.components << " components\n";
}

/// Wrong text, as a wrong generator could have written it: offsets, strides and counts of words are those of triangles.
TEST_F(Symmetric, MutantsOfTheTextAreCaught) {
    std::ofstream(folder.path() / "program.fus") << tensors;
    std::size_t caught = 0;
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 24, 1, setup())) {
        EXPECT_EQ(plan.original.faults, 0U);
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            EXPECT_TRUE(plan.reports[i].faults != 0 || !plan.proofs[i].empty())
                << execute::name_of(plan, plan.mutants[plan.ran[i]]) << " is not caught";
            caught += plan.reports[i].faults != 0 ? 1U : 0U;
        }
    }
    EXPECT_GE(caught, 20U);
}

/// Words that are moved, by hand.
TEST_F(Symmetric, ListsMoveTheirTriangle) {
    for (const auto& [n, words] : {std::pair{4, 10}, std::pair{12, 78}, std::pair{24, 300}}) {
        const std::string size = std::to_string(n);
        const auto c = compiled(
            "double SYMMETRIC" + size + " A, B; input A, B; C = A + 2 * B; return C;", fusion::Target::cuda, nullptr, with_plan("max"));
        ASSERT_NE(c, nullptr);
        ASSERT_EQ(c->plans.front().kernels.size(), 1U);
        const fusion::KernelWork& work = c->plans.front().kernels.front().work;
        EXPECT_EQ(work.read_bytes, 2 * 8 * words);
        EXPECT_EQ(work.write_bytes, 8 * words);
        if (n == 4) {
            EXPECT_EQ(work.flops, 2 * words) << "one thread does not compute entries above the diagonal";
        }
        EXPECT_EQ(c->unit->outputs.front().type.bytes(), 8 * words);
        for (const fusion::DatumPlan& datum : c->plans.front().kernels.front().data) {
            if (datum.slot) {
                EXPECT_EQ(datum.slot->element_words, words);
            }
        }
    }
}

} // namespace
} // namespace fusec
