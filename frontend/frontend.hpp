// SPDX-License-Identifier: Apache-2.0
// The front end: program text to checked program.
#pragma once

#include "frontend/checked_program.hpp"
#include "support/diagnostics.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

namespace ast {
struct Program;
}

class FileReader;

struct AlternativeTypes;

struct CheckOptions {
    Precision default_precision = Precision::f32; ///< `--real`
    bool reassociate = false;                     ///< sums of `+=` and `-=` as balanced trees, products in other orders too
    bool checked = false;                         ///< `--checked`: assertions are compiled; else they are only looked at
    AlternativeTypes* types = nullptr;            ///< filled, if wanted (alternatives.hpp)
};

/// Parses with the files that are included, read by `reader` (without one, `include` is an error); reports every syntax error it can
/// recover to. Every file is validated as UTF-8 and for nesting depth (256) on tokens first. Returns nothing if an error was reported.
/// Linear in the text.
std::shared_ptr<const ast::Program> parse(const SourcePtr& source, Diagnostics& diagnostics, FileReader* reader = nullptr);

/// Resolves names, types, operators, aliases and constants (DESIGN.md section 2), expands loops and definitions; reports every
/// error, warnings (unused input, dead call) and remarks (merged call). Returns nothing if an error was reported.
/// Of a program with alternatives, all combinations are checked, and the first is returned.
std::optional<CheckedProgram> check(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics);

/// A program per combination of alternatives, the first alternatives first; one for a program without any. Reports the errors of the
/// first combination that has some, and the warnings and remarks that all have. Empty if an error was reported.
/// With `reassociate`, a combination in which chains of products take fewer operations in another order stands there twice, as written and
/// reordered (contraction.hpp), and a remark tells of each chain.
struct CheckedCombination {
    /// The alternative of each block, from 1 on; 0: not reached (alternatives.hpp). Where any combination has products to reorder, all have one
    /// entry more: 1: products as written, 2: reordered.
    std::vector<std::size_t> taken;
    CheckedProgram program;
    std::optional<Span> reordered = std::nullopt; ///< products are: the first one
};
std::vector<CheckedCombination> check_combinations(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics);

/// Breaks with InternalError if an invariant of CheckedProgram does not hold.
void verify(const CheckedProgram& program, const library::Catalog& catalog);

/// The program as text, one line per input, constant and call: `--dump ast` shows it below the tree (`ast::to_text`).
std::string to_text(const CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::frontend
