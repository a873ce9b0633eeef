// SPDX-License-Identifier: Apache-2.0
// Fusions that follow the order in which a program is read: intervals of its calls, cut where few bytes cross.
#pragma once

#include "fusion/enumerate.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Fusions of more than `calls_without_count` calls do at most this many operations per element. Their text is unrolled, and nvcc makes about
/// 10 bytes of instructions of an operation (seen during development with nvcc 13.0, sm_90, on two kernels; no result file): this is half of the
/// 128 KiB of instructions that an SM is assumed to hold.
inline constexpr double most_operations = 6144;
inline constexpr std::size_t calls_without_count = 64;

/// True if a kernel of so many calls may do this arithmetic.
inline bool operations_fit(std::size_t calls, double operations) {
    return calls <= calls_without_count || operations <= most_operations;
}

/// Topological orders of all calls whose intervals are tried, each once: that of the program, and depth first from the results, operands in
/// their order, so that the terms of a sum are made one after the other.
std::vector<std::vector<CallId>> orders_to_cut(const dag::CallGraph& graph);

/// Intervals of an order with more than `above` calls, connected ones, each ascending:
/// - for each number of calls from `largest_kernel` down to 16 by halves, the cut of the whole order into intervals of at most so many calls
///   that loads and stores least, if it has at most 32 intervals;
/// - what lies between any two of at most 16 narrow waists: places that fewer bytes cross than the next ones and four fifths of the mean.
/// `operations`: arithmetic of each call. O(calls * largest_kernel * operands).
std::vector<dag::CallSet> segments(
    const dag::CallGraph& graph, const std::vector<CallId>& order, const std::vector<double>& operations, std::size_t above);

} // namespace fusec::fusion
