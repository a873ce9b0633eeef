// SPDX-License-Identifier: Apache-2.0
// A kernel's work as its compiled text has it, in place of what metadata and prices of instructions estimate.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"
#include "perfmodel/analysis/analyser.hpp"
#include "perfmodel/analysis/device_latencies.hpp"

#include <string>
#include <vector>

namespace fusec::perfmodel::analysis {

struct CompiledWork {
    fusion::KernelWork work;
    bool registers_known = false;       ///< by nvcc or ptxas; else the estimate stands
    std::vector<std::string> estimated; ///< what stays as it was estimated, and why, each a sentence
    KernelProfile profile;              ///< what the work was taken from
};

/// Taken from the profile: arithmetic by kind and precision, which additions and products are one instruction, instructions (sequences of
/// divisions, roots and transcendental functions by fusion::long_operations, as in the estimate) with the lanes that idle, the longest
/// thread, its longest chain of dependent instructions, passes of shared memory and of L1, sectors of strided stores, barriers. Accesses to
/// arrays in local memory count as spilled bytes. From nvcc or ptxas: registers, spilled bytes and what the text takes of shared memory beside
/// the plan's, which is dynamic; not from ptxas where the text calls functions that are not in clang's PTX (expf), since it answers for the
/// call. Bytes of lists, exchanges, places where threads are
/// dealt out anew and round trips to memory stay those of the candidate; its steps keep
/// their shares of what has changed, and get what only the compiled code has by their instructions: arithmetic, instructions, passes and
/// sectors stay the sums over steps (barriers are those of the text, and steps that are barriers those of the candidate).
/// Latencies that the device borrows are said to be estimated where the kernel has instructions of theirs.
/// Pre: the profile is of one full block of the kernel that `estimate` belongs to, on a GPU, and was made with the table of `latencies`.
CompiledWork compiled_work(
    const fusion::KernelWork& estimate, const AnalysedKernel& kernel, Analysis::By assembled, const DeviceLatencies& latencies);

} // namespace fusec::perfmodel::analysis
