// SPDX-License-Identifier: Apache-2.0
#include "cli/host_calibration.hpp"

#include "cli/host_calibrator.hpp"

#include <utility>

namespace fusec::cli {

execute::TimingSetup sampling_of_calibrations(execute::TimingSetup setup) {
    setup.rounds = 14;
    setup.warm_up = 0; // each text has been executed when it is compared with the reference
    setup.sample_seconds = 2.5e-4;
    return setup;
}

std::optional<HostCalibration> calibrate_host(
    const HostCalibrationOptions& options, const execute::TimingSetup& setup, const Path& scratch, Diagnostics& diagnostics) {
    HostCalibrator calibrator(options, setup, scratch, diagnostics);
    return calibrator.calibrate() ? std::optional(calibrator.made()) : std::nullopt;
}

} // namespace fusec::cli
