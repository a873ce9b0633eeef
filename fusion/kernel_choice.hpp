// SPDX-License-Identifier: Apache-2.0
// The decisions that make a column a kernel.
#pragma once

#include "fusion/kernel_outline.hpp"

#include "support/diagnostics.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
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
    std::uint32_t combination = 0; ///< index into ChoiceSpace::combinations
    int elements = 32;             ///< per block; host: SIMD lanes
    LoadPolicy loads = LoadPolicy::vectors;
    StorePolicy stores = StorePolicy::vectors;
    LoadOrder order = LoadOrder::first;
    bool streaming = false; ///< host: non-temporal stores
};

/// The values that one decision may take, the promising first. At most `most`, in place: hundreds of these are made per column.
template <class T, std::size_t most>
class Few {
public:
    void push_back(T value) {
        internal_check(size_ < most, "kernel choice: more alternatives than there is room for");
        values_[size_++] = value;
    }
    std::size_t size() const { return size_; }
    const T& operator[](std::size_t index) const { return values_[index]; }

private:
    std::array<T, most> values_{};
    std::size_t size_ = 0;
};

/// What may be chosen with one combination; the first `usual_*` of each list are the usual ones.
struct ChoiceAxes {
    Few<int, 6> elements;
    Few<LoadPolicy, 6> loads;
    Few<StorePolicy, 4> stores;
    Few<LoadOrder, 2> orders;
    Few<bool, 2> streaming;
    std::size_t usual_elements = 1;
    std::size_t usual_loads = 1;
    std::size_t usual_stores = 1;

    std::size_t count() const { return elements.size() * loads.size() * stores.size() * orders.size() * streaming.size(); }
};

/// The implementations that a kernel may have. Choices that would give the same kernel are there once where that is cheap to see.
class ChoiceSpace {
public:
    /// Lists the uniform combinations, which take the same kind of routine for every call. Both references must outlive it.
    ChoiceSpace(const KernelOutline& kernel, const DeviceLimits& limits);

    /// Combinations listed so far; the first `uniform()` are the uniform ones.
    std::size_t combinations() const { return combinations_.size(); }
    std::size_t uniform() const { return uniform_; }
    const Combination& combination(std::size_t index) const { return combinations_[index]; } ///< stays where it is
    const ChoiceAxes& axes(std::size_t combination) const { return axes_[combination]; }
    std::size_t calls() const { return kernel_.calls.size(); }
    std::size_t routines(std::size_t call) const { return kernel_.calls[call].routines->routines.size(); }

    /// The index of the combination that differs from this one in one call; lists it if need be.
    std::size_t neighbour(std::size_t combination, std::size_t call, std::size_t routine);

    /// Choices, those of combinations that are not listed too: taken to be as many as of a listed one on average.
    double size() const;

    std::deque<Combination> take_combinations() && { return std::move(combinations_); }

private:
    std::size_t add(Combination combination);

    const KernelOutline& kernel_;
    const DeviceLimits& limits_;
    std::deque<Combination> combinations_;
    std::vector<ChoiceAxes> axes_; ///< per combination
    std::size_t uniform_ = 0;
    double total_ = 1;          ///< combinations, listed or not
    double listed_choices_ = 0; ///< with the listed combinations
};

/// True if the datum's elements are small (see LoadPolicy).
bool small(const KernelOutline::Datum& datum);

/// True if all threads that touch a result hold the same part of it in registers: producer and consumers agree in threads and touch.
bool fits_registers(const KernelOutline& kernel, const Combination& routines, const KernelOutline::Datum& datum);

} // namespace fusec::fusion
