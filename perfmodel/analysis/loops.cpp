// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/loops.hpp"

#include "perfmodel/analysis/classification.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

namespace fusec::perfmodel::analysis {

std::vector<LoopProfile> loop_profiles(llvm::Function& function, llvm::DominatorTree& dominators, llvm::LoopInfo& loops) {
    const llvm::TargetLibraryInfoImpl functions(llvm::Triple(function.getParent()->getTargetTriple()));
    llvm::TargetLibraryInfo library(functions);
    llvm::AssumptionCache assumptions(function);
    llvm::ScalarEvolution evolution(function, library, assumptions, dominators, loops);
    std::vector<LoopProfile> profiles;
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
        LoopProfile profile;
        profile.depth = static_cast<int>(loop->getLoopDepth());
        const llvm::DebugLoc start = loop->getStartLoc();
        profile.where = start ? "line " + std::to_string(start.getLine()) : place_of(*loop->getHeader()->getTerminator());
        const llvm::SCEV* const rounds = evolution.getBackedgeTakenCount(loop);
        if (const auto* const constant = llvm::dyn_cast<llvm::SCEVConstant>(rounds)) {
            profile.trip_count = constant->getAPInt().getZExtValue() + 1;
        } else if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds)) {
            profile.expression = "unknown";
        } else {
            llvm::raw_string_ostream stream(profile.expression);
            stream << "1 + ";
            rounds->print(stream);
        }
        profiles.push_back(std::move(profile));
    }
    return profiles;
}

} // namespace fusec::perfmodel::analysis
