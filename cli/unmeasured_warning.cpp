// SPDX-License-Identifier: Apache-2.0
#include "cli/unmeasured_warning.hpp"

#include "perfmodel/host_compute.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fusec::cli {

void warn_of_unmeasured(const Compilation& c, Diagnostics& diagnostics) {
    if (c.options.target != fusion::Target::host || c.device->routine_times == nullptr || c.options.predictor != "composite") {
        return;
    }
    double counted_ns = 0, all_ns = 0;
    std::map<std::string, double> instructions; // of routines without a time
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        const perfmodel::HostCompute compute = perfmodel::host_compute(*c.device, kernel.work);
        counted_ns += compute.counted_ns;
        all_ns += compute.transfers_ns + compute.routines_ns;
        for (const fusion::WorkStep& step : kernel.work.steps) {
            const auto routine = step.kind == fusion::WorkStep::Kind::compute ? perfmodel::compute_routine(step) : std::nullopt;
            if (routine && step.instructions > 0 && !c.device->routine_times->routines.contains(*routine)) {
                instructions[*routine] += step.instructions;
            }
        }
    }
    if (counted_ns <= most_counted * all_ns) {
        return;
    }
    Diagnostic& warning = diagnostics.report(kind::not_measured, {},
        fmt::format("{:.0f} % of what the processors do in the kernels of this plan is counted by instructions: `{}` has no time of it",
            100 * counted_ns / all_ns, c.device->name));
    if (!instructions.empty()) {
        const auto most = std::ranges::max_element(instructions, {}, [](const auto& each) { return each.second; });
        warning.note({}, fmt::format("without a time: {}, most of it `{}`", counted(instructions.size(), "routine"), most->first));
    }
    warning.hint =
        "`fusec calibrate --target host --for " + c.options.program.string() + "` measures what the program needs on this machine";
}

} // namespace fusec::cli
