// SPDX-License-Identifier: Apache-2.0
// Whether the alternatives of a program compute the same values, by the reference and on random inputs: a few when a program is compiled,
// more when it is verified.
#pragma once

#include "cli/pipeline.hpp"
#include "execute/domains.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fusec::cli {

/// `alternative 2 of 3 at p.fus:14, alternative 1 of 2 at p.fus:20`
std::string combination_text(const Compilation& compilation, const std::vector<std::size_t>& taken);

/// The stage: the programs as written, on a few elements, as `report_disagreement`.
bool check_agreement(Compilation& compilation, Diagnostics& diagnostics);

/// A combination's program, as written or as it is compiled.
struct ComparedCombination {
    std::vector<std::size_t> taken;
    const frontend::CheckedProgram* program = nullptr;
    const library::Catalog* catalog = nullptr; ///< with the program's own functions
};

/// How inputs of a program are drawn: so many elements, and 16 times as many where those show nothing.
struct Draw {
    std::size_t elements = 0;
    std::function<execute::RandomCases(const frontend::CheckedProgram&, const library::Catalog&, std::size_t elements)> cases;
};

/// Reports `alternatives-disagree` where another combination computes something else than the first one, and `alternatives-not-compared`
/// where no element is well conditioned in both. Those that differ from it in fewest blocks come first, and of the others those that hold an
/// alternative already told of are not looked at: each is told once. Two programs differ when they do so on inputs drawn for the one and on
/// inputs drawn for the other, as far as these are well conditioned: of a factorization and an inverse, the first alone asks for positive
/// definite matrices. Returns whether none was seen to differ. Pre: there is a combination.
bool report_disagreement(
    const Compilation& compilation, const std::vector<ComparedCombination>& combinations, const Draw& draw, Diagnostics& diagnostics);

} // namespace fusec::cli
