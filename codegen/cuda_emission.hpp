// SPDX-License-Identifier: Apache-2.0
// A unit as CUDA source and header.
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

/// The .cu text and the header of a unit. Pre: the unit is verified, and of target cuda. O(length of the text).
Emitted emit_cuda(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options);

} // namespace fusec::codegen
