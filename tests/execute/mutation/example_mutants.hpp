// SPDX-License-Identifier: Apache-2.0
// Mutants of the text that the compiler emits for an example program, run as verify runs the text itself.
#pragma once

#include "mutation.hpp"

#include "cli/pipeline.hpp"
#include "execute/run_text.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fusec::execute {

/// A plan of an example and the mutants of its CUDA text.
struct MutatedPlan {
    std::string program;
    /// "auto", or "cooperative": the chosen kernels' kept implementations with the most barriers, then threads; then " --checked" where so.
    std::string plan;
    bool block_barriers = false; ///< the text has such: of blocks of one warp, no barrier can be weakened
    bool several_tiles = false;  ///< some kernel has two: without, none can be swapped
    bool exchangeable = false;   ///< some kernel reads, or writes, two lists of one type: without, no buffers need be there to swap
    std::vector<Mutant> mutants;
    std::vector<RunReport> reports;  ///< of `ran`, in order
    std::vector<std::size_t> ran;    ///< indices into `mutants`
    std::vector<std::string> proofs; ///< of `ran`: that it does the same as the source; empty: none was found
    RunReport original;
};

/// Emits both plans of the program (one where their text is the same), with `--checked` too if it has assertions, runs the text as it is, and its mutants: all, or the given number
/// of them per plan, chosen by the seed and spread over the kinds. The launches are those of `verify`.
std::vector<MutatedPlan> run_mutants(
    const std::filesystem::path& program, std::size_t most_per_plan, std::uint64_t seed, const RunSetup& setup);

/// `[stvk auto] offset, line 7: tile + 1 -> tile + 2`
std::string name_of(const MutatedPlan& plan, const Mutant& mutant);

} // namespace fusec::execute
