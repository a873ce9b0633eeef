// SPDX-License-Identifier: Apache-2.0
// Runs `fusec library check` on mutants of the standard library.
#pragma once

#include "execute/compiler.hpp"
#include "tests/execute/mutation/library_mutants.hpp"

#include <filesystem>

namespace fusec::execute {

struct MutantOutcome {
    bool killed = false;      ///< a mismatch is reported
    bool compiled = true;     ///< else the compiler refuses it
    std::string first_report; ///< its message
};

/// Checks copies of the functions in `folder`, with one mutant of each at a time; outcomes in the order of the mutants.
std::vector<MutantOutcome> run_mutants(const library::Catalog& catalog, const std::vector<LibraryMutant>& mutants,
    const std::filesystem::path& folder, const HostCompiler& compiler);

} // namespace fusec::execute
