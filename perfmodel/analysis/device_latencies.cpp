// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/device_latencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace fusec::perfmodel::analysis {

namespace {

using enum InstructionClass;

struct LatenciesOf {
    const char* figure;
    std::vector<InstructionClass> single;   ///< one instruction: the figure is its latency
    InstructionClass unit;                  ///< of `single`: what sequences are chains of
    std::vector<InstructionClass> sequence; ///< chains of such instructions
};

const LatenciesOf latencies[] = {
    {"latency.arithmetic_f32", {fma_f32, add_f32, mul_f32, other_f32}, fma_f32,
        {division_f32, square_root_f32, reciprocal_square_root_f32, exponential_f32, logarithm_f32, sine_f32, cosine_f32, power_f32}},
    {"latency.arithmetic_f64", {fma_f64, add_f64, mul_f64, other_f64}, fma_f64,
        {division_f64, square_root_f64, reciprocal_square_root_f64, exponential_f64, logarithm_f64, sine_f64, cosine_f64, power_f64}},
    {"latency.integer", {integer, address, select, warp_barrier}, integer, {constant_division, integer_division}},
    {"latency.special", {conversion}, conversion, {}},
    {"speed.shared_latency", {shared_load, shared_store, shuffle}, shared_load, {}},
    {"latency.l1", {local_load, local_store, constant_load}, local_load, {}},
};

} // namespace

DeviceLatencies device_latencies(const Device& device) {
    const LatencyTable hopper = hopper_latencies();
    DeviceLatencies result{hopper, {}};
    for (const auto& [key, single, unit, sequence] : latencies) {
        const std::optional<double> cycles = figure(device, key);
        for (const InstructionClass each : single) {
            if (cycles) {
                result.table.cycles[each] = *cycles;
            } else {
                result.borrowed[each] = fmt::format("the latency of `{}` is that of Hopper, {:g} cycles: `{}` has no `{}`", to_string(each),
                    hopper.cycles[each], device.name, key);
            }
        }
        for (const InstructionClass each : sequence) {
            if (cycles) {
                result.table.cycles[each] = hopper.cycles[each] * *cycles / hopper.cycles[unit];
            } else {
                result.borrowed[each] =
                    fmt::format("the latency of `{}`, a chain of `{}`, is that of Hopper, {:g} cycles: `{}` has no `{}`", to_string(each),
                        to_string(unit), hopper.cycles[each], device.name, key);
            }
        }
    }
    for (const InstructionClass each : {global_load, async_copy, atomic}) {
        result.table.cycles[each] = device.dram_latency_ns * device.clock_ghz;
    }
    result.table.cycles[block_barrier] = device.barrier_cycles + device.barrier_cycles_per_warp; // of one warp
    if (std::ranges::find(device.figures, "speed.barrier", &Figure::key) == device.figures.end()) {
        result.borrowed[block_barrier] = fmt::format("the latency of `{}` is that of sm_103, {:g} cycles: `{}` has no `speed.barrier`",
            to_string(block_barrier), result.table.cycles[block_barrier], device.name);
    }
    return result;
}

} // namespace fusec::perfmodel::analysis
