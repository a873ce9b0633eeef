// SPDX-License-Identifier: Apache-2.0
// Other processes: programs that are run to their end, and functions that are run in a child, so that a fault of generated code ends
// the child only.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fusec::execute {

struct ProcessResult {
    bool started = false;
    int exit_code = -1; ///< 128 + signal when a signal ended it
    std::string output; ///< stdout and stderr
};

/// Runs `command` (program and arguments, no shell) in `folder` to its end, with nothing to read.
ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder = ".");

struct ChildResult {
    bool completed = false; ///< the function returned, and its text has arrived whole
    std::string text;       ///< what it returned, or wrote before it ended
    std::string fault;      ///< else: "signal 11 (Segmentation fault)", "exceeded 60 s"
};

/// Runs each function in a child process, `jobs` at a time, each for at most `seconds`; results in the order of the functions. The
/// child gets a copy of this process's memory and gives back the text that the function returns. Pre: no other thread of this process
/// holds a lock that the functions need (OpenMP has not been used here).
std::vector<ChildResult> run_children(const std::vector<std::function<std::string()>>& functions, unsigned jobs, double seconds);

/// In a child: sends `text` as a result that is not completed and ends the process. Async-signal-safe.
[[noreturn]] void end_child(const char* text);

} // namespace fusec::execute
