// SPDX-License-Identifier: Apache-2.0
// Figures of a GPU that single probes isolate.
#pragma once

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"

#include <vector>

namespace fusec::perfmodel {

/// What the rows say directly, each with how; nothing of a figure whose rows are missing or that cannot have the value.
std::vector<CalibratedFigure> measured_figures(const GpuMeasurements& measured);

} // namespace fusec::perfmodel
