// SPDX-License-Identifier: Apache-2.0
// The steps between the candidate space and the emitted text that depend on options: target, plan mode, runner-up plans.
#pragma once

#include "cli/pipeline.hpp"

namespace fusec::cli {

/// Reads the file that `--plan` names into `plan_file`, once; false after reporting.
bool read_plan_file(Compilation& c, Diagnostics& diagnostics);

/// Settles target, device and architecture against each other; reports a mismatch (exit 2).
bool settle_target(CompileOptions& options, perfmodel::Device& device, Diagnostics& diagnostics);

/// That code can be emitted for the device, which may be one for prediction only; reports that (exit 2).
bool check_emittable(const perfmodel::Device& device, Diagnostics& diagnostics);

/// What --plan names; nothing for a file.
std::optional<fusion::PlanMode> mode_of(const std::string& text);

/// Fills `plans` (as many as `runners_up` + 1 exist), `searched` and `unfused_seconds`: solves the cover, or resolves a plan file.
bool choose_plan(Compilation& compilation, Diagnostics& diagnostics);

/// Builds the candidates of every column, so that counts speak of the whole space; spaces of more than 2000 columns stay as far as
/// the plan needed them.
void price_space(Compilation& compilation);

/// A cover with the cheapest candidate of each of its columns, workspace assigned.
fusion::Plan make_plan(const fusion::Cover& cover, double bound, fusion::Space& space, const dag::CallGraph& graph);

codegen::EmitOptions emit_options(const Compilation& compilation);

} // namespace fusec::cli
