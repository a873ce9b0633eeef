// SPDX-License-Identifier: Apache-2.0
// Measurements of a host's calibration on lists that caches hold. False after a report.
#pragma once

#include "cli/host_session.hpp"

namespace fusec::cli {

/// Where the caches end, which decides how large lists are that stay in none of them.
bool measure_footprints(HostSession& s);
/// Times half of the rounds of each kernel in cache. They take seconds, for which a machine that others use may be slow: called twice, with other
/// measurements between, the least of both is that of neither's seconds alone. After the footprints.
bool time_in_cache(HostSession& s);
/// Makes of these times start-up, lists moved between cache and lanes, each routine (from how much longer its kernel takes that computes it more
/// often), and the exponent by which the times of lists and of products in chains come nearest to theirs. After all rounds.
bool take_in_cache(HostSession& s);

/// About that share of a probe's elements, in full tiles: at least eight tiles; of more than a loop on one processor has, at least eight for each of
/// so many processors, as many for one as for the other, and so many that processors still divide them. Never more than the probe's own.
std::uint64_t share_of_tiles(const HostProbe& probe, double share, int processors);

} // namespace fusec::cli
