// SPDX-License-Identifier: Apache-2.0
// `fusec bench`: plans and kernels of a program measured on this host, beside their predictions.
#include "cli/commands.hpp"
#include "cli/depfile.hpp"
#include "cli/measurements.hpp"
#include "cli/other_machine_warning.hpp"
#include "cli/report_json.hpp"
#include "execute/build_folder.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fusec::cli {

void run_command(const Bench& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    std::optional<execute::BuildFolder> folder;
    if (!compile_to_measure(c, command.elements, diagnostics)) {
        return;
    }
    if (!can_write_report(command.json, diagnostics, files_read(c))) { // before it takes minutes
        return;
    }
    auto setup = timing_setup(folder, diagnostics);
    if (!setup) {
        return;
    }
    setup->rounds = command.rounds;
    warn_of_other_machine(*c.device, Same::processor_and_number, diagnostics);
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
