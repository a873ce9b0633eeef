// SPDX-License-Identifier: Apache-2.0
// Programs that are run to their end: compilers, assemblers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec {

struct ProcessResult {
    bool started = false;
    int exit_code = -1; ///< 128 + signal when a signal ended it
    std::string output; ///< stdout and stderr
};

/// Runs `command` (program and arguments, no shell) in `folder` to its end, with nothing to read.
ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder = ".");

/// The program of that name: a path if it holds a `/`, else looked for in $PATH. Nothing if there is none that may be executed.
std::optional<std::filesystem::path> find_program(const std::string& name);

} // namespace fusec
