// SPDX-License-Identifier: Apache-2.0
// A program of examples/ taken through the compiler up to its plan.
#pragma once

#include "cli/pipeline.hpp"

#include <string>
#include <vector>

namespace fusec::test {

struct PlanRequest {
    std::string example = {}; ///< stem of a file in examples/
    fusion::Target target = fusion::Target::cuda;
    std::string plan = "auto";
    std::string device = {}; ///< empty: the target's default
    bool recompute = true;
    std::optional<int> max_fusion = {};
};

/// Throws std::runtime_error when the pipeline reports anything.
cli::Compilation planned(const PlanRequest& request);

/// Stems of the .fus files in examples/, sorted.
std::vector<std::string> example_files();

/// The names of a kernel's calls in its linear order, blanks between.
std::string calls_of(const fusion::Candidate& kernel, const cli::Compilation& compilation);

} // namespace fusec::test
