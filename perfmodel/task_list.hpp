// SPDX-License-Identifier: Apache-2.0
// Task lists after Zhang, Chen, Ming (CUDA kernel time prediction from PTX and a pipeline simulation, section 2.2): what one warp executes, in order.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace fusec::perfmodel::pipeline {

/// A sub-pipe of a multiprocessor. The source has DP, SP, SFU and memory; shared memory and barriers are ours, since it does not speak of them.
enum class Unit {
    dp,
    sp,
    sfu,
    memory,
    shared,
    barrier
};
inline constexpr int units = 5; ///< with places: all but the barrier

/// One instruction of a warp. Registers are numbered per list, which stands for the source's renaming by thread.
struct Task {
    int id = 0;   ///< its place in the list
    int list = 0; ///< of which warp, or of which of several warps that do the same
    Unit unit = Unit::sp;
    int latency = 1;      ///< cycles
    int destination = -1; ///< register, -1: none
    std::array<int, 2> sources{-1, -1};
    int block = 0; ///< basic block
};

/// As PTX has it, every value in a register.
struct Instruction {
    Unit unit = Unit::sp;
    int latency = 1;
    int destination = -1;
    std::array<int, 2> sources{-1, -1};
    int block = 0;
};

/// "Whenever a new register is met, global memory is in fact accessed": a load of that latency stands before the first use of a register that
/// nothing has written. [X: a register that is written first is no load.] Linear in instructions. Pre: registers are -1 or more.
/// No kernel that is predicted can be given to it: candidates are counts by step, and the analysis of compiled ones keeps counts and the
/// longest chain, no operands. They have tasks_of (pipeline_tasks.hpp) in its place; this is the source's, and runs in the same simulator.
std::vector<Task> task_list(std::span<const Instruction> code, int list, int global_latency);

/// Basic blocks along the list, those that follow each other straight counted once (section 3.4): changes of Task::block, and one.
int basic_blocks(std::span<const Task> tasks);

} // namespace fusec::perfmodel::pipeline
