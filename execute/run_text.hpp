// SPDX-License-Identifier: Apache-2.0
// From text to report: builds generated units in batches, loads them and runs them, each batch in a child process, so that neither a
// text that does not compile nor one that faults takes anything else with it.
#pragma once

#include "execute/compiler.hpp"
#include "execute/runner.hpp"

#include <string>
#include <utility>
#include <vector>

namespace fusec::execute {

/// A generated unit as text. File names of all units that are run together differ; the first file is the source, and no name within
/// clashes with another unit's (units keep their names in namespaces of their own).
struct UnitText {
    std::string name;
    std::vector<BuildRequest::File> files;
    std::vector<std::pair<std::string, std::vector<emulation::NamedTile>>> tiles; ///< by qualified kernel name; for messages
};

struct RunJob {
    UnitText text;
    RunInterface interface;
    std::vector<RunCase> cases;
};

struct RunSetup {
    HostCompiler compiler;
    std::filesystem::path cache;
    std::filesystem::path library_folder;       ///< holds emulation/ and runtime/
    unsigned jobs = 2;                          ///< processes at a time
    double seconds = 120;                       ///< processor time of one batch, and of its compilation; gpu: by the clock
    std::size_t batch = 20;                     ///< most units per translation unit
    int arch = 90;                              ///< gpu: what nvcc compiles for; `compiler` is nvcc
    double step_seconds = longest_step_seconds; ///< RunOptions::step_seconds
    bool first_fault_only = false;              ///< a unit's run ends with the first launch that has a fault
};

/// One report per job. A text that does not compile, a fault or a time out is a fault in its report.
std::vector<RunReport> run_texts(const std::vector<RunJob>& jobs, BuildKind kind, const RunSetup& setup);

} // namespace fusec::execute
