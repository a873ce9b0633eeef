// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate`: measures this machine's figures, or takes in a calibration that was made elsewhere.
#include "cli/commands.hpp"
#include "cli/host_calibration.hpp"
#include "cli/measurements.hpp"
#include "execute/build_folder.hpp"
#include "perfmodel/fit/statistics.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace fusec::cli {

namespace {

/// What was found, and how well it explains what was measured.
std::string summary(const HostCalibration& found) {
    std::string text;
    for (const perfmodel::CalibratedFigure& figure : found.calibration.figures) {
        text += fmt::format("{:24} {:>12.6g} {:28} {}\n", figure.key, figure.value, figure.unit, figure.how);
    }
    std::vector<double> measured;
    for (const perfmodel::Point& point : found.points) {
        measured.push_back(point.seconds);
    }
    const perfmodel::Accuracy accuracy = perfmodel::accuracy(found.predicted, measured);
    text += fmt::format("{} of routines and transfers; {} that wait for memory: mean error {:.1f} %, greatest {:.1f} %\n",
        counted(found.calibration.routines.size(), "time"), counted(found.points.size(), "kernel"), 100 * accuracy.mape,
        100 * accuracy.worst);
    if (!found.hidden.empty()) {
        text += fmt::format("{} not longer than the transfers around, taken as nothing\n", counted(found.hidden.size(), "routine"));
    }
    return text;
}

void measure_host(const Calibrate& command, Diagnostics& diagnostics) {
    if (!perfmodel::is_named_as_it_may(command.name, host_base)) { // before it takes minutes
        diagnostics.report(kind::calibration_file, {},
            fmt::format("--name {}: the name of another device than the one that is calibrated, `{}`", command.name, host_base));
        return;
    }
    std::optional<execute::BuildFolder> folder;
    const auto setup = timing_setup(folder, diagnostics);
    if (!setup) {
        return;
    }
    const execute::PrivateFolder scratch(setup->cache, "calibrating");
    if (scratch.path().empty()) {
        diagnostics.report(kind::unwritable_file, {}, "cannot write to the cache `" + setup->cache.string() + "`");
        return;
    }
    const auto found =
        calibrate_host({.name = command.name, .programs = command.programs, .routines = {}}, *setup, scratch.path(), diagnostics);
    if (!found) {
        return;
    }
    if (*command.output == "-") {
        std::cout << to_json(found->calibration);
    } else if (write_files({{*command.output, to_json(found->calibration)}}, diagnostics, command.programs)) {
        std::cerr << summary(*found);
        diagnostics.conclude(fmt::format("calibrated: use it with `--device {}`, or always after `fusec calibrate --import {}`",
            command.output->string(), command.output->string()));
    }
}

/// Into the user's folder, where it is found by the name of its device.
void import(const Path& file, Diagnostics& diagnostics) {
    const auto calibration = perfmodel::read_calibration(file, diagnostics);
    if (!calibration || !calibrated_device(*calibration, diagnostics)) {
        return;
    }
    const auto text = read_text(file, diagnostics);
    const Path folder = perfmodel::calibration_folders().front();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const Path to = folder / (calibration->name + ".json");
    if (text && write_files({{to, *text}}, diagnostics, {file})) {
        diagnostics.conclude(fmt::format("`{}`: `--device {}` is calibrated from now on", to.string(), calibration->name));
    }
}

} // namespace

void run_command(const Calibrate& command, Diagnostics& diagnostics) {
    if (command.imported) {
        import(*command.imported, diagnostics);
    } else {
        measure_host(command, diagnostics);
    }
}

} // namespace fusec::cli
