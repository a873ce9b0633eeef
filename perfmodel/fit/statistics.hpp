// SPDX-License-Identifier: Apache-2.0
// How far predictions are from measurements.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fusec::perfmodel {

struct Accuracy {
    std::size_t points = 0;
    double mape = 0;     ///< mean of |predicted / measured - 1|
    double p90 = 0;      ///< the least error that at least 90 % of the points do not exceed
    double worst = 0;    ///< the greatest error
    double bias = 0;     ///< median of predicted / measured - 1: half are predicted longer than by that, half shorter
    double spearman = 0; ///< correlation of the ranks, ties with their mean rank; 0 where one side has no order
};

/// Pre: as many predictions as measurements, all measurements positive. No points: all zero. A prediction that is infinite makes the mean
/// and
/// the greatest error infinite. O(n log n).
Accuracy accuracy(std::span<const double> predicted, std::span<const double> measured);

/// Spearman's rank correlation: Pearson's of the ranks, equal values having the mean of their ranks.
double spearman(std::span<const double> a, std::span<const double> b);

/// The same of predictions and measurements that scatter: measurements that exceed the least of their group by no more than their own spread
/// (relative) count as equal to it. Groups begin at the least measurement that is in none, so that they do not grow from neighbour to neighbour.
double merged_spearman(std::span<const double> predicted, std::span<const double> measured, std::span<const double> spreads);

/// Ranks, 1 the least, that predictions give to the `most` least measured, from the least on: equal predictions have the mean of their ranks, so
/// that a predictor that calls everything equal ranks nothing first. Of equal measurements those that come first are taken. As many
/// predictions as measurements. O(n log n).
std::vector<double> ranks_of_least(std::span<const double> predicted, std::span<const double> measured, std::size_t most);

/// Places of at most `most` of the values that lie within a factor of each other: between t and `factor` times t, with the t that takes in most of
/// them (the least such); where they are more, so many of them, evenly spread over their ranks, the first and the last among them. Ascending by
/// value. Pre: positive values, factor >= 1, most >= 2. O(n log n).
std::vector<std::size_t> sample_within_factor(std::span<const double> values, double factor, std::size_t most);

/// What rank correlation to expect of a predictor whose errors have this mean and know nothing of each other: the median of spearman() over 401 seeded
/// draws of errors whose logarithms are normal, with `mape` = sqrt(2 / pi) of their deviation. The narrower the values lie, the less an error may be for
/// the same correlation. Pre: positive values, at least two; mape >= 0, a fraction. 401 times O(n log n).
double spearman_of_errors(std::span<const double> values, double mape);

} // namespace fusec::perfmodel
