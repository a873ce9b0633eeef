// SPDX-License-Identifier: Apache-2.0
// Programs with loops, definitions and sums are the programs that one would write without them: pairs written by hand, and random nests of
// loops beside the statements that they stand for.
#include "tests/frontend/compiled.hpp"
#include "tests/frontend/program_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace fusec::frontend::testing {
namespace {

const std::string head = "MATRIX2x2 A, B; SCALAR a; uniform SCALAR u; input A, B, a; const VECTOR4 w = [1, 0.5, 0.25, 0.5]; const "
                         "MATRIX4x2 G = [[1, 2], [3, 4], [5, 6], [1, 2]];\n";

std::string checked(const std::string& text, FileReader* reader = nullptr, const CheckOptions& options = {}) {
    const Compiled compiled = compile(text, reader, options);
    EXPECT_TRUE(compiled.program) << text << compiled.text();
    return compiled.program ? without_names(*compiled.program) : "";
}

void expect_twins(const std::string& text, const std::string& twin) {
    EXPECT_EQ(checked(head + text), checked(head + twin)) << text;
}

TEST(Expansion, LoopsAreTheirStatementsWrittenOut) {
    expect_twins("S = A; for q in 0..3 { g = A * w[q]; S += g * B; } return S;",
        "g0 = A * w[0]; S0 = A + g0 * B; g1 = A * w[1]; S1 = S0 + g1 * B; g2 = A * w[2]; S = S1 + g2 * B; return S;");
    expect_twins("S = A; for i in 1..3 { for j in 0..i { S += A * (i + 10 * j); } S -= B * i; } return S;",
        "S1 = A + A * (1 + 10 * 0); S2 = S1 - B * 1; S3 = S2 + A * (2 + 10 * 0); S4 = S3 + A * (2 + 10 * 1); S = S4 - B * 2; return S;");
    expect_twins("MATRIX2x2 S; for q in 2..5 { S += A * q; } return S;", "S1 = A * 2; S2 = S1 + A * 3; S = S2 + A * 4; return S;");
    expect_twins("MATRIX2x2 S; for q in -1..1 { S -= A * q; } return S;", "S1 = -(A * -1); S = S1 - A * 0; return S;");
    expect_twins("S = u * A; for q in 7..7 { S += A; } return S;", "S = u * A; return S;");
    expect_twins("x = A * G[1]; for q in 0..2 { for c in 0..2 { x += G[2 * q + c] * G[q, c] / (q + 1); } } return x;",
        "x0 = A * G[1]; x1 = x0 + G[0] * G[0, 0] / 1; x2 = x1 + G[1] * G[0, 1] / 1; x3 = x2 + G[2] * G[1, 0] / 2; x = x3 + G[3] * G[1, 1] "
        "/ 2; return x;");
}

/// `/` rounds towards 0 and `%` has the sign of its left operand, as in C.
TEST(Expansion, IndicesAreIntegersAndExpressionsAreNot) {
    expect_twins("x = A * G[7 / 2]; for q in 0..4 { x += G[(q - 3) % 2 + 1] * (q / 2); } y = G[-7 / 2 + 3, -7 % 2 + 1] * a; z = w[2 - -1 * "
                 "1 - (3 - 2)] * a; return x, y, z;",
        "x0 = A * G[3]; x1 = x0 + G[0] * 0; x2 = x1 + G[1] * 0.5; x3 = x2 + G[0] * 1; x = x3 + G[1] * 1.5; y = G[0, 0] * a; z = w[2] * a; "
        "return x, y, z;");
    expect_twins("const SCALAR n = 2; h = 3; S = A; for q in n..h + 1 { k = 2 * q; S += A * w[k - h] * k; } return S;",
        "S1 = A + A * w[1] * 4; S = S1 + A * w[3] * 6; return S;");
}

TEST(Expansion, CallsOfDefinitionsAreTheirBodies) {
    expect_twins("def f(x, s) { y = x * x; return s * y - x; } C = f(A, 2) * f(B, a); D = f(f(A + B, u), w[1]); return C, D;",
        "y1 = A * A; p = 2 * y1 - A; y2 = B * B; C = p * (a * y2 - B); s = A + B; y3 = s * s; q = u * y3 - s; y4 = q * q; D = w[1] * y4 - "
        "q; return C, D;");
    expect_twins("def f(n, x) { t = x; for q in 0..n { t += w[q + n] * x; } return t; } C = f(1, A); D = f(2, A * B); return C, D;",
        "C = A + w[1] * A; x = A * B; t = x + w[2] * x; D = t + w[3] * x; return C, D;");
    expect_twins("def norm(x) { return ssqrt(vdot(x, x)); } def two() { return 2; } def dir(VECTOR2 x, float s) { return x / norm(x) * s * "
                 "two(); } x = dir(A * G[0], 1); y = dir(B * G[1], a); return x, y;",
        "p = A * G[0]; x = p / ssqrt(vdot(p, p)) * 1 * 2; q = B * G[1]; y = q / ssqrt(vdot(q, q)) * a * 2; return x, y;");
    expect_twins("def u2(w) { a = w * w; return a * u; } const SCALAR B1 = 3; C = u2(A); D = u2(B); E = u2(a * B1); return C, D, E;",
        "p = A * A; C = p * u; q = B * B; D = q * u; r = a * 3; s = r * r; E = s * u; return C, D, E;");
}

/// A definition has no precision of its own.
TEST(Expansion, DefinitionsAreGenericOverPrecision) {
    EXPECT_EQ(checked("def f(x) { return 0.1 * x + x; } double MATRIX2x2 A; VECTOR3 b; input A, b; C = f(A); d = f(b); return C, d;"),
        checked("double MATRIX2x2 A; VECTOR3 b; input A, b; C = 0.1 * A + A; d = 0.1 * b + b; return C, d;"));
}

TEST(Expansion, IncludedFilesAreTheirText) {
    MemoryReader reader(
        std::map<std::string, std::string>{{"lib/a.fus", "include \"b.fus\"; const SCALAR c = 3; def f(x) { return g(x) * c; }"},
            {"lib/b.fus", "def g(x) { return x + x; }"}});
    EXPECT_EQ(checked("include \"lib/a.fus\"; include \"lib/../lib/b.fus\";" + head + "C = f(A) * g(A); return C;", &reader),
        checked(head + "const SCALAR c = 3; C = (A + A) * c * (A + A); return C;"));
    EXPECT_EQ(reader.reads(), 2U);
}

TEST(Expansion, NamesAreUniqueAndSayWhereTheyComeFrom) {
    const Compiled compiled = compile("def f(x) { y = x * x; for q in 0..2 { z = y * (q + 2); y += z * x; } return y + x; }" + head +
        "K = A * B; for q in 0..2 { g = f(A * (q + 2)) * 2; K += g * B - A; for r in 0..1 { g2 = K * g; K += g2; } } for q in 1..2 { g = K "
        "+ A; K += g; } return K;");
    ASSERT_TRUE(compiled.program) << compiled.text();
    std::vector<std::string> names;
    std::vector<std::string> identifiers;
    for (const Call& call : compiled.program->calls) {
        names.push_back(compiled.program->datum(call.result).name);
        identifiers.push_back(compiled.program->datum(call.result).identifier);
    }
    const std::vector<std::string> expected{"K:1", "g[0].1", "f(1).y:1", "f(1).z[0]", "f(1).y:2.1", "f(1).y:2", "f(1).z[1]", "f(1).y:3.1",
        "f(1).y", "f(1)", "g[0]", "K:2.1", "K:2.2", "K:2", "g2[0][0]", "K:3", "g[1].1", "f(2).y:1", "f(2).z[0]", "f(2).y:2.1", "f(2).y:2",
        "f(2).z[1]", "f(2).y:3.1", "f(2).y", "f(2)", "g[1]", "K:4.1", "K:4.2", "K:4", "g2[1][0]", "K:5", "g#2[1]", "K"};
    EXPECT_EQ(names, expected);
    EXPECT_THAT(
        identifiers, ::testing::IsSupersetOf({"K_1", "g_0_1", "f_1_y_1", "f_1_z_0", "f_1", "g_0", "K_2_1", "g2_0_0", "g_2_1", "K"}));
}

/// Every value of a sum is the same number of calls, and none is deeper than the logarithm of the terms.
TEST(Expansion, ReassociatedSumsAreBalanced) {
    for (int terms = 2; terms <= 40; ++terms) {
        std::string text = head + "S = A;";
        for (int i = 1; i < terms; ++i) {
            text += i % 3 == 2 ? "S -= B * " : "S += B * ";
            text += std::to_string(i) + ";";
        }
        CheckOptions options;
        const Compiled plain = compile(text + "return S;", nullptr, options);
        options.reassociate = true;
        const Compiled balanced = compile(text + "return S;", nullptr, options);
        ASSERT_TRUE(plain.program && balanced.program);
        EXPECT_EQ(plain.program->calls.size(), balanced.program->calls.size());
        // The coefficient of every term, and the depth of the sum, by walking the calls.
        std::vector<std::map<std::string, int>> coefficients(balanced.program->data.size());
        std::vector<int> depths(balanced.program->data.size(), 0);
        for (std::size_t i = 0; i < balanced.program->data.size(); ++i) {
            coefficients[i][balanced.program->data[i].name] = 1;
        }
        for (const Call& call : balanced.program->calls) {
            const std::string& function = catalog().function(call.instance.function).name;
            if (function != "madd" && function != "msub") {
                continue;
            }
            const std::size_t result = call.result.index();
            const std::size_t left = call.operands[0].index();
            const std::size_t right = call.operands[1].index();
            coefficients[result] = coefficients[left];
            for (const auto& [name, coefficient] : coefficients[right]) {
                coefficients[result][name] += function == "madd" ? coefficient : -coefficient;
            }
            depths[result] = 1 + std::max(depths[left], depths[right]);
        }
        const std::size_t output = balanced.program->outputs[0].index();
        int depth = 0;
        while ((1 << depth) < terms) {
            ++depth;
        }
        EXPECT_EQ(depths[output], depth) << terms;
        ASSERT_EQ(coefficients[output].size(), static_cast<std::size_t>(terms));
        EXPECT_EQ(coefficients[output]["A"], 1);
        int added = 0;
        for (const auto& [name, coefficient] : coefficients[output]) {
            added += coefficient;
        }
        EXPECT_EQ(added, terms - 2 * (terms / 3)) << terms;
    }
}

/// A random nest of loops with sums, local values and calls of definitions; beside it the statements that it stands for, made here by
/// walking the nest with the loops' variables at hand.
class RandomNest {
public:
    explicit RandomNest(unsigned seed) : random_(seed) {}

