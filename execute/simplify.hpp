// SPDX-License-Identifier: Apache-2.0
// Calls whose result is a value that there is already are not compiled: what the library's metadata declare (`neutral`, `involution`,
// `idempotent`) is applied to the program, together with the folding of constants, until nothing changes.
#pragma once

#include "frontend/checked_program.hpp"
#include "support/diagnostics.hpp"

namespace fusec::execute {

/// The program with such results replaced by the values they are, calls on constants computed, calls that became identical merged and those
/// that nothing needs any more removed. An output keeps its name: the value it is takes it, unless that is given, a constant or an output
/// too; then its call stays, since the interface has a list for it. The program that was given stays with the result, as `written`, where
/// they differ. Remarks are grouped by place. Each pass is linear, up to a logarithm; more than two are rare.
frontend::CheckedProgram simplified(const frontend::CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics);

} // namespace fusec::execute
