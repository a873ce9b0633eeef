// SPDX-License-Identifier: Apache-2.0
// Lists that are updated in place, against Eigen; every plan on the host and under emulated CUDA; every kernel that loads and stores a
// list, whose barriers the kernel IR's verifier misses when they are taken away; and the text: one pointer, which is not read-only.
#include "codegen/verifier.hpp"
#include "tests/examples/construct.hpp"

#include <algorithm>
#include <iostream>
#include <set>

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

using examples::drawn;
using examples::evaluated;
using examples::failures;
using examples::listed;

class Updates : public examples::Construct {
protected:
    void compile(const std::string& program, const char* stage, fusion::Target target = fusion::Target::cuda) {
        ASSERT_TRUE(compile_into(c, program, target, stage));
        EXPECT_EQ(said.find("warning"), std::string::npos) << said;
    }

    cli::Compilation c;
};

using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

TEST_F(Updates, AreWhatEigenGives) {
    for (const char* stage : {"check", "updates"}) { // as written, and as compiled
        compile(text, stage);
        const examples::Lists in = {{"K", drawn(16, 1)}, {"M", drawn(16, 2)}, {"u", drawn(4, 3)}, {"f", drawn(4, 4)}, {"v", drawn(4, 5)},
            {"s", {0.75}}, {"dt", {0.125}}};
        const Matrix4 stiffness = Eigen::Map<const Matrix4>(in.at("K").data()), mass = Eigen::Map<const Matrix4>(in.at("M").data());
        const Eigen::Vector4d u(in.at("u").data()), f(in.at("f").data()), v(in.at("v").data());
        const Eigen::Vector4d new_f = f + stiffness * u, next = v + 0.125 * new_f;
        const double power = v.dot(next);
        Eigen::Vector4d new_v = next;
        new_v[2] -= u[2];
        const examples::Lists expected = {{"f", listed(new_f)}, {"M", listed(mass.transpose() * stiffness)}, {"v", listed(new_v)},
            {"s", {0.75 - 0.125 * power}}, {"power", {power}}};
        const examples::Lists out = evaluated(*c.program, *c.catalog, in);
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
            expect_every_plan_agrees(c);
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
    const execute::VerifyResult result = execute::verify_kernels(kernels, *c.graph, *c.catalog, {}, setup());
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
