// SPDX-License-Identifier: Apache-2.0
// Chains of products, as written and in the order of fewest operations, against Eigen; every plan of both on the host and under emulated CUDA.
#include "execute/agreement.hpp"
#include "tests/examples/construct.hpp"

#include <map>

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

using examples::drawn;
using examples::listed;
using examples::Lists;
using Matrix = examples::RowMajor;

Matrix matrix(const Lists& in, const char* name, int rows, int columns) {
    return examples::matrix(in.at(name), rows, columns);
}

Lists by_eigen(const Lists& in) {
    const Matrix a = matrix(in, "A", 5, 3), b = matrix(in, "B", 3, 4), c = matrix(in, "C", 4, 4), v = matrix(in, "v", 4, 1),
                 w = matrix(in, "w", 5, 1);
    const double s = in.at("s")[0], t = in.at("t")[0];
    const Matrix gram = b.transpose() * (a.transpose() * (a * b));
    return {{"y", listed(s * t * (a * (b * (c * v))))}, {"z", listed(s * (c.transpose() * (b.transpose() * (a.transpose() * w))))},
        {"K", listed(a * (b * (c * b.transpose())))}, {"r", listed(w.transpose() * (a * (b * (c * v))))}, {"S", examples::triangle(gram)},
        {"o", listed(a * (b * v) * (w.transpose() * w)(0, 0))}};
}

class Products : public examples::Construct {
protected:
    void compile(fusion::Target target) {
        ASSERT_TRUE(compile_into(c, text, target, "plan", [](cli::CompileOptions& options) { options.reassociate = true; }));
        EXPECT_EQ(said.find("warning"), std::string::npos) << said;
        EXPECT_NE(said.find("contraction-order"), std::string::npos) << said;
        ASSERT_EQ(c.planned.size(), 2U);
    }

    cli::Compilation c;
};

double operations(const frontend::CheckedProgram& program, const library::Catalog& catalog) {
    double sum = 0;
    for (const frontend::Call& call : program.calls) {
        sum += catalog.operations(call.instance).flops;
    }
    return sum;
}

TEST_F(Products, AreWhatEigenGivesInBothOrders) {
    compile(fusion::Target::cuda);
    const Lists in = {{"A", drawn(15, 1)}, {"B", drawn(12, 2)}, {"C", drawn(16, 3)}, {"v", drawn(4, 4)}, {"w", drawn(5, 5)}, {"s", {0.75}},
        {"t", {0.375}}};
    const Lists expected = by_eigen(in);
    for (const frontend::CheckedCombination& one : c.combinations) {
        const frontend::CheckedProgram& program = one.program;
        const library::Catalog catalog = c.catalog->with(program.functions);
        const Lists out = examples::evaluated(program, catalog, in);
        ASSERT_EQ(out.size(), expected.size());
        for (const auto& [name, values] : expected) {
            EXPECT_THAT(out.at(name), testing::Pointwise(testing::DoubleNear(1e-13), values)) << name;
        }
    }
}

