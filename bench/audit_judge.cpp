// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_judge.hpp"

#include "perfmodel/device_figures.hpp"

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

} // namespace

std::vector<Point> held_out(const std::vector<Point>& points) {
    std::vector<Point> result;
    std::copy_if(points.begin(), points.end(), std::back_inserter(result), [](const Point& point) { return point.role == Role::held_out; });
    return result;
}

void judge(Verdict& verdict, const std::vector<Point>& points, const std::vector<double>& predicted) {
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> kernels;
    std::vector<double> all_predicted, all_measured;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& point = points[i];
        verdict.points.push_back({point.kernel, point.place, point.seconds, predicted[i]});
        auto& [p, m] = kernels[point.kernel];
        p.push_back(predicted[i]);
        m.push_back(point.seconds);
        all_predicted.push_back(predicted[i]);
        all_measured.push_back(point.seconds);
    }
    verdict.all = perfmodel::accuracy(all_predicted, all_measured);
    for (const auto& [kernel, columns] : kernels) {
        verdict.kernels.push_back({kernel, perfmodel::accuracy(columns.first, columns.second)});
        verdict.by_kernel += verdict.kernels.back().accuracy.mape / static_cast<double>(kernels.size());
    }
}

bool has_streams(const DeviceData& data) {
    return std::any_of(data.points.begin(), data.points.end(), [](const Point& point) { return point.kernel == "read"; });
}

std::vector<Verdict> judge_fitted(const std::vector<DeviceData>& devices) {
    std::vector<Verdict> verdicts;
    for (const DeviceData& data : devices) {
        if (!data.has(Role::fit) || !data.has(Role::held_out)) {
            continue;
        }
        for (const PredictorKind& kind : perfmodel::predictor_kinds()) {
            Verdict verdict{kind.name, data.device.name, obstacle(kind, data.device), {}, 0, 0, {}, {}, 0, {}};
            if (verdict.unavailable.empty() && !has_streams(data)) {
                verdict.unavailable = "no streams of the device were measured that figures could be fitted to";
            }
            if (verdict.unavailable.empty()) {
                const perfmodel::Fit fit = perfmodel::fit_figures(kind, data.device, data.points);
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

std::vector<Verdict> judge_left_out(const std::vector<DeviceData>& devices, const std::vector<Verdict>& fitted) {
    std::vector<Verdict> verdicts;
    for (const DeviceData& data : devices) {
        if (!data.has(Role::held_out)) {
            continue;
        }
        for (const PredictorKind& kind : perfmodel::predictor_kinds()) {
            Verdict verdict{kind.name, data.device.name, obstacle(kind, data.device), {}, 0, 0, {}, {}, 0, {}};
            std::map<std::string, std::vector<std::pair<const Device*, double>>> others;
            for (const Verdict& other : fitted) {
                if (other.predictor != kind.name || other.device == data.device.name) {
                    continue;
                }
                const auto of =
                    std::find_if(devices.begin(), devices.end(), [&](const DeviceData& each) { return each.device.name == other.device; });
                for (const perfmodel::FittedFigure& figure : other.figures) {
                    if (figure.determined) {
                        others[figure.key].emplace_back(&of->device, figure.after);
                    }
                }
            }
            if (verdict.unavailable.empty()) {
                Device device = data.device;
                for (const auto& [key, values] : others) {
                    const double before = perfmodel::figure(device, key).value_or(0);
                    const double value = carried(key, data.device, values);
                    verdict.figures.push_back({key, before, value, 0, 0, perfmodel::set_figure(device, key, value)});
                }
                const std::vector<Point> points = held_out(data.points);
                judge(verdict, points, perfmodel::predictions(kind, device, points));
            }
            verdicts.push_back(std::move(verdict));
        }
    }
    return verdicts;
}

} // namespace fusec::bench
