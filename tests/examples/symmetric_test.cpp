// SPDX-License-Identifier: Apache-2.0
// Symmetric matrices stored packed: element matrices against Eigen on every executor, every way to execute their calls, and the bytes that
// kernels move, counted by hand.
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"
#include "tests/execute/mutation/example_mutants.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace fusec {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Components of each list for one element, as they are stored.
using Values = std::map<std::string, std::vector<double>>;
using Formula = std::function<Values(const Values&)>;

Matrix matrix(const std::vector<double>& values, int rows, int columns) {
    return Eigen::Map<const Matrix>(values.data(), rows, columns);
}
/// Written as the language says it: [0,0], [1,0], [1,1], [2,0], ...
Matrix symmetric(const std::vector<double>& words, int n) {
    Matrix made(n, n);
    std::size_t next = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            made(i, j) = made(j, i) = words.at(next++);
        }
    }
    return made;
}
std::vector<double> list(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}
std::vector<double> triangle(const Matrix& m) {
    std::vector<double> words;
    for (int i = 0; i < m.rows(); ++i) {
        for (int j = 0; j <= i; ++j) {
            words.push_back(m(i, j));
        }
    }
    return words;
}

class Symmetric : public testing::Test {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
    }

    std::unique_ptr<cli::Compilation> compiled(
        const std::string& text, fusion::Target target, const std::string& plan, const char* stage = nullptr) {
        auto c = std::make_unique<cli::Compilation>();
        std::ofstream(folder.path() / "program.fus") << text;
        c->options.program = folder.path() / "program.fus";
        c->options.target = target;
        c->options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c->options.plan = plan;
        c->header_name = "program.h";
        Diagnostics diagnostics;
        const bool good = stage == nullptr ? cli::run_pipeline(*c, diagnostics) : cli::run_pipeline(*c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        EXPECT_TRUE(good) << said.str();
        return good ? std::move(c) : nullptr;
    }

    /// The plan's text with random inputs, and as expected outputs what the formula makes of them.
    static execute::RunJob job(const cli::Compilation& c, const Formula& formula) {
        execute::RunJob job;
        std::set<int> tiles;
        for (const fusion::Candidate& kernel : c.plans.front().kernels) {
            if (tiles.insert(kernel.instances_per_block).second) {
                const auto cases = execute::standard_cases(kernel.instances_per_block, 7);
                job.cases.insert(job.cases.end(), cases.begin(), cases.end());
            }
        }
        const std::size_t elements = execute::most_elements(job.cases);
        const execute::RandomCases drawn = execute::draw_cases(*c.program, *c.catalog, elements, 20);
        EXPECT_EQ(drawn.ill, 0U);
        job.text = execute::unit_text(*c.unit, c.emitted, "program");
        job.interface = execute::run_interface(*c.unit, drawn.reference);
        for (execute::RunList& output : job.interface.outputs) {
            output.values.clear();
            for (double& bound : output.bounds) {
                bound *= 4; // Eigen rounds too
            }
        }
        for (std::size_t element = 0; element < elements; ++element) {
            Values in;
            for (const execute::RunList& given : job.interface.inputs) {
                const auto size = static_cast<std::size_t>(given.type.shape.size());
                const std::size_t first = given.uniform ? 0 : element * size;
                in[given.name].assign(given.values.begin() + static_cast<std::ptrdiff_t>(first),
                    given.values.begin() + static_cast<std::ptrdiff_t>(first + size));
            }
            const Values out = formula(in);
            for (execute::RunList& expected : job.interface.outputs) {
                const std::vector<double>& values = out.at(expected.name);
                EXPECT_EQ(values.size(), static_cast<std::size_t>(expected.type.shape.size())) << expected.name;
                expected.values.insert(expected.values.end(), values.begin(), values.end());
            }
        }
        return job;
    }

    void expect_formula(const std::string& text, const Formula& formula, const std::vector<std::string>& plans) {
        for (const std::string& plan : plans) {
            for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
                const auto c = compiled(text, target, plan);
                ASSERT_NE(c, nullptr);
                const bool host = target == fusion::Target::host;
                for (const execute::BuildKind kind : host ? std::vector{execute::BuildKind::host_checked, execute::BuildKind::host_product}
                                                          : std::vector{execute::BuildKind::emulated}) {
                    const execute::RunReport report = execute::run_texts({job(*c, formula)}, kind, setup).front();
                    EXPECT_EQ(report.faults, 0U) << plan << (host ? " on the host" : " under emulated CUDA") << ":\n"
                                                 << (report.texts.empty() ? "" : report.texts.front());
                    EXPECT_GT(report.components, 1000U);
                }
            }
        }
    }

    execute::TemporaryFolder folder;
    execute::RunSetup setup;
};

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
    return {{"K", triangle(k)}, {"f", list(mirrored * u)}};
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
    return {{"C", triangle(c)}, {"S", triangle(stress)}, {"V", triangle(v)}, {"e", {stress.cwiseProduct(v).sum()}}, {"A", list(stress)},
        {"G", list(stress * f)}, {"K", triangle(k)}};
}

TEST_F(Symmetric, TensorsAreEigens) {
    expect_formula(tensors, tensors_formula, {"auto", "none", "max"});
}

/// All implementations and placements of a few calls, several threads per element among them.
TEST_F(Symmetric, EveryKernelOfProductsAndSumsAgreesUnderEmulatedCuda) {
    const auto c = compiled("MATRIX5x4 X; SYMMETRIC4 S, P, Q; VECTOR4 v; input X, S, v;\n"
                            "P = mtmul(X, X); Q = P - S'; w = Q * v; M = S * X'; L = symmetric(full(Q) + M * X); return Q, w, M, L;",
        fusion::Target::cuda, "auto", "space");
    ASSERT_NE(c, nullptr);
    const execute::VerifyResult result =
        execute::verify_candidates(*c->space, *c->graph, *c->catalog, {.most_calls_for_all = 0, .sample = 60}, setup);
    EXPECT_TRUE(result.passed()) << (result.failures.empty() ? ""
                                                             : result.failures.front().what + ": " + result.failures.front().texts.front());
    EXPECT_GE(result.checked, 60U);
    std::cout << result.checked << " kernels, " << result.components << " components\n";
}

/// Wrong text, as a wrong generator could have written it: offsets, strides and counts of words are those of triangles.
TEST_F(Symmetric, MutantsOfTheTextAreCaught) {
    std::ofstream(folder.path() / "program.fus") << tensors;
    std::size_t caught = 0;
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 24, 1, setup)) {
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
        const auto c = compiled("double SYMMETRIC" + size + " A, B; input A, B; C = A + 2 * B; return C;", fusion::Target::cuda, "max");
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
