// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host.hpp"

#include "bench/audit_ablation.hpp"
#include "bench/audit_host_judge.hpp"
#include "bench/audit_host_options.hpp"
#include "bench/run_record.hpp"
#include "cli/host_calibration.hpp"
#include "cli/host_machine.hpp"
#include "cli/measurements.hpp"
#include "perfmodel/predictor.hpp"
#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <stdexcept>

namespace fusec::bench {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& what, const Diagnostics& diagnostics) {
    throw std::runtime_error(what + (diagnostics.all().empty() ? "" : ": " + diagnostics.all().front().message));
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

MeasuredProgram measure_program(const std::filesystem::path& program, bool held_out, const std::string& device,
    const HostAuditOptions& options, execute::TimingSetup setup, std::vector<std::string>& predictors) {
    Diagnostics diagnostics;
    cli::Compilation c;
    c.options.program = program;
    c.options.target = fusion::Target::host;
    c.options.device = device;
    c.options.runners_up = 3;
    setup.rounds = options.rounds;
    setup.sample_seconds = 0; // one launch after others: lists come from memory, not from what the launch before has left in caches
    if (!cli::compile_to_measure(c, std::nullopt, diagnostics)) {
        fail(program.string() + " does not compile", diagnostics);
    }
    // The plan that `benchmark` chooses; it refuses programs with a routine or a list that it has no time of.
    cli::Compilation by_benchmark;
    by_benchmark.options = c.options;
    by_benchmark.options.predictor = "benchmark";
    Diagnostics refusals;
    std::vector<cli::RivalPlan> rivals;
    if (cli::compile_to_measure(by_benchmark, c.options.elements, refusals)) {
        rivals.push_back({"benchmark", &by_benchmark});
    }
    const auto found = cli::measure(c, {false, options.sample, options.seed}, setup, diagnostics, rivals);
    if (!found) {
        fail(program.string() + " cannot be measured", diagnostics);
    }
    predictors = found->predictions.predictors;
    MeasuredProgram result{.program = c.program->name,
        .held_out = held_out,
        .elements = c.options.elements,
        .planned_by_benchmark = !rivals.empty(),
        .refusal = rivals.empty() ? refusals.all().front().message : ""};
    const auto seconds = [](const cli::Predictions::Kernel& kernel) {
        std::vector<double> predicted;
        std::ranges::transform(kernel.by_predictor, std::back_inserter(predicted), [](const auto& said) { return said.cost.seconds; });
        return predicted;
    };
    for (std::size_t k = 0; k < found->kernels.size(); ++k) {
        const cli::Predictions::Kernel& kernel = found->predictions.kernels[k];
        std::string calls;
        for (const fusion::CallPlan& call : kernel.candidate.order) {
            calls += (calls.empty() ? "" : " ") + c.graph->program().name_of(call.call);
        }
        const fusion::KernelWork& work = kernel.candidate.work;
        result.kernels.push_back(timed(std::move(calls), identity_of({&work}), seconds(kernel), found->kernels[k]));
        const auto composite = std::ranges::find(predictors, "composite") - predictors.begin();
        result.kernels.back().breakdown = breakdown_of(kernel.by_predictor.at(static_cast<std::size_t>(composite)));
        result.points.push_back({device, result.program, work, result.elements, result.kernels.back().least, false,
            perfmodel::Role::held_out, 0, program.string()});
    }
    // A plan's kernels run one after another.
    for (const cli::Measurements::Plan& plan : found->plans) {
        const auto said = cli::predict(c, plan.plan.kernels, std::nullopt, diagnostics);
        internal_check(said && said->predictors == predictors, "a plan's kernels have other predictors than the program's");
        std::vector<double> sum(predictors.size());
        std::vector<const fusion::KernelWork*> works;
        for (const cli::Predictions::Kernel& kernel : said->kernels) {
            std::ranges::transform(sum, seconds(kernel), sum.begin(), std::plus<>());
            works.push_back(&kernel.candidate.work);
        }
        result.plans.push_back(timed(plan.choice, identity_of(works), std::move(sum), plan.seconds));
    }
    return result;
}

/// The kernels held out that count.
std::vector<perfmodel::Point> points_held_out(const std::vector<MeasuredProgram>& all) {
    std::vector<perfmodel::Point> points;
    for (const MeasuredProgram& program : all) {
        for (std::size_t k = 0; k < program.kernels.size(); ++k) {
            if (program.held_out && program.kernels[k].same_as.empty()) {
                points.push_back(program.points[k]);
            }
        }
    }
    return points;
}

/// The calibrated device, from which figures are fitted again.
perfmodel::Device start_of_fits(const cli::HostCalibration& calibration, Diagnostics& diagnostics) {
    auto start = perfmodel::calibrated_device(calibration.calibration, diagnostics);
    if (!start) {
        fail("the calibration is none of a device", diagnostics);
    }
    // Peaks are searched up to this figure, which the calibration leaves at the greatest of them.
    internal_check(perfmodel::set_figure(*start, "speed.dram", 2 * start->dram_gb_per_s), "a bandwidth that cannot be, to search up to");
    return *std::move(start);
}

/// What each term of `composite` is worth: fitted to the points of the calibration, judged on programs held out.
Json ablations_of(const cli::HostCalibration& calibration, const std::vector<MeasuredProgram>& all, Diagnostics& diagnostics) {
    perfmodel::PredictorKind kind = perfmodel::predictor_kind("composite");
    // Where the window is taken away, the exponent that stands in its place is fitted; nothing depends on that beside a window.
    std::vector<const char*> figures(std::begin(cli::fitted_figures), std::end(cli::fitted_figures));
    figures.push_back("speed.overlap_exponent");
    kind.fits = figures;
    std::vector<perfmodel::Point> points;
    std::ranges::copy_if(
        calibration.points, std::back_inserter(points), [](const perfmodel::Point& point) { return point.role == perfmodel::Role::fit; });
    std::ranges::copy(points_held_out(all), std::back_inserter(points));
    const AblatedDevice ablated = ablate(kind, start_of_fits(calibration, diagnostics), points);
    return {{"points", ablated.held_out}, {"fit_points", ablated.fit}, {"terms", terms_to_json({ablated})}};
}

/// `composite` with the figures that are fitted to kernels from memory fitted to the very kernels held out, from the calibration's values on: how much
/// of its errors is theirs. No bound of what a calibration can reach: times of routines and lists stay what they were measured to be, a search of
/// one start may end elsewhere than another, and a fit weighs programs alike.
Json fitted_to_held_out(const cli::HostCalibration& calibration, const std::vector<MeasuredProgram>& all, Diagnostics& diagnostics) {
    perfmodel::PredictorKind kind = perfmodel::predictor_kind("composite");
    kind.fits = cli::fitted_figures;
    std::vector<perfmodel::Point> points = points_held_out(all);
    for (perfmodel::Point& point : points) {
        point.role = perfmodel::Role::fit;
    }
    const perfmodel::Fit fit = perfmodel::fit_figures(kind, start_of_fits(calibration, diagnostics), points);
    Json result = judge_held_out(all, fit.predicted);
    for (const perfmodel::FittedFigure& figure : fit.figures) {
        result["figures"][figure.key] = figure.after;
    }
    return result;
}

} // namespace

