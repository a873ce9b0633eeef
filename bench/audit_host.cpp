// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host.hpp"

#include "bench/audit_ablation.hpp"
#include "bench/audit_host_judge.hpp"
#include "bench/audit_host_options.hpp"
#include "bench/audit_host_programs.hpp"
#include "bench/run_record.hpp"
#include "cli/host_calibration.hpp"
#include "cli/host_calibrator.hpp"
#include "cli/host_machine.hpp"
#include "cli/measurements.hpp"
#include "perfmodel/predictor.hpp"
#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <utility>

namespace fusec::bench {

namespace {

using Json = nlohmann::ordered_json;

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
        fail_audit("the calibration is none of a device", diagnostics);
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
        fail_audit("nothing can be measured", diagnostics);
    }
    const execute::PrivateFolder scratch(setup->cache, "audit");
    cli::HostCalibrationOptions calibrated{.name = "audited", .programs = {}, .routines = {}};
    for (std::size_t i = 0; i < options.programs.size(); ++i) {
        if (!options.held_out(i)) {
            calibrated.programs.push_back(options.programs[i]);
        } else if (options.withheld == Withheld::kernels) {
            calibrated.routines.push_back(options.programs[i]);
        }
    }
    const execute::TimingSetup sampling = cli::sampling_of_calibrations(*setup);
    cli::HostCalibrator calibrator(std::move(calibrated), sampling, scratch.path(), diagnostics);
    const auto begin = std::chrono::steady_clock::now();
    if (!calibrator.calibrate()) {
        fail_audit("the host cannot be calibrated", diagnostics);
    }
    const std::chrono::duration<double> calibrating = std::chrono::steady_clock::now() - begin;
    const std::string before = perfmodel::to_json(calibrator.made().calibration);
    const std::filesystem::path device = scratch.path() / "audited.json";
    if (!write_files({{device, before}}, diagnostics, {})) {
        fail_audit("the calibration cannot be written", diagnostics);
    }
    auto [all, predictors] = measure_programs(options, calibrator, device, *setup);
    const cli::HostCalibration& calibration = calibrator.made();
    mark_repeated(all, calibration.points);
    Json result = run_record(sources);
    result["machine"]["usable"] = cli::usable_processors();
    result["schema"] = "fusec-audit-host";
    result["version"] = 12;
    result["sample"] = options.sample;
    result["rounds"] = options.rounds;
    result["passes"] = passes_over_programs(options);
    result["withheld"] = options.withheld == Withheld::kernels ? "kernels" : "programs";
    result["seconds_of_calibration"] = calibrating.count();
    result["compiler"] = setup->compiler.version.substr(0, setup->compiler.version.find('\n'));
    result["calibration"] = Json::parse(perfmodel::to_json(calibration.calibration));
    result["programs"] = Json::array();
    for (const MeasuredProgram& program : all) {
        result["programs"].push_back(to_json(program, predictors));
    }
    if (!options.points_out.empty()) {
        std::vector<perfmodel::Point> points = calibration.points;
        for (const MeasuredProgram& program : all) {
            points.insert(points.end(), program.points.begin(), program.points.end());
        }
        if (!write_files({{options.points_out, points_text(points)}}, diagnostics, {})) {
            fail_audit("the points cannot be written", diagnostics);
        }
    }
    result["held_out"] = judge_half(all, predictors, true);
    result["before"] = judge_before(all);
    result["before"]["figures"] = Json::parse(before)["figures"];
    result["fitted"] = judge_half(all, predictors, false);
    result["fitted_to_held_out"] = fitted_to_held_out(calibration, all, diagnostics);
    result["ablations"] = ablations_of(calibration, all, diagnostics);
    render(diagnostics, std::cerr, false); // what was assumed of the machine, and which fits are poor
    return result;
}

} // namespace fusec::bench
