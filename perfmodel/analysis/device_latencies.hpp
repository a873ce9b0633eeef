// SPDX-License-Identifier: Apache-2.0
// How long dependent instructions wait on a device.
#pragma once

#include "perfmodel/analysis/instruction_class.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel::analysis {

/// Of additions, products, comparisons and integers, conversions (`latency.special`), shared memory, L1 and DRAM the device's figures, where its
/// description has them; all else, such as sequences of divisions and functions, as on Hopper. Pre: the device is a GPU.
LatencyTable device_latencies(const Device& device);

} // namespace fusec::perfmodel::analysis
