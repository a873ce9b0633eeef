// SPDX-License-Identifier: Apache-2.0
// Orders of products: the dynamic programme against all bracketings, and what becomes of programs.
#include "frontend/contraction.hpp"
#include "frontend/frontend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>

namespace fusec::frontend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Counted here, not by the library: a product adds over the common dimension.
double product_operations(const ChainFactor& left, const ChainFactor& right) {
    if (left.constant && right.constant) {
        return 0;
    }
    const double entries = static_cast<double>(left.rows) * right.columns;
    return entries * (left.has_columns ? 2 * left.columns - 1 : 1);
}

double scaling_operations(const ChainFactor& value) {
    return static_cast<double>(value.rows) * value.columns;
}

/// A bracketing with its value and what it costs.
struct Tried {
    double operations = 0;
    bool scaled = false;
    ChainFactor value;
};

/// All of them, without and with the scalar, which may multiply any factor and any product.
std::vector<Tried> all_bracketings(const std::vector<ChainFactor>& factors, std::size_t first, std::size_t end, bool scalar) {
    std::vector<Tried> found;
    if (end - first == 1) {
        found.push_back({0, false, factors[first]});
    }
    for (std::size_t split = first + 1; split < end; ++split) {
        for (const Tried& left : all_bracketings(factors, first, split, scalar)) {
            for (const Tried& right : all_bracketings(factors, split, end, scalar)) {
                if (!left.scaled || !right.scaled) {
                    const ChainFactor &a = left.value, &b = right.value;
                    found.push_back({left.operations + right.operations + product_operations(a, b), left.scaled || right.scaled,
                        {a.has_rows, b.has_columns, a.rows, b.columns, a.constant && b.constant}});
                }
            }
        }
    }
    for (std::size_t i = 0, count = found.size(); scalar && i < count; ++i) {
        if (!found[i].scaled) {
            found.push_back({found[i].operations + scaling_operations(found[i].value), true, found[i].value});
        }
    }
    return found;
}

/// What an order costs, node by node; every factor has to be in it once, from left to right.
double operations_of(const ChainOrder& order, const std::vector<ChainFactor>& factors, bool scalar) {
    std::vector<ChainFactor> values;
    double sum = 0;
    int next = 0, scaled = 0;
    for (const ChainOrder::Node& node : order.nodes) {
        if (node.factor >= 0) {
            EXPECT_EQ(node.factor, next++);
            values.push_back(factors[static_cast<std::size_t>(node.factor)]);
        } else {
            const ChainFactor left = values.at(static_cast<std::size_t>(node.left)),
                              right = values.at(static_cast<std::size_t>(node.right));
            sum += product_operations(left, right);
            values.push_back({left.has_rows, right.has_columns, left.rows, right.columns, left.constant && right.constant});
        }
        sum += node.scaled ? scaling_operations(values.back()) : 0;
        scaled += node.scaled ? 1 : 0;
    }
    EXPECT_EQ(next, static_cast<int>(factors.size()));
    EXPECT_EQ(scaled, scalar ? 1 : 0);
    return sum;
}

TEST(ChainOrder, TakesFewestOperationsOfAllBracketings) {
    std::mt19937 random(20261122);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int with_rows = 0, with_scalars = 0, inner = 0;
    for (int number = 0; number < 600; ++number) {
        const std::size_t count = 1 + static_cast<std::size_t>(below(number % 10 == 0 ? 7 : 5));
        std::vector<ChainFactor> factors;
        bool open = below(4) != 0; // whether the next factor has rows
        with_rows += open ? 0 : 1;
        int dimension = open ? 1 + below(9) : 1;
        for (std::size_t i = 0; i < count; ++i) {
            const bool closes = below(4) == 0;
            const int columns = closes ? 1 : 1 + below(9);
            if (!open && closes) { // neither a row nor a column: a scalar is no factor
                factors.push_back({false, true, 1, 1 + below(9), false});
                open = true;
                dimension = factors.back().columns;
                continue;
            }
            factors.push_back({open, !closes, dimension, columns, below(5) == 0});
            inner += closes && i + 1 < count ? 1 : 0;
            open = !closes;
            dimension = columns;
        }
        const bool scalar = count == 1 || below(2) == 0;
        with_scalars += scalar ? 1 : 0;
        const ChainOrder order = fewest_operations(factors, scalar, {product_operations, scaling_operations});
        double least = std::numeric_limits<double>::infinity();
        for (const Tried& tried : all_bracketings(factors, 0, factors.size(), scalar)) {
            least = tried.scaled == scalar ? std::min(least, tried.operations) : least;
        }
        EXPECT_EQ(order.operations, least) << "chain " << number;
        EXPECT_EQ(operations_of(order, factors, scalar), least) << "chain " << number;
    }
    EXPECT_GT(with_rows, 50);
    EXPECT_GT(with_scalars, 100);
    EXPECT_GT(inner, 100);
}

