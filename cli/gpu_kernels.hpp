// SPDX-License-Identifier: Apache-2.0
// Which of its own kernels the compiler emits to be measured on a GPU (docs/measured-gpus.md, "Probes of a GPU", rows `kernel`):
// 14. one kernel that stages its lists, over shared memory that nobody uses and over registers;
// 19. candidates of three generated programs and of the programs named, never fitted to;
// 20. for the programs named: each routine that their kernels may use, alone and repeated; each way in which lists are moved; and a pair of
//     calls with and without a change of threads between them.
#pragma once

#include "cli/options.hpp"
#include "cli/pipeline.hpp"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fusec::cli {

/// A kernel that is measured.
struct GpuKernel {
    std::string role; ///< "occupancy", "held-out", "routine", "transfer", "remap"
    std::string name; ///< of a routine or transfer: that of perfmodel/routine_times.hpp
    const Compilation* program = nullptr;
    int seed = 0;                ///< of a generated program; else 0
    fusion::Candidate candidate; ///< with steps
    int resident_blocks = 0;     ///< that its registers have to allow; 0: no demand
    int repeated = 0;            ///< copies of its routine in a pass of the loop over it (codegen::emit_repeated); 0: the kernel as it is
    bool cached = false;         ///< its lists stay in the second-level cache
    bool sweep = false;          ///< measured at every number of resident blocks
    std::vector<int> extra_shared{0}; ///< else: with so many bytes that nobody uses, ascending
};

struct GpuKernels {
    std::deque<Compilation> programs; ///< addresses stay
    std::vector<GpuKernel> kernels;   ///< by program
    std::vector<std::string> notes;   ///< in words: what of the programs named has no kernel of its own
};

/// Compiles the programs for the device (a description's file) and chooses. Deterministic. Reports what is wrong with a program.
std::optional<GpuKernels> choose_gpu_kernels(
    const Path& device, const fusion::DeviceLimits& limits, const std::vector<Path>& programs, Diagnostics& diagnostics);

/// Eight calls on scalars, vectors and matrices of three and four, the same ones everywhere for a seed.
std::string generated_program(int seed);

} // namespace fusec::cli
