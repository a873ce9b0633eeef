// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/program.hpp"

#include "perfmodel/analysis/classification.hpp"
#include "perfmodel/analysis/loops.hpp"
#include "perfmodel/analysis/ptxas.hpp"

#include <map>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace fusec::perfmodel::analysis {

namespace {

/// Bits of an integer that is followed; 0 for everything else.
std::uint8_t width_of(const llvm::Type* type) {
    const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
    return static_cast<std::uint8_t>(bits <= 64 ? bits : 0);
}

class Translation {
public:
    Translation(llvm::Function& kernel, const Launch& launch)
        : kernel_(kernel),
          launch_(launch),
          layout_(kernel.getParent()->getDataLayout()),
          dominators_(kernel),
          loop_info_(dominators_),
          post_dominators_(kernel) {}

    Program run() {
        for (llvm::Argument& argument : kernel_.args()) {
            add_argument(argument);
        }
        for (llvm::BasicBlock& block : kernel_) {
            block_numbers_[&block] = static_cast<std::int32_t>(block_numbers_.size());
        }
        add_loops();
        for (llvm::BasicBlock& block : kernel_) {
            Block translated;
            translated.first = static_cast<std::uint32_t>(program_.steps.size());
            for (llvm::Instruction& instruction : block) {
                if (const auto instruction_class = class_of(instruction)) {
                    translated.mix[*instruction_class] += instructions_of(instruction);
                }
                if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) {
                    add_step(instruction);
                }
            }
            translated.last = static_cast<std::uint32_t>(program_.steps.size());
            const llvm::Loop* const loop = loop_info_.getLoopFor(&block);
            translated.loop = loop == nullptr ? -1 : loop_numbers_.at(loop);
            translated.branch = branch_of(block);
            for (const llvm::BasicBlock* const before : llvm::predecessors(&block)) {
                std::vector<Move> moves;
                for (const llvm::PHINode& phi : block.phis()) {
                    moves.push_back({slot(&phi), slot(phi.getIncomingValueForBlock(before))});
                }
                translated.incoming.emplace_back(block_numbers_[before], std::move(moves));
            }
            program_.blocks.push_back(std::move(translated));
        }
        return std::move(program_);
    }

private:
    std::uint32_t add_base(const std::string& name) {
        program_.base_names.push_back(name);
        return static_cast<std::uint32_t>(program_.base_names.size() - 1);
    }

    void add_argument(const llvm::Argument& argument) {
        Value value;
        const std::string name = argument.getName().str();
        if (argument.getType()->isPointerTy()) {
            value = {Value::pointer, add_base(name), 0};
        } else if (const auto given = launch_.arguments.find(name); given != launch_.arguments.end() && width_of(argument.getType()) > 0) {
            value = {Value::integer, 0, static_cast<std::int64_t>(masked(given->second, width_of(argument.getType())))};
        }
        program_.start[static_cast<std::size_t>(slot(&argument))] = value;
    }

    static std::uint64_t masked(std::int64_t bits, unsigned width) {
        return width >= 64 ? static_cast<std::uint64_t>(bits) : static_cast<std::uint64_t>(bits) & ((std::uint64_t{1} << width) - 1);
    }

    /// Of the value's own slot; constants are filled in.
    std::int32_t slot(const llvm::Value* value) {
        const auto [found, added] = slots_.try_emplace(value, static_cast<std::int32_t>(program_.start.size()));
        const std::int32_t number = found->second;
        if (added) {
            program_.start.emplace_back();
            if (const auto* const constant = llvm::dyn_cast<llvm::Constant>(value)) {
                const Value known = value_of(constant);
                program_.start[static_cast<std::size_t>(number)] = known;
            }
        }
        return number;
    }

