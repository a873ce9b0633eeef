// SPDX-License-Identifier: Apache-2.0
// What a warp that takes part in one step executes there, by the unit that executes it.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// Warp-instructions of one warp; bytes where it says so.
struct StepMix {
    double warps = 0; ///< of the block that take part: those of threads_per_element * elements_per_block threads, at most all
    double f32 = 0, f64 = 0, special = 0;
    double shared = 0;                      ///< 128-byte passes: bank conflicts are instructions of their own here
    double loads = 0, stores = 0;           ///< global
    double load_bytes = 0, store_bytes = 0; ///< that threads want of them
    double coalesced_bytes = 0;   ///< that its global accesses ask for: whole sectors where threads stand side by side or at one place
    double uncoalesced_bytes = 0; ///< that threads want of the others
    double other = 0;     ///< the rest of the step's instructions: addresses, moves, conditions; the same whatever the device's slots are
    double uncounted = 0; ///< by how much the parts are more than the step's instructions: where they are, other is 0
};

/// A kernel that does nothing but the arithmetic of one of its steps, for pipe_work.
fusion::KernelWork arithmetic_of(const fusion::KernelWork& work, const fusion::WorkStep& step);

/// `slots` are the device's. Pre: the step is one of the work's.
StepMix step_mix(
    const fusion::KernelWork& work, const fusion::WorkStep& step, const fusion::DeviceLimits& limits, const FunctionSlots& slots);

/// Where steps have StepMix::uncounted, adds their sum to the quantities.
void say_uncounted(Breakdown& of, const fusion::KernelWork& work, const fusion::DeviceLimits& limits);

} // namespace fusec::perfmodel
