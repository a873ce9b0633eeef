// SPDX-License-Identifier: Apache-2.0
// Registers that a thread of a kernel needs, and what it spills where the device has fewer.
#pragma once

#include "fusion/kernel_draft.hpp"

namespace fusec::fusion {

/// Of the step with the greatest demand; the constants with their sources stand in the implementation. Pre: the draft has its barriers.
RegisterDemand register_demand(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft);

/// Registers per thread for it, however many the device has.
int registers_needed(const RegisterDemand& demand);

} // namespace fusec::fusion
