// SPDX-License-Identifier: Apache-2.0
// Rows `kernel` of the GPU's probes that isolate routines, as the table of times that `benchmark` needs (routine_times.hpp).
#pragma once

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"

#include <map>
#include <optional>
#include <string>

namespace fusec::perfmodel {

struct GpuRoutines {
    std::map<std::string, RoutineTimes::Routine, std::less<>> routines;
    std::optional<CalibratedFigure> remap; ///< benchmark.remap, where all four rows of it are there
};

/// A routine takes what further repetitions of it take. The time of a kernel that moves lists is divided among them by their bytes over the
/// bandwidth of reading or writing (stream.read.peak, stream.write.peak of the device); a row has one of the ways in which its kernel moves
/// lists. A change of threads costs what pairs of calls with one take more than pairs without, on average.
/// Reports `invalid-measurement` at the row of a kernel that does not have the routine or the transfer of its name, that was measured twice at the
/// same place of the table, or without the other number of repetitions; and where the table of a name has a hole.
std::optional<GpuRoutines> routines_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
