// SPDX-License-Identifier: Apache-2.0
// One launch of a unit: its lists and its workspace in memory, and what has to be true of them afterwards.
#pragma once

#include "execute/runner.hpp"
#include "execute/workspace.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

/// What a unit with checks answers.
struct FirstFailure {
    int error = 0;
    std::size_t element = 0;
    std::optional<std::string> message; ///< nothing: none failed
};

/// One launch's lists and workspace in memory.
class RunScene {
public:
    /// The lists hold the values of the interface, outputs and workspace a pattern. All must outlive the scene; `driver` may be null.
    RunScene(const UnitFunctions& functions, const RunInterface& interface, const RunCase& launch, const GpuDriver* driver);

    std::vector<void*>& arguments() { return arguments_; }
    const std::vector<std::unique_ptr<GuardedList>>& lists() const { return lists_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    void* workspace() { return workspace_bytes_ == 0 ? nullptr : workspace_->data(); }
    /// Behind the slots of the workspace.
    std::vector<emulation::Forbidden> forbidden() const;

    /// What the launch returns.
    int run() { return run(workspace(), workspace_bytes_); }
    int run(void* workspace, std::size_t workspace_bytes);

    /// Of any launch: nothing outside of the lists is overwritten, and no input.
    void check_memory(RunReport& report) const;
    /// Of a refused launch: nothing is written.
    void check_untouched(RunReport& report) const;
    /// Of a launch that returned 0: outputs agree with the reference in the range, and are not written outside of it.
    void check_results(RunReport& report) const;

    std::string where_text() const { return " (" + to_string(launch_) + ")"; }

private:
    std::size_t computed() const { return launch_.ranged ? launch_.count : launch_.n; }
    void place(const RunList& list, bool input);
    int launch(const std::vector<void*>& arguments, void* workspace, std::size_t workspace_bytes);
    /// All kernels, or those of the launch's entries one after the other.
    int start(const std::vector<void*>& arguments, void* workspace, std::size_t workspace_bytes) const;
    int run_on_gpu(void* workspace, std::size_t workspace_bytes);
    void check_workspace(RunReport& report) const;
    /// That the first failure is that of the reference.
    void check_failure(RunReport& report) const;
    /// Bytes in front of the slots of the workspace.
    std::size_t word_bytes() const { return interface_.checks.empty() ? 0 : workspace_alignment; }
    void check_unchanged(std::size_t index, RunReport& report) const;
    /// Whether component k of an input is what it was given.
    bool is_given(std::size_t index, std::size_t k) const;
    bool check_component(const RunList& output, const GuardedList& list, std::size_t k, bool inside, RunReport& report) const;

    const UnitFunctions& functions_;
    const RunInterface& interface_;
    const RunCase& launch_;
    std::vector<std::unique_ptr<GuardedList>> lists_; ///< of inputs, and of outputs that update none
    std::vector<std::size_t> list_of_output_;
    std::unique_ptr<GuardedList> workspace_;
    std::size_t workspace_bytes_ = 0;
    std::vector<void*> arguments_;
    std::optional<FirstFailure> failure_; ///< of a launch that returned 0; nothing when it could not be asked
    const GpuDriver* driver_ = nullptr;
    std::map<const GuardedList*, std::optional<std::ptrdiff_t>> altered_on_gpu_; ///< lists with bytes altered beyond the host's pages
};

} // namespace fusec::execute
