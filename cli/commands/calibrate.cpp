// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate`: measures this machine's figures, or takes in a calibration that was made elsewhere.
#include "cli/commands.hpp"
#include "cli/gpu_probes.hpp"
#include "cli/host_calibration.hpp"
#include "cli/measurements.hpp"
#include "execute/build_folder.hpp"
#include "perfmodel/fit/gpu_calibration.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace fusec::cli {

namespace {

/// `given`: by --name; else it is that of the description. `carried`: the description does not come with the compiler.
bool is_possible_name(const std::string& given, const std::string& base, bool carried, Diagnostics& diagnostics) {
    const std::string& name = given.empty() ? base : given;
    const bool possible = perfmodel::is_device_name(name);
    if (possible && perfmodel::is_named_as_it_may(name, base, carried)) {
        return true;
    }
    const std::string why = possible ? fmt::format("the name of another device than the one that is calibrated, `{}`", base)
                                     : "no name of a calibration, which has letters, digits, `-` and `_` alone";
    Diagnostic& report = diagnostics.report(kind::calibration_file, {}, fmt::format("{}{}: {}", given.empty() ? "" : "--name ", name, why));
    if (given.empty()) {
        report.message = fmt::format("the description is called `{}`: {}", name,
            possible ? "the name of one that comes with the compiler and differs from it" : why);
        report.hint = "`--name NAME` names the calibrated device";
    }
    return false;
}

std::string figures_text(const perfmodel::Calibration& calibration) {
    std::string text;
    for (const perfmodel::CalibratedFigure& figure : calibration.figures) {
        const std::string off = figure.residual > perfmodel::far_off
            ? fmt::format(" (what it was made from deviates by {:.0f} % in the mean)", 100 * figure.residual)
            : "";
        text += fmt::format("{:24} {:>12.6g} {:28} {}{}\n", figure.key, figure.value, figure.unit, figure.how, off);
    }
    return text;
}

/// How many times of routines and transfers there are, and how far off those may be that were measured more than once.
std::string routines_text(const perfmodel::Calibration& calibration) {
    std::vector<double> residuals;
    const std::string* least_certain = nullptr;
    for (const auto& [name, routine] : calibration.routines) {
        if (routine.residual) {
            least_certain = residuals.empty() || *routine.residual > std::ranges::max(residuals) ? &name : least_certain;
            residuals.push_back(*routine.residual);
        }
    }
    std::string text = counted(calibration.routines.size(), "time") + " of routines and transfers";
    if (!residuals.empty()) {
        text += fmt::format(": {} of them may be off by {:.2g} % in the median, {:.2g} % at most (`{}`)", residuals.size(),
            100 * median(residuals), 100 * std::ranges::max(residuals), *least_certain);
    }
    return text + "\n";
}

/// What was found, and how well it explains what was measured.
std::string summary(const HostCalibration& found) {
    std::string text = figures_text(found.calibration);
    const auto error_of = [&](perfmodel::Role role, bool repeated = false) {
        std::vector<double> measured, predicted;
        for (std::size_t i = 0; i < found.points.size(); ++i) {
            if (found.points[i].role == role && found.points[i].work.repeated == repeated) {
                measured.push_back(found.points[i].seconds);
                predicted.push_back(found.predicted[i]);
            }
        }
        const perfmodel::Accuracy accuracy = perfmodel::accuracy(predicted, measured);
        return fmt::format(
            "{}: mean error {:.1f} %, greatest {:.1f} %\n", counted(measured.size(), "kernel"), 100 * accuracy.mape, 100 * accuracy.worst);
    };
    text += routines_text(found.calibration);
    text += "waiting for memory, and fitted to: " + error_of(perfmodel::Role::fit);
    text += "with stores that are kept in caches, and not fitted to: " + error_of(perfmodel::Role::held_out);
    text += "read again and again, and not fitted to: " + error_of(perfmodel::Role::held_out, true);
    for (const std::string& note : found.notes) {
        text += note + "\n";
    }
    if (!found.hidden.empty()) {
        text += fmt::format("{} without a time, as kernels take no longer that compute or move more (`composite` counts the "
                            "instructions, `benchmark` has none): {}\n",
            counted(found.hidden.size(), "routine"), fmt::join(found.hidden, ", "));
    }
    return text;
}

/// How a calibration that was written is used: `--device` takes a path that ends in .json as one.
std::string how_to_use(const Path& file) {
    return file.extension() == ".json" ? fmt::format("use it with `--device {}`", file.string())
                                       : fmt::format("it is in `{}`; `--device` takes it by a name that ends in .json", file.string());
}

void measure_host(const Calibrate& command, Diagnostics& diagnostics) {
    const std::string name = command.name.empty() ? host_base : command.name;
    if (!is_possible_name(command.name, host_base, false, diagnostics)) { // before it takes minutes
        return;
    }
    const bool to_file = *command.output != "-";
    if (to_file && !can_write_files({*command.output}, diagnostics, command.programs)) {
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
    const auto found = calibrate_host(
        {.name = name, .programs = command.programs, .routines = {}}, sampling_of_calibrations(*setup), scratch.path(), diagnostics);
    if (!found) {
        return;
    }
    std::cerr << summary(*found);
    if (!to_file) {
        std::cout << to_json(found->calibration);
    } else if (write_files({{*command.output, to_json(found->calibration)}}, diagnostics, command.programs)) {
        diagnostics.conclude(fmt::format(
            "calibrated: {}, or always after `fusec calibrate --import {}`", how_to_use(*command.output), command.output->string()));
    }
}

/// Writes a calibration that is one, and says how it is used.
void keep(const perfmodel::Calibration& calibration, const std::string& text, const Calibrate& command, Diagnostics& diagnostics) {
    if (command.output && *command.output == "-") {
        std::cout << text;
        return;
    }
    const std::optional<Path> own = perfmodel::user_calibrations();
    if (!command.output && !own) {
        diagnostics
            .report(kind::unwritable_file, {}, "nowhere to keep the calibration: neither XDG_CONFIG_HOME nor HOME is an absolute path")
            .hint = "set one of them, or name the file with -o FILE";
        return;
    }
    const Path to = command.output ? *command.output : *own / (calibration.name + ".json");
    if (!command.output) {
        std::error_code error; // the file cannot be written then, which is reported
        std::filesystem::create_directories(to.parent_path(), error);
    }
    if (write_files({{to, text}}, diagnostics, {*command.imported})) {
        diagnostics.conclude(command.output ? "calibrated: " + how_to_use(to)
                                            : fmt::format("`{}`: `--device {}` is calibrated from now on", to.string(), calibration.name));
    }
}

std::string judged_line(const std::string& of, const perfmodel::Judged& judged) {
    const perfmodel::Accuracy& accuracy = judged.accuracy;
    if (accuracy.points == 0) {
        return fmt::format("{:10} no answer to any of {}\n", of, counted(judged.unanswered, "point"));
    }
    return fmt::format("{:10} {:>4} {:9} mean error {:.1f} %, of nine in ten {:.1f} %, greatest {:.1f} %, rank correlation {:.2f}{}\n", of,
        accuracy.points, judged.held_out ? "held out" : "fitted", 100 * accuracy.mape, 100 * accuracy.p90, 100 * accuracy.worst,
        accuracy.spearman, judged.unanswered == 0 ? "" : fmt::format(", {} without an answer", judged.unanswered));
}

/// A line for each kernel that other predictors than `composite` are judged on: the mean error of each.
std::string side_by_side(const std::vector<perfmodel::Judged>& judged) {
    std::vector<std::pair<std::string, std::string>> lines;
    const auto answer = [](const perfmodel::Judged& each) {
        const std::string error = each.accuracy.points == 0 ? "no answer" : fmt::format("{:.1f} %", 100 * each.accuracy.mape);
        const bool some = each.unanswered != 0 && each.accuracy.points != 0;
        return fmt::format("{} {}{}", each.predictor, error, some ? fmt::format(" ({} without an answer)", each.unanswered) : "");
    };
    for (const perfmodel::Judged& each : judged) {
        if (each.predictor == "composite") {
            continue;
        }
        auto line = std::ranges::find(lines, each.kernel, &std::pair<std::string, std::string>::first);
        if (line == lines.end()) {
            const auto composite = std::ranges::find_if(judged, [&](const perfmodel::Judged& other) { // which is first
                return other.kernel == each.kernel && other.held_out == each.held_out;
            });
            line = lines.insert(line, {each.kernel, answer(*composite)});
        }
        line->second += ", " + answer(each);
    }
    std::string text;
    for (const auto& [kernel, errors] : lines) {
        text += fmt::format("mean error on {}: {}\n", kernel, errors);
    }
    return text;
}

/// How near predictors are to what the probes measured.
std::string summary(const perfmodel::GpuCalibration& found) {
    std::string text = figures_text(found.calibration);
    for (const perfmodel::Judged& judged : found.judged) {
        text += judged.predictor == "composite" ? judged_line(judged.kernel, judged) : "";
    }
    for (const perfmodel::Judged& judged : found.on_candidates) {
        text += judged_line(fmt::format("candidates by {:9}", judged.predictor), judged);
    }
    text += side_by_side(found.judged);
    if (!found.calibration.routines.empty()) {
        text += routines_text(found.calibration);
    }
    for (const std::string& note : found.left_out) {
        text += note + "\n";
    }
    return text;
}

/// A calibration, or what becomes one.
void import(const Calibrate& command, Diagnostics& diagnostics) {
    const Path& file = *command.imported;
    if (perfmodel::has_gpu_measurements(file)) {
        const auto measured = perfmodel::read_gpu_measurements(file, diagnostics);
        const auto found = measured ? perfmodel::calibrate_gpu(*measured, diagnostics) : std::nullopt;
        if (found) {
            std::cerr << summary(*found);
            keep(found->calibration, to_json(found->calibration), command, diagnostics);
        }
        return;
    }
    const auto calibration = perfmodel::read_calibration(file, diagnostics);
    if (!calibration || !calibrated_device(*calibration, diagnostics)) {
        return;
    }
    if (const auto text = read_text(file, diagnostics)) {
        keep(*calibration, *text, command, diagnostics);
    }
}

/// Reports that probes are written for a description, where `--device` gives a calibration and no description of that name.
bool is_calibration(const std::string& name, Diagnostics& diagnostics) {
    const std::vector<std::string> described = perfmodel::device_names();
    const auto file = perfmodel::calibration_file(name);
    if (!file || std::ranges::find(described, name) != described.end()) {
        return false;
    }
    const auto calibration = perfmodel::read_calibration(*file, diagnostics);
    const auto base = calibration ? described_device(*calibration, diagnostics) : std::nullopt;
    if (base) {
        diagnostics.report(kind::unknown_device, {}, fmt::format("`{}` is a calibration, and probes are written for a description", name))
            .hint = base->limits.target != fusion::Target::cuda ? "it is one of a host, which `--target host -o FILE` measures"
            : calibration->description != nullptr
            ? fmt::format("it lies over `{}`, whose text it carries: `--device` takes that as a .toml file", base->name)
            : fmt::format("it lies over `{}`: `--device {} --name {}` writes them for that", base->name, base->name, calibration->name);
    }
    return true;
}

void emit_probes(const Calibrate& command, Diagnostics& diagnostics) {
    if (is_calibration(command.device, diagnostics)) {
        return;
    }
    const auto device = perfmodel::find_device(command.device, diagnostics);
    if (!device) {
        return;
    }
    if (device->limits.target != fusion::Target::cuda) {
        diagnostics.report(kind::target_mismatch, {}, fmt::format("device `{}` is not a device of `--target cuda`", command.device));
        return;
    }
    constexpr int oldest = 50; // of an nvcc that takes C++17 (CUDA 12)
    if (device->limits.arch < oldest || device->limits.warp_size != 32) {
        diagnostics.report(kind::target_mismatch, {},
            fmt::format("device `{}` is for prediction only: the probes can be compiled for sm_{} and later", command.device, oldest));
        return;
    }
    SourcePtr carried = perfmodel::carried_description(command.device, *device, diagnostics);
    if (diagnostics.has_errors() || !is_possible_name(command.name, device->name, carried != nullptr, diagnostics)) {
        return;
    }
    const std::string name = command.name.empty() ? device->name : command.name;
    const GpuProbeOptions options{*command.emitted, name, perfmodel::device_file(command.device), std::move(carried), command.programs};
    if (const auto made = write_gpu_probes(options, *device, diagnostics)) {
        for (const std::string& note : made->notes) {
            std::cerr << note << "\n";
        }
        diagnostics.conclude(fmt::format("probes of a GPU, {} of the compiler's own among them, are in `{}`; on a machine with one:\n{}",
            counted(made->kernels, "kernel"), options.folder.string(), made->commands));
    }
}

} // namespace

void run_command(const Calibrate& command, Diagnostics& diagnostics) {
    if (command.imported) {
        import(command, diagnostics);
    } else if (command.emitted) {
        emit_probes(command, diagnostics);
    } else {
        measure_host(command, diagnostics);
    }
}

} // namespace fusec::cli
