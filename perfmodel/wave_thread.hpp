// SPDX-License-Identifier: Apache-2.0
// One thread running alone, after Kleimenov and Popova (Computational nanotechnology 8/1, 2021): latencies and delays of its instructions.
// Cycles throughout.
#pragma once

#include <span>
#include <vector>

namespace fusec::perfmodel::wave {

struct Instruction {
    double lat = 0;             ///< from its start until its result can be used
    double del = 1;             ///< from its start until the next instruction can start
    std::vector<int> operands;  ///< places in the list of earlier instructions whose results it uses
    std::vector<int> carried{}; ///< in a loop: places of instructions whose results it uses from the iteration before (phi)
};

/// delay_inst = max(warpSize / unitCount_inst, 1): a dispatcher sends a warp's instruction in parts where its processing block has fewer
/// units. Pre: unit_count > 0.
double delay_inst(double warp_size, double unit_count);

/// Starts of the instructions of so many iterations, one after another: in order, each when the delay of the one before it has passed and its
/// operands are there. The first starts at 0. Linear in instructions and operands.
std::vector<double> starts(std::span<const Instruction> code, int iterations = 1);

/// time: of straight code, until the last result is there and the last delay has passed.
double time(std::span<const Instruction> code);
/// delay: the sum of delays.
double delay(std::span<const Instruction> code);

/// T_loop: two iterations one after another, divided by 2, times trip. Until the start of the last instruction, as in the source's printed
/// example (Fig. 3), whose sum ends with the delays of what stands before the branch [the last term of the print is illegible, taken for the
/// delay of the instruction before the branch]. The print leaves a delay out where the rule that the text states has it: wave_test.cpp.
/// Pre: the body has an instruction. No kernel that is predicted can be given to it, nor to `time` and `delay`: candidates are counts by
/// step, without operands, and the compiler's kernels have no loops but copies of tiles. The predictor takes `starts` for what a pass of
/// chains takes (wave_predictor.cpp); this and the two are the source's, against its printed example.
double loop_time(std::span<const Instruction> body, double trip);

} // namespace fusec::perfmodel::wave
