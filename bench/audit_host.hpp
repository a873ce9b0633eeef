// SPDX-License-Identifier: Apache-2.0
// Predictions for a host against measurements on it. The host is calibrated with the kernels of half of the programs (and the routines of all);
// then kernels and plans of every program are measured, and predictors are judged by those of the other half.
//
// It uses the processors that it may run on. Where a hypervisor moves processors between the links to memory, two of them have one link at one
// moment and two at the next, and all times change by that; `taskset` to one processor keeps that out.
#pragma once

#include "perfmodel/fit/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fusec::bench {

struct HostAuditOptions {
    std::vector<std::filesystem::path> programs; ///< every second one is held out, the second one first
    std::size_t sample = 60;                     ///< kernels of each program
    std::size_t rounds = 8;
    std::uint64_t seed = 1;
    std::filesystem::path points = {}; ///< where given, every measured kernel is written there with its work, a line of JSON each
};

/// What one predictor says of the kernels of some programs.
struct HostVerdict {
    std::string predictor;
    perfmodel::Accuracy accuracy;
    double spearman = 0;        ///< measured times that differ by no more than their spread count as equal
    std::vector<int> fastest;   ///< ranks that the predictor gives to the five fastest, 1 the first
    std::size_t unanswered = 0; ///< kernels that it has no time of
};

/// The predictors' verdicts on kernels with these predictions (a row per kernel), measured medians and spreads. Kernels that a predictor does
/// not answer are left out of its verdict and counted.
std::vector<HostVerdict> judge_kernels(const std::vector<std::string>& predictors, const std::vector<std::vector<double>>& predicted,
    const std::vector<double>& measured, const std::vector<double>& spreads);

/// Calibrates, measures and judges, `composite` also without each of its terms; several minutes. The result as bench/results keeps it, with the calibration; throws std::runtime_error with the
/// first message where something cannot be measured.
nlohmann::ordered_json audit_host(const HostAuditOptions& options, const std::string& sources);

} // namespace fusec::bench
