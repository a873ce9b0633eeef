// SPDX-License-Identifier: Apache-2.0
// The JSON reports: of `--json` and `explore` (keys: DESIGN.md section 7, documented in docs/cli.md), and of `verify`.
#pragma once

#include "cli/pipeline.hpp"
#include "execute/verify.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

/// Whether the report of `--json` can be written later, for commands that take minutes before they do: can_write_files, and true of standard output
/// (`-`) and of no report.
bool can_write_report(const std::optional<Path>& json, Diagnostics& diagnostics, const std::vector<Path>& inputs);

/// Complete JSON text with a final line break. `space.seconds` alone may differ between runs.
std::string report_json(const Compilation& compilation);

/// The object of one kernel as `plans[].kernels[]` has it, and its `compiled`.
std::string candidate_json(const fusion::Candidate& kernel, const Compilation& compilation);
std::string compiled_kernel_json(const CompiledPlans::Kernel& kernel);
/// The object {bounds {BOUND: seconds, null where they are infinite}, quantities [{name, value, unit}]}.
std::string terms_json(const perfmodel::Breakdown& breakdown);

/// What `verify` found for one program on one executor.
struct Verified {
    std::string program, alternatives, executor, device; ///< alternatives: those taken, of a program that has some
    std::size_t calls = 0;
    execute::VerifyResult result;
    double processor_seconds = 0;
};
/// Complete JSON text with a final line break. `processor_seconds` alone may differ between runs.
std::string verify_json(const Verify& command, const std::vector<Verified>& results);

} // namespace fusec::cli
