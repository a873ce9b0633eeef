// SPDX-License-Identifier: Apache-2.0
// Calls whose operands are all constants are computed when the program is compiled, by the reference: in double, rounded once to the
// precision of the result. No kernel contains such a call.
#pragma once

#include "execute/grouped_messages.hpp"
#include "frontend/checked_program.hpp"

namespace fusec::execute {

/// The program with constants in place of the results of such calls, and without calls and constants that nothing needs any more. Data
/// keep their names and their order. A call whose result is an output stays, since the interface has a list for it, and so does one whose
/// result is no finite value of its precision; a remark names each of the others but arithmetic of numbers, with which programs write their
/// tables. A constant operand outside of its declared domain is a
/// warning (constant_domains.hpp). Linear in the program's size.
frontend::CheckedProgram fold_constants(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, GroupedMessages& messages);

} // namespace fusec::execute
