// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_probes.hpp"

#include "cli/gpu_kernel_text.hpp"
#include "cli/version.hpp"
#include "codegen/codegen.hpp"
#include "codegen/failure_emission.hpp"
#include "perfmodel/calibration.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fusec::cli {

namespace fs = std::filesystem;

namespace {

/// The probes' sources beside the descriptions of devices, in the order of their names.
std::vector<fs::path> sources(Diagnostics& diagnostics) {
    const fs::path folder = perfmodel::devices_folder().parent_path() / "probes" / "cuda";
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (const fs::path extension = entry.path().extension(); extension == ".cu" || extension == ".cuh") {
            found.push_back(entry.path());
        }
    }
    if (found.empty()) {
        diagnostics.report(kind::unreadable_file, {}, "the sources of the probes are not in `" + folder.string() + "`");
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// To be given in the folder.
std::string commands(const perfmodel::Device& device, const std::vector<OutputFile>& files) {
    std::string listed;
    for (const OutputFile& file : files) {
        listed += file.path.extension() == ".cu" ? " " + file.path.filename().string() : "";
    }
    return fmt::format("nvcc -std=c++17 -O3 -arch=sm_{}{} -o probes\n./probes > measured.json\nfusec calibrate --import measured.json",
        device.limits.arch, listed);
}

std::string change_to(const fs::path& folder) {
    std::string quoted; // for a shell
    for (const char c : folder.string()) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return "cd '" + quoted + "'\n";
}

/// Whose measurements they are: the name of the calibration, the description, the compiler.
std::string identity(const GpuProbeOptions& options, const perfmodel::Device& device) {
    std::string description = "\"\""; // as one literal for each line
    if (options.description != nullptr) {
        description.clear();
        const std::string_view text = options.description->text();
        for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
            end = std::min(text.find('\n', begin), text.size() - 1) + 1;
            description += " \\\n    " + codegen::string_literal(text.substr(begin, end - begin));
        }
    }
    return fmt::format("// Whose measurements these are: written by `fusec calibrate`.\n#pragma once\n#define FUSEC_CALIBRATION_NAME {}\n"
                       "#define FUSEC_CALIBRATION_BASE {}\n#define FUSEC_CALIBRATION_BY {}\n#define FUSEC_CALIBRATION_ARCH {}\n"
                       "#define FUSEC_CALIBRATION_MULTIPROCESSORS {}\n"
                       "// Text of the description; empty: the one of that name that comes with the compiler.\n"
                       "#define FUSEC_CALIBRATION_DESCRIPTION {}\n",
        codegen::string_literal(options.name), codegen::string_literal(device.name), codegen::string_literal(version_and_commit()),
        device.limits.arch, device.limits.sm_count, description);
}

/// Samples of 5 ms, six or so, for each time that is measured, and the clock under its load: four samples of 1 ms and a window of twice that.
std::string readme(
    const GpuProbeOptions& options, const perfmodel::Device& device, const std::string& commands, const GpuKernels& kernels) {
    constexpr double seconds = 6 * 5e-3 + 4 * 1e-3 + 2e-3;
    double times = 0;
    for (const GpuKernel& kernel : kernels.kernels) {
        constexpr double swept = 6; // numbers of resident blocks
        times += kernel.sweep ? swept : static_cast<double>(kernel.extra_shared.size() * (kernel.repeated > 0 ? 2U : 1U));
    }
    return fmt::format(
        "Probes of a GPU that the description `{}` fits, for a calibration of the name `{}`. With nvcc, on a machine with that "
        "GPU, in this folder:\n\n{}\n\n{} that the compiler emitted are part of them, which take about {:.0f} s of measuring, after about "
        "two "
        "minutes for the rest (estimates). Each is compared with the reference first; one that does not compute what it should "
        "is not measured and named, and the run ends with 1.\n",
        device.name, options.name, commands, counted(kernels.kernels.size(), "kernel"), std::ceil(times * seconds));
}

} // namespace

std::optional<GpuProbes> write_gpu_probes(const GpuProbeOptions& options, const perfmodel::Device& device, Diagnostics& diagnostics) {
    std::vector<OutputFile> files;
    const std::vector<fs::path> from = sources(diagnostics);
    for (const fs::path& source : from) {
        const auto text = read_text(source, diagnostics);
        if (!text) {
            return std::nullopt;
        }
        files.push_back({options.folder / source.filename(), *text});
    }
    if (files.empty()) {
        return std::nullopt;
    }
    GpuProbes result;
    std::optional<GpuKernels> kernels(std::in_place);
    if (codegen::emits_for(device.limits)) {
        kernels = choose_gpu_kernels(options.device, device.limits, options.programs, diagnostics);
        if (!kernels) {
            return std::nullopt;
        }
    } else {
        result.notes.push_back(fmt::format("`{}` is for prediction only: no kernels are emitted to be measured on it", device.name));
    }
    result.kernels = kernels->kernels.size();
    result.notes.insert(result.notes.end(), kernels->notes.begin(), kernels->notes.end());
    for (OutputFile& file : gpu_kernel_files(*kernels, device.limits.arch, result.notes)) {
        files.push_back({options.folder / file.path, std::move(file.text)});
    }
    const std::string lines = commands(device, files);
    result.commands = change_to(options.folder) + lines;
    files.push_back({options.folder / "calibration.h", identity(options, device)});
    files.push_back({options.folder / "README.probes", readme(options, device, lines, *kernels)});
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) {
        diagnostics.report(
            kind::unwritable_file, {}, fmt::format("cannot make the folder `{}`: {}", options.folder.string(), error.message()));
        return std::nullopt;
    }
    std::vector<fs::path> read = from;
    read.push_back(options.device);
    read.insert(read.end(), options.programs.begin(), options.programs.end());
    return write_files(files, diagnostics, read) ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace fusec::cli
