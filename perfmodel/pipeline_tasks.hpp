// SPDX-License-Identifier: Apache-2.0
// The task lists of a kernel of this compiler, from its steps: what `pipeline` has in place of the source's PTX. [Ours]
//
// A step is its runs of tasks, in this order: other instructions (addresses, moves, conditions), which go through SP; loads, of 128 bytes each;
// passes of shared memory; arithmetic of DP, SP and SFU; stores. Arithmetic is `chains` chains side by side, from the first step to the
// last: what a step computes depends on what the steps before it computed. Other instructions are as many chains of their own. A load needs an
// address; passes of a step that loads through registers need its loads, as do a wait and the arithmetic of its step; arithmetic also
// needs the step's passes; a store needs a chain. Accesses count as coalesced, as in the source.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/task_list.hpp"

namespace fusec::perfmodel::pipeline {

/// Dependent arithmetic that a thread has side by side: an assumption for all kernels.
inline constexpr int chains = 4;

struct Latencies {
    int arithmetic_f32 = 1, arithmetic_f64 = 1, integer = 1, special = 1, global = 1, shared = 1; ///< cycles
};

/// Tasks of one kind one after another.
struct Run {
    enum class Role {
        other,
        load,
        asynchronous_load,
        wait,
        pass,
        arithmetic,
        store,
        barrier
    } role = Role::other;
    Unit unit = Unit::sp;
    int latency = 1;
    double count = 0;
    int warps = 0; ///< of a block that have it: the first ones
    int block = 0; ///< basic block: neighbours with as many threads and no barrier between them are one

    /// There is one of it however much a list is shortened.
    bool always() const;
};

/// Pre: the work has its steps.
std::vector<Run> runs(
    const fusion::KernelWork& work, const fusion::DeviceLimits& limits, const Latencies& latencies, const FunctionSlots& slots);

/// Tasks of a list with all runs.
double tasks(const std::vector<Run>& runs);

/// The list of the warp of that place in its block, shortened to a share: 1 + share * (count - 1) of runs that always are, share *
/// count of others; what rounding leaves goes to the next run of the same sub-pipe. share 1: the whole list.
std::vector<Task> tasks_of(const std::vector<Run>& runs, int warp, double share);

/// Of tasks_of at most about `most`, but for runs that always are.
double share_of(const std::vector<Run>& runs, double most);

} // namespace fusec::perfmodel::pipeline
