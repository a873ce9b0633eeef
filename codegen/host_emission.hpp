// SPDX-License-Identifier: Apache-2.0
// A unit as C++20 source and header for the host: OpenMP over tiles, the elements of a tile in SIMD lanes.
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

/// Pre: kernels of one thread per tile, every datum in registers (lanes) but uniforms, which are read in place, and constants.
/// `repeated` > 0: as emit_repeated says, of which it is the copies.
Emitted emit_host(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int repeated = 0);

} // namespace fusec::codegen
