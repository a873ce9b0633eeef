// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: how many registers the values of a function occupy at once.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace fusec::perfmodel::analysis {

/// 32-bit registers at the widest point, by backward data flow over the values of the IR in its order. Parameters and constants take none
/// (constant memory, immediates), truth values none (predicates), addresses of shared memory one; a value that is another in a wider or
/// narrower type, or another address plus a constant, is that other one. O(instructions * values / 64 * loop depth).
int live_registers(const llvm::Function& function);

} // namespace fusec::perfmodel::analysis