TEST(ChainOrder, OfSevenFactorsIsTheTextbooks) {
    // Cormen et al., "Introduction to Algorithms", 15.2: 15125 scalar multiplications for six matrices.
    const std::vector<int> sizes = {30, 35, 15, 5, 10, 20, 25};
    std::vector<ChainFactor> factors;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        factors.push_back({true, true, sizes[i], sizes[i + 1], false});
    }
    const auto multiplications = [](const ChainFactor& left, const ChainFactor& right) {
        return static_cast<double>(left.rows) * left.columns * right.columns;
    };
    EXPECT_EQ(fewest_operations(factors, false, {multiplications, scaling_operations}).operations, 15125);
}

struct Reordered {
    std::vector<std::string> written, calls; ///< `y = mvmul(A, y.1)`; without a reordering `calls` is empty
    std::string messages;
    std::vector<std::vector<std::size_t>> taken;
};

std::vector<std::string> calls_of(const CheckedProgram& program, const library::Catalog& catalog) {
    std::vector<std::string> texts;
    for (const Call& call : program.calls) {
        std::string operands;
        for (const DataId operand : call.operands) {
            operands += (operands.empty() ? "" : ", ") + program.datum(operand).name;
        }
        texts.push_back(program.datum(call.result).name + " = " + catalog.function(call.instance.function).name + "(" + operands + ")");
    }
    return texts;
}

const library::Catalog& standard_catalog() {
    static const library::Catalog catalog = [] {
        Diagnostics diagnostics;
        return library::Catalog::load({library::standard_library_folder()}, diagnostics).value();
    }();
    return catalog;
}

Reordered reorder(const std::string& text, bool reassociate = true) {
    Diagnostics diagnostics;
    const auto tree = parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    const auto combinations = check_combinations(*tree, standard_catalog(), {.reassociate = reassociate}, diagnostics);
    Reordered result;
    for (const CheckedCombination& one : combinations) {
        result.taken.push_back(one.taken);
        verify(one.program, standard_catalog());
        (one.reordered ? result.calls : result.written) = calls_of(one.program, standard_catalog().with(one.program.functions));
    }
    std::ostringstream rendered;
    render(diagnostics, rendered, false);
    result.messages = rendered.str();
    return result;
}

TEST(Contraction, MatricesAndVectors) {
    const std::string inputs =
        "MATRIX3x3 A, B, C;\nMATRIX6x3 T;\nMATRIX3x6 R;\nVECTOR3 v, w;\nSCALAR s, t;\ninput A, B, C, T, R, v, w, s, t;\n";
    const auto calls = [&](const std::string& statements) { return reorder(inputs + statements).calls; };
    EXPECT_THAT(calls("y = A * B * v; return y;"), ElementsAre("y.2 = mvmul(B, v)", "y = mvmul(A, y.2)"));
    EXPECT_THAT(calls("P = A * B; y = P * v; return y;"), ElementsAre("y.1 = mvmul(B, v)", "y = mvmul(A, y.1)"));
    EXPECT_THAT(calls("y = s * A * v; return y;"), ElementsAre("y.2 = svmul(v, s)", "y = mvmul(A, y.2)"));
    EXPECT_THAT(calls("D = A * s * t; return D;"), ElementsAre("D.2 = smul(s, t)", "D = smmul(A, D.2)"));
    EXPECT_THAT(calls("D = A * R * T; return D;"), ElementsAre("D.2 = mmul(R, T)", "D = mmul(A, D.2)"));
    EXPECT_THAT(calls("D = A * (R * T); return D;"), testing::IsEmpty());
    EXPECT_THAT(calls("D = A * B * C; return D;"), testing::IsEmpty()) << "both orders take as many";
    // Transposes are read through products, and reverse them.
    EXPECT_THAT(calls("y = mtmul(A, B) * v; return y;"), ElementsAre("y.2 = mvmul(B, v)", "y = mtvmul(A, y.2)"));
    EXPECT_THAT(calls("y = (A * B)' * v; return y;"), ElementsAre("y.3 = mtvmul(A, v)", "y = mtvmul(B, y.3)"));
    EXPECT_THAT(calls("y = mtvmul(A * B, v); return y;"), ElementsAre("y.2 = mtvmul(A, v)", "y = mtvmul(B, y.2)"));
    EXPECT_THAT(calls("y = mmult(A, B) * v; return y;"), ElementsAre("y.2 = mtvmul(B, v)", "y = mvmul(A, y.2)"));
    // Rows, and products of a column and a row.
    EXPECT_THAT(calls("r = vdot(v, A * B * w); return r;"), ElementsAre("r.3 = mvmul(B, w)", "r.4 = mvmul(A, r.3)", "r = vdot(v, r.4)"));
    EXPECT_THAT(calls("y = vouter(v, w) * v; return y;"), ElementsAre("y.2 = vdot(w, v)", "y = svmul(v, y.2)"));
    EXPECT_THAT(calls("D = A * vouter(v, w); return D;"), ElementsAre("D.2 = mvmul(A, v)", "D = vouter(D.2, w)"));
}

