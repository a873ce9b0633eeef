// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate --target cuda --emit DIR`: sources that measure a GPU, to be built by one call of nvcc wherever there is one.
#pragma once

#include "perfmodel/device.hpp"
#include "support/diagnostics.hpp"

#include <string>

namespace fusec::cli {

struct GpuProbeOptions {
    std::filesystem::path folder; ///< made where it is not there; files in it are replaced
    std::string name;             ///< of the calibrated device
    std::string base;             ///< the description that it lies over
};

/// Writes all files or none: the sources, whose measurements they are, and a README. Reports what keeps it from that.
bool write_gpu_probes(const GpuProbeOptions& options, const perfmodel::Device& device, Diagnostics& diagnostics);

/// What to do with them, as lines for a shell.
std::string gpu_probe_commands(const GpuProbeOptions& options, const perfmodel::Device& device);

} // namespace fusec::cli
