// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/instruction_class.hpp"

#include <numeric>

namespace fusec::perfmodel::analysis {

namespace {

using enum InstructionClass;

constexpr std::array<std::string_view, instruction_class_count> names{"fma_f32", "add_f32", "mul_f32", "other_f32", "division_f32",
    "square_root_f32", "reciprocal_square_root_f32", "exponential_f32", "logarithm_f32", "sine_f32", "cosine_f32", "power_f32", "fma_f64",
    "add_f64", "mul_f64", "other_f64", "division_f64", "square_root_f64", "reciprocal_square_root_f64", "exponential_f64", "logarithm_f64",
    "sine_f64", "cosine_f64", "power_f64", "integer", "constant_division", "integer_division", "address", "select", "conversion", "branch",
    "global_load", "global_store", "shared_load", "shared_store", "local_load", "local_store", "constant_load", "atomic", "async_copy",
    "async_commit", "async_wait", "shuffle", "warp_barrier", "block_barrier", "call"};

} // namespace

std::string_view to_string(InstructionClass instruction_class) {
    return names[static_cast<std::size_t>(instruction_class)];
}

double ByClass::sum() const {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

double ByClass::flops_f32() const {
    return 2 * (*this)[fma_f32] + (*this)[add_f32] + (*this)[mul_f32];
}

double ByClass::flops_f64() const {
    return 2 * (*this)[fma_f64] + (*this)[add_f64] + (*this)[mul_f64];
}

LatencyTable hopper_latencies() {
    LatencyTable table;
    const auto set = [&](std::initializer_list<InstructionClass> classes, double cycles) {
        for (const InstructionClass c : classes) {
            table.cycles[c] = cycles;
        }
    };
    // Dependent chains on A100 and Hopper (Accel-Sim configurations, microbenchmarks of RTX 4070).
    set({fma_f32, add_f32, mul_f32, other_f32, integer, address, select}, 4);
    set({fma_f64, add_f64, mul_f64, other_f64}, 8);
    // Sequences, by dependent chains that OpenXLA measured on H100 (its GpuPerformanceModel), slow paths included.
    set({division_f32}, 19);
    set({square_root_f32, reciprocal_square_root_f32}, 75);
    set({exponential_f32}, 79);
    set({logarithm_f32}, 166);
    set({sine_f32, cosine_f32}, 968);
    set({power_f32}, 510);
    set({division_f64}, 526);
    set({square_root_f64}, 332);
    set({reciprocal_square_root_f64}, 277);
    set({exponential_f64}, 376);
    set({logarithm_f64}, 815);
    set({sine_f64, cosine_f64}, 554);
    set({power_f64}, 2205);
    // Pointer chases (RRZE gpu-benches, HPMLL): shared memory, L1 hit for constants and local memory, DRAM.
    set({shared_load, shared_store}, 29);
    set({local_load, local_store, constant_load}, 32);
    set({global_load, async_copy, atomic}, 600);
    set({block_barrier}, 24); // 22 and 2 for each warp, of one warp
    // As many dependent instructions as instruction_counts has.
    for (const InstructionClass c : {constant_division, integer_division}) {
        table.cycles[c] =
            table.cycles[integer] * (c == constant_division ? instructions_of_constant_division : instructions_of_integer_division);
    }
    // Assumptions: conversions as the special-function unit's, exchanges as accesses of shared memory, the barrier of a warp
    // as one integer instruction; 0: stores to global memory (nobody waits for them), branches, commits and waits, and unknown functions.
    set({conversion}, 23);
    set({shuffle}, 29);
    set({warp_barrier}, 4);
    return table;
}

} // namespace fusec::perfmodel::analysis
