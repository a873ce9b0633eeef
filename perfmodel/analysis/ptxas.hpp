// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's assembler makes of PTX, where it is installed.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel::analysis {

/// Of one kernel, from the report of `ptxas -v`.
struct AssembledKernel {
    std::string symbol; ///< mangled
    std::string kernel; ///< as in the source, with template arguments
    int registers = 0;  ///< per thread
    int spill_store_bytes = 0, spill_load_bytes = 0, stack_bytes = 0;
    int shared_bytes = 0; ///< static; dynamic shared memory is not in the text
};

/// $FUSEC_PTXAS if it is set, else ptxas in $PATH, else that of $CUDA_HOME and of /usr/local/cuda. Nothing if there is none, which is no
/// error: `looked_for` (may be null) gets the names.
std::optional<std::filesystem::path> find_ptxas(std::string* looked_for = nullptr);

/// Assembles to relocatable code, since functions such as expf have no text here: kernels that call them get the registers of a call. Reports
/// `static-analysis` with the assembler's first lines if it refuses the text.
std::optional<std::vector<AssembledKernel>> assemble(
    const std::string& ptx, const std::string& architecture, const std::filesystem::path& ptxas, Diagnostics& diagnostics);

/// The kernels in a report of `ptxas -v`.
std::vector<AssembledKernel> parse_report(const std::string& report);

/// A mangled kernel's name as in the source, without result and parameters; vectors as CUDA has them (`float4`).
std::string kernel_name(const std::string& symbol);

} // namespace fusec::perfmodel::analysis
