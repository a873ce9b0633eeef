// SPDX-License-Identifier: Apache-2.0
// Writes the five plans of the talk's table for the demo as plan files: of all candidates with the talk's threads per instance,
// kernel by kernel, those predicted fastest on h200.
// Usage: talk_plans examples/demo.fus examples/plans
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "fusion/plan_file.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <iostream>

namespace fusec::bench {
namespace {

struct KernelOfTalk {
    std::vector<std::string> calls; ///< linear order
    std::string granularity;
    std::string stores;
};

struct PlanOfTalk {
    std::string file;
    std::vector<KernelOfTalk> kernels; ///< launch order
};

const std::vector<PlanOfTalk>& plans_of_talk() {
    static const KernelOfTalk norm{{"M1", "v1", "s1"}, "{3 3 1}", "s1"}, product_and_vector{{"M1", "v1"}, "{3 3}", "v1"},
        product{{"M1"}, "{3}", "M1"}, vector{{"v1"}, "{1}", "v1"}, length{{"s1"}, "{1}", "s1"};
    static const KernelOfTalk result{{"M2", "M3", "F"}, "{5 5 5}", "F"}, second{{"M2"}, "{5}", "M2"}, sum{{"M3"}, "{5}", "M3"},
        scaled{{"F"}, "{5}", "F"};
    static const KernelOfTalk all{{"M1", "v1", "s1", "M2", "M3", "F"}, "{3 3 1 5 5 5}", "F"};
    static const std::vector<PlanOfTalk> plans = {
        {"demo-331-555.json", {norm, result}},
        {"demo-33-1-555.json", {product_and_vector, length, result}},
        {"demo-3-1-1-555.json", {product, vector, length, result}},
        {"demo-331555.json", {all}},
        {"demo-3-1-1-5-5-5.json", {product, vector, length, second, sum, scaled}},
    };
    return plans;
}

std::optional<fusion::Candidate> fastest(const KernelOfTalk& kernel, const cli::Compilation& c) {
    fusion::CallSet calls;
    std::optional<DataId> stored;
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        const std::string& name = c.program->name_of(CallId(i));
        if (std::ranges::find(kernel.calls, name) != kernel.calls.end()) {
            calls.push_back(CallId(i));
        }
        if (name == kernel.stores) {
            stored = c.program->call(CallId(i)).result;
        }
    }
    const auto column = stored ? c.space->find(calls, {*stored}) : std::nullopt;
    std::optional<fusion::Candidate> best;
    for (fusion::Candidate& candidate : column ? c.space->implementations(*column) : std::vector<fusion::Candidate>{}) {
        const bool same_order = std::ranges::equal(
            candidate.order, kernel.calls, {}, [&](const fusion::CallPlan& call) { return c.program->name_of(call.call); });
        if (same_order && fusion::granularity_text(candidate) == kernel.granularity &&
            (!best || candidate.cost.seconds < best->cost.seconds)) {
            best = std::move(candidate);
        }
    }
    return best;
}

int run(const std::string& program, const std::filesystem::path& folder) {
    Diagnostics diagnostics;
    cli::Compilation c;
    c.options.program = program;
    c.options.device = "h200";
    if (!cli::run_pipeline(c, diagnostics, "space")) {
        std::cerr << program << " does not compile\n";
        return 1;
    }
    for (const PlanOfTalk& talk : plans_of_talk()) {
        fusion::Plan plan;
        for (const KernelOfTalk& kernel : talk.kernels) {
            auto candidate = fastest(kernel, c);
            if (!candidate) {
                std::cerr << talk.file << ": no candidate " << kernel.granularity << '\n';
                return 1;
            }
            plan.seconds += candidate->cost.seconds;
            plan.kernels.push_back(std::move(*candidate));
        }
        plan.workspace = fusion::plan_workspace(*c.graph, plan.kernels);
        plan.gap = 1; // nothing is proved: the bound is 0
        fusion::verify(plan, *c.graph);
        if (!write_files({{folder / talk.file, fusion::to_plan_file(plan, *c.graph, *c.catalog)}}, diagnostics)) {
            std::cerr << "cannot write " << talk.file << '\n';
            return 1;
        }
        std::cout << talk.file << ": " << plan.seconds * 1e3 << " ms\n";
    }
    return 0;
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: talk_plans PROGRAM.fus FOLDER\n";
        return 2;
    }
    return fusec::bench::run(argv[1], argv[2]);
}
