// SPDX-License-Identifier: Apache-2.0
// What each term of `composite` is worth: the predictor with and without it, each fitted to the same points and judged on the same held-out
// ones (perfmodel/fit/ablation.hpp).
#pragma once

#include "bench/audit_data.hpp"
#include "perfmodel/fit/ablation.hpp"
#include "perfmodel/fit/gpu_calibration.hpp"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

namespace fusec::bench {

/// Of points that are held out.
struct AblationAccuracy {
    double mape = 0;            ///< over all points
    double mean_of_kernels = 0; ///< of the MAPEs of the kernels, each of which weighs the same
    double of_moved = 0;        ///< MAPE over the points that the term moves; 0 where there is none
    double p90_of_moved = 0;    ///< the error that nine in ten of them keep to (perfmodel::Accuracy)
    double fit_error = 0;       ///< on the points fitted to
};

/// One term on one device.
struct AblationResult {
    const perfmodel::Ablation* ablation = nullptr;
    std::string device;
    std::size_t moved_fit = 0, moved_held_out = 0; ///< points whose prediction changes when the term goes, before figures are fitted again
    AblationAccuracy full;
    std::optional<AblationAccuracy> without; ///< nothing where no point is moved
};

/// One device.
struct AblatedDevice {
    std::string device;
    std::size_t fit = 0, held_out = 0; ///< points
    std::vector<AblationResult> terms; ///< those of the device's target, in the order of ablations()
};

/// All terms on one device, the full predictor and each without one fitted from `start`. `kind` is `composite` with the figures to fit.
AblatedDevice ablate(const perfmodel::PredictorKind& kind, const perfmodel::Device& start, const std::vector<perfmodel::Point>& points);

/// Of every device with streams that figures can be fitted to.
std::vector<AblatedDevice> ablate(const std::vector<DeviceData>& devices);

/// Of a GPU that probes measured: fitted as its calibration is, judged on all points that are held out, strides, records and candidates among them.
AblatedDevice ablate(const perfmodel::GpuCalibration& calibrated);

void print(const std::vector<AblatedDevice>& devices, std::ostream& out);

/// An entry per term: what it is, and a row per device whose target has it; a row without `without` says that no point is moved.
nlohmann::ordered_json terms_to_json(const std::vector<AblatedDevice>& devices);

/// Schema "fusec-ablations", version 1: run record of the sources' folder, where the points are from (`data`; of public data an address), devices, terms.
std::string to_json(const std::vector<AblatedDevice>& devices, const std::string& sources, const std::string& data);

} // namespace fusec::bench
