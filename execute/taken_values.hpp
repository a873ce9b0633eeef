// SPDX-License-Identifier: Apache-2.0
// Which values have a part in the outputs, element by element: a selection takes one of two, and the other may be anything. Inside of execute/.
#pragma once

#include "execute/reference.hpp"

#include <cstddef>
#include <vector>

namespace fusec::execute {

class TakenValues {
public:
    /// `result` is the reference of the whole program. O(calls * elements).
    TakenValues(
        const frontend::CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements);

    /// Pre: a datum of the program; `element` is 0 for one that is the same for all elements.
    bool taken(DataId datum, std::size_t element) const { return taken_[datum.index()][element] != 0; }

private:
    std::vector<std::vector<char>> taken_; ///< by datum, then element
};

} // namespace fusec::execute
