// SPDX-License-Identifier: Apache-2.0
// What the processors of a calibrated host do in a kernel besides waiting for memory, from times of its routines.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel {

struct HostCompute {
    double ns = 0;         ///< per element, all cores at work
    double counted_ns = 0; ///< of these, of steps that count by their instructions
    int counted = 0;       ///< how many such steps
};

/// The sum over the steps of the kernel: a list moved between cache and lanes, times the figure `compute.transfer_share`, because a core that waits
/// for memory waits for its caches at the same time; and a routine, times the figure `compute.fused_share` where its operands and its result fit the
/// registers, because it finds them there and fills the waits of its neighbours. A routine without a time, or with none that could be measured,
/// counts by its instructions at the device's rate, at the same share. Steps that compute nothing but names of
/// components, and what is derived from uniforms, take nothing. Pre: the device has routine times, the work has its steps.
HostCompute host_compute(const Device& device, const fusion::KernelWork& work);

} // namespace fusec::perfmodel
