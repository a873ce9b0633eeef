// SPDX-License-Identifier: Apache-2.0
// Equal values, what is needed, and multiply-adds.
#include "fusion/value_numbering.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

namespace fusec::fusion {
namespace {

using testing::ElementsAre;
using Part = ScalarOperation::Part;

const ScalarOperation product{1, true, Part::product, 1};
const ScalarOperation sum{2, true, Part::sum, 1};
const ScalarOperation difference{3, false, Part::sum, 1};
const ScalarOperation division{4, false, Part::none, 7};

TEST(ValueNumbering, TellsEqualOperations) {
    ValueNumbering n;
    const int a = n.given(), b = n.given();
    EXPECT_NE(a, b);
    EXPECT_EQ(n.constant(2), n.constant(2));
    EXPECT_NE(n.constant(2), n.constant(3));
    EXPECT_EQ(n.operation(0, product, {a, b}), n.operation(1, product, {b, a}));
    EXPECT_NE(n.operation(1, difference, {a, b}), n.operation(1, difference, {b, a}));
    EXPECT_NE(n.operation(1, product, {a, b}), n.operation(1, sum, {a, b}));
    EXPECT_NE(n.operation(1, {}, {a, b}), n.operation(1, {}, {a, b}));
}

// a b + c d: a multiplication and a multiply-add. The first call computes a b, which the second has already; a / b is for nothing.
TEST(ValueNumbering, CountsWhatIsNeeded) {
    ValueNumbering n;
    const int a = n.given(), b = n.given(), c = n.given(), d = n.given();
    n.operation(0, division, {a, b});
    n.need(n.operation(0, sum, {n.operation(0, product, {a, b}), n.operation(0, product, {c, d})}));
    n.need(n.operation(2, product, {b, a}));
    for (int call = 3; call-- > 0;) {
        n.need_operands_of(call);
    }
    // The product that is stored has an instruction of its own; the other is part of the sum's.
    EXPECT_THAT(n.instructions(3), ElementsAre(2, 0, 0));
    n.need(n.operation(2, division, {c, d}));
    EXPECT_THAT(n.instructions(3), ElementsAre(2, 0, 7));
}

TEST(ValueNumbering, JoinsAProductWithAllOfItsSums) {
    ValueNumbering n;
    const int a = n.given(), b = n.given(), c = n.given(), d = n.given();
    const int ab = n.operation(0, product, {a, b});
    n.need(n.operation(0, sum, {ab, c}));
    n.need(n.operation(0, difference, {d, ab}));
    n.need_operands_of(0);
    EXPECT_THAT(n.instructions(1), ElementsAre(2));
    n.need(n.operation(0, division, {ab, d})); // not a sum
    EXPECT_THAT(n.instructions(1), ElementsAre(3 + 7));
}

// One that is stored is computed by itself, and the sum beside it.
TEST(ValueNumbering, LeavesAProductThatIsStored) {
    ValueNumbering n;
    const int a = n.given(), b = n.given(), c = n.given();
    const int ab = n.operation(0, product, {a, b});
    n.need(n.operation(0, sum, {ab, c}));
    n.need_operands_of(0);
    EXPECT_THAT(n.instructions(1), ElementsAre(1));
    n.need(ab);
    EXPECT_THAT(n.instructions(1), ElementsAre(2));
}

// What another call adds is its own.
TEST(ValueNumbering, JoinsWithinACall) {
    ValueNumbering n;
    const int a = n.given(), b = n.given();
    n.need(n.operation(1, sum, {n.operation(0, product, {a, b}), a}));
    n.need_operands_of(1);
    n.need_operands_of(0);
    EXPECT_THAT(n.instructions(2), ElementsAre(1, 1));
}

// Of random operations on small numbers, those have one number that are written alike, operands of commutative ones in either order.
TEST(ValueNumbering, AgreesWithFormulas) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 50; ++trial) {
        ValueNumbering n;
        std::map<int, std::string> formula_of;
        std::map<std::string, int> number_of;
        std::vector<int> values;
        for (int leaf = 0; leaf < 3; ++leaf) {
            values.push_back(n.given());
            formula_of[values.back()] = "v" + std::to_string(leaf);
        }
        std::set<int> different(values.begin(), values.end());
        for (int step = 0; step < 60; ++step) {
            const auto pick = [&] {
                return values[std::uniform_int_distribution<std::size_t>(0, std::min<std::size_t>(9, values.size() - 1))(random)];
            };
            const int left = pick(), right = pick();
            const std::array operations{product, sum, difference};
            const ScalarOperation& operation = operations[std::uniform_int_distribution<std::size_t>(0, 2)(random)];
            std::string first = formula_of.at(left), second = formula_of.at(right);
            if (operation.commutative && second < first) {
                std::swap(first, second);
            }
            const std::string formula = "(" + first + "*+-"[operation.function - 1] + second + ")";
            const int number = n.operation(step, operation, {left, right});
            const auto [known, is_new] = number_of.emplace(formula, number);
            EXPECT_EQ(known->second, number) << formula;
            EXPECT_EQ(is_new, different.insert(number).second) << formula;
            formula_of[number] = formula;
            values.push_back(number);
        }
    }
}

} // namespace
} // namespace fusec::fusion
