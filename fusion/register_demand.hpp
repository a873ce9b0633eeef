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

/// Registers that ptxas may take beyond `KernelWork::registers_needed` in a kernel of so many calls, where it begins later statements early. The
/// few words that then spill stay in the caches: a kernel is not chosen by them, a warning tells of them.
int registers_of_many_calls(std::size_t calls);

/// Traffic per element of what spills if a thread needs so many registers. 0: nothing does.
double spilled_bytes(int needed, int available, int threads_per_element);

} // namespace fusec::fusion
