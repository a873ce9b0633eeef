// SPDX-License-Identifier: Apache-2.0
// The stage between the checked programs of all combinations of alternatives and the one that is compiled.
#pragma once

#include "cli/pipeline.hpp"

#include <string>
#include <vector>

namespace fusec::cli {

/// Compiles every combination to its plan and takes the one that is predicted fastest, the first of equals; or the one that the plan file
/// names. Reports `plan-file` where that is none of the program's, and what stands in the way where no combination has a plan.
bool choose_alternatives(Compilation& compilation, Diagnostics& diagnostics);

/// `left out: alternative 1 of 2 at p.fus:14, predicted 0.16 ms (+38 %)`, one per combination that is not compiled.
std::vector<std::string> left_out(const Compilation& compilation);

} // namespace fusec::cli
