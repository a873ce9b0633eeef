// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/host_overlap.hpp"

#include "perfmodel/composite.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace fusec::perfmodel {

using fusion::Bound;

std::optional<OverlapFit> fit_overlap(std::span<const OverlappedTime> times) {
    std::vector<OverlappedTime> possible;
    std::ranges::copy_if(times, std::back_inserter(possible),
        [](const OverlappedTime& time) { return time.transfers > 0 && time.routines > 0 && time.together > 0; });
    if (possible.empty()) {
        return {};
    }
    constexpr int steps = 100; // of an exponent of one
    OverlapFit best;
    for (int i = steps; i <= static_cast<int>(greatest_overlap) * steps; ++i) {
        const double exponent = static_cast<double>(i) / steps;
        double error = 0;
        for (const OverlappedTime& time : possible) {
            error += std::abs(soft_maximum({{Bound::issue, time.transfers}, {Bound::issue, time.routines}}, exponent) / time.together - 1);
        }
        error /= static_cast<double>(possible.size());
        if (i == steps || error < best.error) {
            best = {exponent, error, static_cast<int>(possible.size())};
        }
    }
    return best;
}

} // namespace fusec::perfmodel
