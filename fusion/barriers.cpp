// SPDX-License-Identifier: Apache-2.0
// Barriers by the analytic rule: from thread maps and tile layouts, without enumerating threads.
#include "fusion/kernel_builder.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

/// One tile, or one list that the kernel loads and stores, accessed by one step. `threads` = 0: the block copies, whose threads belong to no
/// instance.
struct TileAccess {
    int tile = 0;  ///< index into the draft's tiles; of a list, behind them, by the datum that is its old value
    int datum = 0; ///< that is accessed
    bool write = false;
    int threads = 0;
    library::Touch touch = library::Touch::all;
    bool own_part = false;    ///< each thread touches its own part and nothing else
    bool warp_synced = false; ///< a warp barrier came after it
    /// When it is not 0: thread t touches words [t * run, t * run + run) of the block's tile and nothing else. It is 1 of a copy too, where
    /// a thread moves one word at most.
    int run = 0;
};

/// Components of which thread `lane` of an instance touches [lane * run, lane * run + run), all lanes together the whole element; 0: its part
/// is no such run. Instances follow one another in a tile without padding as their threads do in the block.
int run_of(const Shape& shape, library::Touch touch, int threads) {
    const bool by_columns = touch == library::Touch::column && shape.rows > 1;
    const int part = by_columns || (touch == library::Touch::all && threads > 1) ? 0 : library::components_touched(shape, touch, threads);
    return part * threads == shape.size() ? part : 0;
}

class Barriers {
public:
    Barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits,
        const std::vector<std::uint8_t>& relation, KernelDraft& draft)
        : kernel_(kernel), routines_(routines), limits_(limits), relation_(relation), draft_(draft) {}

    void run() {
        draft_.barriers.assign(draft_.steps.size(), Barrier::none);
        replaced_.assign(kernel_.data.size(), false);
        for (const KernelOutline::Datum& datum : kernel_.data) {
            if (datum.old_value >= 0) {
                replaced_[static_cast<std::size_t>(datum.old_value)] = true;
            }
        }
        const bool updates = std::find(replaced_.begin(), replaced_.end(), true) != replaced_.end();
        if (limits_.target == Target::host || (draft_.tiles.empty() && !updates)) {
            return; // a tile of the host is one thread's
        }
        const bool one_warp = draft_.threads_per_block <= limits_.warp_size; // whose barrier is then the block's
        since_.reserve(4 * draft_.steps.size());
        for (std::size_t i = 0; i < draft_.steps.size(); ++i) {
            accesses_of(draft_.steps[i]);
            Barrier need = needed();
            if (need == Barrier::block || (need == Barrier::warp && one_warp)) {
                need = one_warp ? Barrier::warp : Barrier::block;
                since_.clear();
            } else if (need == Barrier::warp) {
                for (TileAccess& access : since_) {
                    access.warp_synced = true;
                }
            }
            draft_.barriers[i] = need;
            // The copies' words change at the latest at their wait; a barrier before it would not order them.
            if (draft_.steps[i].kind == Step::Kind::async_wait) {
                since_.insert(since_.end(), in_flight_.begin(), in_flight_.end());
                in_flight_.clear();
            }
            since_.insert(since_.end(), now_.begin(), now_.end());
        }
    }

