// SPDX-License-Identifier: Apache-2.0
// `fusec bench`: plans and kernels of a program measured on this host, beside their predictions.
#include "cli/commands.hpp"
#include "cli/depfile.hpp"
#include "cli/host_machine.hpp"
#include "cli/measurements.hpp"
#include "execute/build_folder.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fusec::cli {

namespace {

/// Predictions by what another machine, or another number of its processors, was found to do would be compared with this one's times.
void warn_of_other_machine(const perfmodel::Device& device, Diagnostics& diagnostics) {
    if (device.routine_times == nullptr) { // a description, which is of no machine
        return;
    }
    const std::string here = processor_name();
    const int processors = usable_processors();
    if (device.routine_times->machine == here && device.cores == processors) {
        return;
    }
    const auto with = [](int count) { return counted(static_cast<std::size_t>(count), "processor"); };
    diagnostics
        .report(kind::other_machine, {},
            fmt::format("`{}` was measured on `{}` with {}, and this is `{}` with {}", device.name, device.routine_times->machine,
                with(device.cores), here, with(processors)))
        .hint = "`fusec calibrate --target host -o FILE` measures this machine, `--device FILE` predicts for it";
}

} // namespace

void run_command(const Bench& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    std::optional<execute::BuildFolder> folder;
    if (!compile_to_measure(c, command.elements, diagnostics)) {
        return;
    }
    auto setup = timing_setup(folder, diagnostics);
    if (!setup) {
        return;
    }
    setup->rounds = command.rounds;
    warn_of_other_machine(*c.device, diagnostics);
    const auto measured = measure(c, {command.all, command.sample, command.seed}, *setup, diagnostics);
    if (!measured) {
        return;
    }
    if (c.device->calibration.empty()) {
        diagnostics.conclude(
            fmt::format("predicted for `{}`, which is no measured machine: `fusec calibrate --target host -o FILE` measures this one, "
                        "`--device FILE` predicts for it",
                c.device->name));
    }
    if (!command.json) {
        std::cout << measurements_text(*measured, c);
    } else if (*command.json == "-") {
        std::cout << measurements_json(*measured, c);
    } else {
        write_files({{*command.json, measurements_json(*measured, c)}}, diagnostics, files_read(c));
    }
}

} // namespace fusec::cli
