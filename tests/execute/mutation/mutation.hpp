// SPDX-License-Identifier: Apache-2.0
// Mutants of device text: one small fault each, of the kinds that a generator could make.
#pragma once

#include <string>
#include <vector>

namespace fusec::execute {

/// Where a mutant changes what the kernel IR also says, so that the IR's verifier can be asked (equivalence.hpp). Kernels, barriers of a
/// kernel (waits for copies included) and guards are counted from 0 in the order of the text.
struct Site {
    int kernel = -1;
    int barrier = -1; ///< deleted or weakened
    bool weakened = false;
    std::string tile; ///< whose address is declared `shift` components further
    int shift = 0;
    std::string exchanged; ///< with `shift` 0: `tile` and this one stand for each other in two copies
    std::string guarded;   ///< the statements behind a guard that one more element passes
};

struct Mutant {
    std::string kind;   ///< "delete a barrier", "weaken a barrier", "offset", "swap two buffers", "tail", "drop a store", "stride",
                        ///< "drop a block", "swap two blocks"
    std::string change; ///< `line 12: __syncthreads(); -> (nothing)`
    std::string text;   ///< the whole source
    Site site;
};

/// All mutants of a generated (or alike) source, in order of lines. Only kernels and interface functions are changed, not the embedded
/// runtime, which ends with the line `} // namespace fusec`.
std::vector<Mutant> mutants(const std::string& source);

} // namespace fusec::execute
