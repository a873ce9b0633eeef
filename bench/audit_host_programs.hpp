// SPDX-License-Identifier: Apache-2.0
// The programs of an audit of a host, measured beside what predictors say of them.
#pragma once

#include "bench/audit_host_judge.hpp"
#include "bench/audit_host_options.hpp"
#include "cli/host_calibrator.hpp"
#include "execute/timing.hpp"
#include "support/diagnostics.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace fusec::bench {

/// Throws std::runtime_error: `what`, and the first error where there is one.
[[noreturn]] void fail_audit(const std::string& what, const Diagnostics& diagnostics);

/// Kernels of all programs are measured so many times over, each time for a share of the rounds: a program whose kernels were all measured in a
/// minute in which memory was slower would rank behind others for that alone.
std::size_t passes_over_programs(const HostAuditOptions& options);

/// What is measured in turns, and what it is beside.
struct MeasuredTogether {
    std::vector<MeasuredProgram>
        programs; ///< plans chosen by the calibration before, predicted by the one that was measured in turns with them
    std::vector<std::string> predictors; ///< of the predictions
};

/// Compiles the programs for the calibrated device, and measures plans and kernels of each, in turns with the kernels that figures of memory are fitted
/// to, which are fitted again: memory is faster in one minute than in another. `device` is where the calibration stands in a file.
/// Throws std::runtime_error with the first message where something does not compile or cannot be measured.
MeasuredTogether measure_programs(
    const HostAuditOptions& options, cli::HostCalibrator& calibrator, const std::filesystem::path& device, execute::TimingSetup setup);

} // namespace fusec::bench
