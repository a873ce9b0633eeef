// SPDX-License-Identifier: Apache-2.0
// Classes of instructions that a device treats alike, and how long a dependent instruction waits for each.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fusec::perfmodel::analysis {

/// Of one thread's instructions. What takes no instruction on the device (a cast between address spaces, a truncation, an address that is
/// another plus a constant) has no class. A vector access is one access.
enum class InstructionClass {
    fma_f32,
    add_f32, ///< and subtractions
    mul_f32,
    other_f32, ///< comparison, minimum, maximum (negation and absolute value are modifiers of operands)
    division_f32,
    square_root_f32,
    reciprocal_square_root_f32,
    exponential_f32,
    logarithm_f32,
    sine_f32,
    cosine_f32,
    power_f32,
    fma_f64,
    add_f64,
    mul_f64,
    other_f64,
    division_f64,
    square_root_f64,
    reciprocal_square_root_f64,
    exponential_f64,
    logarithm_f64,
    sine_f64,
    cosine_f64,
    power_f64,
    integer,
    constant_division, ///< of integers by a constant: a product and shifts
    integer_division,  ///< and remainder, by a variable
    address,           ///< computation of an address; integers of loops and indices are `integer`
    select,
    conversion,
    branch,
    global_load,
    global_store,
    shared_load,
    shared_store,
    local_load,
    local_store,
    constant_load,
    atomic,
    async_copy,   ///< global to shared memory past the registers
    async_commit, ///< end of a batch of them
    async_wait,
    shuffle,
    warp_barrier,
    block_barrier,
    call, ///< of a function whose text is not there: its cost is unknown
};
inline constexpr std::size_t instruction_class_count = static_cast<std::size_t>(InstructionClass::call) + 1;

/// "fma_f32", ...
std::string_view to_string(InstructionClass instruction_class);

/// A number for each class.
struct ByClass {
    std::array<double, instruction_class_count> values{};

    double& operator[](InstructionClass c) { return values[static_cast<std::size_t>(c)]; }
    double operator[](InstructionClass c) const { return values[static_cast<std::size_t>(c)]; }
    bool operator==(const ByClass&) const = default;

    double sum() const;
    /// Additions and multiplications, a fused pair counting two; not divisions, roots and transcendental functions.
    double flops_f32() const;
    double flops_f64() const;
};

/// Instructions of an integer division: by a variable "up to 20" (CUDA C++ Best Practices Guide, "Arithmetic Instructions"); by a constant the
/// high half of a product, a shift, and for a remainder a product and a difference (an assumption between the two).
inline constexpr double instructions_of_integer_division = 20, instructions_of_constant_division = 3;

/// Cycles from the issue of an instruction to that of one that needs its result (for a store or a copy: of one behind a barrier).
struct LatencyTable {
    ByClass cycles;
};

/// Hopper, from dependent chains and pointer chases that others have published; the .cpp names them and what is an assumption. Loads of
/// global memory are accesses of DRAM. Uncalibrated.
LatencyTable hopper_latencies();

} // namespace fusec::perfmodel::analysis
