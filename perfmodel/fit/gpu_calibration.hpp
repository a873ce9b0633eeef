// SPDX-License-Identifier: Apache-2.0
// From what the probes measured on a GPU to its calibration: figures that a probe isolates are read off it, then those of `composite` are fitted to
// streams and to arithmetic beside them, then those that other predictors have for themselves, and last the correction of `pipeline` is
// trained on the same kernels.
#pragma once

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/gpu_judge.hpp"
#include "perfmodel/fit/gpu_measurements.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct GpuCalibration {
    Calibration calibration;
    /// With the calibration: `composite` on every kernel, strides and records among them, which nothing of it is fitted to; then every other predictor
    /// that serves the GPU on the candidates (is_candidate), which are held out from all.
    std::vector<Judged> judged;
    std::vector<Judged>
        on_candidates; ///< every predictor, `composite` first, on all candidates together ("candidates"); empty: there are none
    /// What figures of `composite` were fitted from: the device as its search found it, with all figures that are not fitted as they are calibrated. A fit of
    /// composite_gpu_kind() from it to `points` gives the calibration's figures.
    Device start;
    std::vector<Point> points; ///< fitted to and held out, those of strides and records held out
    std::vector<std::string>
        left_out; ///< in words: rows that the measurements lack, figures that they say nothing of, predictors that have no figures of their own,
                  ///< transfers whose times they divide badly
};

/// `composite` with the figures that a GPU's probes determine.
PredictorKind composite_gpu_kind();

/// Mean relative deviation from the model above which a figure is warned of: twice what `composite` is asked to keep to (docs/model.md).
inline constexpr double far_off = 0.2;

/// Reports `calibration-file` where the measurements are of another GPU than the description: another architecture or number of multiprocessors;
/// and what points_of reports. Warns (`poor-fit`) of figures whose residual is above far_off, of fits to fewer points than figures,
/// and of figures that ended at a bound of their search.
/// Deterministic; some seconds.
std::optional<GpuCalibration> calibrate_gpu(const GpuMeasurements& measured, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
