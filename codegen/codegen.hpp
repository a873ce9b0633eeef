// SPDX-License-Identifier: Apache-2.0
// From chosen kernels to source text. Nothing is decided here: lower() writes out what the candidates say, the verifier proves the
// kernel IR sound, emit() prints it for a target.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "fusion/plan.hpp"
#include "fusion/target.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fusec::codegen {

/// The oldest architecture that code is emitted for: nvcc 13 takes none before.
inline constexpr int oldest_arch = 75;
/// Candidates for other devices can be priced; texts rely on warps of 32 threads.
inline bool emits_for(const fusion::DeviceLimits& limits) {
    return limits.target == fusion::Target::host || (limits.arch >= oldest_arch && limits.warp_size == 32);
}

struct EmitOptions {
    fusion::Target target = fusion::Target::cuda;
    int arch = 90;
    bool embed_runtime = true;           ///< else `#include <fusec/...>`
    bool entries = false;                ///< a launch function for each program block too; the program has some
    std::string header_name = "fused.h"; ///< what the source includes
    std::string options_text;            ///< options that change the output, for the header comment
    std::string summary;                 ///< "predicted 0.42 ms for 1,048,576 elements on h200"
};

/// The generated pair: source (.cu or .cpp) and header.
struct Emitted {
    std::string source;
    std::string header;
};

/// Blocks of a kernel that a multiprocessor was predicted to hold at once.
using ResidentBlocks = std::function<int(const fusion::KernelWork&)>;

/// The interface lists of the program, and nothing else.
Unit unit_without_kernels(const frontend::CheckedProgram& program);
/// The name of a candidate's kernel: that of the last list that it stores, or of a check where it stores nothing else.
/// Pre: it stores something.
std::string kernel_name(const fusion::Candidate& candidate, const frontend::CheckedProgram& program);
/// The whole program as one unit: the interface lists of the program, the plan's kernels and workspace. Without `resident_blocks` no kernel
/// asks for registers to be saved.
Unit lower(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog,
    const ResidentBlocks& resident_blocks = nullptr);
/// One candidate as a unit of its own named `name`: its loads (with uniforms) are the inputs, its stores the outputs; no workspace.
Unit lower(const fusion::Candidate& candidate, const std::string& name, const dag::CallGraph& graph, const library::Catalog& catalog,
    const ResidentBlocks& resident_blocks = nullptr);

/// Pure: the same unit and options give the same bytes.
Emitted emit(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options);

} // namespace fusec::codegen
