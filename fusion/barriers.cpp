// SPDX-License-Identifier: Apache-2.0
// Barriers by the analytic rule: from thread maps and tile layouts, without enumerating threads.
#include "fusion/kernel_builder.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

enum class Need {
    none,
    warp,
    block
};

/// One tile accessed by one step. `threads` = 0: the block copies, no thread map to rely on.
struct TileAccess {
    int datum = 0;
    bool write = false;
    int threads = 0;
    library::Touch touch = library::Touch::all;
    bool own_part = false;    ///< each thread touches its own part and nothing else
    bool warp_synced = false; ///< a warp barrier came after it
};

class Barriers {
public:
    Barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, Candidate& candidate)
        : kernel_(kernel), routines_(routines), limits_(limits), candidate_(candidate) {}

    void run() {
        std::vector<Step> steps;
        steps.reserve(candidate_.steps.size() * 2);
        std::vector<int> moved; // old number of a step -> new
        for (const Step& step : candidate_.steps) {
            accesses_of(step);
            const Need need = needed();
            if (need == Need::block) {
                steps.push_back({Step::Kind::block_barrier, {}, {}});
                since_.clear();
            } else if (need == Need::warp) {
                steps.push_back({Step::Kind::warp_barrier, {}, {}});
                for (TileAccess& access : since_) {
                    access.warp_synced = true;
                }
            }
            moved.push_back(static_cast<int>(steps.size()));
            steps.push_back(step);
            since_.insert(since_.end(), now_.begin(), now_.end());
        }
        candidate_.steps = std::move(steps);
        for (DatumPlan& plan : candidate_.data) {
            if (plan.slot) {
                plan.slot->first_step = moved[static_cast<std::size_t>(plan.slot->first_step)];
                plan.slot->last_step = moved[static_cast<std::size_t>(plan.slot->last_step)];
            }
        }
    }

private:
    int index_of(DataId id) const {
        return static_cast<int>(std::lower_bound(kernel_.data.begin(), kernel_.data.end(), id, [](const auto& datum, DataId wanted) { return datum.id < wanted; }) - kernel_.data.begin());
    }
    const DatumPlan& plan(int datum) const { return candidate_.data[static_cast<std::size_t>(datum)]; }

    void add(int datum, bool write, int threads, library::Touch touch, bool own_part) {
        if (plan(datum).slot) {
            now_.push_back({datum, write, threads, touch, own_part, false});
        }
    }

    void accesses_of(const Step& step) {
        now_.clear();
        switch (step.kind) {
        case Step::Kind::load: {
            const int datum = index_of(step.datum);
            add(datum, true, 0, library::Touch::all, false);
            if (plan(datum).load == Staging::async) {
                in_flight_.push_back(datum);
            }
            break;
        }
        case Step::Kind::async_wait:
            // The copies' words change at the latest here; a barrier before the wait would not order them.
            for (int datum : in_flight_) {
                since_.push_back({datum, true, 0, library::Touch::all, false, false});
            }
            in_flight_.clear();
            break;
        case Step::Kind::compute: {
            const auto position = std::lower_bound(kernel_.calls.begin(), kernel_.calls.end(), step.call, [](const auto& call, CallId wanted) { return call.id < wanted; });
            const auto call = static_cast<std::size_t>(position - kernel_.calls.begin());
            const Routine& routine = position->routines->routines[routines_[call]];
            for (std::size_t operand = 0; operand < position->operands.size(); ++operand) {
                add_part(position->operands[operand], false, routine, routine.inputs[operand]);
            }
            add_part(position->result, true, routine, routine.output);
            break;
        }
        case Step::Kind::store:
            add(index_of(step.datum), false, 0, library::Touch::all, false);
            break;
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
            throw InternalError("barriers: the steps already hold a barrier");
        }
    }

    void add_part(int datum, bool write, const Routine& routine, library::Touch touch) {
        const Shape& shape = kernel_.data[static_cast<std::size_t>(datum)].shape;
        // Threads of a routine that synchronises may touch one another's parts.
        const bool own = routine.threads == 1 || (!routine.synchronises && touch != library::Touch::all && library::components_touched(shape, touch, routine.threads) != 0);
        add(datum, write, routine.threads, touch, own);
    }

    bool overlap(const SharedSlot& a, const SharedSlot& b) const { return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes; }

    Need between(const TileAccess& before, const TileAccess& after) const {
        if (!before.write && !after.write) {
            return Need::none;
        }
        const SharedSlot& a = *plan(before.datum).slot;
        const SharedSlot& b = *plan(after.datum).slot;
        if (!overlap(a, b)) {
            return Need::none;
        }
        const bool same_elements = a.offset == b.offset && a.element_words == b.element_words && a.group == b.group && a.pad_words == b.pad_words;
        const bool same_owners = before.threads != 0 && before.threads == after.threads && same_elements;
        if (!same_owners) {
            return Need::block;
        }
        const bool same_shape = before.datum == after.datum || kernel_.data[static_cast<std::size_t>(before.datum)].shape == kernel_.data[static_cast<std::size_t>(after.datum)].shape;
        if (before.threads == 1 || (before.own_part && after.own_part && before.touch == after.touch && same_shape)) {
            return Need::none; // the same thread
        }
        if (limits_.warp_size % before.threads != 0) {
            return Need::block;
        }
        return before.warp_synced ? Need::none : Need::warp;
    }

    Need needed() const {
        Need most = Need::none;
        for (const TileAccess& after : now_) {
            for (const TileAccess& before : since_) {
                most = std::max(most, between(before, after));
            }
        }
        return most;
    }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const DeviceLimits& limits_;
    Candidate& candidate_;
    std::vector<TileAccess> since_; ///< accesses since the last block barrier
    std::vector<TileAccess> now_;
    std::vector<int> in_flight_;
};

} // namespace

void insert_barriers(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, Candidate& candidate) {
    Barriers(kernel, routines, limits, candidate).run();
}

} // namespace fusec::fusion
