// SPDX-License-Identifier: Apache-2.0
// The algebraic facts that metadata declare, `neutral`, `involution`, `idempotent` and `symmetric`, against the reference of the function.
#pragma once

#include "elementary-lib/catalog.hpp"

namespace fusec::execute {

struct FactCheck {
    std::size_t facts = 0;   ///< declared
    std::size_t tried = 0;   ///< random cases over all shapes
    std::size_t refuted = 0; ///< facts that do not hold
};

/// Tries the facts of a function on random operands, within their domains, of many shapes: the reference, in double, has to give exactly
/// what is declared (0 is -0); a result that is said to be symmetric has to be so within its error bounds. Reports `library-mismatch` at
/// the key of each fact that does not hold, and `library-unchecked` for one that applies to no shape that was tried.
FactCheck check_facts(const library::Catalog& catalog, FunctionId function, std::uint64_t seed, Diagnostics& diagnostics);

} // namespace fusec::execute