// By hand; the product of m x k and k x n takes m n (2 k - 1), that of m x n and a vector m (2 n - 1).
// As written:
//   T = A B              5 4 5 = 100, also the first product of K and of S
//   y = (((s T) C) v) t  20 + 5 4 7 + 5 7 + 5 = 200
//   z = ((A (B C))' w) s 3 4 7 + 5 4 5 + 4 9 + 4 = 224, where A (B C) is also the first factor of r
//   K = (T C) B'         5 4 7 + 5 3 7 = 245
//   r = w . ((A B C) v)  5 7 + 9 = 44
//   S = (T' A) B         4 3 9 + 10 5 = 158, as 10 entries of the result are stored
//   o = (A (B (v w'))) w 20 + 3 5 7 + 5 5 5 + 5 9 = 295
// which is 1266. In the order of fewest operations T, z and S are as they were, 482, as what is used again or stored is, and
//   y = T (C ((s t) v))  1 + 4 + 4 7 + 5 7 = 68
//   K = T (C B')         4 3 7 + 5 3 7 = 189
//   r = ((A B C)' w) . v 4 9 + 7 = 43, of which 36 are those of z, and are not computed again in the end
//   o = A ((w . w)(B v)) 9 + 3 7 + 3 + 5 5 = 58
// which is 840, and 804 when z and r share their product.
TEST_F(Products, CountAsByHand) {
    compile(fusion::Target::cuda);
    std::map<std::vector<std::size_t>, double> checked, planned;
    for (const frontend::CheckedCombination& one : c.combinations) {
        checked[one.taken] = operations(one.program, c.catalog->with(one.program.functions));
    }
    for (const cli::PlannedCombination& one : c.planned) {
        planned[one.taken] = operations(*one.compiled->program, *one.compiled->catalog);
    }
    EXPECT_THAT(
        checked, testing::ElementsAre(testing::Pair(std::vector<std::size_t>{1}, 1266), testing::Pair(std::vector<std::size_t>{2}, 840)));
    EXPECT_THAT(
        planned, testing::ElementsAre(testing::Pair(std::vector<std::size_t>{1}, 1266), testing::Pair(std::vector<std::size_t>{2}, 804)));
}

TEST_F(Products, EveryPlanOfBothOrdersEqualsItsReference) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(target);
        for (const cli::PlannedCombination& one : c.planned) {
            ASSERT_NE(one.compiled, nullptr);
            SCOPED_TRACE(one.text);
            expect_every_plan_agrees(*one.compiled);
        }
    }
}

/// In the order of fewest operations a chain reads the list's old value where, as written, it reads what is made of it.
TEST_F(Products, OfAListThatIsUpdatedUseTheValueOfTheText) {
    constexpr const char* updated = R"(
program updated;
double VECTOR6 v, y, f;
input v, f;
inout y;
M = vouter(v, y);
y = y + f;
z = M * y;
return z;
)";
    const examples::Formula formula = [](const Lists& in) {
        const Matrix v = matrix(in, "v", 6, 1), y = matrix(in, "y", 6, 1), f = matrix(in, "f", 6, 1);
        return Lists{{"y", listed(y + f)}, {"z", listed(v * (y.transpose() * (y + f)))}};
    };
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto both = compiled(updated, target, "plan", [](cli::CompileOptions& options) { options.reassociate = true; });
        ASSERT_NE(both, nullptr);
        ASSERT_EQ(both->planned.size(), 2U) << said;
        for (const cli::PlannedCombination& one : both->planned) {
            SCOPED_TRACE(one.text);
            const Lists in{{"v", drawn(6, 1)}, {"y", drawn(6, 2)}, {"f", drawn(6, 3)}};
            const Lists found = examples::evaluated(*one.compiled->program, *one.compiled->catalog, in), expected = formula(in);
            for (const auto& [name, values] : expected) {
                ASSERT_EQ(found.count(name), 1U) << name;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    EXPECT_NEAR(found.at(name).at(i), values[i], 1e-14) << name;
                }
            }
            expect_every_plan_agrees(*one.compiled);
        }
    }
}

/// The comparison of the two orders, by references, notices a product that is another.
TEST_F(Products, OrdersAreCompared) {
    compile(fusion::Target::cuda);
    const cli::Compilation &one = *c.planned[0].compiled, &two = *c.planned[1].compiled;
    const execute::ProgramAgreement same = execute::compare_programs(*one.program, *one.catalog, *two.program, *two.catalog, 100, 3);
    EXPECT_THAT(same.differing, testing::IsEmpty());
    EXPECT_GT(same.compared, 50U);
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
    EXPECT_FALSE(execute::compare_programs(*two.program, *two.catalog, wrong, *one.catalog, 100, 3).differing.empty());
}

} // namespace
} // namespace fusec
