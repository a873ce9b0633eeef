// SPDX-License-Identifier: Apache-2.0
// How far the transfers and the arithmetic of a tile overlap on a host, from kernels whose parts were timed alone.
#pragma once

#include <optional>
#include <span>

namespace fusec::perfmodel {

/// Nanoseconds per element, in cache.
struct OverlappedTime {
    double transfers = 0, routines = 0; ///< each alone
    double together = 0;                ///< of the kernel that does both
};

struct OverlapFit {
    double exponent = 1; ///< `compute.overlap`
    double error = 0;    ///< mean of |predicted / measured - 1| with it
    int points = 0;      ///< times that counted
};

inline constexpr double greatest_overlap = 8; ///< from there on a soft maximum of two is their maximum but for a tenth at most

/// The exponent from 1 to `greatest_overlap`, to a hundredth, whose soft maxima (composite.hpp) of transfers and routines come nearest to the times
/// of both, of several the least: 1 where these are no shorter than the sums. Times of which a part is not positive, as a busy machine makes them,
/// do not count; empty where none is left. O(n).
std::optional<OverlapFit> fit_overlap(std::span<const OverlappedTime> times);

} // namespace fusec::perfmodel
