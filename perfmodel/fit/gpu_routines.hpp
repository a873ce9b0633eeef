// SPDX-License-Identifier: Apache-2.0
// Rows `kernel` of the GPU's probes that isolate routines, as the table of times that `benchmark` needs (routine_times.hpp).
#pragma once

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct GpuRoutines {
    std::map<std::string, RoutineTimes::Routine, std::less<>> routines;
    std::optional<CalibratedFigure> remap; ///< benchmark.remap, where all four rows of it are there
    std::vector<std::string>
        left_out; ///< in words: each routine that was measured and has no times, or none in some blocks; transfers of earlier counts
    std::vector<std::string>
        divided; ///< in words: how many transfers have their times of the peak bandwidths alone, and rows that contradict the others
};

/// Of all repetitions a routine's time may deviate by so much from that of the further ones: twice as many take at least 1.8 times as long.
inline constexpr double most_residual = 0.125;

/// A routine takes what further repetitions of it take, c = (t2 - t1) / (n2 - n1). What is around them may hide behind them, the more the more
/// there are: then t2 - t1 is too little, and t2 / n2 too much. Their relative distance |t2 / n2 - c| / c is the residual of the time. A time is
/// none where it is above most_residual, and where it is below what the arithmetic of the row's work takes at the device's peak rates
/// (least_compute_ns) at the row's clock: something that repetitions should do was left out. Rows and columns of a table are dropped until all
/// times that are left are some; `left_out` says so. A kernel that moves lists takes what its
/// lists take, one after another; the time of each transfer is found of all kernels together that have blocks of as many elements, and as many of them
/// resident (transfer_times.hpp), whatever shared memory keeps others away. No transfer is faster than its bytes, or the sectors asked for where these are
/// fewer, at the bandwidth of reading or writing (stream.read.peak, stream.write.peak of the device); of loads in place that are strided, whose bytes several
/// threads may read and memory gives once, no more counts than the kernel had time for. What kernels do not tell apart is divided by the sectors over these
/// bandwidths; `divided` says of how many rows nothing else does, and how many deviate by more than most_residual from their lists' times.
/// The name of a transfer says how many bytes are moved: of rows whose work is of earlier counts than the others' there is no time, and `left_out`
/// says so. A change of threads costs what pairs of calls with one take more than pairs without, on average.
/// Reports `invalid-measurement` at the row of a kernel that does not have the routine or the transfer of its name, that was measured twice at the
/// same place of the table, or without the other number of repetitions; and where the table of a name has a hole.
std::optional<GpuRoutines> routines_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
