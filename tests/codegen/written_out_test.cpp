// SPDX-License-Identifier: Apache-2.0
// Bodies of routines with the names, indices and dimensions of operands, and the texts that must be called instead.
#include "codegen/written_out.hpp"

#include "codegen/folded_text.hpp"

#include <gtest/gtest.h>

namespace fusec::codegen::test {
namespace {

using Form = OperandText::Form;

const OperandText tile{Form::array, "A_tile", "element * 6", {fusec::Form::matrix, 2, 3}};
const OperandText vector{Form::array, "v", {}, {fusec::Form::vector, 3, 1}};
const OperandText scalar{Form::scalar, "s1", {}, {fusec::Form::scalar, 1, 1}};
const OperandText view{Form::view, "F_view", {}, {fusec::Form::vector, 2, 1}};

bool none_taken(const std::string&) {
    return false;
}

std::string body_of(const std::string& statements, const std::vector<OperandText>& operands,
    const std::function<bool(const std::string&)>& taken = none_taken) {
    static const std::vector<std::string> parameters = {"const A& a", "const X& x", "Y& y"};
    std::string head = "template <class A, class X, class Y>\nFUSEC_DEVICE void f(";
    for (std::size_t i = 0; i < operands.size(); ++i) {
        head += (i == 0 ? "" : ", ") + parameters[i + parameters.size() - operands.size()];
    }
    const std::optional<WrittenOut> body = written_out(head + ") {\n" + statements + "}", operands, Precision::f32, taken);
    return body ? body->lines : "called";
}

TEST(WrittenOut, OperandsBecomeTheirNamesIndicesAndDimensions) {
    EXPECT_EQ(body_of("    FUSEC_UNROLL for (int i = 0; i < Y::rows; ++i) {\n"
                      "        auto sum = a(i, 0) * x(0);\n"
                      "        for (int k = 1; k < A::columns; ++k)\n"
                      "            sum += a(i, k) * x(k);\n"
                      "        y(i) = sum;\n"
                      "    }\n",
                  {tile, vector, view}),
        "FUSEC_UNROLL for (int i = 0; i < 2; ++i) {\n"
        "    float sum = A_tile[element * 6 + i * 3] * v[0];\n"
        "    for (int k = 1; k < 3; ++k)\n"
        "        sum += A_tile[element * 6 + i * 3 + k] * v[k];\n"
        "    F_view(i) = sum;\n"
        "}\n");
}

TEST(WrittenOut, IndicesAreAddedUpAndKeepTheirBrackets) {
    EXPECT_EQ(
        body_of("    const int i = 0, j = 2 * i + 1;\n    y() = a(1, 2) + a(0, 0) + a(i + 1, j) + x(2 - i);\n", {tile, vector, scalar}),
        "const int i = 0, j = 2 * i + 1;\ns1 = A_tile[element * 6 + 5] + A_tile[element * 6] + A_tile[element * 6 + i * 3 + j + 3] + v[2 "
        "- "
        "i];\n");
}

// What an index adds up is worked out by hand; what it means is what C++ says, for indices below zero too.
TEST(WrittenOut, IndicesAreFolded) {
    for (const auto& [given, folded] : std::initializer_list<std::pair<const char*, const char*>>{
             {"e * 4096 + e * 2", "e * 4098"},
             {"e * 4098 + (t / 64) * 64 + t % 64", "e * 4098 + t"},
             {"t % 64 + t / 64 * 64", "t"},
             {"(t / 3 + 1) * 3 + t % 3", "t + 3"},
             {"(t / 3) * 6 + t % 3 * 2 + i", "t * 2 + i"},
             {"(t / 3) * 4 + t % 3", "t / 3 * 4 + t % 3"},
             {"(t / 3) * 3 + u % 3", "t / 3 * 3 + u % 3"},
             {"((t + 1) / 3) * 3 + (t + 1) % 3", "t + 1"},
             {"(i + 1) % 3 * 3", "((i + 1) % 3) * 3"},
             {"i * 3 + i", "i * 4"},
             {"i - i", "0"},
             {"2 - i", "2 - i"},
             {"-(i - 2) + 7 / 2 % 2", "3 - i"},
             {"e / 1 + e % 1", "e"},
             {"1 * 0 + 0", "0"},
             {"i * j", "i * j"},
             {"i / j + 0", "i / j + 0"},
             {"f(i) + 0", "f(i) + 0"},
             {"i + 0x1F", "i + 0x1F"},
             {"i % 0", "i % 0"},
             {"99999999999", "99999999999"},
             {"(i", "(i"},
             {"", ""},
         }) {
        EXPECT_EQ(folded_index(given), folded);
    }
}

TEST(WrittenOut, LoopsOfOnePassAreTheirBody) {
    const std::string product = "    FUSEC_UNROLL for (int i = 0; i < Y::rows; ++i) {\n"
                                "        auto sum = a(i, 0) * x(0);\n"
                                "        for (int k = 1; k < A::columns; ++k)\n"
                                "            sum += a(i, k) * x(k);\n"
                                "        y(i) = sum;\n"
                                "    }\n";
    const auto shaped = [](const char* name, int rows, int columns) {
        return OperandText{Form::array, name, "e * 2", {fusec::Form::matrix, rows, columns}};
    };
    EXPECT_EQ(body_of(product, {shaped("A", 2, 2), shaped("x", 2, 1), shaped("y", 2, 1)}),
        "FUSEC_UNROLL for (int i = 0; i < 2; ++i) {\n"
        "    float sum = A[e * 2 + i * 2] * x[e * 2];\n"
        "    sum += A[e * 2 + i * 2 + 1] * x[e * 2 + 1];\n"
        "    y[e * 2 + i] = sum;\n"
        "}\n");
    EXPECT_EQ(body_of(product, {shaped("A", 1, 1), shaped("x", 1, 1), shaped("y", 1, 1)}), "y[e * 2] = A[e * 2] * x[e * 2];\n");
    EXPECT_EQ(body_of("    auto sum = a(0, 0);\n    y() = sum;\n    y() += sum;\n", {tile, vector, scalar}),
        "float sum = A_tile[element * 6];\ns1 = sum;\ns1 += sum;\n");
    // What is declared keeps its scope.
    EXPECT_EQ(body_of("    for (int i = 0; i < A::rows; ++i) {\n"
                      "        auto sum = a(i, 0) * x(0);\n"
                      "        y(i) = sum + sum;\n"
                      "    }\n",
                  {shaped("A", 1, 1), shaped("x", 1, 1), shaped("y", 1, 1)}),
        "{\n"
        "    float sum = A[e * 2] * x[e * 2];\n"
        "    y[e * 2] = sum + sum;\n"
        "}\n");
    EXPECT_EQ(
        body_of(
            "    FUSEC_UNROLL_SHORT for (int t = 1; t < A::rows * A::columns; ++t)\n        y() += a(t / A::columns, t % A::columns);\n",
            {shaped("A", 64, 64), scalar, scalar}),
        "FUSEC_UNROLL_SHORT for (int t = 1; t < 4096; ++t)\n    s1 += A[e * 2 + t];\n");
    EXPECT_EQ(
        body_of(
            "    FUSEC_UNROLL_SHORT for (int t = 0; t < A::rows * A::columns; ++t)\n        y() += a(t / A::columns, t % A::columns);\n",
            {shaped("A", 16, 16), scalar, scalar}),
        "FUSEC_UNROLL for (int t = 0; t < 256; ++t)\n    s1 += A[e * 2 + t];\n");
    // One statement stays behind a loop without braces, whatever becomes of it.
    const std::string nested =
        "    for (int i = 0; i < A::rows; ++i)\n        for (int j = 1; j < A::columns; ++j)\n            y() += a(i, j);\n"
        "    y() += a(0, 0);\n";
    EXPECT_EQ(body_of(nested, {shaped("A", 2, 2), scalar, scalar}),
        "for (int i = 0; i < 2; ++i)\n    s1 += A[e * 2 + i * 2 + 1];\ns1 += A[e * 2];\n");
    EXPECT_EQ(body_of(nested, {shaped("A", 2, 1), scalar, scalar}),
        "for (int i = 0; i < 2; ++i)\n    for (int j = 1; j < 1; ++j)\n        s1 += A[e * 2 + i];\ns1 += A[e * 2];\n");
    EXPECT_EQ(body_of(nested, {shaped("A", 1, 1), scalar, scalar}), "s1 += A[e * 2];\n");
    // A variable that the body changes is no number.
    EXPECT_EQ(
        body_of("    for (int i = 0; i < 1; ++i) {\n        ++i;\n        y() += a(i, 0);\n    }\n", {shaped("A", 2, 2), scalar, scalar}),
        "called");
    EXPECT_EQ(
        body_of("    for (int i = 0; i < 1; ++i) {\n        i = 1;\n        y() += a(i, 0);\n    }\n", {shaped("A", 2, 2), scalar, scalar}),
        "called");
}

TEST(WrittenOut, BracesAroundOneLoopGo) {
    EXPECT_EQ(
        body_of(
            "    for (int i = 0; i < A::rows; ++i) {\n        for (int j = 0; j < A::columns; ++j)\n            y(i) += a(i, j);\n    }\n",
            {tile, vector, view}),
        "for (int i = 0; i < 2; ++i)\n    for (int j = 0; j < 3; ++j)\n        F_view(i) += A_tile[element * 6 + i * 3 + j];\n");
}

TEST(WrittenOut, WhatDoesMoreWithItsOperandsIsCalled) {
    for (const char* const statements : {
             "    helper(a, y);\n",                                        // an operand as a whole
             "    if constexpr (A::rows == 3)\n        y(0) = a(0, 0);\n", // branches that are no text for other shapes
             "    using T = typename A::value_type;\n",
             "    const auto& z = a;\n",
             "    auto n = A::rows;\n    y(0) = a(n - 1, 0);\n", // an index, not a value
             "    auto less = a(0, 0) < x(0);\n",                // a truth value
             "    float t[3];\n    y(0) = t[0];\n",
             "    y(0) = [&] { return a(0, 0); }();\n",
             "    y(0) = a(0, 0, 0);\n",
             "    return;\n",
         }) {
        EXPECT_EQ(body_of(statements, {tile, vector, view}), "called") << statements;
    }
}

// Where an index could be outside, the text written out would drop it (`c(1)` of a scalar) or reach another component: the view is called,
// which is what was checked. Rows are 2, columns 3, x has 3 components, y is a scalar.
TEST(WrittenOut, AnIndexThatIsNotShownToBeInRangeIsCalled) {
    for (const char* const statements : {
             "    y(1) = a(0, 0);\n",
             "    y() = a(2, 0);\n",
             "    y() = a(0, 3);\n",
             "    y() = a(1, -1);\n",
             "    y() = x(5) * 0;\n",
             "    y() = x(0, 1);\n",
             "    for (int i = 0; i <= A::columns; ++i)\n        y() += x(i);\n",
             "    for (int i = 0; i < A::columns; ++i)\n        y() += x(i + 1);\n",
             "    for (int i = A::columns; i >= 0; --i)\n        y() += x(i);\n",
             "    for (int i = 0; i < 2; ++i)\n        for (int j = 0; j < 2; ++j)\n            y() += x(i + j * 2);\n",
             "    for (int i = 0; i < 2; ++i) {\n        i += 2;\n        y() += x(i);\n    }\n",
             "    for (int i = 0; i < 2; ++i) {\n        ++i;\n        y() += x(i);\n    }\n",
             "    for (int i = 0; i < 2; ++i)\n        for (int j = 0; j < 2; ++i)\n            y() += x(i);\n",
             "    for (int i = 0; i < 9; i += 4)\n        y() += x(i);\n",
             "    const int i = helper(2);\n    y() = x(i);\n",
             "    int i = 0;\n    i = 7;\n    y() = x(i);\n",
             "    const int i = (0 - 1) % 3;\n    y() = x(i);\n",
             "    y() = x(k);\n",
         }) {
        EXPECT_EQ(body_of(statements, {tile, vector, scalar}), "called") << statements;
    }
    for (const char* const statements : {
             "    y() = a(1, 2) + x(2);\n",
             "    for (int i = A::columns - 1; i >= 0; --i)\n        y() += x(i);\n",
             "    for (int i = 0; i < 3; ++i) {\n        const int j = (i + 1) % 3, k = (i + 2) % 3;\n        y() += x(j) * x(k);\n    }\n",
             "    for (int i = 0; i < 2; ++i)\n        for (int j = i + 1; j < 3; ++j)\n            y() += a(i, j) * x(j - i);\n",
             "    for (int i = 1; i < A::rows; ++i)\n        y() += a(i / 2, i * 2) * x(i - 1);\n",
         }) {
        EXPECT_NE(body_of(statements, {tile, vector, scalar}), "called") << statements;
    }
}

TEST(WrittenOut, ABodyWithANameOfTheKernelIsCalled) {
    const std::string statements = "    auto sum = a(0, 0);\n    y(0) = sum * sum;\n";
    EXPECT_EQ(body_of(statements, {tile, vector, view}), "float sum = A_tile[element * 6];\nF_view(0) = sum * sum;\n");
    EXPECT_EQ(body_of(statements, {tile, vector, view}, [](const std::string& name) { return name == "sum"; }), "called");
}

} // namespace
} // namespace fusec::codegen::test
