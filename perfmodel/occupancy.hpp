// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds at once.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::perfmodel {

/// Resident blocks per multiprocessor: the least of what block slots, warps, registers and shared memory allow; 0 if not even one fits.
int resident_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work);

} // namespace fusec::perfmodel
