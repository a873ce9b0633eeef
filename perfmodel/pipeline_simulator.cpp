// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/pipeline_simulator.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <utility>

namespace fusec::perfmodel::pipeline {

namespace {

using Cycle = std::int64_t;
constexpr Cycle never = std::numeric_limits<Cycle>::max();

/// What a sub-pipe has under way: when each place is given back, in that order. Latencies of a sub-pipe are few: what is new is mostly the last.
class Places {
public:
    void take(Cycle until) {
        auto at = until_.end();
        while (at != until_.begin() && *std::prev(at) > until) {
            --at;
        }
        until_.insert(at, until);
    }
    void give_back(Cycle now) {
        while (!until_.empty() && until_.front() <= now) {
            until_.pop_front();
        }
    }
    std::size_t taken() const { return until_.size(); }
    Cycle next() const { return until_.front(); }

private:
    std::deque<Cycle> until_;
};

class Simulator {
public:
    Simulator(const Sm& sm, std::span<const Warp> warps) : sm_(sm) {
        const auto schedulers = static_cast<std::size_t>(sm.schedulers);
        for (std::size_t first = 0; first < schedulers; ++first) {
            schedulers_.push_back({ready_.size(), 0, 0, false});
            for (std::size_t i = first; i < warps.size(); i += schedulers) {
                add(warps[i]);
                ++schedulers_.back().count;
            }
        }
    }

    Simulation run() {
        while (unfinished_ > 0) {
            for (std::size_t unit = 0; unit < units; ++unit) {
                places_[unit].give_back(clock_);
                find_full(unit);
            }
            const std::int64_t before = result_.issued;
            for (Scheduler& each : schedulers_) {
                turn(each);
            }
            if (unfinished_ == 0) {
                ++clock_;
                break;
            }
            const Cycle next = result_.issued > before ? clock_ + 1 : std::max(clock_ + 1, next_ready());
            internal_check(next != never, "pipeline simulator: all warps wait");
            clock_ = next;
        }
        result_.cycles = std::max(clock_, last_result_);
        return result_;
    }

private:
    struct State {
        std::span<const Task> tasks;
        std::size_t block = 0;
        std::size_t next = 0;
        std::vector<Cycle> written; ///< by register

        bool finished() const { return next == tasks.size(); }
    };
    struct Scheduler {
        std::size_t first, count; ///< its warps
        std::size_t current;      ///< of them
        bool suspended;
    };
    struct Block {
        int warps = 0;
        std::vector<std::size_t> waiting;
    };

    void add(const Warp& warp) {
        State& state = states_.emplace_back(State{warp.tasks, static_cast<std::size_t>(warp.block), 0, {}});
        blocks_.resize(std::max(blocks_.size(), state.block + 1));
        ++blocks_[state.block].warps;
        unfinished_ += warp.tasks.empty() ? 0U : 1U;
        int last = -1;
        for (const Task& task : warp.tasks) {
            last = std::max({last, task.destination, task.sources[0], task.sources[1]});
        }
        state.written.resize(static_cast<std::size_t>(last + 1));
        ready_.push_back(warp.tasks.empty() ? never : 0);
        unit_.push_back(warp.tasks.empty() ? Unit::barrier : warp.tasks.front().unit);
    }

    void find_full(std::size_t unit) { full_[unit] = places_[unit].taken() >= static_cast<std::size_t>(sm_.capacity[unit]); }

    bool can_go(std::size_t warp) const { return ready_[warp] <= clock_ && !full_[static_cast<std::size_t>(unit_[warp])]; }

    void turn(Scheduler& scheduler) {
        if (scheduler.count == 0) {
            return;
        }
        const std::size_t current = scheduler.first + scheduler.current;
        if (!scheduler.suspended && can_go(current)) {
            issue(current);
            return;
        }
        if (!scheduler.suspended && !states_[current].finished()) {
            scheduler.suspended = true;
            return;
        }
        for (std::size_t i = 1; i <= scheduler.count; ++i) {
            const std::size_t place =
                scheduler.current + i < scheduler.count ? scheduler.current + i : scheduler.current + i - scheduler.count;
            if (can_go(scheduler.first + place)) {
                scheduler.current = place;
                scheduler.suspended = false;
                issue(scheduler.first + place);
                return;
            }
        }
    }

    void issue(std::size_t number) {
        State& warp = states_[number];
        const Task& task = warp.tasks[warp.next];
        ++result_.issued;
        if (task.unit == Unit::barrier) {
            arrive(number);
            return;
        }
        const Cycle done = clock_ + task.latency;
        const auto unit = static_cast<std::size_t>(task.unit);
        places_[unit].take(done);
        find_full(unit);
        result_.occupied[unit] += task.latency;
        last_result_ = std::max(last_result_, done);
        if (task.destination >= 0) {
            warp.written[static_cast<std::size_t>(task.destination)] = done;
        }
        advance(number);
    }

    void arrive(std::size_t number) {
        Block& block = blocks_[states_[number].block];
        block.waiting.push_back(number);
        ready_[number] = never;
        if (static_cast<int>(block.waiting.size()) < block.warps) {
            return;
        }
        for (const std::size_t each : std::exchange(block.waiting, {})) {
            advance(each);
        }
    }

    void advance(std::size_t number) {
        State& warp = states_[number];
        ++warp.next;
        if (warp.finished()) {
            ready_[number] = never;
            --unfinished_;
            return;
        }
        const Task& task = warp.tasks[warp.next];
        Cycle ready = 0;
        for (const int place : {task.sources[0], task.sources[1], task.destination}) {
            if (place >= 0) {
                ready = std::max(ready, warp.written[static_cast<std::size_t>(place)]);
            }
        }
        ready_[number] = ready;
        unit_[number] = task.unit;
    }

    /// The first cycle in which a warp can go on; the clock's if one can now.
    Cycle next_ready() const {
        std::array<Cycle, units + 1> place{}; // from when on there is one
        for (std::size_t unit = 0; unit < units; ++unit) {
            place[unit] = full_[unit] ? places_[unit].next() : clock_;
        }
        Cycle next = never;
        for (std::size_t warp = 0; warp < ready_.size(); ++warp) {
            next = std::min(next, std::max(ready_[warp], place[static_cast<std::size_t>(unit_[warp])]));
        }
        return next;
    }

    const Sm& sm_;
    /// Warps, those of a scheduler in a row.
    std::vector<State> states_;
    std::vector<Cycle> ready_; ///< when the registers of the next task are; never: it waits for others, or there is none
    std::vector<Unit> unit_;   ///< of the next task
    std::vector<Scheduler> schedulers_;
    std::vector<Block> blocks_;
    std::array<Places, units> places_;
    std::array<bool, units + 1> full_{}; ///< never the barrier
    std::size_t unfinished_ = 0;
    Cycle clock_ = 0, last_result_ = 0;
    Simulation result_;
};

} // namespace

Simulation simulate(const Sm& sm, std::span<const Warp> warps) {
    return Simulator(sm, warps).run();
}

} // namespace fusec::perfmodel::pipeline