private:
    const KernelDraft::Datum& plan(int datum) const { return draft_.data[static_cast<std::size_t>(datum)]; }

    void add(int datum, bool write, int threads, library::Touch touch, bool own_part, int run) {
        if (const int tile = plan(datum).tile; tile >= 0) {
            now_.push_back({tile, datum, write, threads, touch, own_part, false, run});
        }
    }
    /// The same of the list that holds `old`, or its new value, in global memory.
    void add_list(int old, bool write, int threads, library::Touch touch, bool own_part, int run) {
        now_.push_back({static_cast<int>(draft_.tiles.size()) + old, old, write, threads, touch, own_part, false, run});
    }

    void accesses_of(const KernelDraft::Step& step) {
        now_.clear();
        switch (step.kind) {
        case Step::Kind::load: {
            const int run = run_of_copy(step.index, plan(step.index).load);
            add(step.index, true, 0, library::Touch::all, false, run);
            if (replaced_[static_cast<std::size_t>(step.index)]) {
                add_list(step.index, false, 0, library::Touch::all, false, run);
            }
            if (plan(step.index).load == Staging::async) {
                in_flight_.insert(in_flight_.end(), now_.begin(), now_.end());
            }
            break;
        }
        case Step::Kind::async_wait:
        case Step::Kind::derive: // registers only
            break;
        case Step::Kind::compute: {
            const auto index = static_cast<std::size_t>(step.index);
            const auto& call = kernel_.calls[index];
            const Routine& routine = call.routines->routines[routines_[index]];
            for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                add_part(call.operands[operand], false, routine, routine.inputs[operand]);
            }
            add_part(call.result, true, routine, routine.output);
            break;
        }
        case Step::Kind::store: {
            const KernelOutline::Datum& datum = kernel_.data[static_cast<std::size_t>(step.index)];
            const KernelDraft::Datum& stored = plan(step.index);
            const int run = run_of_copy(step.index, stored.store);
            add(step.index, false, 0, library::Touch::all, false, run);
            if (datum.old_value >= 0 && stored.tile >= 0) {
                add_list(datum.old_value, true, 0, library::Touch::all, false, run);
            } else if (datum.old_value >= 0) {
                const bool own = stored.threads == 1 || stored.touch != library::Touch::all;
                add_list(
                    datum.old_value, true, stored.threads, stored.touch, own, own ? run_of(datum.shape, stored.touch, stored.threads) : 0);
            }
            break;
        }
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
            throw InternalError("barriers: the steps already hold a barrier");
        }
    }

    /// A block has `elements * largest_threads` threads; those that copy `words` one at a time do so once if that is as many.
    int run_of_copy(int datum, Staging staging) const {
        const bool once = kernel_.data[static_cast<std::size_t>(datum)].shape.size() <= draft_.largest_threads;
        return staging == Staging::words && once ? 1 : 0;
    }

    void add_part(int datum, bool write, const Routine& routine, library::Touch touch) {
        const bool in_place = plan(datum).placement == Placement::memory && replaced_[static_cast<std::size_t>(datum)];
        if (plan(datum).tile < 0 && !in_place) {
            return;
        }
        const Shape& shape = kernel_.data[static_cast<std::size_t>(datum)].shape;
        // Threads of a routine that synchronises may touch one another's parts.
        const bool own = routine.threads == 1 ||
            (!routine.synchronises && touch != library::Touch::all && library::components_touched(shape, touch, routine.threads) != 0);
        const int run = own ? run_of(shape, touch, routine.threads) : 0;
        if (in_place) {
            add_list(datum, write, routine.threads, touch, own, run);
        } else {
            add(datum, write, routine.threads, touch, own, run);
        }
    }

    const Shape& shape_of(const TileAccess& access) const { return kernel_.data[static_cast<std::size_t>(access.datum)].shape; }

    /// Lists lie apart from each other and from all tiles. Their elements follow one another, as in a tile without padding.
    std::uint8_t relation(const TileAccess& before, const TileAccess& after) const {
        const std::size_t tiles = draft_.tiles.size(), a = static_cast<std::size_t>(before.tile), b = static_cast<std::size_t>(after.tile);
        if (a >= tiles || b >= tiles) {
            return a == b ? tiles_overlap | tiles_alike | tiles_start_together : tiles_apart;
        }
        return relation_[a * tiles + b];
    }

    Barrier between(const TileAccess& before, const TileAccess& after) const {
        if (!before.write && !after.write) {
            return Barrier::none;
        }
        const std::uint8_t lie = relation(before, after);
        if ((lie & tiles_overlap) == 0) {
            return Barrier::none;
        }
        if (before.run != 0 && before.run == after.run && (lie & tiles_start_together) != 0) {
            return Barrier::none; // the same thread, whichever element it belongs to
        }
        const bool same_owners = before.threads != 0 && before.threads == after.threads && (lie & tiles_alike) != 0;
        if (!same_owners) {
            return Barrier::block;
        }
        const bool same_shape = before.tile == after.tile || shape_of(before) == shape_of(after);
        if (before.threads == 1 || (before.own_part && after.own_part && before.touch == after.touch && same_shape)) {
            return Barrier::none; // the same thread
        }
        if (limits_.warp_size % before.threads != 0) {
            return Barrier::block;
        }
        return before.warp_synced ? Barrier::none : Barrier::warp;
    }

    Barrier needed() const {
        Barrier most = Barrier::none;
        for (const TileAccess& after : now_) {
            for (const TileAccess& before : since_) {
                most = std::max(most, between(before, after));
                if (most == Barrier::block) {
                    return most;
                }
            }
        }
        return most;
    }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const DeviceLimits& limits_;
    const std::vector<std::uint8_t>& relation_;
    KernelDraft& draft_;
    std::vector<bool> replaced_;    ///< per datum: the kernel loads it, and stores its new value in its place
    std::vector<TileAccess> since_; ///< accesses since the last block barrier
    std::vector<TileAccess> now_;
    std::vector<TileAccess> in_flight_; ///< asynchronous copies not waited for
};

} // namespace

void find_barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits,
    const std::vector<std::uint8_t>& relation, KernelDraft& draft) {
    Barriers(kernel, routines, limits, relation, draft).run();
}

} // namespace fusec::fusion
