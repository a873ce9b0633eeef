// SPDX-License-Identifier: Apache-2.0
#include "cli/predictions.hpp"

#include "cli/report_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace fusec::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Null: no answer, which is an infinite time.
Json time_json(double seconds) {
    return std::isfinite(seconds) ? Json(seconds) : Json(nullptr);
}

Json breakdown_json(const perfmodel::Breakdown& breakdown) {
    Json bounds = Json::object(), quantities = Json::array();
    for (const auto& [bound, seconds] : breakdown.bounds) {
        bounds[std::string(fusion::to_string(bound))] = time_json(seconds);
    }
    for (const perfmodel::Quantity& quantity : breakdown.quantities) {
        quantities.push_back({{"name", quantity.name}, {"value", quantity.value}, {"unit", quantity.unit}});
    }
    const bool answers = std::isfinite(breakdown.cost.seconds);
    return {{"seconds", time_json(breakdown.cost.seconds)},
        {"bound_by", answers ? Json(fusion::to_string(breakdown.cost.bound_by)) : Json(nullptr)}, {"bounds", std::move(bounds)},
        {"quantities", std::move(quantities)}};
}

} // namespace

std::string predictions_json(const Predictions& predictions, const Compilation& c) {
    Json report{{"schema", 1}, {"program", c.program->name}, {"device", c.device->name}, {"calibration", c.device->calibration},
        {"elements", c.options.elements}, {"predictors", predictions.predictors}, {"unavailable", Json::object()},
        {"kernels", Json::array()}};
    for (const Predictions::Unavailable& missing : predictions.unavailable) {
        report["unavailable"][missing.name] = missing.reason;
    }
    for (const Predictions::Kernel& kernel : predictions.kernels) {
        Json entry = Json::parse(candidate_json(kernel.candidate, c));
        if (kernel.compiled) {
            entry["compiled"] = Json::parse(compiled_kernel_json(*kernel.compiled));
        }
        entry["predictions"] = Json::object();
        for (std::size_t i = 0; i < predictions.predictors.size(); ++i) {
            entry["predictions"][predictions.predictors[i]] = breakdown_json(kernel.by_predictor[i]);
        }
        report["kernels"].push_back(std::move(entry));
    }
    if (!predictions.source.empty()) {
        report["analysis"] = {{"source", predictions.source}, {"registers", predictions.assembler}};
    }
    return report.dump(2) + "\n";
}

} // namespace fusec::cli
