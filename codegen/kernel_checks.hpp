// SPDX-License-Identifier: Apache-2.0
// The two halves of the proof that one kernel is sound (codegen/verifier.hpp).
#pragma once

#include "codegen/kernel_findings.hpp"

namespace fusec::codegen {

/// Every step refers to lists, tiles, values and tables that exist. Only then the other checks can be made.
bool indices_exist(const Kernel& kernel, KernelFindings& findings);
/// What holds without running the block: index types are large enough, tiles lie in shared memory, are aligned, are touched only while
/// they live, and do not overlap while two of them do.
void check_declarations(const Kernel& kernel, KernelFindings& findings);
/// Runs one block with `count` elements, thread by thread and word by word, with lists that are aligned for wide accesses or not: bounds,
/// definition before use, barriers between conflicting accesses, registers, and stores that are complete and made once.
void run_block(const Kernel& kernel, int count, bool aligned, KernelFindings& findings);

} // namespace fusec::codegen
