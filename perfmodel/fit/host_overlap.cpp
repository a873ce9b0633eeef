// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/host_overlap.hpp"

#include "perfmodel/composite.hpp"
#include "support/diagnostics.hpp"

#include <cmath>

namespace fusec::perfmodel {

using fusion::Bound;

OverlapFit fit_overlap(std::span<const OverlappedTime> times) {
    internal_check(!times.empty(), "an overlap of nothing");
    constexpr int steps = 100; // of an exponent of one
    OverlapFit best;
    for (int i = steps; i <= static_cast<int>(greatest_overlap) * steps; ++i) {
        const double exponent = static_cast<double>(i) / steps;
        double error = 0;
        for (const OverlappedTime& time : times) {
            internal_check(time.transfers > 0 && time.routines > 0 && time.together > 0, "a time of nothing");
            error += std::abs(soft_maximum({{Bound::issue, time.transfers}, {Bound::issue, time.routines}}, exponent) / time.together - 1);
        }
        error /= static_cast<double>(times.size());
        if (i == steps || error < best.error) {
            best = {exponent, error};
        }
    }
    return best;
}

} // namespace fusec::perfmodel
