// SPDX-License-Identifier: Apache-2.0
// Measurements of a host's calibration on lists that come from memory, and the fit of what memory and arithmetic share.
#pragma once

#include "cli/host_session.hpp"
#include "execute/timing.hpp"

#include <vector>

namespace fusec::cli {

/// Bandwidth of each mix, window and first level, fitted to kernels that wait for memory; times of transfers there for `benchmark`. After all that
/// is measured in cache. False after a report.
bool measure_memory(HostSession& s);
/// The same fit to other times of the kernels that it is made to, in the place of those before. After measure_memory; `times` are of `s.from_memory.fitted`.
bool fit_memory(HostSession& s, const std::vector<execute::UnitTimes>& times);

} // namespace fusec::cli
