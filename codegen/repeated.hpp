// SPDX-License-Identifier: Apache-2.0
// Kernels that isolate a routine, for who measures it (`fusec calibrate`).
#pragma once

#include "codegen/codegen.hpp"
#include "codegen/kernel_ir.hpp"

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

/// Host: that of another one, `int NAME_chained`, 0 at first. While it is 1, each repetition of a call waits for the one before: each component of
/// its smallest operand, as it is, is known no sooner than one of the result was, in turns. It is added, by exclusive or, what bits of that component
/// half of the variable has, rounded down: none of them of 1. A launch reads it once.
std::string chained_name(const std::string& unit);
/// Whether all calls of the kernel wait then.
bool can_chain(const Kernel& kernel);
/// The operand through which a call waits: the one of the fewest components that is no uniform, in its result's precision, the first of equal ones.
/// Null where that and the result have more than 16 together, which would go through memory, and of which most do not wait for each other.
const Value* chained_operand(const Kernel& kernel, const Compute& call);

} // namespace fusec::codegen
