// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/statistics.hpp"

#include "support/median.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace fusec::perfmodel {

namespace {

/// From 0; equal values have the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            result[order[i]] = static_cast<double>(begin + end - 1) / 2;
        }
        begin = end;
    }
    return result;
}

} // namespace

double spearman(std::span<const double> a, std::span<const double> b) {
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double mean = (static_cast<double>(x.size()) - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

Accuracy accuracy(std::span<const double> predicted, std::span<const double> measured) {
    Accuracy result;
    result.points = measured.size();
    if (measured.empty()) {
        return result;
    }
    std::vector<double> errors, ratios;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        ratios.push_back(predicted[i] / measured[i]);
        errors.push_back(std::abs(ratios.back() - 1));
    }
    std::sort(errors.begin(), errors.end());
    result.bias = median(ratios) - 1;
    result.mape = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    result.p90 = errors[(9 * errors.size() + 9) / 10 - 1];
    result.worst = errors.back();
    result.spearman = spearman(predicted, measured);
    return result;
}

double merged_spearman(std::span<const double> predicted, std::span<const double> measured, std::span<const double> spreads) {
    std::vector<std::size_t> order(measured.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return measured[a] < measured[b]; });
    std::vector<double> merged(measured.size());
    double first = 0; // of the group
    for (const std::size_t i : order) {
        if (first == 0 || measured[i] > first * (1 + spreads[i])) {
            first = measured[i];
        }
        merged[i] = first;
    }
    return spearman(predicted, merged);
}

std::vector<double> ranks_of_least(std::span<const double> predicted, std::span<const double> measured, std::size_t most) {
    std::vector<std::size_t> order(measured.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t place) { return measured[place]; });
    const std::vector<double> of_all = ranks(predicted);
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
        result.push_back(1 + of_all[order[i]]);
    }
    return result;
}

std::vector<std::size_t> sample_within_factor(std::span<const double> values, double factor, std::size_t most) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t place) { return values[place]; });
    std::size_t first = 0, count = 0;
    for (std::size_t low = 0, high = 0; low < order.size(); ++low) {
        while (high < order.size() && values[order[high]] <= factor * values[order[low]]) {
            ++high;
        }
        if (high - low > count) {
            first = low;
            count = high - low;
        }
    }
    std::vector<std::size_t> chosen;
    const std::size_t sampled = std::min(most, count);
    for (std::size_t i = 0; i < sampled; ++i) {
        chosen.push_back(order[first + (sampled == count ? i : i * (count - 1) / (sampled - 1))]);
    }
    return chosen;
}

double spearman_of_errors(std::span<const double> values, double mape) {
    constexpr int draws = 401;
    std::mt19937_64 random(1);
    std::normal_distribution<double> error; // in deviations
    const double deviation = mape * std::sqrt(std::numbers::pi / 2);
    std::vector<double> found, predicted(values.size());
    for (int draw = 0; draw < draws; ++draw) {
        std::ranges::transform(values, predicted.begin(), [&](double value) { return value * std::exp(deviation * error(random)); });
        found.push_back(spearman(predicted, values));
    }
    return median(std::move(found));
}

} // namespace fusec::perfmodel
