// SPDX-License-Identifier: Apache-2.0
// Programs of two precisions: results against Eigen on every executor and in every plan, what kernels of both precisions move and count, what
// they are made of, and bounds, constants and identities of conversions.
#include "cli/pipeline.hpp"
#include "codegen/verifier.hpp"
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
#include <sstream>

namespace fusec {
namespace {

using testing::HasSubstr;
using testing::Not;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Components of each list for one element, as they are stored.
using Values = std::map<std::string, std::vector<double>>;
using Formula = std::function<Values(const Values&)>;

/// Inputs, uniforms, a packed matrix, an updated list and outputs of both precisions, converted both ways.
constexpr const char* mixed = R"(
float MATRIX4x4 A;
float VECTOR4 v;
double MATRIX4x4 B;
double SYMMETRIC4 P;
double VECTOR4 y;
uniform double SCALAR k;
uniform float SCALAR m;
input A, v, B, P;
inout y;
E = double(A) * B + k * P;
w = float(E * double(v)) + float(k) * m * v;
y += E' * double(w);
s = float(mtrace(E)) * vdot(w, v);
Q = float(symmetric(E * E'));
return E, w, s, Q;
)";

Matrix matrix(const Values& in, const char* name, int rows, int columns) {
    return Eigen::Map<const Matrix>(in.at(name).data(), rows, columns);
}
Matrix symmetric(const std::vector<double>& words) {
    Matrix made(4, 4);
    std::size_t next = 0;
    for (int i = 0; i < 4; ++i) {
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

Values mixed_formula(const Values& in) {
    const Matrix a = matrix(in, "A", 4, 4), b = matrix(in, "B", 4, 4), v = matrix(in, "v", 4, 1), y = matrix(in, "y", 4, 1);
    const Matrix p = symmetric(in.at("P"));
    const double k = in.at("k")[0], m = in.at("m")[0];
    const Matrix e = a * b + k * p, w = e * v + k * m * v;
    const double s = e.trace() * w.cwiseProduct(v).sum();
    return {{"E", list(e)}, {"w", list(w)}, {"s", {s}}, {"Q", triangle(e * e.transpose())}, {"y", list(y + e.transpose() * w)}};
}

class Conversions : public testing::Test {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.seconds = 900; // under sanitizers the text of every call as a kernel takes g++ more than two minutes
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
        job.cases = execute::plan_launches(c.plans.front(), *c.graph, 7);
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
                const auto first = given.values.begin() + static_cast<std::ptrdiff_t>(given.uniform ? 0 : element * size);
                in[given.name].assign(first, first + static_cast<std::ptrdiff_t>(size));
            }
            const Values out = formula(in);
            for (execute::RunList& expected : job.interface.outputs) {
                const std::vector<double>& values = out.at(expected.name);
                expected.values.insert(expected.values.end(), values.begin(), values.end());
            }
        }
        return job;
    }

    execute::TemporaryFolder folder;
    execute::RunSetup setup;
};

TEST_F(Conversions, EveryPlanOnEveryExecutorIsEigens) {
    for (const std::string plan : {"auto", "none", "max", "greedy"}) {
        for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
            const auto c = compiled(mixed, target, plan);
            ASSERT_NE(c, nullptr);
            const bool host = target == fusion::Target::host;
            for (const execute::BuildKind kind : host ? std::vector{execute::BuildKind::host_checked, execute::BuildKind::host_product}
                                                      : std::vector{execute::BuildKind::emulated}) {
                const execute::RunReport report = execute::run_texts({job(*c, mixed_formula)}, kind, setup).front();
                EXPECT_EQ(report.faults, 0U) << plan << (host ? " on the host" : " under emulated CUDA") << ":\n"
                                             << (report.texts.empty() ? "" : report.texts.front());
                EXPECT_GT(report.components, 1000U);
            }
        }
    }
}

/// All implementations and ways to load and store a few calls, several threads per element among them, each kernel alone.
TEST_F(Conversions, EveryKernelAgreesUnderEmulatedCudaAndOnTheHost) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto c = compiled(mixed, target, "auto", "space");
        ASSERT_NE(c, nullptr);
        const execute::VerifyResult result =
            execute::verify_candidates(*c->space, *c->graph, *c->catalog, {.target = target, .most_calls_for_all = 0, .sample = 60}, setup);
        EXPECT_TRUE(result.passed()) << (result.failures.empty()
                ? ""
                : result.failures.front().what + ": " + result.failures.front().texts.front());
        EXPECT_GE(result.checked, 20U);
    }
}