    void make() {
        looped_ = "S = A; x = a;\n";
        twin_ = "S0 = A; x0 = a;\n";
        std::vector<Statement> statements = block(0, {});
        write(statements);
        std::vector<std::pair<std::string, int>> values;
        unroll(statements, values, {});
        looped_ += "T = S * x; return T;";
        twin_ += "T = S" + std::to_string(sums_[0]) + " * x" + std::to_string(sums_[1]) + "; return T;";
    }
    const std::string& looped() const { return looped_; }
    const std::string& twin() const { return twin_; }

private:
    /// An integer expression `factor * variable + offset`, taken modulo 4 where it is an index.
    struct Integer {
        int factor = 0;
        std::string variable; ///< empty: none
        int offset = 0;

        std::string text() const {
            return variable.empty() ? std::to_string(offset) : std::to_string(factor) + " * " + variable + " + " + std::to_string(offset);
        }
        int value(const std::vector<std::pair<std::string, int>>& values) const {
            int result = offset;
            for (const auto& [name, value] : values) {
                result += name == variable ? factor * value : 0;
            }
            return result;
        }
    };
    struct Statement {
        enum class Kind {
            loop,
            local,
            sum_matrix,
            sum_scalar
        } kind = Kind::loop;
        std::string name; ///< of the variable or the local value
        Integer first, last, index;
        bool subtracts = false;
        std::string operand; ///< a local value, or A or B
        std::vector<Statement> body;
    };

