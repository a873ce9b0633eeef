// SPDX-License-Identifier: Apache-2.0
// Lists that are updated in place, against Eigen; every plan on the host and under emulated CUDA; every kernel that loads and stores a
// list, whose barriers the kernel IR's verifier misses when they are taken away; and the text: one pointer, which is not read-only.
#include "codegen/verifier.hpp"
#include "tests/examples/construct.hpp"

#include <algorithm>
#include <iostream>
#include <map>
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

/// Old values of packed lists together with the new ones: within a block, and in one behind the store.
constexpr const char* packed = R"(
program packed;
SYMMETRIC2 S2, T2;
SYMMETRIC3 S3, T3;
SYMMETRIC6 S6, T6;
input T2, T3, T6;
inout S2, S3, S6;
old2 = S2;
old3 = S3;
old6 = S6;
S2 = 0.5 * S2 + T2;
S3 = 0.5 * S3 + T3;
S6 = 0.5 * S6 + T6;
work = mddot(S2, old2) + mddot(S3, old3) + mddot(S6, old6);
return work;
)";
constexpr const char* packed_in_blocks = R"(
program packed_in_blocks;
SYMMETRIC2 S2, T2;
SYMMETRIC3 S3, T3;
SYMMETRIC6 S6, T6;
input T2, T3, T6;
inout S2, S3, S6;
block update {
    old2 = S2;
    old3 = S3;
    old6 = S6;
    S2 += T2;
    S3 += T3;
    S6 += T6;
}
block use { e = mtrace(S2) - 2 * mtrace(old2) + mdet(S3) * mtrace(old3) + mddot(S6, old6); }
return e;
)";

/// Parts that are assigned replace those of the old value.
constexpr const char* parts = R"(
program parts;
VECTOR4 y, a;
VECTOR3 v;
SYMMETRIC3 S;
MATRIX3x4 K;
input a, v;
inout y, S, K;
y[0] = 0;
y += 2 * a;
S[2, :] = 2 * v;
for i in 0..3 { K[i, 1] = v[i] * a[i]; }
K[0] += a;
product = K[:, 0:3] * S * v;
return product;
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

TEST_F(Updates, OldValuesOfPackedListsAreKeptWhole) {
    for (const bool blocks : {false, true}) {
        compile(blocks ? packed_in_blocks : packed, "updates");
        examples::Lists in;
        std::map<int, examples::RowMajor> old, next;
        for (const int n : {2, 3, 6}) {
            const std::string digit = std::to_string(n);
            const std::vector<double> words = drawn(n * (n + 1) / 2, 30U + static_cast<unsigned>(n)),
                                      more = drawn(n * (n + 1) / 2, 40U + static_cast<unsigned>(n));
            in["S" + digit] = words;
            in["T" + digit] = more;
            old[n] = examples::symmetric(words, n);
            next[n] = (blocks ? 1 : 0.5) * old[n] + examples::symmetric(more, n);
        }
        const auto product = [&](int n) { return next[n].cwiseProduct(old[n]).sum(); };
        const double expected = blocks ? next[2].trace() - 2 * old[2].trace() + next[3].determinant() * old[3].trace() + product(6)
                                       : product(2) + product(3) + product(6);
        const examples::Lists out = evaluated(*c.program, *c.catalog, in);
        EXPECT_NEAR(out.at(blocks ? "e" : "work").front(), expected, 1e-6);
        for (const int n : {2, 3, 6}) {
            EXPECT_THAT(out.at("S" + std::to_string(n)), testing::Pointwise(testing::DoubleNear(1e-6), examples::triangle(next[n]))) << n;
        }
        EXPECT_EQ(std::ranges::count_if(c.program->data, [](const frontend::Datum& datum) { return datum.name.ends_with(".kept"); }), 3);
    }
}

TEST_F(Updates, PartsReplaceThoseOfTheOldValue) {
    compile(parts, "updates");
    const examples::Lists in = {{"a", drawn(4, 1)}, {"v", drawn(3, 2)}, {"y", drawn(4, 3)}, {"S", drawn(6, 4)}, {"K", drawn(12, 5)}};
    const Eigen::Vector4d a(in.at("a").data());
    const Eigen::Vector3d v(in.at("v").data());
    Eigen::Vector4d y(in.at("y").data());
    y[0] = 0;
    y += 2 * a;
    examples::RowMajor s = examples::symmetric(in.at("S"), 3), k = examples::matrix(in.at("K"), 3, 4);
    s.row(2) = 2 * v.transpose();
    s.col(2) = 2 * v;
    k.col(1) = v.cwiseProduct(a.head<3>());
    k.row(0) += a.transpose();
    const examples::Lists expected = {
        {"y", listed(y)}, {"S", examples::triangle(s)}, {"K", listed(k)}, {"product", listed(k.leftCols(3) * s * v)}};
    const examples::Lists out = evaluated(*c.program, *c.catalog, in);
    ASSERT_EQ(out.size(), expected.size());
    for (const auto& [name, values] : expected) {
        EXPECT_THAT(out.at(name), testing::Pointwise(testing::DoubleNear(1e-6), values)) << name;
    }
}

TEST_F(Updates, EveryPlanEqualsTheReference) {
    for (const char* program : {text, exchange, packed, packed_in_blocks, parts}) {
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
            if (checked++ % 48 == 0) {
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

/// By hand: 12 bytes of y are in the caches when they are stored; the 4 of w are read first, unless they go past the caches.
TEST_F(Updates, AreNotReadAgainWhereAHostStoresThem) {
    compile("program in_place; VECTOR3 y, f; input f; inout y; y += f; w = vdot(y, f); return w;", "space", fusion::Target::host);
    std::map<std::size_t, std::set<double>> found; // by the number of lists that are stored
    for (std::size_t column = 0; column < c.space->columns().size(); ++column) {
        for (const fusion::Candidate& kernel : c.space->implementations(ColumnId(column))) {
            if (kernel.work.write_bytes >= 12) { // y is among them
                found[kernel.stores.size()].insert(kernel.work.allocated_bytes);
            }
        }
    }
    EXPECT_THAT(found, testing::ElementsAre(std::pair(1U, std::set<double>{0}), std::pair(2U, std::set<double>{0, 4})));
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
