// SPDX-License-Identifier: Apache-2.0
// Predictions for a host against measurements on it. The host is calibrated with the kernels of half of the programs (and the routines of all);
// then kernels and plans of every program are measured, and predictors are judged by those of the other half.
//
// It uses the processors that it may run on. On the machine that results are from, the bandwidth of two processors jumps between two values:
// it looks as if a hypervisor moved them between links to memory, so that they share one at one moment and have two at the next, but nothing
// there tells. `taskset` to one processor keeps that out.
#pragma once

#include "bench/audit_host_options.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace fusec::bench {

/// Calibrates, measures and judges, `composite` also without each of its terms; several minutes. The result as bench/results keeps it, with
/// the calibration; throws std::runtime_error with the first message where something cannot be measured.
nlohmann::ordered_json audit_host(const HostAuditOptions& options, const std::string& sources);

} // namespace fusec::bench
