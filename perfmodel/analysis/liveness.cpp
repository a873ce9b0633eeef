// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/liveness.hpp"

#include "perfmodel/analysis/classification.hpp"

#include <algorithm>
#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace fusec::perfmodel::analysis {

namespace {

/// The value whose registers this one shares.
const llvm::Value* holder(const llvm::Value* value) {
    while (const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
        const bool widened = llvm::isa<llvm::ZExtInst>(instruction) && !instruction->getOperand(0)->getType()->isIntegerTy(1);
        const auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction);
        const bool displaced = address != nullptr && address->hasAllConstantIndices();
        if (!widened && !displaced && !llvm::isa<llvm::TruncInst>(instruction) && !llvm::isa<llvm::BitCastInst>(instruction) &&
            !llvm::isa<llvm::AddrSpaceCastInst>(instruction) && !llvm::isa<llvm::FreezeInst>(instruction) &&
            !llvm::isa<llvm::PtrToIntInst>(instruction) && !llvm::isa<llvm::IntToPtrInst>(instruction) &&
            instruction->getOpcode() != llvm::Instruction::FNeg) {
            return value;
        }
        value = instruction->getOperand(0);
    }
    return value;
}

int registers_of_type(llvm::Type* type, const llvm::DataLayout& layout) {
    if (type->isVoidTy() || type->getScalarType()->isIntegerTy(1)) {
        return 0;
    }
    if (type->isPointerTy() && type->getPointerAddressSpace() != 0 && type->getPointerAddressSpace() != 1) {
        return 1;
    }
    return static_cast<int>((layout.getTypeStoreSize(type).getFixedValue() + 3) / 4);
}

class Liveness {
public:
    explicit Liveness(const llvm::Function& function) : function_(function) {
        const llvm::DataLayout& layout = function.getParent()->getDataLayout();
        for (const llvm::BasicBlock& block : function) {
            for (const llvm::Instruction& instruction : block) {
                if (const int width = registers_of_type(instruction.getType(), layout);
                    width > 0 && holder(&instruction) == &instruction && !llvm::isa<llvm::AllocaInst>(instruction)) {
                    numbers_[&instruction] = static_cast<unsigned>(widths_.size());
                    widths_.push_back(width);
                }
            }
        }
    }

    int widest() {
        const std::vector<const llvm::BasicBlock*> order(llvm::po_begin(&function_), llvm::po_end(&function_));
        for (bool changed = true; changed;) {
            changed = false;
            for (const llvm::BasicBlock* const block : order) {
                llvm::BitVector live = live_at_end(*block);
                backward(*block, live, nullptr);
                llvm::BitVector& known = live_in_.try_emplace(block, static_cast<unsigned>(widths_.size())).first->second;
                if (live != known) {
                    known = std::move(live);
                    changed = true;
                }
            }
        }
        int most = 0;
        for (const llvm::BasicBlock* const block : order) {
            llvm::BitVector live = live_at_end(*block);
            most = std::max(most, size(live));
            backward(*block, live, &most);
        }
        return most;
    }

private:
    void use(llvm::BitVector& live, const llvm::Value* value) const {
        if (const auto found = numbers_.find(holder(value)); found != numbers_.end()) {
            live.set(found->second);
        }
    }
    void define(llvm::BitVector& live, const llvm::Instruction& instruction) const {
        if (const auto found = numbers_.find(&instruction); found != numbers_.end()) {
            live.reset(found->second);
        }
    }
    int size(const llvm::BitVector& live) const {
        int sum = 0;
        for (const unsigned number : live.set_bits()) {
            sum += widths_[number];
        }
        return sum;
    }

    llvm::BitVector live_at_end(const llvm::BasicBlock& block) const {
        llvm::BitVector live(static_cast<unsigned>(widths_.size()));
        for (const llvm::BasicBlock* const next : llvm::successors(&block)) {
            if (const auto found = live_in_.find(next); found != live_in_.end()) {
                live |= found->second;
            }
            for (const llvm::PHINode& phi : next->phis()) {
                use(live, phi.getIncomingValueForBlock(&block));
            }
        }
        return live;
    }

    /// From what is live at the end to what is live behind the phis' definitions; `most` is raised to the widest point on the way.
    void backward(const llvm::BasicBlock& block, llvm::BitVector& live, int* most) const {
        for (auto it = block.rbegin(); it != block.rend(); ++it) {
            if (most != nullptr) {
                llvm::BitVector with_result = live;
                if (const auto found = numbers_.find(&*it); found != numbers_.end()) {
                    with_result.set(found->second); // a result that nobody needs has a register for a moment
                }
                *most = std::max(*most, size(with_result));
            }
            define(live, *it);
            if (llvm::isa<llvm::PHINode>(*it)) {
                continue;
            }
            if (holder(&*it) == &*it) {
                for (const llvm::Use& operand : it->operands()) {
                    use(live, operand.get());
                }
            }
        }
    }

    const llvm::Function& function_;
    llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
    std::vector<int> widths_;
    llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> live_in_;
};

} // namespace

int live_registers(const llvm::Function& function) {
    return Liveness(function).widest();
}

} // namespace fusec::perfmodel::analysis
