// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host_programs.hpp"

#include "cli/measurements.hpp"
#include "execute/timed_texts.hpp"
#include "perfmodel/predictor.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace fusec::bench {

namespace {

/// A program that is compiled, with what is to be measured of it. Its address stays.
struct Subject {
    cli::Compilation compilation;
    cli::Compilation by_benchmark; ///< with the plan that `benchmark` chooses
    std::string refusal;           ///< of `benchmark`: programs with a routine or a list that it has no time of
    bool held_out = false;
    cli::UnitsToMeasure units;
};

/// Warnings may stand before it. Nothing where there is none.
std::string first_error(const Diagnostics& diagnostics) {
    const auto error =
        std::ranges::find_if(diagnostics.all(), [](const Diagnostic& each) { return each.kind.severity == Severity::error; });
    return error == diagnostics.all().end() ? std::string() : error->message;
}

void compile(Subject& subject, const std::filesystem::path& program, const std::string& device, const HostAuditOptions& options) {
    Diagnostics diagnostics, refusals;
    cli::Compilation& c = subject.compilation;
    c.options.program = program;
    c.options.target = fusion::Target::host;
    c.options.device = device;
    c.options.runners_up = 3;
    constexpr double share = 0.25; // of the elements that `fusec bench` takes: more samples in as much time
    if (!cli::compile_to_measure(c, std::nullopt, diagnostics, share)) {
        fail_audit(program.string() + " does not compile", diagnostics);
    }
    subject.by_benchmark.options = c.options;
    subject.by_benchmark.options.predictor = "benchmark";
    std::vector<cli::RivalPlan> rivals;
    if (cli::compile_to_measure(subject.by_benchmark, c.options.elements, refusals)) {
        rivals.push_back({"benchmark", &subject.by_benchmark});
    } else {
        subject.refusal = first_error(refusals);
    }
    subject.units = cli::units_to_measure(c, {false, options.sample, options.seed}, rivals);
}

/// Bounds in seconds, and quantities, by their names.
std::vector<std::pair<std::string, double>> breakdown_of(const perfmodel::Breakdown& said) {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [bound, bound_seconds] : said.bounds) {
        all.emplace_back(fusion::to_string(bound), bound_seconds);
    }
    for (const perfmodel::Quantity& quantity : said.quantities) {
        all.emplace_back(quantity.name, quantity.value);
    }
    return all;
}

std::vector<double> seconds_by_predictors(const cli::Predictions::Kernel& kernel) {
    std::vector<double> predicted;
    std::ranges::transform(kernel.by_predictor, std::back_inserter(predicted), [](const auto& said) { return said.cost.seconds; });
    return predicted;
}

MeasuredProgram beside_predictions(Subject& subject, const std::vector<execute::UnitTimes>& times, const execute::TimingSetup& setup,
    std::vector<std::string>& predictors) {
    Diagnostics diagnostics;
    const cli::Compilation& c = subject.compilation;
    const bool planned_by_benchmark = !subject.units.rivals.empty();
    const auto found = cli::measurements_of(std::move(subject.units), times, setup, diagnostics);
    if (!found) {
        fail_audit(c.options.program.string() + " cannot be predicted", diagnostics);
    }
    predictors = found->predictions.predictors;
    MeasuredProgram result{.program = c.program->name,
        .held_out = subject.held_out,
        .elements = c.options.elements,
        .planned_by_benchmark = planned_by_benchmark,
        .refusal = subject.refusal};
    const auto composite = static_cast<std::size_t>(std::ranges::find(predictors, "composite") - predictors.begin());
    for (std::size_t k = 0; k < found->kernels.size(); ++k) {
        const cli::Predictions::Kernel& kernel = found->predictions.kernels[k];
        std::string calls;
        for (const fusion::CallPlan& call : kernel.candidate.order) {
            calls += (calls.empty() ? "" : " ") + c.graph->program().name_of(call.call);
        }
        const fusion::KernelWork& work = kernel.candidate.work;
        result.kernels.push_back(timed(std::move(calls), identity_of({&work}), seconds_by_predictors(kernel), found->kernels[k]));
        result.kernels.back().breakdown = breakdown_of(kernel.by_predictor.at(composite));
        result.points.push_back({c.options.device, result.program, work, result.elements, result.kernels.back().least, false,
            perfmodel::Role::held_out, 0, c.options.program.string()});
    }
    // A plan's kernels run one after another.
    for (const cli::Measurements::Plan& plan : found->plans) {
        const auto said = cli::predict(c, plan.plan.kernels, std::nullopt, diagnostics);
        internal_check(said && said->predictors == predictors, "a plan's kernels have other predictors than the program's");
        std::vector<double> sum(predictors.size());
        std::vector<const fusion::KernelWork*> works;
        for (const cli::Predictions::Kernel& kernel : said->kernels) {
            std::ranges::transform(sum, seconds_by_predictors(kernel), sum.begin(), std::plus<>());
            works.push_back(&kernel.candidate.work);
        }
        result.plans.push_back(timed(plan.choice, identity_of(works), std::move(sum), plan.times));
    }
    return result;
}

} // namespace

