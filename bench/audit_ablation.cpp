// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_ablation.hpp"

#include "bench/audit_judge.hpp"
#include "bench/run_record.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace fusec::bench {

using nlohmann::ordered_json;
using perfmodel::Ablation;
using perfmodel::Point;
using perfmodel::PredictorKind;
using perfmodel::Role;

namespace {

AblationAccuracy accuracy_of(
    const PredictorKind& kind, const perfmodel::Fit& fit, const std::vector<Point>& points, const std::vector<bool>& moved) {
    Verdict verdict;
    const std::vector<double> predicted = perfmodel::predictions(kind, fit.device, points);
    judge(verdict, points, predicted);
    std::vector<double> moved_predicted, moved_measured;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (moved[i]) {
            moved_predicted.push_back(predicted[i]);
            moved_measured.push_back(points[i].seconds);
        }
    }
    const perfmodel::Accuracy of_moved = perfmodel::accuracy(moved_predicted, moved_measured);
    return {verdict.all.mape, verdict.by_kernel, of_moved.mape, of_moved.p90, fit.error};
}

ordered_json to_json(const AblationAccuracy& accuracy) {
    return {{"mape", accuracy.mape}, {"mean_of_kernels", accuracy.mean_of_kernels}, {"mape_of_moved", accuracy.of_moved},
        {"p90_of_moved", accuracy.p90_of_moved}, {"fit_error", accuracy.fit_error}};
}

} // namespace

AblatedDevice ablate(const PredictorKind& kind, const perfmodel::Device& start, const std::vector<Point>& points) {
    const perfmodel::Fit full = perfmodel::fit_figures(kind, start, points);
    const std::vector<Point> judged = held_out(points);
    AblatedDevice result{start.name, points.size() - judged.size(), judged.size(), {}};
    for (const Ablation& ablation : perfmodel::ablations()) {
        if (!(start.limits.target == fusion::Target::host ? ablation.host : ablation.cuda)) {
            continue;
        }
        const perfmodel::AblatedFit without = perfmodel::fit_without(ablation, kind, full, start, points);
        std::vector<bool> moved;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].role == Role::held_out) {
                moved.push_back(without.moved[i]);
            }
        }
        AblationResult row{
            &ablation, start.name, without.moved_fit, without.moved_held_out, accuracy_of(kind, full, judged, moved), std::nullopt};
        if (without.fit) {
            row.without =
                accuracy_of(perfmodel::kind_without(ablation, kind), *without.fit, perfmodel::points_without(ablation, judged), moved);
        }
        result.terms.push_back(row);
    }
    return result;
}

std::vector<AblatedDevice> ablate(const std::vector<DeviceData>& devices) {
    const PredictorKind& composite = perfmodel::predictor_kind("composite");
    std::vector<AblatedDevice> result;
    for (const DeviceData& data : devices) {
        if (data.has(Role::fit) && data.has(Role::held_out) && has_streams(data)) {
            result.push_back(ablate(composite, data.device, data.points));
        }
    }
    return result;
}

AblatedDevice ablate(const perfmodel::GpuCalibration& calibrated) {
    return ablate(perfmodel::composite_gpu_kind(), calibrated.start, calibrated.points);
}

void print(const std::vector<AblatedDevice>& devices, std::ostream& out) {
    out << "composite with and without each term, % off: all points, mean of kernels, points that the term moves\n"
        << std::fixed << std::setprecision(1);
    for (const AblatedDevice& device : devices) {
        for (const AblationResult& row : device.terms) {
            out << std::left << std::setw(13) << device.device << std::setw(27) << row.ablation->term << std::right << std::setw(6)
                << row.moved_held_out << " of " << std::setw(4) << device.held_out << std::setw(4) << row.moved_fit << " of "
                << std::setw(3) << device.fit << " fitted to";
            for (const AblationAccuracy& each : {row.full, row.without.value_or(AblationAccuracy())}) {
                out << "  " << std::setw(6) << 100 * each.mape << std::setw(6) << 100 * each.mean_of_kernels << std::setw(6)
                    << 100 * each.of_moved;
            }
            out << (row.without ? "\n" : "  moves no measured point\n");
        }
    }
}

ordered_json terms_to_json(const std::vector<AblatedDevice>& devices) {
    ordered_json terms = ordered_json::array();
    for (const Ablation& ablation : perfmodel::ablations()) {
        ordered_json rows = ordered_json::array();
        for (const AblatedDevice& device : devices) {
            for (const AblationResult& row : device.terms) {
                if (row.ablation != &ablation) {
                    continue;
                }
                rows.push_back({{"device", device.device}, {"moved_held_out", row.moved_held_out}, {"moved_fit", row.moved_fit},
                    {"full", to_json(row.full)}});
                if (row.without) {
                    rows.back()["without"] = to_json(*row.without);
                }
            }
        }
        if (!rows.empty()) {
            terms.push_back({{"term", ablation.term}, {"instead", ablation.instead}, {"neglected", to_string(ablation.neglected)},
                {"rows", std::move(rows)}});
        }
    }
    return terms;
}

std::string to_json(const std::vector<AblatedDevice>& devices, const std::string& sources, const std::string& data) {
    ordered_json result{{"schema", "fusec-ablations"}, {"version", 1}};
    result.update(run_record(sources));
    result["data"] = data;
    result["least_move"] = perfmodel::least_move;
    result["devices"] = ordered_json::array();
    for (const AblatedDevice& device : devices) {
        result["devices"].push_back({{"name", device.device}, {"points", device.held_out}, {"fit_points", device.fit}});
    }
    result["terms"] = terms_to_json(devices);
    return result.dump(1) + "\n";
}

} // namespace fusec::bench
