// SPDX-License-Identifier: Apache-2.0
// What the compiler says to a person: the one-line summary, dumps, tables.
#pragma once

#include "cli/pipeline.hpp"

#include <string>

namespace fusec::cli {

/// `2 kernels, 412 B/element, predicted 0.42 ms for 1,048,576 elements on h200 (dram), 2.1x over one kernel per call, gap 0`, and what
/// that gap is over
std::string summary(const Compilation& compilation);
/// `gap 1.2 % over the part searched`: what is proved about the plan, and over what if not over all there is.
std::string gap_text(const Compilation& compilation);
/// Options that change the output, as they would be typed; empty for the defaults.
std::string options_text(const Compilation& compilation);

std::string dump_ast(Compilation& compilation);
std::string dump_dag(Compilation& compilation);
std::string dump_candidates(Compilation& compilation);
std::string dump_plan(Compilation& compilation);
std::string dump_ir(Compilation& compilation);
std::string time_table(const Compilation& compilation);

/// A kernel in one line: calls, granularity, lists, bytes, time, bound.
std::string kernel_line(const fusion::Candidate& kernel, const dag::CallGraph& graph);
/// One such line per kernel of a plan.
std::string plan_table(const fusion::Plan& plan, const dag::CallGraph& graph);
/// The space and the plans of `explore`, each runner-up with what it does worse than the best.
std::string explore_text(Compilation& compilation);

/// Names of the calls (data) joined by ", ".
std::string call_names(const dag::CallSet& calls, const dag::CallGraph& graph);
/// All of up to 8 names, of more the first 6 and how many there are besides: for a sentence.
std::string some_names(const std::vector<std::string>& names);
std::string some_call_names(const dag::CallSet& calls, const dag::CallGraph& graph);
std::string data_names(const std::vector<DataId>& data, const dag::CallGraph& graph);
/// What the kernel's threads derive from uniforms, ascending.
std::vector<DataId> derived_data(const fusion::Candidate& kernel);
/// 1,048,576
std::string grouped(std::uint64_t number);
/// 0.42 ms, 13.1 us
std::string time_text(double seconds);

/// Bytes that cross to or from DRAM per element, over all kernels.
double bytes_per_element(const fusion::Plan& plan);
/// The bound that takes most of the plan's time.
fusion::Bound main_bound(const fusion::Plan& plan);

/// Explains why no kernel mix exists: for every call that no candidate executes, the rejections of its own kernels.
void report_no_plan(Compilation& compilation, Diagnostics& diagnostics);

} // namespace fusec::cli
