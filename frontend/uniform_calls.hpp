// SPDX-License-Identifier: Apache-2.0
// Calls that have one value for all elements leave the call graph: every kernel that reads their results computes them.
#pragma once

#include "frontend/checked_program.hpp"

namespace fusec::frontend {

/// Components of a derived datum at most: every thread of every kernel that reads it holds them in registers.
inline constexpr int most_derived_components = 16;
/// Operations that a derived datum is made of at most, those of what it is derived from included: every such thread does them.
inline constexpr double most_derived_operations = 64;

/// The same program with its *uniform calls* apart (`CheckedProgram::uniform_calls`, their results `DatumKind::derived`): calls whose
/// operands are uniforms, constants or results of uniform calls, unless the result is an output or exceeds a limit above. A call that
/// exceeds one has an entry per element as any other, and so have the calls that use it. No datum moves. Linear in calls and uses, times
/// the uniform calls that one result is made of (at most about `most_derived_operations`, but for those that only move components).
///
/// `catalog` has the program's functions.
CheckedProgram set_uniform_calls_apart(const CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::frontend
