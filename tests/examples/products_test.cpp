// SPDX-License-Identifier: Apache-2.0
// Chains of products, as written and in the order of fewest operations, against Eigen; every plan of both on the host and under emulated CUDA.
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "execute/agreement.hpp"
#include "execute/verify.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace fusec {
namespace {

constexpr const char* text = R"(
program products;
double MATRIX5x3 A;
double MATRIX3x4 B;
double MATRIX4x4 C;
double VECTOR4 v;
double VECTOR5 w;
double SCALAR s;
uniform double SCALAR t;
input A, B, C, v, w, s;
T = A * B;                          // used once: a factor of y
y = s * T * C * v * t;
z = mtvmul(A * (B * C), w) * s;
K = A * B * C * B';
r = vdot(w, A * (B * C) * v);
double SYMMETRIC4 S;
S = symmetric(mtmul(A * B, A) * B);
o = A * (B * vouter(v, w)) * w;
return y, z, K, r, S, o;
)";

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Lists = std::map<std::string, std::vector<double>>;

std::vector<double> drawn(int count, unsigned seed) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back(static_cast<double>(seed >> 20U) / 4096 - 0.5);
    }
    return values;
}

Matrix matrix(const Lists& in, const char* name, int rows, int columns) {
    return Eigen::Map<const Matrix>(in.at(name).data(), rows, columns);
}

std::vector<double> list(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}

Lists by_eigen(const Lists& in) {
    const Matrix a = matrix(in, "A", 5, 3), b = matrix(in, "B", 3, 4), c = matrix(in, "C", 4, 4), v = matrix(in, "v", 4, 1),
                 w = matrix(in, "w", 5, 1);
    const double s = in.at("s")[0], t = in.at("t")[0];
    const Matrix gram = b.transpose() * (a.transpose() * (a * b));
    std::vector<double> triangle;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j <= i; ++j) {
            triangle.push_back(gram(i, j));
        }
    }
    return {{"y", list(s * t * (a * (b * (c * v))))}, {"z", list(s * (c.transpose() * (b.transpose() * (a.transpose() * w))))},
        {"K", list(a * (b * (c * b.transpose())))}, {"r", list(w.transpose() * (a * (b * (c * v))))}, {"S", triangle},
        {"o", list(a * (b * v) * (w.transpose() * w)(0, 0))}};
}

class Products : public testing::Test {
protected:
    void compile(fusion::Target target) {
        std::ofstream(folder.path() / "products.fus") << text;
        c = {};
        c.options.program = folder.path() / "products.fus";
        c.options.target = target;
        c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c.options.reassociate = true;
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(c, diagnostics, "plan");
        std::ostringstream said;
        render(diagnostics, said, false);
        ASSERT_TRUE(good) << said.str();
        EXPECT_EQ(said.str().find("warning"), std::string::npos) << said.str();
        EXPECT_NE(said.str().find("contraction-order"), std::string::npos) << said.str();
        ASSERT_EQ(c.planned.size(), 2U);
    }

    execute::TemporaryFolder folder;
    cli::Compilation c;
};

TEST_F(Products, AreWhatEigenGivesInBothOrders) {
    compile(fusion::Target::cuda);
    const Lists in = {{"A", drawn(15, 1)}, {"B", drawn(12, 2)}, {"C", drawn(16, 3)}, {"v", drawn(4, 4)}, {"w", drawn(5, 5)}, {"s", {0.75}},
        {"t", {0.375}}};
    const Lists expected = by_eigen(in);
    std::map<std::vector<std::size_t>, double> operations;
    for (const frontend::CheckedCombination& one : c.combinations) {
        const frontend::CheckedProgram& program = one.program;
        const library::Catalog catalog = c.catalog->with(program.functions);
        execute::DataValues given(program.data.size());
        for (const DataId id : program.inputs) {
            given[id.index()] = in.at(program.list_name(id));
        }
        for (const frontend::Call& call : program.calls) {
            operations[one.taken] += catalog.operations(call.instance).flops;
        }
        const execute::ReferenceResult result = execute::evaluate(program, catalog, 1, given);
        ASSERT_EQ(program.outputs.size(), expected.size());
        for (const DataId id : program.outputs) {
            EXPECT_THAT(result.values[id.index()], testing::Pointwise(testing::DoubleNear(1e-13), expected.at(program.list_name(id))))
                << program.list_name(id);
        }
    }
    EXPECT_LT(1.5 * operations.at({2}), operations.at({1}));
}

TEST_F(Products, EveryPlanOfBothOrdersEqualsItsReference) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(target);
        for (const cli::PlannedCombination& one : c.planned) {
            ASSERT_NE(one.compiled, nullptr);
            cli::Compilation& planned = *one.compiled;
            for (const char* mode : {"auto", "none", "max", "greedy"}) {
                planned.options.plan = mode;
                planned.plans.clear();
                Diagnostics diagnostics;
                ASSERT_TRUE(cli::choose_plan(planned, diagnostics)) << mode;
                const execute::RunSetup setup{execute::find_host_compiler(diagnostics).value(), folder.path() / "cache",
                    library::standard_library_folder(), 2, 300, 20};
                const execute::VerifyResult result =
                    execute::verify_plan(planned.plans.front(), *planned.graph, *planned.catalog, {.target = target}, setup);
                EXPECT_TRUE(result.passed()) << one.text << ", " << mode << ": "
                                             << (result.failures.empty() ? "" : result.failures.front().texts.front());
                EXPECT_GT(result.components, 1000U);
            }
        }
    }
}

/// The comparison of the two orders, by references, notices a product that is another.
TEST_F(Products, OrdersAreCompared) {
    compile(fusion::Target::cuda);
    const cli::Compilation &one = *c.planned[0].compiled, &two = *c.planned[1].compiled;
    EXPECT_TRUE(execute::disagreeing_outputs(*one.program, *one.catalog, *two.program, *two.catalog, 100, 3).empty());
    frontend::CheckedProgram wrong = *one.program;
    bool changed = false;
    for (frontend::Call& call : wrong.calls) {
        if (!changed && call.operands.size() == 2 && one.catalog->function(call.instance.function).name == "mvmul" &&
            wrong.datum(call.operands[0]).type.shape.rows == 4) {
            call.instance.function = one.catalog->find("mtvmul").value();
            changed = true;
        }
    }
    ASSERT_TRUE(changed);
    EXPECT_FALSE(execute::disagreeing_outputs(*two.program, *two.catalog, wrong, *one.catalog, 100, 3).empty());
}

} // namespace
} // namespace fusec
