// SPDX-License-Identifier: Apache-2.0
// Integer expressions of metadata: values against hand-worked numbers, errors with their place.
#include "elementary-lib/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::library {
namespace {

std::optional<std::int64_t> value(std::string_view text, const ShapeValues& shape = {}) {
    std::string error;
    std::size_t where = 0;
    const auto parsed = SizeExpression::parse(text, error, where);
    EXPECT_TRUE(parsed) << text << ": " << error;
    return parsed ? parsed->evaluate(shape) : std::nullopt;
}

TEST(SizeExpression, HandWorkedValues) {
    const ShapeValues shape{{"M", 3}, {"N", 4}, {"K", 5}};
    EXPECT_EQ(value("M*N*(2*K - 1)", shape), 3 * 4 * 9);
    EXPECT_EQ(value("7 - 2 - 1"), 4) << "left-associative";
    EXPECT_EQ(value("48/4/3"), 4);
    EXPECT_EQ(value("7 % 4 * 2"), 6);
    EXPECT_EQ(value("2 + 3*4"), 14);
    EXPECT_EQ(value("-M + 1", shape), -2);
    EXPECT_EQ(value("--3"), 3);
    EXPECT_EQ(value("-7/2"), -3) << "truncating";
    EXPECT_EQ(value("min(M, max(N, K)) + 1", shape), 4);
    EXPECT_EQ(value("log2(1) + 10*log2(2) + 100*log2(7) + 1000*log2(8)", shape), 3210);
    EXPECT_EQ(value("log2(0)", shape), std::nullopt);
    EXPECT_EQ(value("M <= 3 && N > 3", shape), 1);
    EXPECT_EQ(value("M < 3 || N != 4", shape), 0);
    EXPECT_EQ(value("M == 3 == 1", shape), 1);
    EXPECT_EQ(value("1 || 0 && 0"), 1) << "&& binds tighter";
    EXPECT_EQ(value("2 < 1 + 2"), 1);
}

TEST(SizeExpression, WhatHasNoValue) {
    EXPECT_EQ(value("1/(M-3)", {{"M", 3}}), std::nullopt);
    EXPECT_EQ(value("1%0"), std::nullopt);
    EXPECT_EQ(value("9223372036854775807 + 1"), std::nullopt);
    EXPECT_EQ(value("4611686018427387904 * 2"), std::nullopt);
    EXPECT_EQ(value("(-9223372036854775807 - 1) / -1"), std::nullopt);
    EXPECT_EQ(value("-9223372036854775807 - 2"), std::nullopt);
    EXPECT_EQ(value("M > 0 && 8/M > 1", {{"M", 0}}), 0) << "decided by the left operand";
    EXPECT_EQ(value("M == 0 || 8/M > 1", {{"M", 0}}), 1);
}

struct Bad {
    const char* text;
    std::size_t where;
    const char* message;
};

TEST(SizeExpression, ErrorsAreLocated) {
    for (const Bad& bad : {Bad{"", 0, "the expression is empty"}, Bad{"M +", 3, "a number, a name or `(` is missing at the end"},
             Bad{"M ^ 2", 2, "unexpected `^`"}, Bad{"(M", 2, "`)` is missing"}, Bad{"M N", 2, "unexpected `N`"},
             Bad{"2 * gcd(M, 2)", 4, "`gcd` is no function of size expressions (`min`, `max`, `log2`)"},
             Bad{"min(M)", 5, "`min` takes two operands: `,` is missing"}, Bad{"max(M, 2", 8, "`)` is missing"},
             Bad{"log2(M, 2)", 6, "`)` is missing"}, Bad{"99999999999999999999", 0, "the number does not fit in 64 bits"}}) {
        std::string error;
        std::size_t where = 99;
        EXPECT_FALSE(SizeExpression::parse(bad.text, error, where)) << bad.text;
        EXPECT_EQ(error, bad.message) << bad.text;
        EXPECT_EQ(where, bad.where) << bad.text;
    }
}

TEST(SizeExpression, DepthAndLengthDoNotExhaustTheStack) {
    std::string error;
    std::size_t where = 0;
    for (const char* repeated : {"(", "-", "min("}) {
        std::string deep;
        while (deep.size() < 1'000'000) {
            deep += repeated;
        }
        EXPECT_FALSE(SizeExpression::parse(deep, error, where));
        EXPECT_THAT(error, testing::HasSubstr("nested deeper than 128"));
    }
    std::string longest = "1";
    for (int i = 0; i < 200'000; ++i) {
        longest += "+1";
    }
    EXPECT_EQ(value(longest), 200'001);
}

TEST(SizeExpression, NamesAreSortedAndDistinct) {
    std::string error;
    std::size_t where = 0;
    EXPECT_THAT(SizeExpression::parse("N*M + N", error, where)->names(), testing::ElementsAre("M", "N"));
    EXPECT_EQ(SizeExpression().evaluate({}), 0);
    EXPECT_EQ(SizeExpression().text(), "0");
}

} // namespace
} // namespace fusec::library
