// SPDX-License-Identifier: Apache-2.0
// A unit as CUDA source and header.
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

/// The .cu text and the header of a unit. Pre: the unit is verified, and of target cuda. O(length of the text).
/// `repeated` > 0: as emit_repeated says, of which it is the copies.
Emitted emit_cuda(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int repeated = 0);

} // namespace fusec::codegen
