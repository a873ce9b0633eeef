// SPDX-License-Identifier: Apache-2.0
// Warns where a plan for a calibrated host was chosen by estimates rather than by what the calibration measured.
#pragma once

#include "cli/pipeline.hpp"

namespace fusec::cli {

/// Of what the processors do in the kernels of a plan, the share that may be counted by instructions without a word.
inline constexpr double most_counted = 0.2;

/// One warning where more than `most_counted` of what the processors do in the kernels of the chosen plan, as `composite` sums it up, counts by
/// instructions, as the device's calibration has no times of routines (perfmodel/host_compute.hpp), with the routine that has most of them. Pre: there
/// is a plan.
void warn_of_unmeasured(const Compilation& compilation, Diagnostics& diagnostics);

} // namespace fusec::cli
