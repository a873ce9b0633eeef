// SPDX-License-Identifier: Apache-2.0
// Kernels that isolate a routine, for who measures it (`fusec calibrate`).
#pragma once

#include "codegen/codegen.hpp"

namespace fusec::codegen {

/// As emit(), but launches compute each call of each kernel `copies` times, every time from the same operands to the same result, which the
/// compiler of the text cannot know. What is derived from uniforms is computed once.
/// CUDA: how often is a parameter of the kernel; a pass of the loop has `copies` calls, each with a branch behind it that no launch takes (opaque.cuh):
/// ptxas, to which empty asm statements are nothing, would compute once what is computed from registers into registers.
/// Host: operands lie in memory, as those of kernels with more values than registers do, and each call writes its result there; the text
/// defines a variable of C linkage, `int NAME_repetitions`, that says how often, and starts as `copies`. A launch reads it once.
/// Pre: as emit(); copies > 0; no call synchronises its threads (InternalError), which may still read what a pass writes.
Emitted emit_repeated(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int copies);

/// That variable's name.
std::string repetitions_name(const std::string& unit);

} // namespace fusec::codegen
