// SPDX-License-Identifier: Apache-2.0
// Zeros, ones and minus ones that are known when the program is compiled cost no operation: entries of `const` tables, and the zeros
// that an assembly puts between its parts.
#pragma once

#include "frontend/checked_program.hpp"

namespace fusec::execute {

/// The program with calls of what is left of their arithmetic (library::folded_function), and without calls and constants that nothing
/// reads any more. What is known goes through calls: the zeros of B and C make zeros of C B. Where anything changes, the program that was
/// given stays with the result, as `written`. Linear in the operations of calls that read something known, each kind of them once.
///
/// `catalog` has the program's functions; those of the result take their place.
frontend::CheckedProgram fold_tables(const frontend::CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::execute
