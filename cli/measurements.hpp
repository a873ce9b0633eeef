// SPDX-License-Identifier: Apache-2.0
// Kernels and plans of a program measured on this host, beside what every predictor says of them.
#pragma once

#include "cli/pipeline.hpp"
#include "cli/predictions.hpp"
#include "execute/build_folder.hpp"
#include "execute/timing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

/// Which kernels are measured, beside the plans.
struct KernelSelection {
    bool all = false;                  ///< every kept candidate; else the kernels of the best plan
    std::optional<std::size_t> sample; ///< and, beside them, those of so many candidates, spread over the sizes of fusions, that are others
    std::uint64_t seed = 1;            ///< of the sample
};

struct Measurements {
    struct Plan {
        std::string choice; ///< auto, none, max, greedy, or the plan file; `auto 2` is the first runner-up
        fusion::Plan plan;
        execute::UnitTimes times = {}; ///< of one launch of the whole program
        double predicted_seconds = 0;  ///< of such a launch, as it was measured
        bool repeated = false;         ///< measured as several launches in a row
    };
    std::vector<Plan> plans; ///< the compiled one first; of the others those that differ from all before
    Predictions predictions;
    std::vector<execute::UnitTimes> kernels; ///< of each kernel of `predictions`
    std::string compiler;                    ///< that built them: the first line of its version
    int processors = 1;                      ///< that launches could use (usable_processors)
};

/// Compiles the program up to its plan, for `elements` elements: nothing for as many as two gibibytes of lists hold, at most 2^20, or a share of both
/// where no list is updated in place. (Ordinary stores write such lists, and what of that stays in the caches is no part of a launch's time.)
bool compile_to_measure(Compilation& compilation, std::optional<std::uint64_t> elements, Diagnostics& diagnostics, double share = 1);

/// The kernels to measure, those of the best plan first. Pre: the compilation has its plan.
std::vector<fusion::Candidate> kernels_to_measure(Compilation& compilation, const KernelSelection& selection);

/// The plan of another compilation of the same program, as one by another predictor.
struct RivalPlan {
    std::string choice;
    const Compilation* compilation = nullptr;
};

/// What is timed of a program: its plans, each of several with the same kernels once, then the kernels.
struct UnitsToMeasure {
    Compilation* compilation = nullptr;
    std::vector<RivalPlan> rivals;
    std::vector<Measurements::Plan> plans;   ///< without their times; those of the rivals last
    std::vector<fusion::Candidate> kernels;  ///< beside the plans
    std::vector<execute::TimedUnit> units;   ///< refer to the compilations
    std::vector<std::size_t> units_of_plans; ///< which unit is each plan's; those of the kernels are the last
};

/// Pre: the compilation has its plan, for the host, and its candidates have their steps; rivals have theirs, for as many elements. Compilations outlive
/// the result.
UnitsToMeasure units_to_measure(Compilation& compilation, const KernelSelection& selection, const std::vector<RivalPlan>& rivals = {});
/// What became of them. `times` are those of the units.
std::optional<Measurements> measurements_of(
    UnitsToMeasure measured, const std::vector<execute::UnitTimes>& times, const execute::TimingSetup& setup, Diagnostics& diagnostics);
/// Measures the plans and the kernels in one run.
std::optional<Measurements> measure(
    Compilation& compilation, const KernelSelection& selection, const execute::TimingSetup& setup, Diagnostics& diagnostics);

/// The compiler and the folders that timing needs; `timing-failed` where this processor's caches cannot be told to drop lists (execute::can_evict). A bar of its progress goes to `progress` where that is a terminal.
std::optional<execute::TimingSetup> timing_setup(std::optional<execute::BuildFolder>& folder, Diagnostics& diagnostics);

std::string measurements_text(const Measurements& measurements, const Compilation& compilation);
/// The keys stand in docs/cli.md.
std::string measurements_json(const Measurements& measurements, const Compilation& compilation);

} // namespace fusec::cli
