// SPDX-License-Identifier: Apache-2.0
// The staircase of Vishnyakov, Kovalchuk and Bukhanovsky ("Mapping computational algorithms to the parallel architecture of graphics
// accelerators"): a kernel takes as long for one block as for all that the multiprocessors hold at once, and a step more for each further
// filling. Names are the source's.
//
// Condition (6) and equation (7) are images that the text has lost; both are rebuilt from its list of variables. W = mWarps * occupancy is
// what a multiprocessor holds, w = warpsPerMP what it is given:
//     (6)  nblocks * (blockSize / warpSize) / nMP > W             the first stair is full
//     (7)  T = t0 * workPerThread * (W * warpSize * nMP) * ceil(w / W)
// For full grids, N = workPerThread * warpSize * w * nMP and (7) is t0 * N * (W / w) * ceil(w / W). The form above has flat stairs, as the
// source draws them, for every grid. t0 = ta + tb * occupancy is the source's hypothesis. Not in the model: (5)'s allocations and copies,
// the launch, memory of any kind: the kernel's own measured stair stands for all of it. Ours: the predictor adds the launch of the device, and
// takes one (ta, tb) for all of a device's kernels, as those that are searched through have never been measured. The source bounds t0 by no
// rate, of instructions or of memory, since it is measured: carried over to other kernels, (7) can be faster than the device
// (docs/model.md).
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

struct StaircaseInputs {
    double nblocks = 0;
    double block_size = 0;      ///< threads
    double warp_size = 32;      ///< threads
    double n_mp = 1;            ///< multiprocessors
    double m_warps = 1;         ///< that a multiprocessor of this kind can hold
    double occupancy = 1;       ///< warps of this kernel that it holds / mWarps
    double work_per_thread = 0; ///< elementary operations
    double t0 = 0;              ///< ps per elementary operation, of all that run at once
};

struct Staircase {
    double warps_per_mp = 0; ///< w, of the multiprocessor with the most blocks
    double warps_held = 0;   ///< W
    bool saturated = false;  ///< (6)
    double stairs = 0;       ///< ceil(w / W)
    double first_stair = 0;  ///< seconds
    double seconds = 0;      ///< T
};

/// Of a launch of a kernel of which a multiprocessor holds so many blocks, all but t0. An elementary operation is an instruction of a thread:
/// workPerThread are the thread-instructions of a block, by its threads. Pre: `resident` is at least 1.
StaircaseInputs staircase_inputs(const fusion::DeviceLimits& limits, const fusion::KernelWork& work, std::uint64_t elements, int resident);

/// Pre: the occupancy is that of one or more whole blocks; threads and multiprocessors at least 1.
Staircase staircase(const StaircaseInputs& inputs);

/// t0 of a kernel from its own time on the first stair: T over the operations of a full one. `inputs.t0` is not read.
/// Pre: at least one operation per thread.
double t0_of(double seconds, const StaircaseInputs& inputs);

struct StaircaseLine {
    double ta = 0, tb = 0; ///< ps
    double t0(double occupancy) const { return ta + tb * occupancy; }
};
/// (ta, tb) from two t0 of one kernel at two occupancies: blocks of two sizes. Pre: the occupancies differ.
StaircaseLine staircase_line(double first_t0, double first_occupancy, double second_t0, double second_occupancy);

/// Pre: the device has staircase.ta and staircase.tb, and t0 is positive at every occupancy (staircase_ready).
std::unique_ptr<Predictor> make_staircase(const Device& device);
/// False if a figure is missing, which is reported elsewhere, or after reporting that they make t0 zero or less at some occupancy.
bool staircase_ready(const Device& device, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
