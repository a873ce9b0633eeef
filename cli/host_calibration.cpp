// SPDX-License-Identifier: Apache-2.0
#include "cli/host_calibration.hpp"

#include "cli/host_from_memory.hpp"
#include "cli/host_in_cache.hpp"
#include "cli/host_session.hpp"

#include <functional>
#include <utility>

namespace fusec::cli {

namespace {

/// A part of the work, and the share of the whole at which it ends, of the time that a calibration takes with nothing compiled before.
struct Phase {
    bool (*measure)(HostSession&);
    double end;
};

constexpr Phase phases[] = {
    {measure_footprints, 0.02}, {measure_transfers, 0.2}, {measure_routines, 0.38}, {measure_overlap, 0.4}, {measure_memory, 0.99}};

} // namespace

std::optional<HostCalibration> calibrate_host(
    const HostCalibrationOptions& options, const execute::TimingSetup& setup, const Path& scratch, Diagnostics& diagnostics) {
    HostSession session(options, setup, diagnostics);
    const auto machine = device_so_far(session.made.calibration, diagnostics);
    if (!machine) {
        return std::nullopt;
    }
    HostProbes probes(*machine, scratch);
    auto kernels = find_kernels(options, session.machine, setup.seed, probes, diagnostics);
    if (!kernels) {
        return std::nullopt;
    }
    session.kernels = std::move(*kernels);
    double begin = 0;
    for (const Phase& phase : phases) {
        if (setup.progress) {
            session.setup.progress = [&setup, begin, end = phase.end](double share) { setup.progress(begin + share * (end - begin)); };
        }
        if (!phase.measure(session)) {
            return std::nullopt;
        }
        begin = phase.end;
    }
    if (setup.progress) {
        setup.progress(1);
    }
    session.made.calibration.name = options.name;
    return std::move(session.made);
}

} // namespace fusec::cli
