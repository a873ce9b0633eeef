// SPDX-License-Identifier: Apache-2.0
// Thread-instructions of what a kernel does, as its work counts them (kernel_work.cpp tells where the figures come from).
#pragma once

#include "elementary-lib/catalog.hpp"
#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::fusion {

inline constexpr double instructions_per_flop = 0.55;  // multiply-adds count two
inline constexpr double instructions_per_address = 10; // of a thread's part of a tile or list
inline constexpr double instructions_per_guard = 6;
inline constexpr double instructions_per_barrier = 4;
inline constexpr double instructions_per_copy_step = 6;
inline constexpr double instruction_overhead = 1.15;

/// Host: elements of more components are transposed into lanes in halves of a tile or in strips, and what is asked for ahead is asked for by lines. A
/// test compares all of it with runtime/fusec/transposition.hpp.
inline constexpr int most_words_transposed_at_once = 28;
inline constexpr int bytes_of_line = 64;
constexpr bool is_in_halves(int words, int lanes, int word_bytes) {
    return words > most_words_transposed_at_once && words <= 2 * most_words_transposed_at_once && words % 4 == 0 &&
        lanes * word_bytes == bytes_of_line;
}
constexpr bool is_stored_in_halves(int words, int lanes, int word_bytes) {
    return is_in_halves(words, lanes, word_bytes) && words % lanes != 0;
}
constexpr bool is_loaded_in_halves(int words, int lanes, int word_bytes) {
    return is_in_halves(words, lanes, word_bytes) && (word_bytes < 8 || words % lanes == 0);
}
/// Host: passes of a loop that GCC unrolls whole, so that what the loop indexes may lie in registers (`max-completely-peel-times`).
inline constexpr int longest_unrolled_loop = 17;

/// Instructions of one operation on the path that ordinary arguments take.
struct LongOperations {
    double division, square_root, transcendental;
};

/// Opcodes counted in what nvcc 13.0 makes of x/y, sqrt(x), and the mean of exp, log and (fast path) sin, for sm_90, IEEE rounding,
/// before the branch to the slow path. On the host division and root are one vector instruction each on the divider; a transcendental
/// is a libmvec polynomial (assumption: 25 instructions).
inline LongOperations long_operations(Precision precision, Target target) {
    if (target == Target::host) {
        return {1, 1, 25};
    }
    return precision == Precision::f32 ? LongOperations{13, 13, 20} : LongOperations{18, 22, 66};
}

/// Of additions and multiplications, some of which pair up, and of the long operations, each of which `flops` counts as one.
inline double arithmetic_instructions(const library::OperationCounts& operations, Precision precision, Target target) {
    const LongOperations each = long_operations(precision, target);
    const double plain = operations.flops - operations.divisions - operations.square_roots - operations.transcendentals;
    return plain * instructions_per_flop + operations.divisions * each.division + operations.square_roots * each.square_root +
        operations.transcendentals * each.transcendental;
}

/// Adds the operations, `times` times, to a kernel's: those in float of a kernel that has doubles are told apart.
inline void count_arithmetic(KernelWork& work, const library::OperationCounts& operations, Precision precision, double times) {
    work.flops += operations.flops * times;
    work.divisions += operations.divisions * times;
    work.square_roots += operations.square_roots * times;
    work.transcendentals += operations.transcendentals * times;
    if (precision != work.precision) {
        work.in_float.flops += operations.flops * times;
        work.in_float.divisions += operations.divisions * times;
        work.in_float.square_roots += operations.square_roots * times;
        work.in_float.transcendentals += operations.transcendentals * times;
    }
}

} // namespace fusec::fusion
