// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_calibration.hpp"

#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/gpu_coverage.hpp"
#include "perfmodel/fit/gpu_figures.hpp"
#include "perfmodel/fit/gpu_functions.hpp"
#include "perfmodel/fit/gpu_points.hpp"
#include "perfmodel/fit/gpu_routines.hpp"
#include "perfmodel/fit/pipeline_training.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fusec::perfmodel {

namespace {

constexpr const char* composite_figures[] = {"stream.read.tau", "stream.read.c", "stream.read.peak", "stream.mixed.tau", "stream.mixed.c",
    "stream.mixed.peak", "stream.copy.tau", "stream.copy.c", "stream.copy.peak", "stream.write.tau", "stream.write.c", "stream.write.peak",
    "speed.launch", "speed.l2", "speed.overlap_exponent"};

class Calibrator {
public:
    Calibrator(const GpuMeasurements& measured, Diagnostics& diagnostics) : measured_(measured), diagnostics_(diagnostics) {
        Calibration& made = result_.calibration;
        made.name = measured.name;
        made.base = measured.base;
        made.date = measured.date;
        made.machine = measured.machine;
        made.commit = measured.commit;
        made.description = measured.description;
    }

    std::optional<GpuCalibration> run() {
        const std::optional<Device> described = described_device(result_.calibration, diagnostics_);
        if (!described || !is_that_gpu(*described)) {
            return std::nullopt;
        }
        MeasuredFigures direct = measured_figures(measured_, described->limits);
        result_.calibration.figures = std::move(direct.figures);
        result_.left_out = missing_rows(measured_);
        std::ranges::move(direct.impossible, std::back_inserter(result_.left_out));
        std::optional<Device> device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        const bool mixes = device->mixed.peak_gb_per_s > 0;
        if (!mixes) { // a law of its own, which starts at that of copies
            device->mixed = device->copy;
        }
        const std::optional<GpuPoints> points = points_of(measured_, *device, diagnostics_);
        if (!points) {
            return std::nullopt;
        }
        for (const auto& [probe, rows] : points->left_out) {
            result_.left_out.push_back(
                fmt::format("{} of `{}`: the description does not make so many resident blocks possible", counted(rows, "row"), probe));
        }
        fit_composite(*device, points->points, !mixes);
        device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        // With the exponent of overlap that was fitted: no kernel that anything was fitted to has a function.
        const MeasuredFigures functions = function_figures(measured_, *device);
        auto& figures = result_.calibration.figures;
        figures.insert(figures.end(), functions.figures.begin(), functions.figures.end());
        result_.left_out.insert(result_.left_out.end(), functions.impossible.begin(), functions.impossible.end());
        device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        if (!take_routines(*device)) {
            return std::nullopt;
        }
        device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        fit_others(*device, points->points);
        device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        learn_correction(*device, *points);
        device = calibrated_device(result_.calibration, diagnostics_);
        if (!device) {
            return std::nullopt;
        }
        judge(*device, *points);
        remember_start();
        for (const Figure& figure : described->figures) {
            note_missing(figure);
        }
        warn_of_far_off();
        return std::move(result_);
    }

private:
    bool is_that_gpu(const Device& device) {
        if (device.limits.target != fusion::Target::cuda || device.limits.arch != measured_.arch ||
            device.limits.sm_count != measured_.multiprocessors) {
            diagnostics_.report(kind::calibration_file, {},
                fmt::format("measured on `{}`, sm_{} with {} multiprocessors, which is not what `{}` describes", measured_.machine,
                    measured_.arch, measured_.multiprocessors, measured_.base));
            return false;
        }
        return true;
    }

