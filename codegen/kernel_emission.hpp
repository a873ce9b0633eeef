// SPDX-License-Identifier: Apache-2.0
// A kernel as text: its signature, the block's tile, each step in order.
#pragma once

#include "codegen/dialect.hpp"
#include "codegen/embedding.hpp"
#include "codegen/kernel_ir.hpp"
#include "support/writer.hpp"

namespace fusec::codegen {

/// Writes the kernel as `name`, a template over what a wide access moves when it has any. Its parameters are the lists in order, the
/// element at which the launch starts, and the number of elements. Pre: the kernel is verified.
/// `repeated` > 0: as emit_repeated (repeated.hpp) says; a parameter in front of the element says how often.
void write_kernel(
    Writer& writer, const Kernel& kernel, const std::string& name, const Routines& routines, const Dialect& dialect, int repeated = 0);

} // namespace fusec::codegen
