// SPDX-License-Identifier: Apache-2.0
// The simulator of the predictor `pipeline` beside one that is as plain as its description: every cycle, every warp, no lists of what is ready.
#include "perfmodel/pipeline_simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace fusec::perfmodel::pipeline {
namespace {

struct PlainWarp {
    std::vector<Task> tasks;
    int block = 0;
    std::size_t next = 0;
    bool at_barrier = false;
    std::map<int, std::int64_t> written; ///< by register
};

/// Cycle by cycle, as pipeline_simulator.hpp says it.
Simulation plainly(const Sm& sm, std::vector<PlainWarp> warps) {
    struct Scheduler {
        std::vector<std::size_t> warps;
        std::size_t current = 0;
        bool suspended = false;
    };
    std::vector<Scheduler> schedulers(static_cast<std::size_t>(sm.schedulers));
    for (std::size_t i = 0; i < warps.size(); ++i) {
        schedulers[i % schedulers.size()].warps.push_back(i);
    }
    std::array<std::vector<std::int64_t>, units> under_way; // when each place is given back
    Simulation result;
    std::int64_t last = 0, clock = 0;
    const auto done = [&] { return std::all_of(warps.begin(), warps.end(), [](const PlainWarp& w) { return w.next == w.tasks.size(); }); };
    for (; !done(); ++clock) {
        for (auto& unit : under_way) {
            std::erase_if(unit, [&](std::int64_t until) { return until <= clock; });
        }
        const auto can_go = [&](PlainWarp& warp) {
            if (warp.next == warp.tasks.size() || warp.at_barrier) {
                return false;
            }
            const Task& task = warp.tasks[warp.next];
            const auto unit = static_cast<std::size_t>(task.unit);
            const bool ready =
                warp.written[task.sources[0]] <= clock && warp.written[task.sources[1]] <= clock && warp.written[task.destination] <= clock;
            return ready && (task.unit == Unit::barrier || static_cast<int>(under_way[unit].size()) < sm.capacity[unit]);
        };
        const auto issue = [&](PlainWarp& warp) {
            const Task& task = warp.tasks[warp.next];
            ++result.issued;
            if (task.unit == Unit::barrier) {
                warp.at_barrier = true;
                const bool all =
                    std::all_of(warps.begin(), warps.end(), [&](const PlainWarp& w) { return w.block != warp.block || w.at_barrier; });
                for (PlainWarp& other : warps) {
                    if (all && other.block == warp.block) {
                        other.at_barrier = false;
                        ++other.next;
                    }
                }
                return;
            }
            const auto unit = static_cast<std::size_t>(task.unit);
            under_way[unit].push_back(clock + task.latency);
            result.occupied[unit] += task.latency;
            last = std::max(last, clock + task.latency);
            if (task.destination >= 0) {
                warp.written[task.destination] = clock + task.latency;
            }
            ++warp.next;
        };
        for (Scheduler& scheduler : schedulers) {
            if (scheduler.warps.empty()) {
                continue;
            }
            PlainWarp& current = warps[scheduler.warps[scheduler.current]];
            if (!scheduler.suspended && can_go(current)) {
                issue(current);
            } else if (!scheduler.suspended && current.next != current.tasks.size()) {
                scheduler.suspended = true;
            } else {
                for (std::size_t i = 1; i <= scheduler.warps.size(); ++i) {
                    const std::size_t place = (scheduler.current + i) % scheduler.warps.size();
                    if (can_go(warps[scheduler.warps[place]])) {
                        scheduler.current = place;
                        scheduler.suspended = false;
                        issue(warps[scheduler.warps[place]]);
                        break;
                    }
                }
            }
        }
    }
    result.cycles = std::max(clock, last);
    return result;
}

TEST(PipelineSimulator, IsAsPlainAsItsDescription) {
    std::mt19937 random(20261126);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    int with_barriers = 0, issued = 0;
    for (int round = 0; round < 2000; ++round) {
        Sm sm{1 + below(4), {}};
        for (int& capacity : sm.capacity) {
            capacity = 1 + below(6);
        }
        const int blocks = 1 + below(3), warps_per_block = 1 + below(5), barriers = below(3);
        std::vector<PlainWarp> plain;
        for (int block = 0; block < blocks; ++block) {
            for (int warp = 0; warp < warps_per_block; ++warp) {
                PlainWarp& made = plain.emplace_back();
                made.block = block;
                for (int part = 0; part <= barriers; ++part) {
                    for (int left = below(12); left > 0; --left) {
                        const auto place = [&] { return below(5) - 1; };
                        made.tasks.push_back({0, 0, static_cast<Unit>(below(units)), 1 + below(20), place(), {place(), place()}, 0});
                    }
                    if (part < barriers) {
                        made.tasks.push_back({0, 0, Unit::barrier, 1, -1, {below(5) - 1, -1}, 0});
                    }
                }
            }
        }
        std::vector<Warp> warps;
        for (const PlainWarp& each : plain) {
            warps.push_back({each.tasks, each.block});
        }
        const Simulation quick = simulate(sm, warps), expected = plainly(sm, plain);
        ASSERT_EQ(quick.cycles, expected.cycles) << "round " << round;
        EXPECT_EQ(quick.issued, expected.issued);
        EXPECT_EQ(quick.occupied, expected.occupied);
        with_barriers += barriers > 0 ? 1 : 0;
        issued += static_cast<int>(quick.issued);
    }
    EXPECT_GT(with_barriers, 1000);
    EXPECT_GT(issued, 50000);
}

} // namespace
} // namespace fusec::perfmodel::pipeline
