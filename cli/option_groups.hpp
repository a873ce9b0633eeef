// SPDX-License-Identifier: Apache-2.0
// Options that several commands take: what they are called, and what their texts come to.
#pragma once

#include "cli/option_values.hpp"
#include "cli/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11 names it so
class App;
class Option;
} // namespace CLI

namespace fusec::cli {

/// Texts of options that need conversion after parsing.
struct RawOptions {
    std::string arch, target = "cuda", real = "float", runtime = "embed", analysis = "metadata", dump;
    std::vector<std::string> inputs, outputs, dot;
    bool no_recompute = false;
};

/// The value's name in --help, in place of CLI11's type; the default belongs to the description.
CLI::Option* named(CLI::Option* option, const char* value);

/// Of an option that takes a whole number: CLI11 would take a sign as well, and wrap what has one.
inline auto whole(std::uint64_t least, std::uint64_t most) {
    return [least, most](const std::string& text) { return check_whole(text, least, most); };
}

void add_program(CLI::App& app, CompileOptions& options, bool required = true);
void add_target_options(CLI::App& app, CompileOptions& options, RawOptions& raw);
void add_space_options(CLI::App& app, CompileOptions& options, RawOptions& raw);
void add_analysis(CLI::App& app, RawOptions& raw);
void add_plan_choice(CLI::App& app, CompileOptions& options);
void add_plan_options(CLI::App& app, CompileOptions& options, RawOptions& raw);
/// Target, space and plan, for a command that makes or judges text for any target.
void add_compile_options(CLI::App& app, CompileOptions& options, RawOptions& raw);

/// Fills `options` from the texts; all that is wrong with them.
std::vector<std::string> finish(CompileOptions& options, const RawOptions& raw);

} // namespace fusec::cli
