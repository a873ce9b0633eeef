// SPDX-License-Identifier: Apache-2.0
// Kernels that isolate a routine, for who measures it (`fusec calibrate`).
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

/// As emit(), but each call of each kernel is computed as often as a parameter of the kernel says, behind its lists: in a loop of which a pass
/// has `copies` of it, every time from the same operands to the same result, which the compiler of the text cannot know. Launches repeat it
/// `copies` times. What is derived from uniforms is computed once.
/// Pre: as emit(), for CUDA; copies > 0; no call synchronises its threads (InternalError), which may still read what a pass writes.
Emitted emit_repeated(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int copies);

} // namespace fusec::codegen
