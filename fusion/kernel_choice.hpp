// SPDX-License-Identifier: Apache-2.0
// The decisions that make a column a kernel, and the order in which the search takes them.
#pragma once

#include "fusion/kernel_outline.hpp"

#include <cstdint>
#include <vector>

namespace fusec::fusion {

/// How the lists that a kernel reads come in. "Small" lists have elements of 4, 8 or 16 bytes: read in place they are coalesced.
enum class LoadPolicy {
    async,
    vectors,
    words,
    in_place,
    async_but_small, ///< small lists in place, the others asynchronously
    vectors_but_small
};

/// How results leave. A result that is in a shared tile anyway always leaves from it.
enum class StorePolicy {
    vectors,
    words,
    direct, ///< each owner stores its part
    vectors_but_small
};

/// Per call (index into KernelOutline::calls) the routine: index into CallRoutines::routines.
using Combination = std::vector<std::uint8_t>;

struct KernelChoice {
    std::uint32_t combination = 0; ///< index into Choices::combinations
    int elements = 32;             ///< per block; host: SIMD lanes
    LoadPolicy loads = LoadPolicy::vectors;
    StorePolicy stores = StorePolicy::vectors;
    LoadOrder order = LoadOrder::first;
    bool streaming = false; ///< host: non-temporal stores
};

struct Choices {
    std::vector<Combination> combinations;
    std::vector<KernelChoice> list;
    double unexplored = 0; ///< combinations times the rest, beyond `most`: not considered
};

/// True if the datum's elements are small (see LoadPolicy).
bool small(const KernelOutline::Datum& datum);

/// True if all threads that touch a result hold the same part of it in registers: producer and consumers agree in threads and touch.
bool fits_registers(const KernelOutline& kernel, const Combination& routines, const KernelOutline::Datum& datum);

/// At most `most` choices, the promising first: uniform granularities before mixed ones, usual block sizes and transfers before the
/// others.
/// Choices that would give the same kernel are listed once where that is cheap to see.
Choices choices(const KernelOutline& kernel, const DeviceLimits& limits, std::size_t most);

} // namespace fusec::fusion
