// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/classification.hpp"

#include <map>
#include <string_view>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace fusec::perfmodel::analysis {

namespace {

using enum InstructionClass;
using Class = std::optional<InstructionClass>;

bool is_double(const llvm::Type* type) {
    return type->getScalarType()->isDoubleTy();
}

InstructionClass by_precision(const llvm::Type* type, InstructionClass single, InstructionClass twofold) {
    return is_double(type) ? twofold : single;
}

bool contractible(const llvm::Value* value, unsigned opcode) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return operation != nullptr && operation->getOpcode() == opcode && operation->hasAllowContract();
}

/// The product that becomes part of this addition or subtraction, if there is one.
const llvm::Value* contracted_product(const llvm::Instruction& sum) {
    if (!contractible(&sum, llvm::Instruction::FAdd) && !contractible(&sum, llvm::Instruction::FSub)) {
        return nullptr;
    }
    for (const llvm::Use& operand : sum.operands()) {
        if (contractible(operand.get(), llvm::Instruction::FMul) && operand->hasOneUse()) {
            return operand.get();
        }
    }
    return nullptr;
}

bool is_contracted(const llvm::Instruction& product) {
    if (!contractible(&product, llvm::Instruction::FMul) || !product.hasOneUse()) {
        return false;
    }
    const auto* user = llvm::dyn_cast<llvm::Instruction>(*product.user_begin());
    return user != nullptr && contracted_product(*user) == &product;
}

InstructionClass access_class(const llvm::Value* pointer, bool store) {
    switch (space_of(pointer)) {
    case Space::global:
        return store ? global_store : global_load;
    case Space::shared:
        return store ? shared_store : shared_load;
    case Space::local:
        return store ? local_store : local_load;
    case Space::constant:
        return constant_load;
    }
    return global_load;
}

/// Functions without a text: those of <math.h>.
Class class_of_external(llvm::StringRef name, const llvm::Type* type) {
    static const std::map<std::string_view, std::pair<InstructionClass, InstructionClass>> functions{
        {"exp", {exponential_f32, exponential_f64}}, {"log", {logarithm_f32, logarithm_f64}}, {"sin", {sine_f32, sine_f64}},
        {"cos", {cosine_f32, cosine_f64}}, {"pow", {power_f32, power_f64}}};
    std::string_view stem(name.data(), name.size());
    if (!type->isDoubleTy() && stem.ends_with('f')) {
        stem.remove_suffix(1);
    }
    const auto found = functions.find(stem);
    return found == functions.end() ? call : by_precision(type, found->second.first, found->second.second);
}

Class class_of_device_intrinsic(llvm::StringRef name, const llvm::Type* type) {
    struct Entry {
        const char* prefix;
        Class single, twofold;
    };
    static const Entry entries[] = {{"read.ptx.sreg.", integer, integer}, {"barrier0.", call, call},
        {"barrier0", block_barrier, block_barrier}, {"bar.warp.sync", warp_barrier, warp_barrier}, {"shfl.", shuffle, shuffle},
        {"cp.async.commit", async_commit, async_commit}, {"cp.async.wait", async_wait, async_wait}, {"cp.async.c", async_copy, async_copy},
        {"sqrt.", square_root_f32, square_root_f64}, {"rsqrt.", reciprocal_square_root_f32, reciprocal_square_root_f64},
        {"add.", add_f32, add_f64}, {"mul.", mul_f32, mul_f64}, {"fma.", fma_f32, fma_f64}, {"d2i.", std::nullopt, std::nullopt},
        {"lohi.", std::nullopt, std::nullopt}};
    for (const Entry& entry : entries) {
        if (name.starts_with(entry.prefix)) {
            return is_double(type) ? entry.twofold : entry.single;
        }
    }
    return call;
}

Class class_of_call(const llvm::CallInst& instruction) {
    const llvm::Function* const function = instruction.getCalledFunction();
    if (function == nullptr) {
        return call;
    }
    const llvm::StringRef name = function->getName();
    if (name.starts_with("llvm.nvvm.")) {
        return class_of_device_intrinsic(name.drop_front(10), instruction.getType());
    }
    const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic == nullptr) {
        return class_of_external(name, instruction.getType());
    }
    if (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd()) {
        return std::nullopt;
    }
    const llvm::Type* const type = instruction.getType();
    switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
        return std::nullopt;
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
        return by_precision(type, fma_f32, fma_f64);
    case llvm::Intrinsic::sqrt:
        return by_precision(type, square_root_f32, square_root_f64);
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::copysign:
        return by_precision(type, other_f32, other_f64);
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
        return integer;
    default:
        return call;
    }
}

Class class_of_address(const llvm::GetElementPtrInst& instruction) {
    return instruction.hasAllConstantIndices() ? Class() : address;
}

} // namespace

