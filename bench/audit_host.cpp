// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host.hpp"

#include "bench/audit_ablation.hpp"
#include "bench/audit_host_options.hpp"
#include "bench/run_record.hpp"
#include "cli/host_calibration.hpp"
#include "cli/host_machine.hpp"
#include "cli/measurements.hpp"
#include "perfmodel/predictor.hpp"
#include "support/files.hpp"
#include "support/median.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <numeric>
#include <stdexcept>

namespace fusec::bench {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& what, const Diagnostics& diagnostics) {
    throw std::runtime_error(what + (diagnostics.all().empty() ? "" : ": " + diagnostics.all().front().message));
}

/// Half of the distance between the quartiles, over the median.
double spread_of(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const double low = samples[samples.size() / 4], high = samples[samples.size() - 1 - samples.size() / 4];
    return 0.5 * (high - low) / median(samples);
}

Json to_json(const HostVerdict& verdict) {
    return {{"predictor", verdict.predictor}, {"kernels", verdict.accuracy.points}, {"unanswered", verdict.unanswered},
        {"mape", verdict.accuracy.mape}, {"p90", verdict.accuracy.p90}, {"worst", verdict.accuracy.worst}, {"spearman", verdict.spearman},
        {"ranks_of_the_five_fastest", verdict.fastest}};
}

/// Everything measured of one program.
struct Measured {
    std::string program;
    bool held_out = false;
    std::uint64_t elements = 0;
    std::vector<std::string> predictors;
    std::vector<std::vector<double>> predicted;     ///< of each kernel by each predictor
    std::vector<double> measured, medians, spreads; ///< the least of the samples, their median
    std::vector<perfmodel::Point> points;           ///< the kernels; of each the kernel's name is the program's
    double loss = 0;                                ///< of the chosen plan against the fastest that was measured
    std::optional<double> loss_of_benchmark;        ///< the same of the plan that `benchmark` chooses, where it answers
    Json json;
};

Json verdicts_of(const std::vector<std::string>& predictors, const std::vector<std::vector<double>>& predicted,
    const std::vector<double>& measured, const std::vector<double>& spreads) {
    Json verdicts = Json::array();
    for (const HostVerdict& verdict : judge_kernels(predictors, predicted, measured, spreads)) {
        verdicts.push_back(to_json(verdict));
    }
    return verdicts;
}

Measured measure_program(const std::filesystem::path& program, bool held_out, const std::string& device, const HostAuditOptions& options,
    execute::TimingSetup setup) {
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
    Measured result{c.program->name, held_out, c.options.elements, found->predictions.predictors, {}, {}, {}, {}, {}, 0, std::nullopt, {}};
    Json kernels = Json::array(), plans = Json::array();
    for (std::size_t k = 0; k < found->kernels.size(); ++k) {
        const cli::Predictions::Kernel& kernel = found->predictions.kernels[k];
        std::vector<double> predicted;
        Json said = Json::object();
        for (std::size_t p = 0; p < kernel.by_predictor.size(); ++p) {
            predicted.push_back(kernel.by_predictor[p].cost.seconds);
            said[result.predictors[p]] = std::isfinite(predicted.back()) ? Json(predicted.back()) : Json();
        }
        std::string calls;
        for (const fusion::CallPlan& call : kernel.candidate.order) {
            calls += (calls.empty() ? "" : " ") + c.graph->program().name_of(call.call);
        }
        result.predicted.push_back(std::move(predicted));
        result.measured.push_back(execute::undisturbed(found->kernels[k]));
        result.medians.push_back(median(found->kernels[k]));
        result.spreads.push_back(spread_of(found->kernels[k]));
        result.points.push_back({device, result.program, kernel.candidate.work, result.elements, result.measured.back(), false,
            perfmodel::Role::held_out, 0, program.string()});
        kernels.push_back({{"calls", calls}, {"bytes_per_element", kernel.candidate.work.read_bytes + kernel.candidate.work.write_bytes},
            {"least_seconds", result.measured.back()}, {"median_seconds", result.medians.back()}, {"spread", result.spreads.back()},
            {"predicted", std::move(said)}});
    }
    double fastest = 0;
    for (const cli::Measurements::Plan& plan : found->plans) {
        const double typical = median(plan.seconds);
        fastest = fastest == 0 ? typical : std::min(fastest, typical);
        plans.push_back({{"plan", plan.choice}, {"kernels", plan.plan.kernels.size()}, {"predicted_seconds", plan.plan.seconds},
            {"median_seconds", typical}, {"spread", spread_of(plan.seconds)}});
    }
    result.loss = median(found->plans.front().seconds) / fastest - 1;
    if (!rivals.empty()) {
        result.loss_of_benchmark = median(found->plans.back().seconds) / fastest - 1;
    }
    result.json = {{"program", result.program}, {"held_out", held_out}, {"elements", result.elements},
        {"slowest_over_fastest", *std::ranges::max_element(result.measured) / *std::ranges::min_element(result.measured)},
        {"verdicts", verdicts_of(result.predictors, result.predicted, result.measured, result.spreads)},
        {"loss_of_the_chosen_plan", result.loss},
        {"loss_of_the_plan_of_benchmark", result.loss_of_benchmark ? Json(*result.loss_of_benchmark) : Json()},
        {"benchmark_refuses", rivals.empty() ? Json(refusals.all().front().message) : Json()}, {"plans", std::move(plans)},
        {"kernels", std::move(kernels)}};
    return result;
}

