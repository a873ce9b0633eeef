// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_probes.hpp"

#include "perfmodel/calibration.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

} // namespace

bool write_gpu_probes(const GpuProbeOptions& options, const perfmodel::Device& device, Diagnostics& diagnostics) {
    std::vector<OutputFile> files;
    const std::vector<fs::path> from = sources(diagnostics);
    for (const fs::path& source : from) {
        const auto text = read_text(source, diagnostics);
        if (!text) {
            return false;
        }
        files.push_back({options.folder / source.filename(), *text});
    }
    if (files.empty()) {
        return false;
    }
    files.push_back({options.folder / "calibration.h",
        fmt::format("// Whose measurements these are: written by `fusec calibrate`.\n#pragma once\n#define FUSEC_CALIBRATION_NAME \"{}\"\n"
                    "#define FUSEC_CALIBRATION_BASE \"{}\"\n#define FUSEC_CALIBRATION_BY \"fusec {}\"\n#define FUSEC_CALIBRATION_ARCH {}\n"
                    "#define FUSEC_CALIBRATION_MULTIPROCESSORS {}\n",
            options.name, options.base, FUSEC_VERSION, device.limits.arch, device.limits.sm_count)});
    files.push_back({options.folder / "README",
        fmt::format("Probes of a GPU that the description `{}` fits, for a calibration of the name `{}`. With nvcc, on a machine with that "
                    "GPU:\n\n{}\n",
            options.base, options.name, gpu_probe_commands(options, device))});
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) {
        diagnostics.report(
            kind::unwritable_file, {}, fmt::format("cannot make the folder `{}`: {}", options.folder.string(), error.message()));
        return false;
    }
    return write_files(files, diagnostics, from);
}

std::string gpu_probe_commands(const GpuProbeOptions& options, const perfmodel::Device& device) {
    Diagnostics ignored; // they have just been read
    std::string listed, folder;
    for (const fs::path& source : sources(ignored)) {
        listed += source.extension() == ".cu" ? " " + source.filename().string() : "";
    }
    for (const char c : options.folder.string()) { // within quotes of a shell
        folder += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return fmt::format(
        "cd '{}'\nnvcc -std=c++17 -O3 -arch=sm_{}{} -o probes\n./probes > measured.json\nfusec calibrate --import measured.json", folder,
        device.limits.arch, listed);
}

} // namespace fusec::cli
