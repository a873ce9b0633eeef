// SPDX-License-Identifier: Apache-2.0
#include "cli/measurements.hpp"
#include "support/machine.hpp"

#include <nlohmann/json.hpp>

#include <thread>

namespace fusec::cli {

std::string measurements_json(const Measurements& m, const Compilation& c) {
    using Json = nlohmann::ordered_json;
    Json report = Json::parse(predictions_json(m.predictions, c));
    Json plans = Json::array();
    for (const Measurements::Plan& plan : m.plans) {
        plans.push_back({{"plan", plan.choice}, {"kernels", plan.plan.kernels.size()}, {"predicted_seconds", plan.predicted_seconds},
            {"repeated", plan.repeated}, {"measured_seconds", plan.times.seconds}});
    }
    for (std::size_t k = 0; k < m.kernels.size(); ++k) {
        report["kernels"][k]["repeated"] = m.predictions.kernels[k].candidate.work.repeated;
        report["kernels"][k]["measured_seconds"] = m.kernels[k].seconds;
    }
    Json kernels = std::move(report["kernels"]);
    report.erase("kernels");
    report["date"] = utc_date();
    report["machine"] = {{"processor", processor_name()}, {"threads", std::thread::hardware_concurrency()}, {"usable", m.processors}};
    report["compiler"] = m.compiler;
    report["plans"] = std::move(plans);
    report["kernels"] = std::move(kernels);
    return report.dump(2) + "\n";
}

} // namespace fusec::cli
