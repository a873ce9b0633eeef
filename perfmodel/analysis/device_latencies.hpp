// SPDX-License-Identifier: Apache-2.0
// How long dependent instructions wait on a device.
#pragma once

#include "perfmodel/analysis/instruction_class.hpp"
#include "perfmodel/device.hpp"

#include <map>
#include <string>

namespace fusec::perfmodel::analysis {

struct DeviceLatencies {
    LatencyTable table;
    /// Of each class whose latency is another device's because this one has none of its own: whose and why, a sentence.
    std::map<InstructionClass, std::string> borrowed;
};

/// Of additions, products, comparisons, choices and integers, conversions (`latency.special`), shared memory and exchanges, L1, DRAM and barriers the
/// device's figures. Divisions, roots and functions are chains of FMAs, with a special function or two: they take what they take on Hopper, times the
/// latency of an FMA of their precision over Hopper's [assumption: as many dependent FMAs on every device]; divisions of integers likewise. What the
/// device has no figure for is as on Hopper (barriers of a block as on sm_103), and `borrowed` says so. Pre: the device is a GPU.
DeviceLatencies device_latencies(const Device& device);

} // namespace fusec::perfmodel::analysis