/// Sixty kernels that take times within a factor of two: ranks over a wide span say little of a choice between kernels that are alike.
Json within_factor_of_two(const std::vector<std::string>& predictors, const std::vector<std::vector<double>>& predicted,
    const std::vector<double>& measured, const std::vector<double>& spreads) {
    constexpr std::size_t kernels = 60;
    std::vector<std::vector<double>> said;
    std::vector<double> found, spread;
    for (const std::size_t place : perfmodel::sample_within_factor(measured, 2, kernels)) {
        said.push_back(predicted[place]);
        found.push_back(measured[place]);
        spread.push_back(spreads[place]);
    }
    return {{"kernels", found.size()}, {"least_seconds", found.front()}, {"greatest_seconds", found.back()},
        {"verdicts", verdicts_of(predictors, said, found, spread)}};
}

/// The kernels of all programs of one half, as one set.
Json pooled(const std::vector<Measured>& all, bool held_out) {
    std::vector<std::vector<double>> predicted;
    std::vector<double> measured, medians, spreads, losses;
    std::vector<std::string> predictors;
    for (const Measured& program : all) {
        if (program.held_out == held_out) {
            predictors = program.predictors;
            predicted.insert(predicted.end(), program.predicted.begin(), program.predicted.end());
            measured.insert(measured.end(), program.measured.begin(), program.measured.end());
            medians.insert(medians.end(), program.medians.begin(), program.medians.end());
            spreads.insert(spreads.end(), program.spreads.begin(), program.spreads.end());
            losses.push_back(program.loss);
        }
    }
    std::vector<double> losses_of_benchmark;
    for (const Measured& program : all) {
        if (program.held_out == held_out && program.loss_of_benchmark) {
            losses_of_benchmark.push_back(*program.loss_of_benchmark);
        }
    }
    return {{"verdicts", verdicts_of(predictors, predicted, measured, spreads)},
        {"within_a_factor_of_two", within_factor_of_two(predictors, predicted, measured, spreads)},
        {"plans_of_benchmark", losses_of_benchmark.size()},
        {"greatest_loss_of_a_plan_of_benchmark",
            losses_of_benchmark.empty() ? Json() : Json(*std::ranges::max_element(losses_of_benchmark))},
        {"against_medians", verdicts_of(predictors, predicted, medians, spreads)}, {"median_spread", spreads.empty() ? 0 : median(spreads)},
        {"median_loss_of_chosen_plans", losses.empty() ? 0 : median(losses)},
        {"greatest_loss_of_a_chosen_plan", losses.empty() ? 0 : *std::max_element(losses.begin(), losses.end())}};
}