    /// Figures of one fit have one residual.
    void warn_of_far_off() {
        const std::vector<CalibratedFigure>& figures = result_.calibration.figures;
        for (auto first = figures.begin(); first != figures.end(); ++first) {
            const auto same = [&](const CalibratedFigure& each) {
                return each.residual == first->residual && each.points == first->points;
            };
            if (first->residual <= far_off || std::any_of(figures.begin(), first, same)) {
                continue;
            }
            std::string keys;
            for (auto each = first; each != figures.end(); ++each) {
                keys += same(*each) ? (keys.empty() ? "`" : ", `") + each->key + "`" : "";
            }
            diagnostics_
                .report(kind::poor_fit, {},
                    fmt::format("{}: {} deviate from the model with {} by {:.0f} % in the mean, more than {:.0f} %", keys,
                        counted(static_cast<std::size_t>(first->points), "point"), keys.find(',') == std::string::npos ? "it" : "them",
                        100 * first->residual, 100 * far_off))
                .hint = "measure again where nobody else uses the GPU; if it stays so, the model does not fit this GPU";
        }
    }

    /// Those that the points determine, and those that `wanted` begins the key of.
    void keep(const Fit& fit, std::size_t points, const std::string& to, std::string_view wanted = {}) {
        std::size_t kept = 0;
        for (const FittedFigure& figure : fit.figures) {
            if (!figure.determined && (wanted.empty() || !figure.key.starts_with(wanted))) {
                continue;
            }
            ++kept;
            auto& figures = result_.calibration.figures;
            std::erase_if(figures, [&](const CalibratedFigure& each) { return each.key == figure.key; });
            figures.push_back({figure.key, figure.after, find_field(figure.key, fusion::Target::cuda)->unit, static_cast<int>(points),
                fit.error, to + (figure.at_bound() ? ", and at the end of the search" : "")});
        }
        warn_of_bounds(fit, fusion::Target::cuda, diagnostics_);
        if (points < kept) {
            diagnostics_
                .report(
                    kind::poor_fit, {}, fmt::format("{} {}, of which there are {}", counted(kept, "figure"), to, counted(points, "point")))
                .hint = "fewer points than figures determine none of them: measure with all probes";
        }
    }

    static std::size_t fitted_to(const std::vector<Point>& points) {
        return static_cast<std::size_t>(
            std::count_if(points.begin(), points.end(), [](const Point& point) { return point.role == Role::fit; }));
    }

    /// `mixes_too`: the law of mixes is kept whole, because the description has none.
    void fit_composite(const Device& device, const std::vector<Point>& points, bool mixes_too) {
        result_.start = device;
        const PredictorKind kind = composite_gpu_kind();
        keep(fit_figures(kind, device, points), fitted_to(points),
            "fitted to streams over the occupancy, wide copies, chains of FMAs behind loads and lists in L2",
            mixes_too ? "stream.mixed." : "");
    }

    void judge(const Device& device, const GpuPoints& points) {
        result_.points = points.points;
        for (Point point : points.scattered) { // which `pipeline` alone has learned from
            point.role = Role::held_out;
            result_.points.push_back(std::move(point));
        }
        std::vector<Point> candidates;
        std::ranges::copy_if(result_.points, std::back_inserter(candidates), is_candidate);
        result_.judged = judge_kernels(predictor_kind("composite"), device, result_.points);
        for (const PredictorKind& kind : predictor_kinds()) {
            Diagnostics missing;
            if (!kind.cuda || candidates.empty()) {
                continue;
            }
            if (make_predictor(kind.name, device, missing) == nullptr) {
                const std::string& why = missing.all().front().message; // said already where its figures would have been fitted
                if (std::ranges::find(result_.left_out, why) == result_.left_out.end()) {
                    result_.left_out.push_back(why);
                }
                continue;
            }
            if (std::string_view(kind.name) != "composite") {
                const std::vector<Judged> judged = judge_kernels(kind, device, candidates);
                result_.judged.insert(result_.judged.end(), judged.begin(), judged.end());
            }
            result_.on_candidates.push_back(judge_together(kind, device, candidates, "candidates"));
        }
    }

    /// What was calibrated later is no part of the fit, but of what is predicted from its start.
    void remember_start() {
        for (const CalibratedFigure& each : result_.calibration.figures) {
            if (std::ranges::find(composite_figures, each.key) == std::end(composite_figures)) {
                internal_check(set_figure(result_.start, each.key, each.value), "a calibrated figure that the device does not take");
            }
        }
    }

