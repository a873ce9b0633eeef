// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace fusec::perfmodel {
namespace {

TEST(Statistics, ErrorsByHand) {
    const std::vector<double> measured{1, 2, 4, 10};
    const std::vector<double> predicted{1.1, 1.6, 4, 15}; // errors 0.1, 0.2, 0, 0.5
    const Accuracy found = accuracy(predicted, measured);
    EXPECT_EQ(found.points, 4U);
    EXPECT_NEAR(found.mape, 0.2, 1e-12);
    EXPECT_NEAR(found.worst, 0.5, 1e-12);
    EXPECT_NEAR(found.bias, 0.05, 1e-12) << "between 1 and 1.1 of 0.8, 1, 1.1 and 1.5";
    EXPECT_NEAR(found.p90, 0.5, 1e-12) << "three of four are 75 %, four are needed";
    EXPECT_DOUBLE_EQ(found.spearman, 1);
}

TEST(Statistics, NinetyPercentAreNineOfTen) {
    std::vector<double> measured(10, 1.0), predicted;
    for (int i = 0; i < 10; ++i) {
        predicted.push_back(1 + 0.01 * (i + 1));
    }
    EXPECT_NEAR(accuracy(predicted, measured).p90, 0.09, 1e-12);
    measured.push_back(1);
    predicted.push_back(1.11); // of eleven, ten are the least number that is 90 %
    EXPECT_NEAR(accuracy(predicted, measured).p90, 0.10, 1e-12);
}

TEST(Statistics, SpearmanWithTiesByHand) {
    // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3, both about 1.5: products 2.25 + 0 + 0 + 2.25 = 4.5, squares 4.5 and 5.
    const std::vector<double> tied{1, 2, 2, 3}, plain{10, 20, 30, 40};
    EXPECT_NEAR(spearman(tied, plain), 4.5 / std::sqrt(4.5 * 5), 1e-12);
    EXPECT_NEAR(spearman(std::vector<double>{4, 3, 2, 1}, plain), -1, 1e-12);
    EXPECT_NEAR(spearman(std::vector<double>{1, 100, 1e9, 1e10}, plain), 1, 1e-12) << "only ranks count";
    EXPECT_EQ(spearman(std::vector<double>{5, 5, 5, 5}, plain), 0) << "no order";
    // 1 2 3 4 against 2 1 4 3: 1 - 6 * 4 / (4 * 15) = 0.6.
    EXPECT_NEAR(spearman(std::vector<double>{2, 1, 4, 3}, plain), 0.6, 1e-12);
}

TEST(Statistics, ExtremesAreAnswered) {
    EXPECT_EQ(accuracy({}, {}).points, 0U);
    EXPECT_EQ(accuracy({}, {}).mape, 0);
    const std::vector<double> measured{1, 1}, endless{1, std::numeric_limits<double>::infinity()};
    EXPECT_TRUE(std::isinf(accuracy(endless, measured).mape));
    EXPECT_TRUE(std::isinf(accuracy(endless, measured).worst));
}

// Times of 1, 1.04, 1.08 and 2: with a spread of 5 % the first two are one, and the third begins a group of its own.
TEST(Statistics, MeasurementsWithinTheirSpreadAreOneRank) {
    const std::vector<double> measured{1, 1.04, 1.08, 2}, swapped{5, 4, 6, 7};
    const std::vector<double> none{0, 0, 0, 0}, five{0.05, 0.05, 0.05, 0.05}, ten{0.1, 0.1, 0.1, 0.1};
    EXPECT_DOUBLE_EQ(merged_spearman(swapped, measured, none), spearman(swapped, measured));
    EXPECT_DOUBLE_EQ(merged_spearman(swapped, measured, five), spearman(swapped, std::vector<double>{1, 1, 3, 4}));
    EXPECT_DOUBLE_EQ(merged_spearman(swapped, measured, ten), spearman(swapped, std::vector<double>{1, 1, 1, 4}));
    EXPECT_GT(merged_spearman(swapped, measured, five), merged_spearman(swapped, measured, none));
}

// Measured from the least on: places 3, 0, 2, 4 and 1. Predictions in order are 1, 2, 2, 2, 9: ranks 1, 3 thrice, and 5; of two that are equal and
// first 1.5; of five that are equal 3. Of equal measurements the first place comes first.
TEST(Statistics, RanksOfTheLeastWithTiesByHand) {
    const std::vector<double> measured{20, 50, 30, 10, 40};
    using Ranks = std::vector<double>;
    EXPECT_EQ(ranks_of_least(Ranks{2, 9, 1, 2, 2}, measured, 5), (Ranks{3, 3, 1, 3, 5}));
    EXPECT_EQ(ranks_of_least(Ranks{1, 5, 4, 1, 3}, measured, 3), (Ranks{1.5, 1.5, 4}));
    EXPECT_EQ(ranks_of_least(Ranks{7, 7, 7, 7, 7}, measured, 5), (Ranks{3, 3, 3, 3, 3})) << "no order, and nothing is first";
    EXPECT_EQ(ranks_of_least(Ranks{1, 2}, Ranks{8, 8}, 1), Ranks{1});
    EXPECT_EQ(ranks_of_least(Ranks{2, 1}, Ranks{8, 8}, 5), (Ranks{2, 1}));
    EXPECT_EQ(ranks_of_least({}, {}, 5), Ranks{});
}

// By hand: 3, 4, 5 and 6 lie within a factor of two; 1 and 2 do, and are fewer; so do 5, 6, 9 and 10, which begin later. Of four, three are the
// first, the second of ranks 0 to 3 halved, and the last.
TEST(Statistics, SamplesWithinAFactorAreSpreadOverRanks) {
    const std::vector<double> values{6, 1, 4, 10, 2, 3, 9, 5};
    using Places = std::vector<std::size_t>;
    EXPECT_EQ(sample_within_factor(values, 2, 60), (Places{5, 2, 7, 0}));
    EXPECT_EQ(sample_within_factor(values, 2, 3), (Places{5, 2, 0}));
    EXPECT_EQ(sample_within_factor(values, 2, 2), (Places{5, 0}));
    EXPECT_EQ(sample_within_factor(values, 10, 60), (Places{1, 4, 5, 2, 7, 0, 6, 3}));
    EXPECT_EQ(sample_within_factor(values, 1, 60), (Places{1}));
    EXPECT_EQ(sample_within_factor({}, 2, 60), Places{});
}

// Of two variables that are normal, Spearman is (6 / pi) asin(r / 2) of their correlation r (Pearson 1907), here 0.2 over the root of 0.04 and of the
// squared deviation of the errors, whose mean is 0.798 of it.
TEST(Statistics, RankCorrelationsOfErrorsAreThoseOfNormalVariables) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> logarithm(0, 0.2);
    std::vector<double> values(3000);
    std::ranges::generate(values, [&] { return std::exp(logarithm(random)); });
    for (const double deviation : {0.05, 0.1, 0.3}) {
        const double correlation = 0.2 / std::hypot(0.2, deviation);
        EXPECT_NEAR(spearman_of_errors(values, 0.797885 * deviation), 6 / std::numbers::pi * std::asin(correlation / 2), 0.01);
    }
    EXPECT_EQ(spearman_of_errors(values, 0), 1);
    EXPECT_EQ(spearman_of_errors(values, 0.1), spearman_of_errors(values, 0.1)) << "seeded";
}

} // namespace
} // namespace fusec::perfmodel