TEST(Contraction, WhatIsUsedElsewhereKeepsItsValue) {
    const std::string inputs = "MATRIX3x3 A, B;\nSYMMETRIC3 S;\nVECTOR3 v, w;\ninput A, B, v, w;\n";
    const auto none = [&](const std::string& statements) {
        const Reordered one = reorder(inputs + statements);
        EXPECT_THAT(one.taken, ElementsAre(std::vector<std::size_t>{})) << statements;
        return one.calls.empty();
    };
    EXPECT_TRUE(none("P = A * B; y = P * v; return P, y;")) << "an output";
    EXPECT_TRUE(none("P = A * B; y = P * v; z = P * w; return y, z;")) << "used twice";
    EXPECT_TRUE(none("y = A * B * v; z = A * B * w; return y, z;")) << "one call, used twice";
    EXPECT_TRUE(none("S = symmetric(A * B); y = S * v; return y;")) << "half of it is dropped";
    EXPECT_TRUE(none("y = A * (B * v); return y;")) << "fewest operations already";
    EXPECT_TRUE(none("y = (A + B) * v; return y;")) << "no chain";
    EXPECT_TRUE(reorder(inputs + "y = A * B * v; return y;", false).calls.empty()) << "not asked for";
}

TEST(Contraction, RemarksAndCombinations) {
    const std::string inputs = "MATRIX3x3 A, B;\nVECTOR3 v;\ninput A, B, v;\n";
    const Reordered one = reorder(inputs + "y = 2 * A * B * v; return y;");
    EXPECT_THAT(one.messages, HasSubstr("p.fus:4:5: remark: `y` as `A * (B * (2 * v))`: 33 operations in place of 69 [contraction-order]"));
    EXPECT_THAT(one.taken, ElementsAre(ElementsAre(1U), ElementsAre(2U)));
    const Reordered loop =
        reorder(inputs + "VECTOR3 y;\nconst VECTOR3 c = [1, 2, 3];\nfor q in 0..3 { y += c[q] * (A * B * v); }\nreturn y;");
    EXPECT_THAT(loop.messages, HasSubstr("operations in place of"));
    // In alternatives, each combination has its own; one has nothing to reorder.
    const Reordered two = reorder(inputs + "alternatives { y = A * B * v; } or { y = A * (B * v); }\nreturn y;");
    EXPECT_THAT(two.taken, ElementsAre(ElementsAre(1U, 1U), ElementsAre(1U, 2U), ElementsAre(2U, 1U)));
}

/// What the remark counts is what the library counts for the calls that are left.
TEST(Contraction, CountsAreTheLibrarys) {
    const std::string text = "MATRIX4x6 A;\nMATRIX6x5 B;\nMATRIX5x2 C;\nVECTOR2 v;\nSCALAR s;\ninput A, B, C, v, s;\n"
                             "y = s * (A * B * C) * v;\nreturn y;\n";
    Diagnostics diagnostics;
    const auto tree = parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    const auto program = check(*tree, standard_catalog(), {}, diagnostics);
    const auto reordered = with_fewest_operations(program.value(), standard_catalog());
    ASSERT_TRUE(reordered);
    const auto sum = [](const CheckedProgram& of) {
        double operations = 0;
        for (const Call& call : of.calls) {
            operations += standard_catalog().operations(call.instance).flops;
        }
        return operations;
    };
    ASSERT_EQ(reordered->chains.size(), 1U);
    EXPECT_EQ(reordered->chains[0].operations, sum(reordered->program));
    EXPECT_EQ(reordered->chains[0].operations_as_written, sum(*program));
    EXPECT_EQ(reordered->chains[0].order, "A * (B * (C * (s * v)))");
}

/// A chain of more factors than are ordered at once is several, and ends.
TEST(Contraction, LongChainsAreCut) {
    std::string text = "MATRIX3x3 A;\nVECTOR3 v;\ninput A, v;\nT = A * A;\n";
    for (int i = 0; i < 200; ++i) {
        text += "T" + std::to_string(i) + " = " + (i == 0 ? std::string("T") : "T" + std::to_string(i - 1)) + " * A;\n";
    }
    const Reordered one = reorder(text + "y = T199 * v;\nreturn y;\n");
    EXPECT_FALSE(one.calls.empty());
    EXPECT_EQ(one.calls.size(), one.written.size());
}

} // namespace
} // namespace fusec::frontend
