// SPDX-License-Identifier: Apache-2.0
// Measured kernels and plans of a host beside their predictions: what counts, and the verdicts. Nothing is measured here.
#pragma once

#include "execute/timing.hpp"
#include "perfmodel/fit/point.hpp"
#include "perfmodel/fit/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fusec::bench {

/// What one predictor says of the kernels of some programs.
struct HostVerdict {
    std::string predictor;
    perfmodel::Accuracy accuracy;
    double spearman = 0; ///< measured times that differ by no more than their spread count as equal
    /// Ranks that the predictor gives to the five fastest, 1 the first; equal predictions have the mean of theirs.
    std::vector<double> fastest;
    std::size_t unanswered = 0; ///< kernels that it has no time of
};

/// A kernel, or a plan, with what was measured and what is said of it.
struct TimedWork {
    std::string name;     ///< the kernel's calls; the plan's choice
    std::string identity; ///< of the work of its kernels: two that have the same are one to every predictor (not the other way round)
    std::vector<double> predicted; ///< seconds, by each predictor; infinite where it has no time
    double least = 0;              ///< seconds: what nothing disturbs (execute::UnitTimes::undisturbed)
    double least_launch = 0;       ///< seconds: of the samples
    double median = 0;             ///< seconds: of the samples
    double spread = 0;             ///< half of the distance between the samples' quartiles, over the median
    double before = 0;             ///< seconds: of a kernel, by `composite` and a calibration that was made some minutes before
    std::string same_as = {};      ///< "program: name" of another with this identity, in whose place it does not count
    std::vector<std::pair<std::string, double>> breakdown =
        {}; ///< a kernel's, by `composite`: its bounds in seconds, and what else it says
};

/// Everything measured of one program.
struct MeasuredProgram {
    std::string program;
    bool held_out = false; ///< its kernels are none that figures were fitted to
    std::uint64_t elements = 0;
    std::vector<TimedWork> kernels = {};
    std::vector<TimedWork> plans = {};         ///< the compiler's choice first, the plan of `benchmark` last where it has one
    bool planned_by_benchmark = false;         ///< whether it has
    std::string refusal = {};                  ///< of `benchmark`, where it has none
    std::vector<perfmodel::Point> points = {}; ///< the kernels
};

/// The identity of a plan or kernel of these works, in any order, whatever the places of their calls and lists in the program.
std::string identity_of(const std::vector<const fusion::KernelWork*>& kernels);

/// A time with its samples. Pre: four or more samples.
TimedWork timed(std::string name, std::string identity, std::vector<double> predicted, const execute::UnitTimes& times);

/// Says of every kernel and plan where it stands a second time: what a program held out has in common with one that is not, or with what
/// figures were fitted to (the points of that role), does not count as held out; of what two programs of one half have in common, the first counts.
void mark_repeated(std::vector<MeasuredProgram>& programs, const std::vector<perfmodel::Point>& fitted);

/// The slowdown of the chosen plan against the fastest that was measured, by medians: 0.05 is five per cent.
double loss_of_choice(const MeasuredProgram& program);
/// The same of the plan of `benchmark`.
std::optional<double> loss_of_benchmark(const MeasuredProgram& program);

/// Which reading of a kernel's samples predictions are held against.
enum class Reading {
    least,
    median
};

/// The predictors' verdicts on what counts of these. Kernels that a predictor does not answer are left out of its verdict and counted.
std::vector<HostVerdict> judge(
    const std::vector<std::string>& predictors, const std::vector<const TimedWork*>& works, Reading reading = Reading::least);

nlohmann::ordered_json to_json(const MeasuredProgram& program, const std::vector<std::string>& predictors);

/// What `composite` would be worth if it took the kernels held out as long as this: seconds of each that counts, in the order of the programs.
/// Throws std::runtime_error where none counts.
nlohmann::ordered_json judge_held_out(const std::vector<MeasuredProgram>& programs, const std::vector<double>& seconds);

/// What `composite` is worth by the calibration that was made before. Throws likewise.
nlohmann::ordered_json judge_before(const std::vector<MeasuredProgram>& programs);

/// The kernels and plans of all programs of one half, as one set. Throws std::runtime_error where no kernel of it counts.
nlohmann::ordered_json judge_half(const std::vector<MeasuredProgram>& programs, const std::vector<std::string>& predictors, bool held_out);

} // namespace fusec::bench
