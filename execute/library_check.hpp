// SPDX-License-Identifier: Apache-2.0
// `fusec library check`: every implementation of a library is compiled for several shapes, both precisions and the SIMD lane type, run
// on random operands within their domains, and compared with the reference.
//
// Three ways to hold operands are tried: `memory` (all threads share them), `registers` (each thread holds only the part that `map`
// declares, so a wrong map shows), and `lanes` (one-thread implementations over SIMD lanes, the host target). The threads of an
// instance run one after another, which is sound because a routine without `barrier` and `exchanges` exchanges nothing. Routines with
// `exchanges` run on the emulated machine, where a thread that does not take part, a wrong mask, threads that make different results,
// and a count other than the metadata's are found. A routine with `barrier` is not run here, and said to be unchecked
// (`library-unchecked`): `fusec verify` runs it, with real synchronisation.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "execute/compiler.hpp"
#include "execute/process.hpp"

#include <map>

namespace fusec::execute {

struct LibraryCheckOptions {
    std::filesystem::path cache;               ///< of compiled checks; see default_cache_folder
    std::filesystem::path runtime_folder;      ///< holds fusec/views.cuh; of the standard library
    std::filesystem::path emulation_folder;    ///< holds the emulated cuda_runtime.h
    std::optional<std::filesystem::path> only; ///< only functions whose metadata lies below this folder
    std::uint64_t seed = 1;
    std::size_t cases = 32;                     ///< random cases per shape and precision
    double step_seconds = longest_step_seconds; ///< processor time of an instance that counts as one that does not end
};

struct LibraryCheckResult {
    std::size_t functions = 0;
    std::size_t implementations = 0; ///< checked
    std::size_t unchecked = 0;       ///< implementations that were not run: reported
    std::size_t instances = 0;       ///< (implementation, shape, precision, way to hold operands)
    std::size_t components = 0;      ///< compared
    std::size_t facts = 0;           ///< algebraic facts of the metadata, each tried on the reference
    std::size_t mismatches = 0;      ///< instances that differ from the reference: each implementation is reported once
    std::size_t refuted = 0;         ///< facts that do not hold: reported
    /// Per function and precision, the largest error over the allowed one: 0 for results without rounding.
    std::map<std::pair<std::string, Precision>, double> worst_ratio;
};

/// Metadata are checked by loading the catalog; this checks the device sources, and the algebraic facts (library_facts.hpp). Reports `library-mismatch` at the template with the
/// worst component, `library-unchecked`, `library-reference` for a reference that cannot be evaluated, and what the compiler says.
LibraryCheckResult check_library(
    const library::Catalog& catalog, const HostCompiler& compiler, const LibraryCheckOptions& options, Diagnostics& diagnostics);

} // namespace fusec::execute
