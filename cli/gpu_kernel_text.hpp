// SPDX-License-Identifier: Apache-2.0
// The sources of the kernels that are measured on a GPU: what the compiler emits for each, and tables of what kernels.cu has to know of them.
#pragma once

#include "cli/gpu_kernels.hpp"
#include "support/files.hpp"

#include <vector>

namespace fusec::cli {

/// emitted.cu, which lists all kernels, and emitted_N.cu with emitted_N.h of the kernels of one program; paths are names. Kernels whose inputs
/// or results are no numbers at some element are left out, and `notes` says so. The same kernels give the same bytes.
std::vector<OutputFile> gpu_kernel_files(const GpuKernels& kernels, int arch, std::vector<std::string>& notes);

} // namespace fusec::cli
