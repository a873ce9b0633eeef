// SPDX-License-Identifier: Apache-2.0
// Static analysis as a service: `fusec_analyse`, a process of its own, so that only runs that ask for it load LLVM, and what ends LLVM does not
// end the compiler.
#pragma once

#include "perfmodel/analysis/device_code.hpp"
#include "perfmodel/analysis/kernel_profile.hpp"
#include "perfmodel/analysis/ptxas.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel::analysis {

/// Which kernels of a text are looked at.
struct AnalysisRequest {
    struct Kernel {
        std::string name;          ///< as in the source, without template arguments; of several forms the text's first is taken
        unsigned threads = 0;      ///< per block
        std::int64_t elements = 0; ///< of a full block
    };
    DeviceText text;
    std::filesystem::path cache; ///< of compiled device code; empty: none
    bool assemble = true;        ///< ask nvcc or ptxas too, where one is installed
    LatencyTable latencies = hopper_latencies();
    std::vector<Kernel> kernels;
};

struct AnalysedKernel {
    KernelProfile profile; ///< of one full block; `loops` and the thread and path of `longest` are left out
    std::optional<AssembledKernel> assembled;
};

struct Analysis {
    enum class By {
        none,
        ptxas, ///< from clang's PTX; functions such as expf are not in it
        nvcc   ///< from the text
    };
    std::string source;    ///< "llvm (clang 19.1.7, sm_90)"
    std::string assembler; ///< the program, or which were looked for without being found or said nothing; empty: not asked for
    By assembled = By::none;
    std::vector<AnalysedKernel> kernels; ///< in the order of the request
};

/// In this process (fusec_analysis, which links LLVM). Reports what compile_device_text, DeviceModule and assemble report, and warns
/// (`silent-assembler`) of a program that succeeds without a word of a kernel's registers: the next one is asked, then they are estimated.
std::optional<Analysis> analyse_here(const AnalysisRequest& request, Diagnostics& diagnostics);

/// By `fusec_analyse`; the same answer and diagnostics. Reports `static-analysis` if it cannot be started, or ends without an answer.
std::optional<Analysis> analyse(const AnalysisRequest& request, Diagnostics& diagnostics);

/// $FUSEC_ANALYSER if it is set, else what was installed or built with this compiler.
std::filesystem::path analyser_program();

} // namespace fusec::perfmodel::analysis
