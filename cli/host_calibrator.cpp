// SPDX-License-Identifier: Apache-2.0
#include "cli/host_calibrator.hpp"

#include "cli/host_from_memory.hpp"
#include "cli/host_in_cache.hpp"

#include <utility>

namespace fusec::cli {

namespace {

/// A part of the work, and the share of the whole at which it ends, of the time that a calibration takes with nothing compiled before.
struct Phase {
    bool (*measure)(HostSession&);
    double end;
};

constexpr Phase phases[] = {{measure_footprints, 0.02}, {time_in_cache, 0.48}, {time_from_memory, 0.93}, {time_in_cache, 0.98},
    {take_in_cache, 0.98}, {take_from_memory, 0.99}};

} // namespace

HostCalibrator::HostCalibrator(HostCalibrationOptions options, const execute::TimingSetup& setup, Path scratch, Diagnostics& diagnostics)
    : options_(std::move(options)),
      setup_(setup),
      scratch_(std::move(scratch)),
      diagnostics_(diagnostics),
      session_(options_, setup, diagnostics) {}

bool HostCalibrator::calibrate() {
    const auto machine = device_so_far(session_.made.calibration, diagnostics_);
    if (!machine) {
        return false;
    }
    probes_.emplace(*machine, scratch_);
    auto kernels = find_kernels(options_, session_.machine, setup_.seed, *probes_, diagnostics_);
    if (!kernels) {
        return false;
    }
    session_.kernels = std::move(*kernels);
    double begin = 0;
    for (const Phase& phase : phases) {
        if (setup_.progress) {
            session_.setup.progress = [this, begin, end = phase.end](double share) { setup_.progress(begin + share * (end - begin)); };
        }
        if (!phase.measure(session_)) {
            return false;
        }
        begin = phase.end;
    }
    if (setup_.progress) {
        setup_.progress(1);
    }
    session_.made.calibration.name = options_.name;
    return true;
}

std::vector<std::vector<execute::TimedUnit>> HostCalibrator::groups_from_memory() const {
    return HostTimer::groups(session_.from_memory.fitted);
}

bool HostCalibrator::fit_again(const std::vector<std::vector<execute::UnitTimes>>& times) {
    std::vector<execute::UnitTimes> all;
    for (const std::vector<execute::UnitTimes>& group : times) {
        all.insert(all.end(), group.begin(), group.end());
    }
    if (!fit_memory(session_, all)) {
        return false;
    }
    session_.made.calibration.name = options_.name;
    return true;
}

} // namespace fusec::cli
