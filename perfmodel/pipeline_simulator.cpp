// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/pipeline_simulator.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace fusec::perfmodel::pipeline {

namespace {

using Cycle = std::int64_t;
constexpr Cycle never = std::numeric_limits<Cycle>::max();

class Simulator {
public:
    Simulator(const Sm& sm, std::span<const Warp> warps) : sm_(sm), schedulers_(static_cast<std::size_t>(sm.schedulers)) {
        for (std::size_t i = 0; i < warps.size(); ++i) {
            states_.push_back({warps[i].tasks, static_cast<std::size_t>(warps[i].block), 0, 0, {}});
            schedulers_[i % schedulers_.size()].warps.push_back(i);
            blocks_.resize(std::max(blocks_.size(), states_.back().block + 1));
            ++blocks_[states_.back().block].warps;
            unfinished_ += warps[i].tasks.empty() ? 0U : 1U;
            for (const Task& task : warps[i].tasks) {
                const int last = std::max({task.destination, task.sources[0], task.sources[1]});
                states_.back().written.resize(std::max(states_.back().written.size(), static_cast<std::size_t>(last + 1)));
            }
        }
    }

    Simulation run() {
        while (unfinished_ > 0) {
            write_back();
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
        std::size_t block;
        std::size_t next;
        Cycle ready; ///< when the registers of the next task are
        std::vector<Cycle> written;

        bool finished() const { return next == tasks.size(); }
    };
    struct Scheduler {
        std::vector<std::size_t> warps;
        std::size_t current = 0; ///< in warps
        bool suspended = false;
    };
    struct Block {
        int warps = 0;
        std::vector<State*> waiting;
    };
    using Results = std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>>; ///< when each place is given back

    void write_back() {
        for (Results& unit : results_) {
            while (!unit.empty() && unit.top() <= clock_) {
                unit.pop();
            }
        }
    }

    bool full(Unit unit) const {
        const auto index = static_cast<std::size_t>(unit);
        return unit != Unit::barrier && results_[index].size() >= static_cast<std::size_t>(sm_.capacity[index]);
    }

    bool can_go(const State& warp) const { return !warp.finished() && warp.ready <= clock_ && !full(warp.tasks[warp.next].unit); }

    void turn(Scheduler& scheduler) {
        const std::size_t count = scheduler.warps.size();
        if (count == 0) {
            return;
        }
        State* warp = &states_[scheduler.warps[scheduler.current]];
        if (!scheduler.suspended && can_go(*warp)) {
            issue(*warp);
            return;
        }
        if (!scheduler.suspended && !warp->finished()) {
            scheduler.suspended = true;
            return;
        }
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t place = (scheduler.current + i) % count;
            if (can_go(states_[scheduler.warps[place]])) {
                scheduler.current = place;
                scheduler.suspended = false;
                issue(states_[scheduler.warps[place]]);
                return;
            }
        }
    }

    void issue(State& warp) {
        const Task& task = warp.tasks[warp.next];
        ++result_.issued;
        if (task.unit == Unit::barrier) {
            arrive(warp);
            return;
        }
        const Cycle done = clock_ + task.latency;
        const auto unit = static_cast<std::size_t>(task.unit);
        results_[unit].push(done);
        result_.occupied[unit] += task.latency;
        last_result_ = std::max(last_result_, done);
        if (task.destination >= 0) {
            warp.written[static_cast<std::size_t>(task.destination)] = done;
        }
        advance(warp);
    }

    void arrive(State& warp) {
        Block& block = blocks_[warp.block];
        block.waiting.push_back(&warp);
        warp.ready = never;
        if (static_cast<int>(block.waiting.size()) < block.warps) {
            return;
        }
        for (State* each : std::exchange(block.waiting, {})) {
            advance(*each);
        }
    }

    void advance(State& warp) {
        ++warp.next;
        warp.ready = 0;
        if (warp.finished()) {
            --unfinished_;
            return;
        }
        const Task& task = warp.tasks[warp.next];
        for (const int place : {task.sources[0], task.sources[1], task.destination}) {
            if (place >= 0) {
                warp.ready = std::max(warp.ready, warp.written[static_cast<std::size_t>(place)]);
            }
        }
    }

    /// The first cycle in which a warp can go on; the clock's if one can now.
    Cycle next_ready() const {
        Cycle next = never;
        for (const State& warp : states_) {
            if (!warp.finished() && warp.ready != never) {
                const Unit unit = warp.tasks[warp.next].unit;
                next = std::min(next, std::max(warp.ready, full(unit) ? results_[static_cast<std::size_t>(unit)].top() : clock_));
            }
        }
        return next;
    }

    const Sm& sm_;
    std::vector<State> states_;
    std::vector<Scheduler> schedulers_;
    std::vector<Block> blocks_;
    std::array<Results, units> results_;
    std::size_t unfinished_ = 0;
    Cycle clock_ = 0, last_result_ = 0;
    Simulation result_;
};

} // namespace

Simulation simulate(const Sm& sm, std::span<const Warp> warps) {
    return Simulator(sm, warps).run();
}

} // namespace fusec::perfmodel::pipeline
