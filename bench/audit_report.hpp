// SPDX-License-Identifier: Apache-2.0
// The audit as text, JSON and a picture.
#pragma once

#include "bench/audit_judge.hpp"

#include <iosfwd>

namespace fusec::bench {

struct Audit {
    std::vector<DeviceData> devices;
    std::vector<std::string> not_read; ///< files_not_read
    std::vector<Verdict> fitted, fitted_with_l2_of_others, corrected, left_out, left_out_with_l2_of_others;
};

/// Tables for people; with `figures` what was fitted too.
void print(const Audit& audit, bool figures, std::ostream& out);

/// Schema "fusec-audit-data", version 6: run record of the sources' folder, files with their readings, those that are not read, replaced
/// figures, and the five lists of verdicts, with `points` each with all of its points.
std::string to_json(const Audit& audit, const std::string& sources, bool points);

/// Predicted against measured seconds of every held-out point of the fitted predictors, a panel each, over which its mean error stands: the mean
/// over devices of those over their points.
std::string to_svg(const Audit& audit);

} // namespace fusec::bench
