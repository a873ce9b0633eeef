// SPDX-License-Identifier: Apache-2.0
// A unit as CUDA source and header.
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

Emitted emit_cuda(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options);

} // namespace fusec::codegen
