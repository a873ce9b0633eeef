// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's compiler and assembler make of a text or of PTX, where they are installed.
#pragma once

#include "perfmodel/analysis/device_code.hpp"
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

/// The same of nvcc: $FUSEC_NVCC, or where ptxas is looked for.
std::optional<std::filesystem::path> find_nvcc(std::string* looked_for = nullptr);

/// False, with `no-device-assembler` reported, where $FUSEC_NVCC or $FUSEC_PTXAS is set and names no program: who names one wants that one.
bool named_assemblers_exist(Diagnostics& diagnostics);

/// What nvcc reports of the kernels of a text, as its user builds it: functions such as expf are there. Reports are kept in `cache` by content and
/// version. Reports `device-compile-failed` with nvcc's first errors.
std::optional<std::vector<AssembledKernel>> compile_by_nvcc(
    const DeviceText& text, const std::filesystem::path& nvcc, const std::filesystem::path& cache, Diagnostics& diagnostics);

/// Assembles to relocatable code, since functions such as expf have no text here: kernels that call them get the registers of a call. Reports
/// `static-analysis` with the assembler's first lines if it refuses the text.
std::optional<std::vector<AssembledKernel>> assemble(
    const std::string& ptx, const std::string& architecture, const std::filesystem::path& ptxas, Diagnostics& diagnostics);

/// The kernels in a report of `ptxas -v`.
std::vector<AssembledKernel> parse_report(const std::string& report);

/// A mangled kernel's name as in the source, without result and parameters; vectors as CUDA has them (`float4`).
std::string kernel_name(const std::string& symbol);

} // namespace fusec::perfmodel::analysis
