// SPDX-License-Identifier: Apache-2.0
// Where the caches of a host end: bandwidth of reading lists of more and more bytes. What the system says a last-level cache holds is no guide
// where a hypervisor gives a machine a part of it: 480 MiB were told, and lists of 64 MiB came from memory (seen during development).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fusec::cli {

struct Footprint {
    double bytes = 0;    ///< of the lists, read again and again
    double gb_per_s = 0; ///< with all processors at work
};

struct LastLevel {
    double bytes = 0;    ///< lists of so many come from it in full
    double gb_per_s = 0; ///< the median of the footprints up to there
    double spread = 0;   ///< mean of their |rate / median - 1|
    int points = 0;      ///< how many they are
};

/// Bytes of lists to measure, ascending, each twice the one before: from twice what the second-level caches hold to the first that is at
/// least twice what the system says the last level holds, at most `most`. Three at least. Pre: positive.
std::vector<double> footprints(double second_level, double last_level, double most);

/// The last-level cache that a sweep shows: the footprints from the first on that are nearer, in ratio, to the fastest than to the last, which is taken to
/// come from memory. The first is neither the fastest nor a rate of the last level where another is a quarter faster than the last and half as fast as it:
/// where the second level does not drop what was used least recently, it has a part of a list of twice its size (on a Xeon 42 GB/s, where its last level
/// gives 32; judged by that, lists of 32 MiB that it holds did not count as held; seen during development).
/// Nothing where no footprint is a quarter faster than the last: there is no such cache, or it holds them all.
/// Pre: ascending in bytes, positive. O(n).
std::optional<LastLevel> last_level(std::span<const Footprint> sweep);

} // namespace fusec::cli
