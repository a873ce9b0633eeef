// SPDX-License-Identifier: Apache-2.0
// Lists that are updated in place, against Eigen; every plan on the host and under emulated CUDA; every kernel that loads and stores a
// list, whose barriers the kernel IR's verifier misses when they are taken away; and the text: one pointer, which is not read-only.
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "codegen/verifier.hpp"
#include "execute/verify.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fusec {
namespace {

constexpr const char* text = R"(
program updates;
MATRIX4x4 K, M;
VECTOR4 u, f, v;
SCALAR s;
uniform SCALAR dt;
input K, u;
inout f, M, v, s;
f += K * u;                     // into what is there
M = M' * K;                     // an entry needs entries that other threads store
before = v;
v = v + dt * f;
power = vdot(before, v);        // the old value with the new one
v[2] -= u[2];
s -= dt * power;
return power;
)";

/// An exchange, and an old value that is read by a call which nothing else orders before the store.
constexpr const char* exchange = R"(
program exchange;
VECTOR3 a, b, c, d;
input c;
inout a, b, d;
old = a;
a = b + c;
b = vcross(old, c);
norm = venorm(d);
d = vcross(c, a);
return norm;
)";

class Updates : public testing::Test {
protected:
    void compile(const std::string& program, const char* stage, fusion::Target target = fusion::Target::cuda) {
        std::ofstream(folder.path() / "updates.fus") << program;
        c = {};
        c.options.program = folder.path() / "updates.fus";
        c.options.target = target;
        c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        ASSERT_TRUE(good) << said.str();
        EXPECT_EQ(said.str().find("warning"), std::string::npos) << said.str();
    }
    static execute::RunSetup setup(const std::filesystem::path& cache) {
        Diagnostics diagnostics;
        return {execute::find_host_compiler(diagnostics).value(), cache, library::standard_library_folder(), 2, 300, 20};
    }
    static std::string failures(const execute::VerifyResult& result) {
        std::string said;
        for (const execute::VerifyFailure& failure : result.failures) {
            said += failure.what + ": " + failure.texts.front() + "\n";
        }
        return said;
    }
    /// The values of one element, by the name in the interface.
    std::map<std::string, std::vector<double>> evaluated(const std::map<std::string, std::vector<double>>& in) const {
        const frontend::CheckedProgram& program = *c.program;
        execute::DataValues given(program.data.size());
        for (const DataId id : program.inputs) {
            given[id.index()] = in.at(program.list_name(id));
        }
        const execute::ReferenceResult result = execute::evaluate(program, *c.catalog, 1, given);
        std::map<std::string, std::vector<double>> out;
        for (const DataId id : program.outputs) {
            out[program.list_name(id)] = result.values[id.index()];
        }
        return out;
    }

    execute::TemporaryFolder folder;
    cli::Compilation c;
};

std::vector<double> drawn(int count, unsigned seed) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back(static_cast<double>(seed >> 20U) / 4096 - 0.5);
    }
    return values;
}

template <class Derived>
std::vector<double> listed(const Eigen::MatrixBase<Derived>& value) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
        for (Eigen::Index j = 0; j < value.cols(); ++j) {
            values.push_back(value(i, j));
        }
    }
    return values;
}

using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

TEST_F(Updates, AreWhatEigenGives) {
    for (const char* stage : {"check", "updates"}) { // as written, and as compiled
        compile(text, stage);
        const std::map<std::string, std::vector<double>> in = {{"K", drawn(16, 1)}, {"M", drawn(16, 2)}, {"u", drawn(4, 3)},
            {"f", drawn(4, 4)}, {"v", drawn(4, 5)}, {"s", {0.75}}, {"dt", {0.125}}};
        const Matrix4 stiffness = Eigen::Map<const Matrix4>(in.at("K").data()), mass = Eigen::Map<const Matrix4>(in.at("M").data());
        const Eigen::Vector4d u(in.at("u").data()), f(in.at("f").data()), v(in.at("v").data());
        const Eigen::Vector4d new_f = f + stiffness * u, next = v + 0.125 * new_f;
        const double power = v.dot(next);
        Eigen::Vector4d new_v = next;
        new_v[2] -= u[2];
        const std::map<std::string, std::vector<double>> expected = {{"f", listed(new_f)}, {"M", listed(mass.transpose() * stiffness)},
            {"v", listed(new_v)}, {"s", {0.75 - 0.125 * power}}, {"power", {power}}};
        const auto out = evaluated(in);
        ASSERT_EQ(out.size(), expected.size());
        for (const auto& [name, values] : expected) {
            EXPECT_THAT(out.at(name), testing::Pointwise(testing::DoubleNear(1e-6), values)) << name; // dt is rounded to float
        }
    }
}

