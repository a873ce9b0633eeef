// SPDX-License-Identifier: Apache-2.0
// Measurements of a host's calibration on lists that come from memory, and the fit of what memory and arithmetic share.
#pragma once

#include "cli/host_session.hpp"
#include "execute/timing.hpp"

#include <vector>

namespace fusec::cli {

/// Times kernels whose lists come from memory. After the footprints. False after a report, as the others.
bool time_from_memory(HostSession& s);
/// Bandwidth of each mix, window, pacing, first level and what several lists gain, fitted to kernels that wait for memory; times of transfers there for `benchmark`. After
/// time_from_memory and all that is made of times in cache.
bool take_from_memory(HostSession& s);
/// The same fit to other times of the kernels that it is made to, in the place of those before. After take_from_memory; `times` are of `s.from_memory.fitted`.
bool fit_memory(HostSession& s, const std::vector<execute::UnitTimes>& times);

} // namespace fusec::cli
