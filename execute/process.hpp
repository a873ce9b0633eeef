// SPDX-License-Identifier: Apache-2.0
// Functions that are run in a child process, so that a fault of generated code ends the child only. Programs: support/process.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fusec::execute {

struct ChildResult {
    bool completed = false; ///< the function returned, and its text has arrived whole
    std::string text;       ///< what it sent, then what it returned, or wrote before it ended
    std::string fault;      ///< else: "signal 11 (Segmentation fault)", "exceeded 60 s of processor time"
};

/// Runs each function in a child process, `jobs` at a time; results in the order of the functions. `seconds` bounds the processor time of
/// a child and, apart, of each program that it runs, so that a loaded machine takes longer but fails nothing; a child that waits for
/// something that does not come is ended after `patience` times as long by the clock. The child gets a copy of this process's
/// memory and gives back the text that the function returns. Pre: no other thread of this process holds a lock that the functions
/// need (OpenMP has not been used here).
std::vector<ChildResult> run_children(
    const std::vector<std::function<std::string()>>& functions, unsigned jobs, double seconds, double patience = 10);

/// In a child: sends `text` ahead of what the function returns; it arrives whatever happens to the child later.
void send_from_child(const std::string& text);

/// Processor time after which one step of generated code (a launch, one implementation's check) counts as one that does not end: a hundred
/// times what the longest takes. Under a sanitizer code is several times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double longest_step_seconds = 60;
#else
constexpr double longest_step_seconds = 10;
#endif

/// In a child: once the process has used `seconds` more of processor time, it ends as end_child does, with the fault (`does not end within
/// 10 s of processor time`) or what `told` makes of it; 0 lifts the limit that was set before. Without `told` async-signal-safe, with it
/// the process may end without a text.
void limit_step(double seconds, std::string (*told)(const std::string& fault) = nullptr);

/// In a child: sends `text` as a result that is not completed and ends the process. Async-signal-safe.
[[noreturn]] void end_child(const char* text);

} // namespace fusec::execute
