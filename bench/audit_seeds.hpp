// SPDX-License-Identifier: Apache-2.0
// What two of the seeds' predictors take from measurements of a device in place of figures that a fit could find: `benchmark` its times of
// routines, `staircase` the line of its first stair. Made of points of role fit alone.
#pragma once

#include "bench/audit_data.hpp"
#include "perfmodel/routine_times.hpp"
#include "perfmodel/staircase.hpp"

#include <memory>

namespace fusec::bench {

/// Times of loading one double per element, of the kernel `read`, and of storing one, of `init`, each by elements per block and by the shared
/// memory that leaves so many blocks on a multiprocessor: the simulated fusions of `benchmark`. The grid is filled along the shared memory, for
/// each size of block between its own points, and with the nearest beyond them. Null without such points.
std::shared_ptr<const perfmodel::RoutineTimes> transfer_times(const DeviceData& data);

/// (ta, tb) from the least and the greatest occupancy of `scale`, by equation (7). Nothing where there are not two, or where the line is not
/// positive between no warp and all.
std::optional<perfmodel::StaircaseLine> stair_of_scale(const DeviceData& data);

/// The device with what of both its description lacks, and with `benchmark.remap` = 0, as no measured kernel changes threads.
perfmodel::Device with_measured(const DeviceData& data);

} // namespace fusec::bench
