// SPDX-License-Identifier: Apache-2.0
// Mutants of device text: one small fault each, of the kinds that a generator could make.
#pragma once

#include <string>
#include <vector>

namespace fusec::execute {

struct Mutant {
    std::string kind;       ///< "delete a barrier", "weaken a barrier", "offset", "swap two buffers", "tail", "drop a store", "stride"
    std::string change;     ///< `line 12: __syncthreads(); -> (nothing)`
    std::string text;       ///< the whole source
    std::string equivalent; ///< why the mutant does the same as the source; empty: it does not
};

/// All mutants of a generated (or alike) source, in order of lines. Only kernels and interface functions are changed, not the embedded
/// runtime, which ends with the line `} // namespace fusec`.
std::vector<Mutant> mutants(const std::string& source);

} // namespace fusec::execute
