// SPDX-License-Identifier: Apache-2.0
#include "tests/plans/planned.hpp"

#include <algorithm>
#include <stdexcept>

namespace fusec::test {

namespace {

const std::filesystem::path examples = std::filesystem::path(FUSEC_SOURCE_DIR) / "examples";

} // namespace

cli::Compilation planned(const PlanRequest& request) {
    cli::Compilation c;
    c.options.program = examples / (request.example + ".fus");
    c.options.target = request.target;
    c.options.device = !request.device.empty() ? request.device : request.target == fusion::Target::host ? "host-generic" : "h200";
    c.options.plan = request.plan;
    c.options.recompute = request.recompute;
    c.options.max_fusion = request.max_fusion;
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "plan") || diagnostics.has_errors()) {
        throw std::runtime_error(request.example + " with --plan " + request.plan + " has no plan");
    }
    return c;
}

std::vector<std::string> example_files() {
    std::vector<std::string> stems;
    for (const auto& entry : std::filesystem::directory_iterator(examples)) {
        if (entry.path().extension() == ".fus") {
            stems.push_back(entry.path().stem().string());
        }
    }
    std::sort(stems.begin(), stems.end());
    return stems;
}

std::string calls_of(const fusion::Candidate& kernel, const cli::Compilation& compilation) {
    std::string text;
    for (const fusion::CallPlan& call : kernel.order) {
        text += (text.empty() ? "" : " ") + compilation.program->name_of(call.call);
    }
    return text;
}

} // namespace fusec::test
