// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: trip counts.
#pragma once

#include "perfmodel/analysis/kernel_profile.hpp"

namespace llvm {
class DominatorTree;
class Function;
class LoopInfo;
} // namespace llvm

namespace fusec::perfmodel::analysis {

/// What ScalarEvolution says of each loop, in preorder: a constant, or an expression in parameters and the thread index (`tid`), or
/// "unknown". Entries and iterations stay 0.
std::vector<LoopProfile> loop_profiles(llvm::Function& function, llvm::DominatorTree& dominators, llvm::LoopInfo& loops);

} // namespace fusec::perfmodel::analysis
