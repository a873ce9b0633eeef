// SPDX-License-Identifier: Apache-2.0
// `alternatives { ... } or { ... }`: ways to compute the same values. A program with them stands for several, one per combination of
// choices; each is the program with the statements of the chosen alternatives alone.
#pragma once

#include "elementary-lib/type.hpp"
#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fusec::frontend {

/// Combinations of a program, at most.
inline constexpr std::size_t most_combinations = 64;

/// The alternative taken of each block, in the order of the text, from 1 on; 0 of a block that stands in an alternative not taken.
using Combination = std::vector<std::size_t>;

/// Types that the names given by alternatives have behind their block, in one combination: by the number of the block, how often it was
/// reached before, and name.
struct AlternativeTypes {
    struct Found {
        Type type;
        Span span; ///< of the value
    };
    std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, Found>> found;
    std::map<std::size_t, std::size_t> reached;
};

/// All combinations, of the first alternatives first; one without numbers for a program without alternatives. Reports
/// `alternatives-limit`, and `alternatives-differ` where alternatives give no name in common, or where a name is used behind its block that
/// not every alternative gives; then nothing.
std::optional<std::vector<Combination>> combinations(const ast::Program& program, Diagnostics& diagnostics);

/// The program of one combination. Behind the statements of an alternative stands an `ast::AlternativesEnd`.
std::shared_ptr<const ast::Program> chosen(const ast::Program& program, const Combination& combination);

/// Whether the combinations agree about the types; else reports `alternatives-differ`.
bool types_agree(const std::vector<AlternativeTypes>& types, Diagnostics& diagnostics);

/// The first block of which two combinations take different alternatives. Pre: there is one.
Span first_difference(const ast::Program& program, const Combination& one, const Combination& other);

/// "alternative 2 of 3" and the place, per block that is reached.
std::vector<std::pair<Span, std::string>> described(const ast::Program& program, const Combination& combination);

} // namespace fusec::frontend
