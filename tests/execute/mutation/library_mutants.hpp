// SPDX-License-Identifier: Apache-2.0
// Mutants of an elementary function's device source: what a writer of templates gets wrong.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <string>
#include <vector>

namespace fusec::execute {

struct LibraryMutant {
    std::string function;
    std::string routine; ///< the template that is changed: `rows`
    std::string kind;    ///< "transposed index", "wrong sign", "missing last term"
    std::string change;  ///< `12:28: b(k, j) -> b(j, k)`, line and column
    std::string source;  ///< the whole device source
};

/// All mutants of the function's source, by position. Every template is changed:
///   transposed index   the two indices of a component, where they differ: `b(k, j)`, `l[i][k]`
///   wrong sign         a binary or unary sign of a value, `+=` and `-=`, and the value that a component of the result gets
///   missing last term  a loop that ends one early, and the last term of a sum that is written out
/// Index arithmetic keeps its signs, and a result of literal 0 has none.
std::vector<LibraryMutant> library_mutants(const library::Function& function);

/// Why a mutant computes the same as the source; empty where it does not.
std::string why_equivalent(const LibraryMutant& mutant);

} // namespace fusec::execute
