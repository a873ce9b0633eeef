// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/device_latencies.hpp"

#include "perfmodel/device_figures.hpp"

#include <utility>
#include <vector>

namespace fusec::perfmodel::analysis {

LatencyTable device_latencies(const Device& device) {
    using enum InstructionClass;
    LatencyTable table = hopper_latencies();
    const std::pair<const char*, std::vector<InstructionClass>> figures[] = {
        {"latency.arithmetic_f32", {fma_f32, add_f32, mul_f32, other_f32}},
        {"latency.arithmetic_f64", {fma_f64, add_f64, mul_f64, other_f64}},
        {"latency.integer", {integer, address, select}},
        {"latency.special", {conversion}},
        {"speed.shared_latency", {shared_load, shared_store, shuffle}},
        {"latency.l1", {local_load, local_store, constant_load}},
    };
    for (const auto& [key, classes] : figures) {
        if (const std::optional<double> cycles = figure(device, key)) {
            for (const InstructionClass each : classes) {
                table.cycles[each] = *cycles;
            }
        }
    }
    for (const InstructionClass each : {global_load, async_copy, atomic}) {
        table.cycles[each] = device.dram_latency_ns * device.clock_ghz;
    }
    return table;
}

} // namespace fusec::perfmodel::analysis
