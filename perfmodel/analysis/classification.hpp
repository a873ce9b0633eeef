// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: what LLVM's instructions are on the device.
#pragma once

#include "perfmodel/analysis/instruction_class.hpp"
#include "perfmodel/analysis/kernel_profile.hpp"

#include <optional>
#include <string>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace fusec::perfmodel::analysis {

/// Nothing for what takes no instruction. A product that is contracted into the addition that alone uses it takes none, the addition is
/// then an FMA: as the NVPTX backend contracts where both have the flag.
std::optional<InstructionClass> class_of(const llvm::Instruction& instruction);

/// How many instructions of its class the device executes for one that has one: registers have 32 bits, so that arithmetic, logic and shifts of
/// integers of 64 bits, comparisons of integers and addresses of 64 bits and choices of any value of 64 bits are done in halves, and minima
/// and maxima are a comparison and a choice of them. 1 for everything else, and for what a product of 64 bits takes beyond two nothing.
int instructions_of(const llvm::Instruction& instruction);

/// Of the memory that a pointer points into; global if nothing says otherwise.
Space space_of(const llvm::Value* pointer);

/// "line 12", or "line 12, inlined in line 30"; "an unknown line" without debug information.
std::string place_of(const llvm::Instruction& instruction);

/// Whether it is a call that the device executes as `llvm.nvvm.` + `name` + anything.
bool calls_device_intrinsic(const llvm::Instruction& instruction, const char* name);

} // namespace fusec::perfmodel::analysis
