// SPDX-License-Identifier: Apache-2.0
// Rows of the GPU's probes as points: each with the work that its kernel does.
#pragma once

#include "perfmodel/device.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"
#include "perfmodel/fit/point.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct GpuPoints {
    std::vector<Point> points;
    /// Floats by a stride and records, of role fit, from memory and from L2 ("strided", "records", "strided in L2", "records in L2"): what `pipeline`
    /// has a learned correction for and no other figure; nothing else is fitted to them.
    std::vector<Point> scattered;
    std::map<std::string, std::size_t> left_out; ///< by probe: rows whose number of resident blocks the description does not make possible
};

/// Streams over the occupancy, and chains of FMAs behind loads at the most and the fewest resident blocks, are there to fit figures to, and so
/// are volumes that half of the cache holds since the launch before ("in L2", the least of them "start-up"). Held out are the chains at other numbers of blocks ("overlap"), the staged ones
/// ("staged"), copies by width ("width"), other volumes ("around L2", "cold") and copies and chains of FMAs of a few waves ("waves", "computing waves"), and kernels that the compiler emitted: the staged one over shared memory and registers
/// ("occupancy"), those of generated programs ("generated") and of programs by name. Rows of other probes
/// are no points.
/// Reports `invalid-measurement` at a kernel or way that its probe does not have, at a block that does not fit a multiprocessor, or where no row can
/// be fitted to.
std::optional<GpuPoints> points_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics);

/// Whether the point is a candidate of the compiler ("generated", or of a program by name): what predictors are asked about when plans are made.
/// Those of "occupancy" are none, one kernel under different limits.
bool is_candidate(const Point& point);

} // namespace fusec::perfmodel
