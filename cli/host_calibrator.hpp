// SPDX-License-Identifier: Apache-2.0
// A calibration of a host that can be asked again about its memory: how fast that is changes from minute to minute on machines that others use too.
#pragma once

#include "cli/host_calibration.hpp"
#include "cli/host_probes.hpp"
#include "cli/host_session.hpp"
#include "execute/timed_texts.hpp"
#include "execute/timing.hpp"

#include <optional>
#include <vector>

namespace fusec::cli {

class HostCalibrator {
public:
    /// `scratch` is a folder to write programs to. Keeps references to `setup` and `diagnostics`.
    HostCalibrator(HostCalibrationOptions options, const execute::TimingSetup& setup, Path scratch, Diagnostics& diagnostics);

    /// Measures everything; false after a report.
    bool calibrate();
    /// Pre: calibrated.
    const HostCalibration& made() const { return session_.made; }

    /// The kernels that figures of memory are fitted to, to be timed once more beside others: groups for execute::time_in_passes, compiled in `texts`.
    /// Pre: calibrated. They refer to what belongs to this.
    std::vector<std::vector<execute::TimedUnit>> groups_from_memory() const;
    execute::TimedTexts& texts() { return session_.timer.texts(); }
    /// Those figures from these times, and the rest as it was; false after a report. Pre: `times` are of the groups.
    bool fit_again(const std::vector<std::vector<execute::UnitTimes>>& times);

private:
    HostCalibrationOptions options_;
    const execute::TimingSetup& setup_;
    Path scratch_;
    Diagnostics& diagnostics_;
    HostSession session_;
    std::optional<HostProbes> probes_; ///< owns what the session's kernels are of
};

} // namespace fusec::cli
