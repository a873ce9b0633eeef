// SPDX-License-Identifier: Apache-2.0
// From what the probes measured on a GPU to its calibration: figures that a probe isolates are read off it, then those of `composite` are fitted to
// streams and to arithmetic beside them, then those that other predictors have for themselves, and last the correction of `pipeline` is
// trained on the same kernels.
#pragma once

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"
#include "perfmodel/fit/statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct GpuCalibration {
    Calibration calibration;
    struct Judged {
        std::string kernel; ///< "read", "width", ... (gpu_points.hpp)
        bool held_out = false;
        Accuracy accuracy; ///< of `composite` with the calibration
    };
    std::vector<Judged> judged;
    std::vector<std::string>
        left_out; ///< in words: figures that the measurements say nothing of, predictors that have no figures of their own
};

/// Mean relative deviation from the model above which a figure is warned of: twice what `composite` is asked to keep to (docs/model.md).
inline constexpr double far_off = 0.2;

/// Reports `calibration-file` where the measurements are of another GPU than the description: another architecture or number of multiprocessors;
/// and what points_of reports. Warns (`poor-fit`) of figures whose residual is above far_off, and of fits to fewer points than figures.
/// Deterministic; some seconds.
std::optional<GpuCalibration> calibrate_gpu(const GpuMeasurements& measured, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
