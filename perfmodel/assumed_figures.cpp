// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/assumed_figures.hpp"

#include "perfmodel/device_figures.hpp"

#include <algorithm>
#include <string_view>

namespace fusec::perfmodel {

namespace {

constexpr const char* registers = "cuda_occupancy.h of CUDA 13.0: compute capability 3.0 and later";
constexpr const char* opcodes = "assumption: opcodes of the path of ordinary arguments (fusion/instruction_rates.hpp)";
constexpr const char* barrier = "assumption: measured on sm_103";

struct Assumption {
    std::string_view key;
    const char* source;
    double (*value)(const Device&) = nullptr; ///< null: what the device holds where nothing is given
};

constexpr Assumption assumptions[] = {
    {"limits.register_granule", registers},
    {"limits.register_partitions", registers},
    {"limits.shared_granule", "cuda_occupancy.h of CUDA 13.0: compute capability 8.0 and later"},
    {"operation.division_f32", opcodes},
    {"operation.square_root_f32", opcodes},
    {"operation.transcendental_f32", opcodes},
    {"operation.division_f64", opcodes},
    {"operation.square_root_f64", opcodes},
    {"operation.transcendental_f64", opcodes},
    {"speed.launch_overhead", "assumption: as `speed.launch`: nothing of a launch hides behind the kernel before it",
        [](const Device& device) { return device.launch_us; }},
    {"speed.block_dispatch", "assumption: one block per clock", [](const Device& device) { return 1 / device.clock_ghz; }},
    {"speed.barrier", barrier},
    {"speed.barrier_per_warp", barrier},
    {"latency.l2", "assumption: half of `speed.dram_latency` (0.45 on an A40, 0.49 on a V100, 0.37 and 0.7 in the halves of an A100)",
        [](const Device& device) { return 0.5 * device.dram_latency_ns * device.clock_ghz; }},
};

} // namespace

std::vector<Figure> assumed_figures(const Device& device) {
    std::vector<Figure> assumed;
    if (device.limits.target == fusion::Target::host) {
        return assumed;
    }
    for (const Field& field : device_fields()) {
        const auto* const found = std::ranges::find(assumptions, std::string_view(field.key), &Assumption::key);
        const bool given = std::ranges::find(device.figures, field.key, &Figure::key) != device.figures.end();
        if (found != std::end(assumptions) && !given) {
            assumed.push_back({field.key, found->value == nullptr ? field.get(device) : found->value(device), field.unit, found->source});
        }
    }
    return assumed;
}

} // namespace fusec::perfmodel
