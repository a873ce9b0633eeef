// SPDX-License-Identifier: Apache-2.0
#include "cli/spill_warning.hpp"

#include "fusion/register_demand.hpp"

#include <fmt/format.h>

namespace fusec::cli {

namespace {

/// "1152 for components that are read again, 48 for the routine's own values"
std::string shares(const fusion::RegisterDemand& demand) {
    std::string text;
    const auto add = [&](int words, const char* what) {
        if (words > 0) {
            text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", words, what);
        }
    };
    add(demand.kept, "components of operands that it reads again");
    add(demand.live, "values that stay in registers");
    add(demand.temporaries, "its own temporaries");
    return text;
}

} // namespace

void warn_of_spills(const Compilation& c, Diagnostics& diagnostics) {
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        const fusion::RegisterDemand& demand = kernel.work.demand;
        const int needed = kernel.work.registers_needed + fusion::registers_of_many_calls(kernel.calls.size());
        const int available =
            c.options.target == fusion::Target::host ? needed : fusion::registers_available(c.device->limits, kernel.threads_per_block);
        const double spilled = fusion::spilled_bytes(needed, available, kernel.threads_per_block / kernel.instances_per_block);
        if (spilled == 0) {
            continue;
        }
        const CallId call = kernel.calls.at(static_cast<std::size_t>(demand.call));
        const std::string& name = c.graph->datum(kernel.stores.back()).identifier;
        Diagnostic& warning = diagnostics.report(kind::register_spill, c.graph->call(call).span,
            fmt::format(
                "kernel `{}` needs about {} registers per thread here, `{}` has {} for it: the rest spills to local memory, about {:.0f} "
                "bytes of traffic per element",
                name, needed, c.device->name, available, spilled));
        warning.note(c.graph->call(call).span, "words of a thread: " + shares(demand));
        warning.hint = kernel.calls.size() > 1
            ? "smaller kernels need fewer: `--max-fusion`, `--plan none`; so do smaller matrices and `float`"
            : "smaller matrices or `float` need fewer, or a function of your own with more threads per element";
    }
}

} // namespace fusec::cli
