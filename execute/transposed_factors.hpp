// SPDX-License-Identifier: Apache-2.0
// Products of a transpose read the matrix itself: `A' * B` is `mtmul(A, B)`, with the same bits.
#pragma once

#include "execute/grouped_messages.hpp"
#include "frontend/checked_program.hpp"

namespace fusec::execute {

/// Gives the products whose factors are transposes the matrices in their place, by the function that multiplies so. A transpose that another
/// call needs stays with its products: reading both it and the matrix would cost more. Its own call stays if it is an output; else nothing
/// uses its result afterwards, and the caller has to remove it (compacted.hpp). Whether anything changed. Remarks tell of transposes that have
/// a name. Calls times functions of the library.
bool read_through_transposes(frontend::CheckedProgram& program, const library::Catalog& catalog, GroupedMessages& messages);

} // namespace fusec::execute
