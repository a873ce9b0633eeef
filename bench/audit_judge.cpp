// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_judge.hpp"

#include "bench/audit_seeds.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/pipeline_training.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace fusec::bench {

using perfmodel::Device;
using perfmodel::Point;
using perfmodel::PredictorKind;
using perfmodel::Role;

namespace {

constexpr double smallest_latency_share = 0.8;

/// What keeps a predictor from the device; empty if nothing does.
std::string obstacle(const PredictorKind& kind, const Device& device) {
    Diagnostics diagnostics;
    std::string reasons;
    if (perfmodel::make_predictor(kind.name, device, diagnostics) == nullptr) {
        for (const Diagnostic& each : diagnostics.all()) {
            reasons += (reasons.empty() ? "" : "; ") + each.message;
        }
    }
    return reasons;
}

/// Value of a figure of one device, from the fitted values of others.
double carried(const std::string& key, const Device& device, const std::vector<std::pair<const Device*, double>>& others) {
    const auto mean = [&](const std::function<double(const Device&, double)>& of) {
        double sum = 0;
        for (const auto& [other, value] : others) {
            sum += of(*other, value);
        }
        return sum / static_cast<double>(others.size());
    };
    const perfmodel::Field* const field = perfmodel::find_field(key, device.limits.target);
    const std::string unit = field == nullptr ? "" : field->unit;
    if (unit == "GB/s") {
        return device.dram_gb_per_s * mean([](const Device& other, double value) { return value / other.dram_gb_per_s; });
    }
    if (unit == "ns" || unit == "cycles") {
        const auto latency = [&](const Device& of) { return of.dram_latency_ns * (unit == "cycles" ? of.clock_ghz : 1); };
        if (std::all_of(others.begin(), others.end(),
                [&](const auto& other) { return other.second >= smallest_latency_share * latency(*other.first); })) {
            return latency(device) + mean([&](const Device& other, double value) { return value - latency(other); });
        }
    }
    return mean([](const Device&, double value) { return value; });
}

constexpr std::string_view l2_bandwidth = "speed.l2";

/// What may be known of a device that is left out: its data sheet and latencies, and the bandwidth of L2, which is measured in no point that is
/// judged, on this device or, where there is no file of it, on others (replace_l2_bandwidths in audit_data.cpp).
bool may_be_known(std::string_view key, Known known) {
    constexpr std::string_view keys[] = {"speed.dram", "speed.dram_latency", "latency.l2", l2_bandwidth};
    return std::ranges::find(keys, key) != std::end(keys) && (known == Known::bandwidth_of_l2_too || key != l2_bandwidth);
}

using Values = std::vector<std::pair<const Device*, double>>;

/// The figure as the devices but one have it before anything is fitted; the launch and the bandwidth of L2 of those on which it was measured, if there are
/// any: what the rest have was made of theirs, that of the one that is left out among them.
Values as_measured(std::string_view key, const std::vector<DeviceData>& devices, const std::string& left_out) {
    const auto started = [](const DeviceData& data) {
        return std::ranges::any_of(data.points, [](const Point& point) { return point.kernel == "start-up"; });
    };
    Values all, measured;
    for (const DeviceData& data : devices) {
        const std::optional<double> value = perfmodel::figure(data.device, key);
        if (value && data.device.name != left_out) {
            all.emplace_back(&data.device, *value);
            if ((key == "speed.launch" && started(data)) || (key == l2_bandwidth && data.l2_measured)) {
                measured.push_back(all.back());
            }
        }
    }
    return measured.empty() ? all : measured;
}

/// Every figure that the predictor does not have of the device itself, with its values on the others: as fitted where a fit determines it.
std::map<std::string, Values> of_others(const PredictorKind& kind, const std::vector<DeviceData>& devices,
    const std::vector<Verdict>& fitted, const std::string& left_out, Known known) {
    std::map<std::string, Values> result;
    for (const Verdict& other : fitted) {
        if (other.predictor != kind.name || other.device == left_out) {
            continue;
        }
        const auto of = std::ranges::find_if(devices, [&](const DeviceData& each) { return each.device.name == other.device; });
        for (const perfmodel::FittedFigure& figure : other.figures) {
            if (figure.determined && !may_be_known(figure.key, known)) {
                result[figure.key].emplace_back(&of->device, figure.after);
            }
        }
    }
    std::vector<std::string> keys{"speed.launch", std::string(l2_bandwidth)};
    keys.insert(keys.end(), kind.fits.begin(), kind.fits.end());
    for (const std::string& key : keys) {
        if (!may_be_known(key, known) && !result.contains(key)) {
            if (Values values = as_measured(key, devices, left_out); !values.empty()) {
                result[key] = std::move(values);
            }
        }
    }
    return result;
}

/// The same work, in other blocks or at other occupancies.
bool alternatives(const std::vector<const Point*>& points) {
    return std::ranges::all_of(points, [&](const Point* point) {
        const fusion::KernelWork &one = point->work, &first = points.front()->work;
        return point->elements == points.front()->elements && one.read_bytes == first.read_bytes && one.write_bytes == first.write_bytes &&
            one.flops == first.flops;
    });
}

void judge_choice(KernelAccuracy& verdict, const std::vector<double>& predicted, const std::vector<double>& measured) {
    verdict.fastest = perfmodel::ranks_of_least(predicted, measured, 5);
    const double least = *std::ranges::min_element(predicted);
    double sum = 0, chosen = 0; // of launches that the predictor calls equal, any may be chosen
    for (std::size_t i = 0; i < measured.size(); ++i) {
        sum += predicted[i] == least ? measured[i] : 0;
        chosen += predicted[i] == least ? 1 : 0;
    }
    verdict.loss = sum / chosen / *std::ranges::min_element(measured) - 1;
}

} // namespace