/// Wrong text, as a wrong generator could have written it.
TEST_F(Conversions, MutantsOfTheTextAreCaught) {
    std::ofstream(folder.path() / "program.fus") << mixed;
    std::size_t caught = 0;
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 16, 1, setup)) {
        EXPECT_EQ(plan.original.faults, 0U);
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            EXPECT_TRUE(plan.reports[i].faults != 0 || !plan.proofs[i].empty())
                << execute::name_of(plan, plan.mutants[plan.ran[i]]) << " is not caught";
            caught += plan.reports[i].faults != 0 ? 1U : 0U;
        }
    }
    EXPECT_GE(caught, 8U);
}

/// 45 operations in double, 9 in float.
constexpr const char* product_and_sum =
    "float MATRIX3x3 A; double MATRIX3x3 B; input A, B; C = double(A) * B; F = float(C) + A; return C, F;";

/// By hand: a matrix of floats has 36 bytes, one of doubles 72.
TEST_F(Conversions, OneKernelHoldsBothPrecisions) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto c = compiled(product_and_sum, target, "max");
        ASSERT_NE(c, nullptr);
        ASSERT_EQ(c->plans.front().kernels.size(), 1U);
        const fusion::KernelWork& work = c->plans.front().kernels.front().work;
        EXPECT_EQ(work.read_bytes, 36 + 72);
        EXPECT_EQ(work.write_bytes, 72 + 36);
        EXPECT_EQ(work.precision, Precision::f64);
        EXPECT_EQ(work.flops, 45 + 9);
        EXPECT_EQ(work.in_float.flops, 9);
        const auto apart = compiled(product_and_sum, target, "none");
        ASSERT_NE(apart, nullptr);
        ASSERT_EQ(apart->plans.front().kernels.size(), 4U);
        double read = 0, written = 0;
        for (const fusion::Candidate& kernel : apart->plans.front().kernels) {
            read += kernel.work.read_bytes;
            written += kernel.work.write_bytes;
        }
        EXPECT_EQ(read, 36 + (72 + 72) + 72 + (36 + 36));
        EXPECT_EQ(written, 72 + 72 + 36 + 36);
    }
}

/// Tiles of both types, wide copies of both, and several threads per element are among the implementations of that kernel.
TEST_F(Conversions, SpacesHaveTilesOfBothPrecisions) {
    const auto c = compiled(product_and_sum, fusion::Target::cuda, "max");
    ASSERT_NE(c, nullptr);
    std::size_t both = 0, wide = 0, several = 0;
    for (std::size_t i = 0; i < c->space->columns().size(); ++i) {
        const fusion::Column& column = c->space->columns()[i];
        if (column.executes.size() != c->graph->calls() || column.stores.size() != c->program->outputs.size()) {
            continue;
        }
        for (const fusion::Candidate& kernel : c->space->implementations(ColumnId{i})) {
            fusion::verify(kernel, *c->graph, *c->catalog);
            fusion::Plan plan = c->plans.front();
            plan.kernels = {kernel};
            const codegen::Unit unit = codegen::lower(plan, *c->graph, *c->catalog);
            EXPECT_THAT(codegen::findings(unit), testing::IsEmpty());
            std::map<Precision, int> tiles;
            for (const codegen::Tile& tile : unit.kernels.front().tiles) {
                ++tiles[tile.type.precision];
            }
            both += tiles.size() == 2 ? 1U : 0U;
            wide += unit.kernels.front().wide_precisions().size() == 2 ? 1U : 0U;
            several += kernel.threads_per_block > kernel.instances_per_block ? 1U : 0U;
        }
    }
    EXPECT_GT(both, 0U);
    EXPECT_GT(wide, 0U);
    EXPECT_GT(several, 0U);
}

