// SPDX-License-Identifier: Apache-2.0
// Registers that a thread of a kernel needs, and what it spills where the device has fewer.
#pragma once

#include "fusion/kernel_draft.hpp"

namespace fusec::fusion {

/// Of the step with the greatest demand; the constants with their sources stand in the implementation. Pre: the draft has its barriers.
RegisterDemand register_demand(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft);

/// Registers per thread for it, however many the device has.
int registers_needed(const RegisterDemand& demand);

/// Of a thread, where a block leaves it fewer than the device would.
int registers_available(const DeviceLimits& limits, int threads_per_block);

/// Sets what depends on the size of the block: the registers needed and the traffic of those that are missing.
void count_spills(KernelWork& work, const DeviceLimits& limits, int threads_per_block, int threads_per_element);

} // namespace fusec::fusion
