// SPDX-License-Identifier: Apache-2.0
// What an output is made from, for the build that makes it.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

/// A rule of make without commands, `fused.cu: a file, another`, as compilers write it with -MMD: each file once, in the order given.
/// Nothing after reporting a name that no rule can hold.
std::optional<std::string> make_rule(
    const std::filesystem::path& output, const std::vector<std::filesystem::path>& files, Diagnostics& diagnostics);

} // namespace fusec::cli
