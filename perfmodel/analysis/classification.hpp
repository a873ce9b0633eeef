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

/// Of the memory that a pointer points into; global if nothing says otherwise.
Space space_of(const llvm::Value* pointer);

/// "line 12", or "line 12, inlined in line 30"; "an unknown line" without debug information.
std::string place_of(const llvm::Instruction& instruction);

/// Whether it is a call that the device executes as `llvm.nvvm.` + `name` + anything.
bool calls_device_intrinsic(const llvm::Instruction& instruction, const char* name);

} // namespace fusec::perfmodel::analysis
