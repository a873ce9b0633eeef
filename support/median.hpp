// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/diagnostics.hpp"

#include <algorithm>
#include <vector>

namespace fusec {

/// Middle value, or the mean of the two in the middle. Pre: not empty. O(n log n).
inline double median(std::vector<double> values) {
    internal_check(!values.empty(), "the median of nothing");
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Half of what lies between the quartiles: of four values, between the second and the third. Pre: not empty. O(n log n).
inline double half_between_quartiles(std::vector<double> values) {
    internal_check(!values.empty(), "the quartiles of nothing");
    std::sort(values.begin(), values.end());
    const std::size_t outside = values.size() / 4;
    return (values[values.size() - 1 - outside] - values[outside]) / 2;
}

} // namespace fusec
