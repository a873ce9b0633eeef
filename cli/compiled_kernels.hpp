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

/// Where the registers of compiled kernels are from.
struct RegisterSource {
    bool reported = false; ///< by the assembler; else estimated
    std::string assembler; ///< the program that reports them, or those that were looked for or said nothing

    std::string text() const;     ///< "`nvcc`", "estimated, without `nvcc`, `ptxas`"
    std::string sentence() const; ///< "registers by `nvcc`", "registers estimated, without `nvcc`, `ptxas`"
};

struct CompiledKernels {
    std::string source; ///< "llvm (clang 19.1.7, sm_90)"
    RegisterSource registers;
    std::vector<perfmodel::analysis::CompiledWork> kernels; ///< in the order of the candidates
};

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
    std::string source; ///< as in CompiledKernels, and `registers`
    RegisterSource registers;
    std::vector<Plan> plans; ///< in the order of Compilation::plans
};

/// Prices the kernels of all plans by their compiled text, and puts the plans into the order of these prices: the first is emitted. False
/// after a report.
bool refine_plans(Compilation& compilation, Diagnostics& diagnostics);

} // namespace fusec::cli