    bool take_routines(const Device& device) {
        auto found = routines_of(measured_, device, diagnostics_);
        if (!found) {
            return false;
        }
        result_.calibration.routines = std::move(found->routines);
        result_.left_out.insert(result_.left_out.end(), found->left_out.begin(), found->left_out.end());
        result_.left_out.insert(result_.left_out.end(), found->divided.begin(), found->divided.end());
        if (found->remap) {
            result_.calibration.figures.push_back(std::move(*found->remap));
        } else if (!result_.calibration.routines.empty()) {
            result_.left_out.push_back("`benchmark.remap` was not measured: not all four pairs of calls are there");
        }
        return true;
    }

    /// Figures that a predictor alone has, with those of `composite` as they are.
    void fit_others(const Device& device, const std::vector<Point>& points) {
        for (PredictorKind kind : predictor_kinds()) {
            std::vector<const char*> own;
            for (const char* key : kind.fits) {
                const bool shared = std::string_view(key).starts_with("speed.") || std::string_view(key).starts_with("stream.") ||
                    std::string_view(key).starts_with("latency.");
                const auto& figures = result_.calibration.figures;
                const bool known =
                    std::any_of(figures.begin(), figures.end(), [&](const CalibratedFigure& each) { return each.key == key; });
                if (!shared && !known) {
                    own.push_back(key);
                }
            }
            if (!kind.cuda || own.empty()) {
                continue;
            }
            Diagnostics missing;
            if (make_predictor(kind.name, device, missing) == nullptr) {
                result_.left_out.push_back(missing.all().front().message);
                continue;
            }
            kind.fits = own;
            keep(fit_figures(kind, device, points), fitted_to(points), fmt::format("fitted by `{}` to the same kernels", kind.name));
        }
    }

    /// Of `pipeline`, with its other figures as they are now; only where kernels that it was not trained on are the better for it.
    void learn_correction(const Device& device, const GpuPoints& points) {
        Diagnostics missing;
        if (make_predictor("pipeline", device, missing) == nullptr) { // said where its figures are fitted
            return;
        }
        std::vector<Point> samples = points.points; // those to fit to, and what has barriers or is uncoalesced
        for (Point& point : samples) {
            point.role = point.kernel == "staged" ? Role::fit : point.role;
        }
        samples.insert(samples.end(), points.scattered.begin(), points.scattered.end());
        const auto training =
            train_correction(device, samples, "the probes' streams, chains of FMAs, staged ones, lists in L2, strides and records");
        if (!training) {
            return;
        }
        if (training->kernels < 2 || training->mape_left_out >= training->mape_before) {
            result_.left_out.push_back(
                fmt::format("`pipeline` stays uncorrected: a correction {} would be no better", described(*training)));
            return;
        }
        Device possible = device;
        if (!store(*training, possible)) {
            result_.left_out.push_back(fmt::format("`pipeline` stays uncorrected: the weights of one {} cannot be", described(*training)));
            return;
        }
        for (const auto& [key, weight] : pipeline::correction_figures()) {
            auto& figures = result_.calibration.figures;
            std::erase_if(figures, [&](const CalibratedFigure& each) { return each.key == key; });
            figures.push_back({key, training->correction.*weight, find_field(key, fusion::Target::cuda)->unit,
                static_cast<int>(training->samples), training->mape_after, described(*training, weight)});
        }
    }

    void note_missing(const Figure& figure) {
        const auto& figures = result_.calibration.figures;
        const bool measurable = !figure.key.starts_with("limits.");
        if (measurable &&
            std::none_of(figures.begin(), figures.end(), [&](const CalibratedFigure& each) { return each.key == figure.key; })) {
            result_.left_out.push_back("`" + figure.key + "` stays that of the description");
        }
    }

    const GpuMeasurements& measured_;
    Diagnostics& diagnostics_;
    GpuCalibration result_;
};

} // namespace

PredictorKind composite_gpu_kind() {
    PredictorKind kind = predictor_kind("composite");
    kind.fits = composite_figures;
    return kind;
}

std::optional<GpuCalibration> calibrate_gpu(const GpuMeasurements& measured, Diagnostics& diagnostics) {
    return Calibrator(measured, diagnostics).run();
}

} // namespace fusec::perfmodel
