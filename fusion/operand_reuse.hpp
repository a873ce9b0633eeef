// SPDX-License-Identifier: Apache-2.0
// How often one thread of a routine reads the components of its operands, from the index expression of the function's reference.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <vector>

namespace fusec::fusion {

/// Components of one operand, per thread.
struct OperandReuse {
    int read = 0; ///< distinct components
    int kept = 0; ///< of them, most that wait at once to be read again
};

/// Compilers unroll routines whole and then load a component once, whatever lies between its uses: what is read again is kept in a register
/// until then. The loops are taken to run as the reference names them, those over the result's indices outside, the last one inside
/// (routines of the library are written so): in `C[i,j] = sum(k) A[i,k] * B[k,j]` a row of A waits for the next j and all of B for the
/// next i, if the thread makes more than one row. Of the algorithms, closed formulas keep the matrix, factorizations read it once (what
/// they keep are `temporaries`).
std::vector<OperandReuse> operand_reuse(const library::Function& function, const library::Instance& instance,
    const std::vector<Shape>& operands, int threads, library::Touch output);

} // namespace fusec::fusion
