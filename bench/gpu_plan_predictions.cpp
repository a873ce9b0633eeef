// SPDX-License-Identifier: Apache-2.0
// What every predictor says of plans whose kernels' work is known: no search, so that plans that were timed are predicted, and not those of today.
// Usage: gpu_plan_predictions PLANS.json DEVICE
// PLANS.json: {"plans": [{"n": ELEMENTS, "works": [WORK, ...]}, ...]}, each WORK as perfmodel/fit/kernel_work_json.hpp has it. Prints
// {"predictors": {NAME: [SECONDS or null, ...]}, "unavailable": {NAME: REASON}}: seconds of each plan, its kernels one after the other, null where the
// predictor has no answer for one of them.
#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "perfmodel/predictor.hpp"
#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace fusec {
namespace {

struct TimedPlan {
    std::uint64_t elements = 0;
    std::vector<fusion::KernelWork> kernels;
};

std::optional<std::vector<TimedPlan>> read_plans(const std::string& file, Diagnostics& diagnostics) {
    std::optional<std::string> text = read_text(file, diagnostics);
    if (!text) {
        return std::nullopt;
    }
    const auto root = parse_json(std::make_shared<const SourceText>(file, std::move(*text)), kind::invalid_measurement, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    JsonReader json(kind::invalid_measurement, diagnostics);
    std::vector<TimedPlan> plans;
    try {
        json.expect(*root, JsonValue::Kind::object);
        json.only(*root, {"plans"});
        for (const JsonValue& plan : json.array(*root, "plans")) {
            json.expect(plan, JsonValue::Kind::object);
            json.only(plan, {"n", "works"});
            TimedPlan& made = plans.emplace_back();
            made.elements = json.whole(plan, "n");
            for (const JsonValue& work : json.array(plan, "works")) {
                made.kernels.push_back(perfmodel::read_kernel_work(json, work));
            }
        }
    } catch (const JsonReader::Failed&) {
        return std::nullopt;
    }
    return plans;
}

nlohmann::ordered_json seconds_of(const perfmodel::Predictor& predictor, const TimedPlan& plan) {
    double sum = 0;
    for (const fusion::KernelWork& kernel : plan.kernels) {
        sum += predictor.explain(kernel, plan.elements).cost.seconds;
    }
    return std::isfinite(sum) ? nlohmann::ordered_json(sum) : nlohmann::ordered_json(nullptr);
}

int run(const std::string& file, const std::string& name, Diagnostics& diagnostics) {
    const auto plans = read_plans(file, diagnostics);
    const auto device = perfmodel::find_calibrated_device(name, diagnostics);
    if (!plans || !device) {
        return diagnostics.exit_code();
    }
    nlohmann::ordered_json result{{"predictors", nlohmann::ordered_json::object()}, {"unavailable", nlohmann::ordered_json::object()}};
    for (const std::string& predictor : perfmodel::predictor_names()) {
        Diagnostics missing;
        const auto made = perfmodel::make_predictor(predictor, *device, missing);
        if (!made) {
            result["unavailable"][predictor] = missing.all().front().message;
            continue;
        }
        auto& seconds = result["predictors"][predictor] = nlohmann::ordered_json::array();
        for (const TimedPlan& plan : *plans) {
            seconds.push_back(seconds_of(*made, plan));
        }
    }
    std::cout << result.dump() << '\n';
    return 0;
}

} // namespace
} // namespace fusec

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: gpu_plan_predictions PLANS.json DEVICE\n";
        return 2;
    }
    fusec::Diagnostics diagnostics;
    const int code = fusec::run(argv[1], argv[2], diagnostics);
    render(diagnostics, std::cerr, false);
    return code;
}
