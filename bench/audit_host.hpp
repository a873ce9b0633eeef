// SPDX-License-Identifier: Apache-2.0
// Predictions for a host against measurements on it. The host is calibrated with the kernels of half of the programs (and the routines of all);
// then kernels and plans of every program are measured, and predictors are judged by those of the other half.
//
// It uses the processors that it may run on. On the machine that results are from, the bandwidth of two processors jumps between two values:
// it looks as if a hypervisor moved them between links to memory, so that they share one at one moment and have two at the next, but nothing
// there tells. `taskset` to one processor keeps that out.
#pragma once

#include "bench/audit_host_options.hpp"
#include "perfmodel/fit/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace fusec::bench {

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

/// Calibrates, measures and judges, `composite` also without each of its terms; several minutes. The result as bench/results keeps it, with
/// the calibration; throws std::runtime_error with the first message where something cannot be measured.
nlohmann::ordered_json audit_host(const HostAuditOptions& options, const std::string& sources);

} // namespace fusec::bench
