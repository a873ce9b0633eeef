// SPDX-License-Identifier: Apache-2.0
#include "cli/other_machine_warning.hpp"

#include "cli/host_machine.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/counted.hpp"
#include "support/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace fusec::cli {

void warn_of_other_machine(const perfmodel::Device& device, Same same, Diagnostics& diagnostics) {
    const auto told = [](const Diagnostic& each) { return each.kind.name == kind::other_machine.name; };
    if (device.routine_times == nullptr || std::ranges::any_of(diagnostics.all(), told)) {
        return;
    }
    const std::string here = processor_name();
    const int processors = usable_processors();
    if (device.routine_times->machine == here && (same == Same::processor || device.cores == processors)) {
        return;
    }
    const auto with = [](int count) { return counted(static_cast<std::size_t>(count), "processor"); };
    diagnostics
        .report(kind::other_machine, {},
            fmt::format("`{}` was measured on `{}` with {}, and this is `{}` with {}", device.name, device.routine_times->machine,
                with(device.cores), here, with(processors)))
        .hint = "`fusec calibrate --target host -o FILE` measures this machine, `--device FILE` predicts for it";
}

} // namespace fusec::cli
