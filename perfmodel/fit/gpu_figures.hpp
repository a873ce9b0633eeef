// SPDX-License-Identifier: Apache-2.0
// Figures of a GPU that single probes isolate.
#pragma once

#include "fusion/target.hpp"
#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"

#include <string>
#include <vector>

namespace fusec::perfmodel {

struct MeasuredFigures {
    std::vector<CalibratedFigure> figures;
    std::vector<std::string> impossible; ///< in words: what was measured and cannot be
};

/// What the rows say directly, each with how; nothing of a figure whose rows are missing. `limits` are those of the GPU measured.
MeasuredFigures measured_figures(const GpuMeasurements& measured, const fusion::DeviceLimits& limits);

} // namespace fusec::perfmodel
