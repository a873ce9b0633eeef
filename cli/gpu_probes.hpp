// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate --target cuda --emit DIR`: sources that measure a GPU, to be built by one call of nvcc wherever there is one.
#pragma once

#include "cli/options.hpp"
#include "perfmodel/device.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

struct GpuProbeOptions {
    std::filesystem::path folder; ///< made where it is not there; files in it are replaced
    std::string name;             ///< of the calibrated device
    std::filesystem::path device; ///< file of the description that it lies over
    SourcePtr description;        ///< text of one that does not come with the compiler, which goes along; else null
    std::vector<Path> programs;   ///< `--for`: their kernels and routines are measured too
};

struct GpuProbes {
    std::string commands;           ///< what to do with them, as lines for a shell
    std::size_t kernels = 0;        ///< that the compiler emitted to be measured
    std::vector<std::string> notes; ///< in words: what of the programs is not measured
};

/// Writes all files or none: the sources, the kernels that the compiler emits to be measured (gpu_kernels.hpp; none for a GPU that is for
/// prediction only), whose measurements they are, and a README. Reports what keeps it from that, and what is wrong with a program.
std::optional<GpuProbes> write_gpu_probes(const GpuProbeOptions& options, const perfmodel::Device& device, Diagnostics& diagnostics);

} // namespace fusec::cli