    int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

    Integer integer(const std::vector<std::string>& variables) {
        return {below(3),
            variables.empty() || below(3) == 0 ? "" : variables[static_cast<std::size_t>(below(static_cast<int>(variables.size())))],
            below(4)};
    }

    std::vector<Statement> block(int depth, std::vector<std::string> locals) {
        std::vector<Statement> statements;
        for (int count = 1 + below(3); count > 0; --count) {
            Statement s;
            s.index = integer(variables_);
            s.subtracts = below(2) == 0;
            s.operand = locals.empty() || below(2) == 0 ? (below(2) == 0 ? "A" : "B")
                                                        : locals[static_cast<std::size_t>(below(static_cast<int>(locals.size())))];
            const int choice = below(depth < 3 ? 5 : 3);
            if (choice >= 3) {
                s.kind = Statement::Kind::loop;
                s.name = "q" + std::to_string(names_++);
                s.first = integer(variables_);
                s.last = s.first;
                s.last.offset += below(4);
                variables_.push_back(s.name);
                s.body = block(depth + 1, locals);
                variables_.pop_back();
            } else if (choice == 2 && depth > 0) {
                s.kind = Statement::Kind::local;
                s.name = "g" + std::to_string(names_++);
                locals.push_back(s.name);
            } else {
                s.kind = choice == 1 ? Statement::Kind::sum_matrix : Statement::Kind::sum_scalar;
            }
            statements.push_back(std::move(s));
        }
        return statements;
    }

