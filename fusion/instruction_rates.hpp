// SPDX-License-Identifier: Apache-2.0
// Thread-instructions of what a kernel does, as its work counts them (kernel_work.cpp tells where the figures come from).
#pragma once

#include "elementary-lib/catalog.hpp"

namespace fusec::fusion {

inline constexpr double instructions_per_flop = 0.55; // multiply-adds count two
inline constexpr double instructions_per_item = 20;
inline constexpr double instructions_per_barrier = 4;
inline constexpr double instructions_per_copy_step = 6;
inline constexpr double instruction_overhead = 1.15;

/// Of a division or square root, and of a transcendental function, beyond the one that `flops` counts.
inline double division_instructions(Precision precision) {
    return precision == Precision::f32 ? 8 : 20;
}
inline double transcendental_instructions(Precision precision) {
    return precision == Precision::f32 ? 20 : 40;
}

inline double arithmetic_instructions(const library::OperationCounts& operations, Precision precision) {
    return operations.flops * instructions_per_flop + (operations.divisions + operations.square_roots) * division_instructions(precision) +
        operations.transcendentals * transcendental_instructions(precision);
}

} // namespace fusec::fusion
