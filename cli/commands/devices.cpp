// SPDX-License-Identifier: Apache-2.0
// `fusec devices`: descriptions and calibrations, and every figure of one with its source.
#include "cli/commands.hpp"
#include "perfmodel/assumed_figures.hpp"
#include "perfmodel/calibration.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fusec::cli {

namespace {

void print(const std::vector<perfmodel::Figure>& figures) {
    for (const perfmodel::Figure& figure : figures) {
        std::cout << fmt::format("  {:28} {:>12g} {:10} {}\n", figure.key, figure.value, figure.unit, figure.source);
    }
}

} // namespace

void run_command(const Devices& command, Diagnostics& diagnostics) {
    const std::vector<std::string> names = command.show ? std::vector<std::string>{*command.show} : perfmodel::known_device_names();
    for (const std::string& name : names) {
        const auto device = perfmodel::find_calibrated_device(name, diagnostics);
        if (!device) {
            continue; // the others are listed
        }
        std::cout << fmt::format("{:14} {:5} {}{}\n", device->name, device->limits.target == fusion::Target::host ? "host" : "cuda",
            device->summary, device->calibration.empty() ? "" : " (calibrated)");
        if (command.show) {
            print(device->figures);
            if (const auto assumed = perfmodel::assumed_figures(*device); !assumed.empty()) {
                std::cout << "what stands for figures that it does not give:\n";
                print(assumed);
            }
        }
    }
}

} // namespace fusec::cli