/// What each term of `composite` is worth: fitted to the points of the calibration, judged on programs held out.
Json ablations_of(const cli::HostCalibration& calibration, const std::vector<Measured>& all, Diagnostics& diagnostics) {
    const auto calibrated = perfmodel::calibrated_device(calibration.calibration, diagnostics);
    if (!calibrated) {
        fail("the calibration is none of a device", diagnostics);
    }
    perfmodel::Device start = *calibrated;
    // Peaks are searched up to this figure, which the calibration leaves at the greatest of them.
    internal_check(perfmodel::set_figure(start, "speed.dram", 2 * start.dram_gb_per_s), "a bandwidth that cannot be, to search up to");
    perfmodel::PredictorKind kind =
        *std::ranges::find(perfmodel::predictor_kinds(), std::string_view("composite"), &perfmodel::PredictorKind::name);
    // Where the window is taken away, the exponent that stands in its place is fitted; nothing depends on that beside a window.
    std::vector<const char*> figures(std::begin(cli::fitted_figures), std::end(cli::fitted_figures));
    figures.push_back("speed.overlap_exponent");
    kind.fits = figures;
    std::vector<perfmodel::Point> points;
    std::ranges::copy_if(
        calibration.points, std::back_inserter(points), [](const perfmodel::Point& point) { return point.role == perfmodel::Role::fit; });
    for (const Measured& program : all) {
        if (program.held_out) {
            points.insert(points.end(), program.points.begin(), program.points.end());
        }
    }
    const AblatedDevice ablated = ablate(kind, start, points);
    return {{"points", ablated.held_out}, {"fit_points", ablated.fit}, {"terms", terms_to_json({ablated})}};
}

} // namespace

std::vector<HostVerdict> judge_kernels(const std::vector<std::string>& predictors, const std::vector<std::vector<double>>& predicted,
    const std::vector<double>& measured, const std::vector<double>& spreads) {
    std::vector<HostVerdict> verdicts;
    for (std::size_t p = 0; p < predictors.size(); ++p) {
        HostVerdict verdict{predictors[p], {}, 0, {}, 0};
        std::vector<double> said, found, spread;
        for (std::size_t k = 0; k < measured.size(); ++k) {
            if (std::isfinite(predicted[k][p])) {
                said.push_back(predicted[k][p]);
                found.push_back(measured[k]);
                spread.push_back(spreads[k]);
            } else {
                ++verdict.unanswered;
            }
        }
        verdict.accuracy = perfmodel::accuracy(said, found);
        verdict.spearman = perfmodel::merged_spearman(said, found, spread);
        std::vector<std::size_t> order(found.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return found[a] < found[b]; });
        for (std::size_t k = 0; k < std::min<std::size_t>(5, order.size()); ++k) {
            verdict.fastest.push_back(
                1 + static_cast<int>(std::count_if(said.begin(), said.end(), [&](double each) { return each < said[order[k]]; })));
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

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
        (i % 2 == 0 ? calibrated.programs : calibrated.routines).push_back(options.programs[i]);
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
    std::vector<Measured> all;
    Json result = run_record(sources);
    result["machine"]["usable"] = cli::usable_processors();
    result["schema"] = "fusec-audit-host";
    result["version"] = 7;
    result["seconds_of_calibration"] = calibrating.count();
    result["compiler"] = setup->compiler.version.substr(0, setup->compiler.version.find('\n'));
    result["calibration"] = Json::parse(perfmodel::to_json(calibration->calibration));
    result["programs"] = Json::array();
    for (std::size_t i = 0; i < options.programs.size(); ++i) {
        all.push_back(measure_program(options.programs[i], i % 2 == 1, device.string(), options, *setup));
        std::cerr << all.back().program << (i % 2 == 1 ? " (held out)" : "") << ": " << all.back().measured.size() << " kernels\n";
        result["programs"].push_back(std::move(all.back().json));
    }
    if (!options.points_out.empty()) {
        std::vector<perfmodel::Point> points = calibration->points;
        for (const Measured& program : all) {
            points.insert(points.end(), program.points.begin(), program.points.end());
        }
        if (!write_files({{options.points_out, points_text(points)}}, diagnostics, {})) {
            fail("the points cannot be written", diagnostics);
        }
    }
    result["held_out"] = pooled(all, true);
    result["fitted"] = pooled(all, false);
    result["ablations"] = ablations_of(*calibration, all, diagnostics);
    return result;
}

} // namespace fusec::bench
