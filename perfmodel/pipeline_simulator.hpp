// SPDX-License-Identifier: Apache-2.0
// The pipeline of one multiprocessor, after Zhang, Chen, Ming (section 3.2), in cycles.
//
// A task goes through issue, read, execute and write-back. A scheduler issues in order the tasks of one warp, one a cycle, each when the register
// table says that no operand and not its destination waits for a result (read) and the unit table that its sub-pipe has a place (execute); it
// keeps the place for its latency, then writes its register, and gives the place back. A scheduler whose warp cannot go on is suspended for the
// cycle and takes another warp in the next, the first after it that can go on. The clock advances by 1, or to the next result
// that lets any warp go on if none can. It ends when all lists are empty and all results written.
//
// Reconstructed [X]: the first three states take one cycle together and the latency counts from it, so that the latencies of dependent
// instructions add up, as in the microbenchmarks that give them; within a warp a task may be issued before those before it are done, never
// before they are issued; of a finished warp a scheduler lets go at once. The source runs a thread for each scheduler; here
// they take turns within a cycle, in order, so that a simulation has one result.
#pragma once

#include "perfmodel/task_list.hpp"

#include <array>
#include <cstdint>

namespace fusec::perfmodel::pipeline {

struct Sm {
    int schedulers = 4;
    /// Tasks that a sub-pipe holds at a time, by Unit.
    std::array<int, units> capacity{};
};

struct Warp {
    std::span<const Task> tasks;
    int block = 0; ///< warps of one block wait for each other at its barriers: all of them have as many
};

struct Simulation {
    std::int64_t cycles = 0;
    std::int64_t issued = 0;                    ///< tasks
    std::array<std::int64_t, units> occupied{}; ///< sum of the latencies of each sub-pipe's tasks
};

/// Warp i belongs to scheduler i mod schedulers. Pre: capacities of used sub-pipes and latencies are positive; blocks are numbered from 0.
/// Throws InternalError if warps wait for each other for ever. O(warps per scheduler) for each cycle in which one is suspended; for a task
/// the results under way of its sub-pipe that end after it, of which there are none where its tasks have one latency.
Simulation simulate(const Sm& sm, std::span<const Warp> warps);

} // namespace fusec::perfmodel::pipeline
