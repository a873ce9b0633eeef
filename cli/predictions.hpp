// SPDX-License-Identifier: Apache-2.0
// What every predictor says of the kernels of a program, side by side.
#pragma once

#include "cli/compiled_kernels.hpp"
#include "cli/pipeline.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

struct Predictions {
    /// A predictor that cannot say anything of this device, and why not.
    struct Unavailable {
        std::string name, reason;
    };
    struct Kernel {
        fusion::Candidate candidate;                    ///< as the search has it
        std::optional<CompiledPlans::Kernel> compiled;  ///< what is predicted of then; its cost is that of --predictor
        std::vector<perfmodel::Breakdown> by_predictor; ///< in the order of `predictors`
    };

    std::vector<std::string> predictors;
    std::vector<Unavailable> unavailable;
    std::vector<Kernel> kernels; ///< of the best plan, or all that are kept
    std::string source;          ///< of compiled kernels, as `registers` (CompiledKernels); else empty
    RegisterSource registers;
};

/// Why `benchmark` has no answer for a kernel.
inline constexpr const char* want_of_times = "for want of times of routines or lists (`fusec calibrate --for` measures those of a program)";

/// Every kept candidate, by column. Pre: the compilation has its plan.
std::vector<fusion::Candidate> kept_candidates(Compilation& compilation);

/// Pre: the candidates have their steps (CompileOptions::with_steps). `only`: that predictor alone, reported where it cannot be had; else all
/// that serve the device. `compiled`: of these kernels, in their order; predictions are of them then.
std::optional<Predictions> predict(const Compilation& compilation, const std::vector<fusion::Candidate>& kernels,
    const std::optional<std::string>& only, Diagnostics& diagnostics, const std::optional<CompiledKernels>& compiled = std::nullopt);

/// Reports a predictor that was asked for alone and that answers for none of the kernels, with what it lacks; true then. Pre: one predictor alone was asked.
bool report_no_answer(const Predictions& predictions, const Compilation& compilation, Diagnostics& diagnostics);

/// A line for each kernel and predictor, with the breakdown; or, for many kernels, a line for each kernel.
std::string predictions_text(const Predictions& predictions, const Compilation& compilation);
std::string predictions_table(const Predictions& predictions, const Compilation& compilation);
/// The keys stand in docs/cli.md.
std::string predictions_json(const Predictions& predictions, const Compilation& compilation);

} // namespace fusec::cli
