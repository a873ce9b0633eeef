// SPDX-License-Identifier: Apache-2.0
// Which values the selections of a program take for given inputs: what is never taken is not verified.
#pragma once

#include "execute/reference.hpp"

#include <vector>

namespace fusec::execute {

/// A place of the text whose selections all take the same one of their two values, in every element.
struct OneSidedSelection {
    Span place;
    bool first = false; ///< that one
};

/// `result` is the reference of the program. Comparisons of constants are none that inputs decide. In the order of the text.
std::vector<OneSidedSelection> one_sided_selections(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements);

} // namespace fusec::execute
