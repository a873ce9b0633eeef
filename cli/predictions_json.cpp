// SPDX-License-Identifier: Apache-2.0
#include "cli/predictions.hpp"

#include "cli/report_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace fusec::cli {

namespace {

using Json = nlohmann::ordered_json;

Json breakdown_json(const perfmodel::Breakdown& breakdown) {
    const bool answers = std::isfinite(breakdown.cost.seconds); // else null
    Json entry{{"seconds", answers ? Json(breakdown.cost.seconds) : Json(nullptr)},
        {"bound_by", answers ? Json(fusion::to_string(breakdown.cost.bound_by)) : Json(nullptr)}};
    entry.update(Json::parse(terms_json(breakdown)));
    return entry;
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
        report["analysis"] = {{"source", predictions.source}, {"registers", predictions.registers.text()}};
    }
    return report.dump(2) + "\n";
}

} // namespace fusec::cli