TEST_F(Conversions, TextHasHalfLanesOnTheHostOnlyWhereBothMeet) {
    const auto c = compiled(product_and_sum, fusion::Target::host, "max");
    ASSERT_NE(c, nullptr);
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::load_half_tile<3, 3>("));
    EXPECT_THAT(c->emitted.source, HasSubstr("_tiles<double, "));
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::to_double("));
    const auto plain = compiled("MATRIX3x3 A; input A; F = A * A; return F;", fusion::Target::host, "max");
    EXPECT_THAT(plain->emitted.source, Not(HasSubstr("half_lanes")));
    const auto cuda = compiled(product_and_sum, fusion::Target::cuda, "max");
    EXPECT_THAT(cuda->emitted.source, HasSubstr("fusec::to_float("));
    EXPECT_THAT(cuda->emitted.source, HasSubstr("// F = float(C) + A"));
}

/// A value that was a float is off by a roundoff of float, which are 2^29 of double; one that was not is not.
TEST_F(Conversions, BoundsAreOfBothPrecisions) {
    const auto c =
        compiled("double SCALAR a; input a; p = a * a; b = float(p); c = double(b) + 0 * a; d = double(float(0.5)) * a; return p, b, c, d;",
            fusion::Target::host, "auto");
    ASSERT_NE(c, nullptr);
    const execute::RandomCases drawn = execute::draw_cases(*c->program, *c->catalog, 20, 3);
    const std::map<std::string, double> roundoffs{{"p", 1}, {"b", 1}, {"c", 0x1p29}, {"d", 1}};
    for (const DataId output : c->program->outputs) {
        const std::string& name = c->program->datum(output).name;
        for (std::size_t e = 0; e < 20; ++e) {
            const double value = drawn.reference.values[output.index()][e], bound = drawn.reference.bounds[output.index()][e];
            EXPECT_NEAR(bound / std::abs(value), roundoffs.at(name), roundoffs.at(name) * 1e-3) << name;
        }
    }
}

TEST_F(Conversions, OfConstantsAreRoundedConstants) {
    const auto c = compiled(
        "const double SCALAR t = 1; double SCALAR a; input a; x = double(float(t / 3)) * a; return x;", fusion::Target::host, "auto");
    ASSERT_NE(c, nullptr);
    ASSERT_EQ(c->program->calls.size(), 1U);
    const DataId constant = c->program->calls.front().operands.back();
    const DataId other = c->program->calls.front().operands.front();
    const frontend::Datum& third = c->program->datum(c->program->datum(constant).kind == frontend::DatumKind::constant ? constant : other);
    EXPECT_THAT(third.values, testing::ElementsAre(static_cast<double>(static_cast<float>(1.0 / 3))));
    EXPECT_EQ(third.type.precision, Precision::f64);
}

TEST_F(Conversions, BackAndForthIsNothing) {
    const auto c = compiled("float VECTOR3 a; input a; b = double(a); c = float(b) + a; return c;", fusion::Target::host, "auto");
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(c->program->calls.size(), 1U);
    const auto rounded = compiled("double VECTOR3 a; input a; b = float(a); c = double(b) + a; return c;", fusion::Target::host, "auto");
    ASSERT_NE(rounded, nullptr);
    EXPECT_EQ(rounded->program->calls.size(), 3U);
}

} // namespace
} // namespace fusec