    Value value_of(const llvm::Constant* constant) {
        if (const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(constant); number != nullptr && number->getBitWidth() <= 64) {
            return {Value::integer, 0, static_cast<std::int64_t>(number->getZExtValue())};
        }
        if (!constant->getType()->isPointerTy()) {
            return {};
        }
        llvm::APInt offset(64, 0);
        const llvm::Value* const object = constant->stripAndAccumulateConstantOffsets(layout_, offset, true);
        const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object);
        if (global == nullptr) {
            return llvm::isa<llvm::ConstantPointerNull>(object) ? Value{} : Value{Value::somewhere, add_base("a constant address"), 0};
        }
        const auto [found, added] = globals_.try_emplace(global, 0);
        if (added) {
            found->second = add_base(kernel_name(global->getName().str()));
        }
        return {Value::pointer, found->second, offset.getSExtValue()};
    }

    void set_operands(Step& step, std::initializer_list<const llvm::Value*> values) {
        step.operands = static_cast<std::uint32_t>(program_.slots.size());
        step.operand_count = static_cast<std::uint32_t>(values.size());
        std::vector<std::int32_t> numbers;
        for (const llvm::Value* const value : values) {
            numbers.push_back(slot(value));
        }
        program_.slots.insert(program_.slots.end(), numbers.begin(), numbers.end());
    }

    std::int32_t add_access(const llvm::Instruction& instruction, const llvm::Value* pointer, std::uint64_t bytes, bool store, bool async) {
        AccessProfile profile;
        profile.space = space_of(pointer);
        profile.store = store;
        profile.async = async;
        profile.bytes = static_cast<int>(bytes);
        profile.where = place_of(instruction);
        program_.accesses.push_back({profile});
        return static_cast<std::int32_t>(program_.accesses.size() - 1);
    }

    void add_step(llvm::Instruction& instruction) {
        Step step;
        const auto instruction_class = class_of(instruction);
        step.instruction_class = instruction_class ? static_cast<std::int16_t>(*instruction_class) : std::int16_t{-1};
        step.width = width_of(instruction.getType());
        if (!instruction.getType()->isVoidTy()) {
            step.result = slot(&instruction);
        }
        if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
            step.action = Action::load;
            set_operands(step, {load->getPointerOperand()});
            step.access = add_access(instruction, load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()), false, false);
            if (load->getType()->isPointerTy()) {
                step.constant = add_base("an address from " + place_of(instruction)) + 1;
            }
        } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            step.action = Action::store;
            set_operands(step, {store->getPointerOperand(), store->getValueOperand()});
            step.access = add_access(
                instruction, store->getPointerOperand(), layout_.getTypeStoreSize(store->getValueOperand()->getType()), true, false);
        } else if (const auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
            add_address(*address, step);
        } else if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
            if (llvm::isa<llvm::DbgInfoIntrinsic>(call) || (!instruction_class && call->getType()->isVoidTy())) {
                return;
            }
            add_call(*call, step);
        } else if (llvm::isa<llvm::AllocaInst>(instruction)) {
            program_.start[static_cast<std::size_t>(step.result)] = {Value::pointer, add_base(instruction.getName().str()), 0};
            return;
        } else {
            add_plain(instruction, step);
        }
        program_.steps.push_back(step);
    }

    void add_address(const llvm::GetElementPtrInst& address, Step& step) {
        step.action = Action::displace;
        llvm::MapVector<llvm::Value*, llvm::APInt> variable;
        llvm::APInt constant(64, 0);
        std::vector<std::int32_t> numbers{slot(address.getPointerOperand())};
        if (llvm::cast<llvm::GEPOperator>(address).collectOffset(layout_, 64, variable, constant) && !address.getType()->isVectorTy()) {
            step.scales = static_cast<std::uint32_t>(program_.scales.size());
            for (const auto& [value, scale] : variable) {
                numbers.push_back(slot(value));
                program_.scales.push_back(scale.getSExtValue());
                widths_of_index(value);
            }
            step.constant = constant.getSExtValue();
        } else {
            step.action = Action::opaque;
        }
        step.operands = static_cast<std::uint32_t>(program_.slots.size());
        step.operand_count = static_cast<std::uint32_t>(numbers.size());
        program_.slots.insert(program_.slots.end(), numbers.begin(), numbers.end());
    }

    /// An index is of 64 bits, or it is sign-extended by the address computation, which the walk does not do.
    void widths_of_index(const llvm::Value* index) {
        if (width_of(index->getType()) != 64) {
            program_.unknowns.push_back("an index of " + std::to_string(width_of(index->getType())) + " bits is taken as unsigned");
        }
    }

    void add_call(const llvm::CallInst& call, Step& step) {
        const llvm::Function* const function = call.getCalledFunction();
        const std::string name = function == nullptr ? "a function pointer" : function->getName().str();
        const auto named = [&](const char* start) { return name.starts_with(std::string("llvm.nvvm.") + start); };
        if (step.instruction_class == static_cast<std::int16_t>(InstructionClass::call)) {
            program_.unknowns.push_back("`" + name + "`, called in " + place_of(call) + ", is not followed: counted as one call");
        }
        if (named("read.ptx.sreg.")) {
            add_special_register(name.substr(name.find("sreg.") + 5), step);
        } else if (named("cp.async.commit")) {
            step.action = Action::commit;
        } else if (named("cp.async.wait")) {
            step.action = Action::wait;
            step.constant = call.arg_size() == 0 ? 0 : llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
        } else if (named("cp.async.c")) {
            step.action = Action::copy;
            set_operands(step, {call.getArgOperand(0), call.getArgOperand(1)});
            const auto bytes = static_cast<std::uint64_t>(std::stoi(name.substr(name.rfind("global.") + 7)));
            step.access = add_access(call, call.getArgOperand(0), bytes, true, true);
            add_access(call, call.getArgOperand(1), bytes, false, true);
        } else if (named("barrier0") || named("bar.warp.sync")) {
            step.action = Action::barrier;
        } else if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call); intrinsic != nullptr && step.width > 0 &&
            (intrinsic->getIntrinsicID() == llvm::Intrinsic::umin || intrinsic->getIntrinsicID() == llvm::Intrinsic::umax ||
                intrinsic->getIntrinsicID() == llvm::Intrinsic::smin || intrinsic->getIntrinsicID() == llvm::Intrinsic::smax)) {
            // As a comparison that chooses: code is the predicate under which operand 0 is the result.
            static const std::map<unsigned, llvm::CmpInst::Predicate> predicates{{llvm::Intrinsic::umin, llvm::CmpInst::ICMP_ULT},
                {llvm::Intrinsic::umax, llvm::CmpInst::ICMP_UGT}, {llvm::Intrinsic::smin, llvm::CmpInst::ICMP_SLT},
                {llvm::Intrinsic::smax, llvm::CmpInst::ICMP_SGT}};
            step.action = Action::compare;
            step.operand_width = step.width;
            step.constant = 1; // the operand, not the truth
            step.code = static_cast<std::int16_t>(predicates.at(intrinsic->getIntrinsicID()));
            set_operands(step, {call.getArgOperand(0), call.getArgOperand(1)});
        } else {
            step.operands = static_cast<std::uint32_t>(program_.slots.size());
            std::vector<std::int32_t> numbers;
            for (const llvm::Use& argument : call.args()) {
                numbers.push_back(slot(argument.get()));
            }
            step.operand_count = static_cast<std::uint32_t>(numbers.size());
            program_.slots.insert(program_.slots.end(), numbers.begin(), numbers.end());
        }
    }

    void add_special_register(const std::string& name, Step& step) {
        step.action = Action::number;
        if (name == "tid.x") {
            step.action = Action::thread_index;
        } else if (name == "ntid.x") {
            step.constant = launch_.threads;
        } else if (name == "ctaid.x") {
            step.constant = launch_.block;
        } else if (name == "nctaid.x") {
            step.constant = launch_.blocks;
        } else if (name == "warpsize") {
            step.constant = 32;
        } else if (name == "laneid") {
            step.action = Action::thread_index;
            step.constant = 31; // mask
        } else if (name.starts_with("ntid.") || name.starts_with("nctaid.")) {
            step.constant = 1;
        } else if (!name.starts_with("tid.") && !name.starts_with("ctaid.")) {
            step.action = Action::opaque;
        }
    }

    void add_plain(const llvm::Instruction& instruction, Step& step) {
        step.operands = static_cast<std::uint32_t>(program_.slots.size());
        std::vector<std::int32_t> numbers;
        for (const llvm::Use& operand : instruction.operands()) {
            numbers.push_back(slot(operand.get()));
        }
        step.operand_count = static_cast<std::uint32_t>(numbers.size());
        program_.slots.insert(program_.slots.end(), numbers.begin(), numbers.end());
        if (!numbers.empty()) {
            step.operand_width = width_of(instruction.getOperand(0)->getType());
        }
        const bool address = instruction.getType()->isPointerTy();
        switch (instruction.getOpcode()) {
        case llvm::Instruction::ICmp:
            step.action = step.operand_width > 0 ? Action::compare : Action::opaque;
            step.code = static_cast<std::int16_t>(llvm::cast<llvm::ICmpInst>(instruction).getPredicate());
            break;
        case llvm::Instruction::Select:
            step.action = address || step.width > 0 ? Action::choose : Action::opaque;
            break;
        case llvm::Instruction::Trunc:
            step.action = step.operand_width > 0 ? Action::truncate : Action::opaque;
            break;
        case llvm::Instruction::ZExt:
            step.action = step.operand_width > 0 && step.width > 0 ? Action::zero_extend : Action::opaque;
            break;
        case llvm::Instruction::SExt:
            step.action = step.operand_width > 0 && step.width > 0 ? Action::sign_extend : Action::opaque;
            break;
        case llvm::Instruction::AddrSpaceCast:
        case llvm::Instruction::PtrToInt:
        case llvm::Instruction::IntToPtr:
        case llvm::Instruction::Freeze:
            step.action = Action::same;
            break;
        default:
            if (instruction.isBinaryOp() && step.width > 0) {
                step.action = Action::binary;
                step.code = static_cast<std::int16_t>(instruction.getOpcode());
            }
        }
    }

    void add_loops() {
        for (llvm::Loop* const loop : loop_info_.getLoopsInPreorder()) {
            loop_numbers_[loop] = static_cast<std::int32_t>(program_.loops.size());
            Loop entry;
            entry.header = block_numbers_.at(loop->getHeader());
            entry.parent = loop->getParentLoop() == nullptr ? -1 : loop_numbers_.at(loop->getParentLoop());
            program_.loops.push_back(std::move(entry));
        }
        const std::vector<LoopProfile> profiles = loop_profiles(kernel_, dominators_, loop_info_);
        for (std::size_t i = 0; i < profiles.size(); ++i) {
            program_.loops[i].profile = profiles[i];
        }
    }

    Branch branch_of(llvm::BasicBlock& block) {
        Branch branch;
        const llvm::Instruction* const end = block.getTerminator();
        for (const llvm::BasicBlock* const next : llvm::successors(&block)) {
            branch.targets.push_back(block_numbers_.at(next));
        }
        const std::string place = place_of(*end);
        if (const auto* const jump = llvm::dyn_cast<llvm::BranchInst>(end)) {
            branch.kind = jump->isConditional() ? Branch::conditional : Branch::always;
            if (jump->isConditional()) {
                branch.condition = slot(jump->getCondition());
                set_guess(block, branch, place);
            }
        } else if (const auto* const table = llvm::dyn_cast<llvm::SwitchInst>(end)) {
            branch.kind = Branch::several;
            branch.condition = slot(table->getCondition());
            branch.targets = {block_numbers_.at(table->getDefaultDest())};
            for (const auto& each : table->cases()) {
                branch.targets.push_back(block_numbers_.at(each.getCaseSuccessor()));
                branch.cases.push_back(static_cast<std::int64_t>(each.getCaseValue()->getZExtValue()));
            }
            branch.told = "which case is taken in " + place + " is not known before the kernel runs: the default is counted";
        }
        return branch;
    }

    void set_guess(llvm::BasicBlock& block, Branch& branch, const std::string& place) {
        const llvm::Loop* const loop = loop_info_.getLoopFor(&block);
        const auto* const node = post_dominators_.getNode(&block);
        const llvm::BasicBlock* const join = node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
        const llvm::Instruction* const end = block.getTerminator();
        if (loop != nullptr && (!loop->contains(end->getSuccessor(0)) || !loop->contains(end->getSuccessor(1)))) {
            branch.loop_exit = true;
            branch.guess = loop->contains(end->getSuccessor(0)) ? 1 : 0;
            branch.stay = 1 - branch.guess;
            branch.last_in_loop = loop->isLoopLatch(&block);
            branch.sole_exit = loop->getExitingBlock() == &block;
            const LoopProfile& profile = program_.loops[static_cast<std::size_t>(loop_numbers_.at(loop))].profile;
            branch.told = "the trip count of the loop in " + profile.where + " (" + profile.expression +
                ") is not known before the kernel runs: one round is counted each time it is entered";
            return;
        }
        branch.guess = join == end->getSuccessor(0) ? 1 : 0;
        branch.told = "whether the branch in " + place + " is taken is not known before the kernel runs: " +
            (join == end->getSuccessor(0) || join == end->getSuccessor(1) ? "the guarded side is counted" : "its first side is counted");
    }

    llvm::Function& kernel_;
    const Launch& launch_;
    const llvm::DataLayout& layout_;
    llvm::DominatorTree dominators_;
    llvm::LoopInfo loop_info_;
    llvm::PostDominatorTree post_dominators_;
    Program program_;
    llvm::DenseMap<const llvm::Value*, std::int32_t> slots_;
    llvm::DenseMap<const llvm::GlobalVariable*, std::uint32_t> globals_;
    std::map<const llvm::BasicBlock*, std::int32_t> block_numbers_;
    std::map<const llvm::Loop*, std::int32_t> loop_numbers_;
};

} // namespace

Program translate(llvm::Function& kernel, const Launch& launch) {
    return Translation(kernel, launch).run();
}

} // namespace fusec::perfmodel::analysis