std::vector<Point> held_out(const std::vector<Point>& points) {
    std::vector<Point> result;
    std::copy_if(points.begin(), points.end(), std::back_inserter(result), [](const Point& point) { return point.role == Role::held_out; });
    return result;
}

void judge(Verdict& verdict, const std::vector<Point>& points, const std::vector<double>& predicted) {
    struct Kernel {
        std::vector<double> predicted, measured;
        std::vector<const Point*> points;
    };
    std::map<std::string, Kernel> kernels;
    std::vector<double> all_predicted, all_measured;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& point = points[i];
        if (!std::isfinite(predicted[i])) {
            ++verdict.unanswered;
            continue;
        }
        verdict.points.push_back({point.kernel, point.place, point.seconds, predicted[i]});
        Kernel& kernel = kernels[point.kernel];
        kernel.predicted.push_back(predicted[i]);
        kernel.measured.push_back(point.seconds);
        kernel.points.push_back(&point);
        all_predicted.push_back(predicted[i]);
        all_measured.push_back(point.seconds);
    }
    verdict.all = perfmodel::accuracy(all_predicted, all_measured);
    for (const auto& [name, kernel] : kernels) {
        verdict.kernels.push_back({name, perfmodel::accuracy(kernel.predicted, kernel.measured)});
        if (alternatives(kernel.points)) {
            judge_choice(verdict.kernels.back(), kernel.predicted, kernel.measured);
        }
        verdict.by_kernel += verdict.kernels.back().accuracy.mape / static_cast<double>(kernels.size());
    }
}

bool has_streams(const DeviceData& data) {
    return std::any_of(data.points.begin(), data.points.end(), [](const Point& point) { return point.kernel == "read"; });
}

std::vector<Verdict> judge_fitted(const std::vector<DeviceData>& devices, Known known) {
    std::vector<Verdict> verdicts;
    for (const DeviceData& data : devices) {
        if (!data.has(Role::fit) || !data.has(Role::held_out)) {
            continue;
        }
        Device device = with_measured(data);
        if (!may_be_known(l2_bandwidth, known)) {
            const std::string key(l2_bandwidth);
            if (const Values others = as_measured(key, devices, data.device.name); !others.empty()) {
                perfmodel::set_figure(device, key, carried(key, data.device, others));
            }
        }
        for (const PredictorKind& kind : perfmodel::predictor_kinds()) {
            Verdict verdict{.predictor = kind.name, .device = device.name, .unavailable = obstacle(kind, device)};
            if (verdict.unavailable.empty() && !has_streams(data)) {
                verdict.unavailable = "no streams of the device were measured that figures could be fitted to";
            }
            if (verdict.unavailable.empty()) {
                const perfmodel::Fit fit = perfmodel::fit_figures(kind, device, data.points);
                verdict.figures = fit.figures;
                verdict.fit_error = fit.error;
                verdict.evaluations = fit.evaluations;
                const std::vector<Point> points = held_out(data.points);
                judge(verdict, points, perfmodel::predictions(kind, fit.device, points));
            }
            verdicts.push_back(std::move(verdict));
        }
    }
    return verdicts;
}

std::vector<Verdict> judge_corrected(const std::vector<DeviceData>& devices, const std::vector<Verdict>& fitted) {
    const PredictorKind& pipeline = perfmodel::predictor_kind("pipeline");
    std::vector<Verdict> verdicts;
    for (const Verdict& before : fitted) {
        if (before.predictor != pipeline.name || !before.unavailable.empty()) {
            continue;
        }
        const auto data = std::ranges::find_if(devices, [&](const DeviceData& each) { return each.device.name == before.device; });
        Device device = with_measured(*data);
        for (const perfmodel::FittedFigure& figure : before.figures) {
            perfmodel::set_figure(device, figure.key, figure.after);
        }
        Verdict verdict{.predictor = pipeline.name, .device = before.device};
        const auto training =
            perfmodel::train_correction(device, data->points, "RRZE-HPC/gpu-benches, points to fit to, of " + before.device);
        if (!training || !perfmodel::pipeline::store(*training, device)) {
            verdict.unavailable = "no possible correction";
        } else {
            for (const auto& [key, weight] : perfmodel::pipeline::correction_figures()) {
                verdict.figures.push_back({key, 0, training->correction.*weight, 0, 0, training->determines(weight)});
            }
            verdict.fit_error = training->mape_after;
            const std::vector<Point> points = held_out(data->points);
            judge(verdict, points, perfmodel::predictions(pipeline, device, points));
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

std::vector<Verdict> judge_left_out(const std::vector<DeviceData>& devices, const std::vector<Verdict>& fitted, Known known) {
    std::vector<Verdict> verdicts;
    for (const DeviceData& data : devices) {
        if (!data.has(Role::held_out)) {
            continue;
        }
        for (const PredictorKind& kind : perfmodel::predictor_kinds()) {
            Verdict verdict{.predictor = kind.name, .device = data.device.name};
            Device device = data.device;
            for (const auto& [key, values] : of_others(kind, devices, fitted, data.device.name, known)) {
                const double before = perfmodel::figure(device, key).value_or(0);
                const double value = carried(key, data.device, values);
                verdict.figures.push_back({key, before, value, 0, 0, perfmodel::set_figure(device, key, value)});
            }
            verdict.unavailable = obstacle(kind, device);
            if (verdict.unavailable.empty()) {
                const std::vector<Point> points = held_out(data.points);
                judge(verdict, points, perfmodel::predictions(kind, device, points));
            }
            verdicts.push_back(std::move(verdict));
        }
    }
    return verdicts;
}

} // namespace fusec::bench
