// SPDX-License-Identifier: Apache-2.0
// Elaboration: from the decisions of a choice to a kernel with placements, steps, addresses, barriers and work.
#pragma once

#include "fusion/kernel_draft.hpp"
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

/// Elaborates choices of one kernel after another. Choices that differ in the size of the block only share all but addresses, so they
/// should come one after the other. Not thread-safe.
class KernelBuilder {
public:
    /// `with_steps`: the work of drafts has its steps, which takes longer.
    explicit KernelBuilder(const DeviceLimits& limits, bool with_steps = false) : limits_(limits), with_steps_(with_steps) {}

    /// The choices that follow are choices of this kernel, which must outlive them.
    void begin(const KernelOutline& kernel);
    /// Elaborates a choice, or says why the device cannot run it. `routines` must stay where it is until the next `begin`.
    std::optional<Refusal> decide(const Combination& routines, const KernelChoice& choice);
    /// What was decided last. Pre: it was not refused.
    const KernelDraft& draft() const { return draft_; }
    /// The same as a candidate, except for its cost.
    void write(Candidate& out) const;

    /// All of the above at once.
    std::optional<Refusal> build(const KernelOutline& kernel, const Combination& routines, const KernelChoice& choice, Candidate& out);

private:
    const Routine& routine(int call) const {
        const auto index = static_cast<std::size_t>(call);
        return kernel_->calls[index].routines->routines[(*routines_)[index]];
    }
    const AccessCost& cost(int call, std::size_t operand) const {
        const auto index = static_cast<std::size_t>(call);
        return *(*kernel_->calls[index].costs)[(*routines_)[index]][operand];
    }

    bool same_pattern(const Combination& routines, const KernelChoice& choice) const;
    void decide_placements();
    Padding padding_of(int datum) const;
    int tile_copies(int datum) const;
    int row_bytes(const KernelOutline::Datum& datum) const;
    void schedule();
    void add_step(Step::Kind kind, int index);
    void touch(int datum);
    void rank_steps();
    /// Sizes of the tiles for this many elements, with the padding that they want or without; true if they are padded as before.
    bool size_tiles(int elements, bool padded);
    void place_tiles();
    long stack_bytes() const;
    long parameter_bytes() const;
    /// Which tiles share bytes and which lie alike; true if it is as before.
    bool compare_tiles();

    const DeviceLimits& limits_;
    const bool with_steps_;
    const KernelOutline* kernel_ = nullptr;
    const Combination* routines_ = nullptr; ///< null: nothing decided yet
    KernelChoice choice_;
    KernelDraft draft_;
    bool measured_ = false; ///< draft_ has the barriers and the work of the pattern
    bool one_warp_ = false; ///< ... as those of a block of one warp

    std::vector<bool> loaded_; ///< per datum, its load step exists
    /// Placements found, by live ranges (steps as ranks, sizes without their common factor). Blocks of other sizes and other ways to
    /// copy mostly give the same.
    std::map<std::vector<int>, Arena> arenas_;
    std::vector<int> ranks_, key_;
    std::vector<std::uint8_t> relation_, relation_before_;
};

/// How two tiles lie to each other; bits.
enum TileRelation : std::uint8_t {
    tiles_apart = 0,
    tiles_overlap = 1,
    tiles_alike = 2,         ///< element e lies at the same words in both
    tiles_start_together = 4 ///< the same first word, and no padding in either
};

/// Finds before which steps a barrier must stand, the cheapest that is enough, as late as possible. `relation` of tiles i and j stands
/// at i * tiles + j.
///
/// A list whose old value the kernel loads, and whose new one it stores, is words like those of a tile.
/// A step needs a barrier if it and an access since the last barrier overlap in words, one of them writes, and different threads may
/// do it. That it is the same thread follows from thread maps: both belong to one instance of equally many threads and touch its own part of
/// elements that lie alike; or thread t of the block touches the t-th run of words in both tiles, which start together, whatever elements they
/// hold. A warp barrier is enough if both belong to the threads of one element, those are in one warp, and element e lies at the same
/// words for both; or if the draft's block is one warp.
void find_barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits,
    const std::vector<std::uint8_t>& relation, KernelDraft& draft);

/// Fills in the work of a draft with its barriers, and its shares; formulas with their sources stand in the implementation. All but the
/// size of the block, its bytes and its whole warps is the same for every size of the block that has the same barriers. With
/// `with_steps`, the steps of the work too.
void measure_work(
    const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, bool with_steps, KernelDraft& draft);

/// What whole warps cost: KernelWork::lane_slots and arithmetic_lane_slots from the shares, for the elements of the draft's block. The threads that work in a step
/// are the first of the block, so that only its last warp at work has lanes that idle.
void count_whole_warps(const DeviceLimits& limits, KernelDraft& draft);

} // namespace fusec::fusion