    void write(const std::vector<Statement>& statements) {
        for (const Statement& s : statements) {
            const std::string entry = "w[(" + s.index.text() + ") % 4]";
            const std::string sign = s.subtracts ? " -= " : " += ";
            switch (s.kind) {
            case Statement::Kind::loop:
                looped_ += "for " + s.name + " in " + s.first.text() + ".." + s.last.text() + " {\n";
                write(s.body);
                looped_ += "}\n";
                break;
            case Statement::Kind::local:
                looped_ += s.name + " = f(" + s.operand + ", " + entry + ");\n";
                break;
            case Statement::Kind::sum_matrix:
                looped_ += "S" + sign + s.operand + " * " + entry + " * B;\n";
                break;
            case Statement::Kind::sum_scalar:
                looped_ += "x" + sign + "mdet(" + s.operand + ") * (" + s.index.text() + ");\n";
                break;
            }
        }
    }

    std::string local(const std::string& name, const std::vector<std::pair<std::string, std::string>>& locals) const {
        for (std::size_t i = locals.size(); i-- > 0;) {
            if (locals[i].first == name) {
                return locals[i].second;
            }
        }
        return name;
    }

    void unroll(const std::vector<Statement>& statements, std::vector<std::pair<std::string, int>>& values,
        std::vector<std::pair<std::string, std::string>> locals) {
        for (const Statement& s : statements) {
            const int index = s.index.value(values);
            const std::string entry = "w[" + std::to_string(index % 4) + "]";
            const std::string operand = local(s.operand, locals);
            const auto sum = [&](const char* name, int which, const std::string& term) {
                const std::string before = name + std::to_string(sums_[which]++);
                twin_ += name + std::to_string(sums_[which]) + " = " + before + (s.subtracts ? " - " : " + ") + term + ";\n";
            };
            switch (s.kind) {
            case Statement::Kind::loop:
                for (int value = s.first.value(values); value < s.last.value(values); ++value) {
                    values.emplace_back(s.name, value);
                    unroll(s.body, values, locals);
                    values.pop_back();
                }
                break;
            case Statement::Kind::local: {
                const std::string name = "v" + std::to_string(unrolled_++);
                twin_ += name + " = " + operand + " * E + " + entry + " * " + operand + ";\n"; // the body of f
                locals.emplace_back(s.name, name);
                break;
            }
            case Statement::Kind::sum_matrix:
                sum("S", 0, operand + " * " + entry + " * B");
                break;
            case Statement::Kind::sum_scalar:
                sum("x", 1, "mdet(" + operand + ") * " + std::to_string(index));
                break;
            }
        }
    }

    std::mt19937 random_;
    std::vector<std::string> variables_;
    int names_ = 0;
    int unrolled_ = 0;
    int sums_[2] = {0, 0};
    std::string looped_;
    std::string twin_;
};

TEST(Expansion, RandomNestsAreWhatTheyStandFor) {
    const std::string definition = "const MATRIX2x2 E = [[1, 0.5], [0.25, 3]]; def f(X, s) { return X * E + s * X; }\n";
    std::size_t calls = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomNest nest(seed);
        nest.make();
        const std::string looped = head + definition + nest.looped();
        const Compiled one = compile(looped);
        const Compiled other = compile(head + definition + nest.twin());
        ASSERT_TRUE(one.program && other.program) << looped << one.text() << nest.twin() << other.text();
        ASSERT_EQ(without_names(*one.program), without_names(*other.program)) << looped << "\n" << nest.twin();
        calls += one.program->calls.size();
    }
    EXPECT_GT(calls, 3000U) << "the nests are too small to show anything";
}

} // namespace
} // namespace fusec::frontend::testing
