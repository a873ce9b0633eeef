// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: follows the threads of a block through a kernel.
#pragma once

#include "perfmodel/analysis/program.hpp"

namespace fusec::perfmodel::analysis {

/// Fills in counts, accesses, paths and loops of a profile; what had to be assumed goes to `unknowns`. Pre: launch.threads in 1 .. 1024.
void walk(const Program& program, const Launch& launch, const LatencyTable& latencies, KernelProfile& profile);

} // namespace fusec::perfmodel::analysis