Class class_of(const llvm::Instruction& instruction) {
    const llvm::Type* const type = instruction.getType();
    switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
        return contracted_product(instruction) != nullptr ? by_precision(type, fma_f32, fma_f64) : by_precision(type, add_f32, add_f64);
    case llvm::Instruction::FMul:
        return is_contracted(instruction) ? Class() : by_precision(type, mul_f32, mul_f64);
    case llvm::Instruction::FDiv:
        return by_precision(type, division_f32, division_f64);
    case llvm::Instruction::FCmp:
        return by_precision(instruction.getOperand(0)->getType(), other_f32, other_f64);
    case llvm::Instruction::FRem:
        return call;
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
        return conversion;
    case llvm::Instruction::Select:
        return type->isIntegerTy(1) ? integer : select;
    case llvm::Instruction::Load:
        return access_class(llvm::getPointerOperand(&instruction), false);
    case llvm::Instruction::Store:
        return access_class(llvm::getPointerOperand(&instruction), true);
    case llvm::Instruction::AtomicRMW:
    case llvm::Instruction::AtomicCmpXchg:
        return atomic;
    case llvm::Instruction::GetElementPtr:
        return class_of_address(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case llvm::Instruction::Br:
        return llvm::cast<llvm::BranchInst>(instruction).isConditional() ? Class(branch) : Class();
    case llvm::Instruction::Switch:
        return branch;
    case llvm::Instruction::Call:
        return class_of_call(llvm::cast<llvm::CallInst>(instruction));
    case llvm::Instruction::ICmp:
    case llvm::Instruction::SExt:
        return integer;
    case llvm::Instruction::ZExt: // the upper half of a pair is a constant
        return instruction.getOperand(0)->getType()->isIntegerTy(1) ? Class(integer) : Class();
    case llvm::Instruction::FNeg: // a modifier of the operand where it is used
    case llvm::Instruction::Trunc:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Alloca:
    case llvm::Instruction::Ret:
    case llvm::Instruction::Unreachable:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::Fence:
        return std::nullopt;
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
        return llvm::isa<llvm::Constant>(instruction.getOperand(1)) ? constant_division : integer_division;
    default:
        return instruction.isBinaryOp() ? integer : call;
    }
}

namespace {

/// More than a register holds. The device's addresses of shared and local memory have 32 bits.
bool takes_two_registers(const llvm::Type* type) {
    constexpr unsigned register_bits = 32, shared = 3, local = 5;
    const llvm::Type* const each = type->getScalarType();
    return each->isDoubleTy() || (each->isIntegerTy() && each->getIntegerBitWidth() > register_bits) ||
        (each->isPointerTy() && each->getPointerAddressSpace() != shared && each->getPointerAddressSpace() != local);
}

} // namespace

int instructions_of(const llvm::Instruction& instruction) {
    if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::umin:
        case llvm::Intrinsic::umax:
        case llvm::Intrinsic::smin:
        case llvm::Intrinsic::smax:
            return takes_two_registers(instruction.getType()) ? 4 : 1;
        case llvm::Intrinsic::abs:
        case llvm::Intrinsic::fshl:
        case llvm::Intrinsic::fshr:
            return takes_two_registers(instruction.getType()) ? 2 : 1;
        default:
            return 1;
        }
    }
    switch (instruction.getOpcode()) {
    case llvm::Instruction::ICmp:
        return takes_two_registers(instruction.getOperand(0)->getType()) ? 2 : 1;
    case llvm::Instruction::Select:
        return takes_two_registers(instruction.getType()) ? 2 : 1;
    default:
        return class_of(instruction) == integer && instruction.isBinaryOp() && takes_two_registers(instruction.getType()) ? 2 : 1;
    }
}

Space space_of(const llvm::Value* pointer) {
    const auto by_number = [](unsigned number) -> std::optional<Space> {
        switch (number) {
        case 1:
            return Space::global;
        case 3:
            return Space::shared;
        case 4:
        case 101:
            return Space::constant;
        case 5:
            return Space::local;
        default:
            return std::nullopt; // generic
        }
    };
    if (const auto space = by_number(pointer->getType()->getPointerAddressSpace())) {
        return *space;
    }
    const llvm::Value* const object = llvm::getUnderlyingObject(pointer, 0);
    if (llvm::isa<llvm::AllocaInst>(object)) {
        return Space::local;
    }
    if (const auto* const argument = llvm::dyn_cast<llvm::Argument>(object); argument != nullptr && argument->hasByValAttr()) {
        return Space::constant; // parameters lie in constant memory
    }
    return by_number(object->getType()->getPointerAddressSpace()).value_or(Space::global);
}

std::string place_of(const llvm::Instruction& instruction) {
    const llvm::DILocation* location = instruction.getDebugLoc().get();
    if (location == nullptr || location->getLine() == 0) {
        return "an unknown line";
    }
    std::string place = "line " + std::to_string(location->getLine());
    const llvm::DILocation* outer = location;
    while (outer->getInlinedAt() != nullptr) {
        outer = outer->getInlinedAt();
    }
    return outer == location ? place : place + ", inlined in line " + std::to_string(outer->getLine());
}

bool calls_device_intrinsic(const llvm::Instruction& instruction, const char* name) {
    const auto* const call_instruction = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* const function = call_instruction == nullptr ? nullptr : call_instruction->getCalledFunction();
    return function != nullptr && function->getName().starts_with(std::string("llvm.nvvm.") + name);
}

} // namespace fusec::perfmodel::analysis
