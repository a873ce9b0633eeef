// SPDX-License-Identifier: Apache-2.0
// Elaboration: from the decisions of a choice to a candidate with placements, steps, addresses, barriers and work.
#pragma once

#include "fusion/kernel_choice.hpp"
#include "fusion/placement.hpp"

#include <map>
#include <optional>
#include <vector>

namespace fusec::fusion {

/// What a choice needs and the device does not have.
struct Refusal {
    Rejection::Reason reason = Rejection::Reason::shared_memory;
    long needed = 0;
    long available = 0;
    int elements = 0; ///< of the block that was tried

    /// "112 KiB of shared memory needed, 99 KiB available (blocks of 64 elements)"
    Rejection explained() const;
};

/// Builds the candidates of one kernel after another; keeps its scratch memory between them. Not thread-safe.
class KernelBuilder {
public:
    explicit KernelBuilder(const DeviceLimits& limits)
        : limits_(limits) {}

    /// Fills `out` except for its cost, or says why the device cannot run it. Pre: the choice is one of choices(kernel).
    std::optional<Refusal> build(const KernelOutline& kernel, const Combination& routines, const KernelChoice& choice, Candidate& out);

private:
    const Routine& routine(int call) const {
        const auto index = static_cast<std::size_t>(call);
        return kernel_->calls[index].routines->routines[(*routines_)[index]];
    }
    const AccessCost& cost(int call, std::size_t operand) const {
        const auto index = static_cast<std::size_t>(call);
        return *kernel_->calls[index].costs[(*routines_)[index]][operand];
    }

    void decide_order(Candidate& out);
    void decide_placements(Candidate& out);
    void decide_padding(const KernelOutline::Datum& datum, SharedSlot& slot) const;
    void schedule(Candidate& out);
    void add_step(Candidate& out, Step::Kind kind, int call, int datum);
    void place_tiles(Candidate& out);

    const DeviceLimits& limits_;
    const KernelOutline* kernel_ = nullptr;
    const Combination* routines_ = nullptr;
    const KernelChoice* choice_ = nullptr;
    int largest_threads_ = 1;

    std::vector<bool> loaded_; ///< per datum, its load step exists
    /// Placements found, by live ranges (steps as ranks, sizes without their common factor). Blocks of other sizes and other ways to
    /// copy mostly give the same.
    std::map<std::vector<int>, Arena> arenas_;
    std::vector<int> ranks_, key_;
};

/// Marks the steps that need a barrier before them and inserts the cheapest that is enough, as late as possible; moves the tiles'
/// lifetimes along. Pre: tiles have addresses.
///
/// A step needs a barrier if it and an access since the last barrier overlap in words, one of them writes, and different threads may
/// do it. A warp barrier is enough if both belong to the threads of one element, those are in one warp, and element e lies at the same
/// words for both.
void insert_barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, Candidate& candidate);

/// The work of a finished candidate; formulas with their sources stand in the implementation.
KernelWork measure_work(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, const Candidate& candidate);

} // namespace fusec::fusion
