// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds at once.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::perfmodel {

/// Resident blocks per multiprocessor: the least of what block slots, warps, registers and shared memory allow; 0 if not even one fits.
int resident_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work);

/// Blocks that launch bounds may ask of the compiler: those that are resident with a quarter more registers than estimated, where more than
/// 32 are. Asked for more, it would make its spills of our error (seen with nvcc 13.0: 32 to 9176 bytes, and 4 to 8 of an estimate of 39).
int promised_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work);

} // namespace fusec::perfmodel
