// SPDX-License-Identifier: Apache-2.0
// Kernels as their compiled text has them: emitted, compiled and analysed by clang and LLVM, their registers by ptxas where it is installed.
#pragma once

#include "fusion/candidate.hpp"
#include "perfmodel/analysis/compiled_work.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

struct Compilation;

struct CompiledKernels {
    std::string source;                                     ///< "llvm (clang 19.1.7, sm_90)"
    std::string assembler;                                  ///< the program that registers are of; or that there is none, in words
    std::vector<perfmodel::analysis::CompiledWork> kernels; ///< in the order of the candidates
};

/// CompiledKernels::assembler for a sentence: "registers by `nvcc`", "registers estimated, without `nvcc`, `ptxas`".
std::string registers_text(const std::string& assembler);

/// Each distinct kernel is compiled once, some at a time; texts that were compiled before come from the cache. Reports what the analysis
/// reports. Pre: the compilation is for CUDA and has its plan.
std::optional<CompiledKernels> compile_kernels(
    const Compilation& compilation, const std::vector<fusion::Candidate>& candidates, Diagnostics& diagnostics);

/// Plans as their compiled kernels are priced.
struct CompiledPlans {
    struct Kernel {
        perfmodel::analysis::CompiledWork compiled;
        fusion::Cost cost; ///< of the predictor that chose the plans
    };
    struct Plan {
        std::vector<Kernel> kernels;
        double seconds = 0;
    };
    std::string source, assembler; ///< as CompiledKernels
    std::vector<Plan> plans;       ///< in the order of Compilation::plans
};

/// Prices the kernels of all plans by their compiled text, and puts the plans into the order of these prices: the first is emitted. False
/// after a report.
bool refine_plans(Compilation& compilation, Diagnostics& diagnostics);

} // namespace fusec::cli