TEST_F(Updates, OldValuesAreKeptOnlyWhereNoOrderIsRight) {
    compile(text, "updates");
    std::set<std::string> kept;
    const auto find_kept = [&] {
        kept.clear();
        for (const frontend::Datum& datum : c.program->data) {
            if (datum.name.ends_with(".kept")) {
                kept.insert(datum.name);
            }
        }
    };
    find_kept();
    EXPECT_THAT(kept, testing::IsEmpty()) << "v + dt f and the dot product come before the last value of v";
    compile(exchange, "updates");
    find_kept();
    EXPECT_THAT(kept, testing::ElementsAre("b:0.kept")) << "a and b exchange their values; the norm of d comes before d";
    compile("VECTOR3 y, f; input f; inout y; before = y; y = vcross(f, y); w = vdot(y, before); return w;", "updates");
    find_kept();
    EXPECT_THAT(kept, testing::ElementsAre("y:0.kept"));
}

TEST_F(Updates, EveryPlanEqualsTheReference) {
    for (const char* program : {text, exchange}) {
        for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
            compile(program, "space", target);
            for (const char* mode : {"auto", "none", "max", "greedy"}) {
                c.options.plan = mode;
                c.plans.clear();
                Diagnostics diagnostics;
                ASSERT_TRUE(cli::choose_plan(c, diagnostics)) << mode;
                fusion::verify(c.plans.front(), *c.graph);
                const execute::VerifyResult result =
                    execute::verify_plan(c.plans.front(), *c.graph, *c.catalog, {.target = target}, setup(folder.path() / "cache"));
                EXPECT_TRUE(result.passed()) << mode << "\n" << failures(result);
                EXPECT_GT(result.components, 1000U);
            }
        }
    }
}

/// Every kernel of two calls at most that loads a list and stores it; one in twelve of them is executed too.
TEST_F(Updates, KernelsStoreBehindAllReadsOfTheOldValue) {
    compile(text, "space");
    std::vector<fusion::Candidate> kernels;
    std::size_t checked = 0, cooperative = 0, barriers = 0, missed = 0;
    for (const fusion::Column& column : c.space->columns()) {
        const bool updates = std::any_of(column.stores.begin(), column.stores.end(), [&](DataId stored) {
            const auto old = c.graph->old_value(stored);
            return old && std::count(column.loads.begin(), column.loads.end(), *old) != 0;
        });
        if (!updates || column.executes.size() > 2) {
            continue;
        }
        for (fusion::Candidate& kernel : c.space->implementations(*c.space->find(column.executes, column.stores))) {
            codegen::Unit unit = codegen::lower(kernel, "one", *c.graph, *c.catalog);
            EXPECT_THAT(codegen::findings(unit), testing::IsEmpty());
            codegen::Kernel& lowered = unit.kernels.front();
            cooperative += lowered.threads > lowered.tile_elements;
            for (std::size_t i = 0; i < lowered.steps.size(); ++i) {
                if (!std::holds_alternative<codegen::BlockBarrier>(lowered.steps[i]) &&
                    !std::holds_alternative<codegen::WarpBarrier>(lowered.steps[i])) {
                    continue;
                }
                ++barriers;
                codegen::Kernel without = lowered;
                without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(i));
                const std::vector<std::string> found = codegen::findings(without);
                missed += std::any_of(found.begin(), found.end(),
                    [](const std::string& finding) { return finding.find("read its old value") != std::string::npos; });
            }
            if (checked++ % 12 == 0) {
                kernels.push_back(std::move(kernel));
            }
        }
    }
    EXPECT_GT(checked, 500U);
    EXPECT_GT(cooperative, 10U);
    EXPECT_GT(missed, 10U) << "of " << barriers;
    const execute::VerifyResult result = execute::verify_kernels(kernels, *c.graph, *c.catalog, {}, setup(folder.path() / "cache"));
    EXPECT_TRUE(result.passed()) << failures(result);
    EXPECT_EQ(result.checked, kernels.size());
    std::cout << checked << " kernels, " << kernels.size() << " of them executed, " << cooperative << " of several threads per element, "
              << missed << " of " << barriers << " barriers are there for old values\n";
}

TEST_F(Updates, HaveOnePointerThatIsNotReadOnly) {
    compile("program in_place; VECTOR3 y, z, f; input f; inout y, z; y += f; w = 2 * z; z = vcross(z, f); return w;", "emit");
    for (const char* member : {"    const float* f;", "    float* y;", "    float* z;", "    float* w;"}) {
        EXPECT_THAT(c.emitted.header, testing::HasSubstr(member));
    }
    EXPECT_THAT(c.emitted.header, testing::HasSubstr("updated in place"));
    EXPECT_THAT(c.emitted.header, testing::Not(testing::HasSubstr("y_0")));
    EXPECT_THAT(c.emitted.source, testing::HasSubstr("float* __restrict__ y"));
    EXPECT_THAT(c.emitted.source, testing::Not(testing::HasSubstr("const float* __restrict__ y")));
    EXPECT_THAT(c.emitted.source, testing::HasSubstr("{f, 12}, {w, 12}, {y, 12}, {z, 12}}")) << "three are written";
    EXPECT_THAT(c.emitted.source, testing::HasSubstr("lists_valid<1>"));
}

} // namespace
} // namespace fusec