void fail_audit(const std::string& what, const Diagnostics& diagnostics) {
    const std::string reason = first_error(diagnostics);
    throw std::runtime_error(what + (reason.empty() ? "" : ": ") + reason);
}

std::size_t passes_over_programs(const HostAuditOptions& options) {
    constexpr std::size_t passes = 8;
    return std::min(passes, options.rounds);
}

MeasuredTogether measure_programs(
    const HostAuditOptions& options, cli::HostCalibrator& calibrator, const std::filesystem::path& device, execute::TimingSetup setup) {
    Diagnostics diagnostics;
    setup.rounds = options.rounds;
    setup.sample_seconds = 0; // one launch after others: lists come from memory, not from what the launch before has left in caches
    std::deque<Subject> subjects;
    std::vector<std::vector<execute::TimedUnit>> groups;
    for (std::size_t i = 0; i < options.programs.size(); ++i) {
        Subject& subject = subjects.emplace_back();
        subject.held_out = options.held_out(i);
        compile(subject, options.programs[i], device.string(), options);
        if (!calibrator.texts().compile(subject.units.units, setup, diagnostics)) {
            fail_audit(options.programs[i].string() + " cannot be built", diagnostics);
        }
        groups.push_back(std::move(subject.units.units));
        const std::size_t plans = groups.back().size() - subject.units.kernels.size();
        for (std::size_t k = plans; k < groups.back().size(); ++k) {
            groups.back()[k].in_pieces = true; // plans are not: they are compared, and those of several kernels cannot be
        }
    }
    std::ranges::move(calibrator.groups_from_memory(), std::back_inserter(groups));
    const auto times = execute::time_in_passes(groups, calibrator.texts(), passes_over_programs(options), setup, diagnostics);
    if (!times) {
        fail_audit("the programs cannot be measured", diagnostics);
    }
    const auto first_of_memory = times->begin() + static_cast<std::ptrdiff_t>(subjects.size());
    if (!calibrator.fit_again({first_of_memory, times->end()})) {
        fail_audit("the host cannot be calibrated again", diagnostics);
    }
    const auto again = perfmodel::calibrated_device(calibrator.made().calibration, diagnostics);
    if (!again) {
        fail_audit("the calibration is none of a device", diagnostics);
    }
    MeasuredTogether result;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        cli::Compilation& c = subjects[i].compilation;
        const auto before = cli::predict(c, subjects[i].units.kernels, "composite", diagnostics);
        internal_check(before.has_value(), "a plan was chosen by a predictor that the device does not have");
        c.device = subjects[i].by_benchmark.device = *again;
        subjects[i].units.units = std::move(groups[i]);
        result.programs.push_back(beside_predictions(subjects[i], times->at(i), setup, result.predictors));
        MeasuredProgram& made = result.programs.back();
        for (std::size_t k = 0; k < made.kernels.size(); ++k) {
            made.kernels[k].before = before->kernels[k].by_predictor.front().cost.seconds;
        }
        std::cerr << made.program << (made.held_out ? " (held out)" : "") << ": " << made.kernels.size() << " kernels\n";
    }
    return result;
}

} // namespace fusec::bench
