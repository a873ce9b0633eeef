// SPDX-License-Identifier: Apache-2.0
// What an output is made from, for the build that makes it.
#pragma once

#include "cli/pipeline.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

/// The files that the compile has read: program, plan, device and library. No output may replace one.
std::vector<Path> files_read(const Compilation& compilation);

/// A rule of make without commands, `fused.cu: a file, another`, as compilers write it with -MMD: each file once, in the order given.
/// Nothing after reporting a name that no rule can hold.
std::optional<std::string> make_rule(
    const std::filesystem::path& output, const std::vector<std::filesystem::path>& files, Diagnostics& diagnostics);

} // namespace fusec::cli