Json audit_host(const HostAuditOptions& options, const std::string& sources) {
    Diagnostics diagnostics;
    std::optional<execute::BuildFolder> folder;
    const auto setup = cli::timing_setup(folder, diagnostics);
    if (!setup) {
        fail("nothing can be measured", diagnostics);
    }
    const execute::PrivateFolder scratch(setup->cache, "audit");
    cli::HostCalibrationOptions calibrated{.name = "audited", .programs = {}, .routines = {}};
    for (std::size_t i = 0; i < options.programs.size(); ++i) {
        if (i % 2 == 0) {
            calibrated.programs.push_back(options.programs[i]);
        } else if (options.withheld == Withheld::kernels) {
            calibrated.routines.push_back(options.programs[i]);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto calibration = cli::calibrate_host(calibrated, *setup, scratch.path(), diagnostics);
    const std::chrono::duration<double> calibrating = std::chrono::steady_clock::now() - begin;
    if (!calibration) {
        fail("the host cannot be calibrated", diagnostics);
    }
    const std::filesystem::path device = scratch.path() / "audited.json";
    if (!write_files({{device, perfmodel::to_json(calibration->calibration)}}, diagnostics, {})) {
        fail("the calibration cannot be written", diagnostics);
    }
    // Of a last level that holds less than the system says, less displaces everything.
    execute::TimingSetup measuring = *setup;
    const auto found = perfmodel::calibrated_device(calibration->calibration, diagnostics);
    if (!found) {
        fail("the calibration is none of a device", diagnostics);
    }
    measuring.displaced_bytes = cli::displacing_bytes(*found);
    std::vector<MeasuredProgram> all;
    std::vector<std::string> predictors;
    for (std::size_t i = 0; i < options.programs.size(); ++i) {
        all.push_back(measure_program(options.programs[i], i % 2 == 1, device.string(), options, measuring, predictors));
        std::cerr << all.back().program << (i % 2 == 1 ? " (held out)" : "") << ": " << all.back().kernels.size() << " kernels\n";
    }
    mark_repeated(all, calibration->points);
    Json result = run_record(sources);
    result["machine"]["usable"] = cli::usable_processors();
    result["schema"] = "fusec-audit-host";
    result["version"] = 11;
    result["sample"] = options.sample;
    result["rounds"] = options.rounds;
    result["withheld"] = options.withheld == Withheld::kernels ? "kernels" : "programs";
    result["seconds_of_calibration"] = calibrating.count();
    result["compiler"] = setup->compiler.version.substr(0, setup->compiler.version.find('\n'));
    result["calibration"] = Json::parse(perfmodel::to_json(calibration->calibration));
    result["programs"] = Json::array();
    for (const MeasuredProgram& program : all) {
        result["programs"].push_back(to_json(program, predictors));
    }
    if (!options.points_out.empty()) {
        std::vector<perfmodel::Point> points = calibration->points;
        for (const MeasuredProgram& program : all) {
            points.insert(points.end(), program.points.begin(), program.points.end());
        }
        if (!write_files({{options.points_out, points_text(points)}}, diagnostics, {})) {
            fail("the points cannot be written", diagnostics);
        }
    }
    result["held_out"] = judge_half(all, predictors, true);
    result["fitted"] = judge_half(all, predictors, false);
    result["fitted_to_held_out"] = fitted_to_held_out(*calibration, all, diagnostics);
    result["ablations"] = ablations_of(*calibration, all, diagnostics);
    return result;
}

} // namespace fusec::bench
