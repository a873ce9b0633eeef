// SPDX-License-Identifier: Apache-2.0
// Measurements of a host's calibration on lists that caches hold. Each adds what it finds to the session's calibration; false after a report.
#pragma once

#include "cli/host_session.hpp"

namespace fusec::cli {

/// Where the caches end, which decides how large lists are that come from memory, and what displaces them.
bool measure_footprints(HostSession& s);
/// Start-up, and lists moved between cache and lanes.
bool measure_transfers(HostSession& s);
/// Each routine from how much longer its kernel takes that computes it more often. After the start-up.
bool measure_routines(HostSession& s);
/// Chains, where memory has no part: the exponent by which the times of their lists and of their products come nearest to theirs. After both.
bool measure_overlap(HostSession& s);

} // namespace fusec::cli
