// SPDX-License-Identifier: Apache-2.0
// Arithmetic written component by component becomes calls: what loops over `K[i,j] = ...` make is hundreds of scalar calls, of which a
// fusion search can gain nothing.
#pragma once

#include "frontend/checked_program.hpp"

namespace fusec::frontend {

/// The same program with fewer calls. A *unit* is a scalar call or an assembly with all scalar calls whose results are used by it alone,
/// directly or through others of them (a fanout-free cone); it becomes one call of a `library::ComponentProgram` if it reads or makes
/// components of a vector or a matrix. Scalars that several units use and that one of them puts into its value are read from there by the
/// others. Everything else stays: calls of other functions, and scalar arithmetic between scalars.
///
/// `catalog` has the program's functions; those of the result take their place (`Catalog::with`). Data of units are gone unless they
/// are results of their units; all others keep their names. Linear in calls and uses, times the units for scalars with several users.
CheckedProgram condense(const CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::frontend
