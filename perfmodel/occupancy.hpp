// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds at once.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::perfmodel {

/// Resident blocks per multiprocessor: the least of what block slots, warps, registers and shared memory allow; 0 if not even one fits.
int resident_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work);

/// Blocks that launch bounds may ask of the compiler: those that are resident with a quarter more registers than estimated where the
/// estimate is high. Asked for more, it would make its spills of our error (seen: 32 to 9176 bytes, nvcc 13.0).
int promised_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work);

} // namespace fusec::perfmodel
