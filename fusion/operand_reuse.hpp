// SPDX-License-Identifier: Apache-2.0
// How often one thread of a routine reads the components of its operands, from the index expression of the function's reference.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <vector>

namespace fusec::fusion {

/// Components of one operand, per thread.
struct OperandReuse {
    int read = 0;  ///< components, as operand_loads has them
    int kept = 0;  ///< of them, most that wait at once to be read again
    int times = 1; ///< reads of each where nothing can wait behind the write of an entry of the result
};

/// Compilers unroll routines whole and then load a component once, whatever lies between its uses: what is read again is kept in a register
/// until then. The loops are taken to run as the reference names them, those over the result's indices outside, the last one inside
/// (routines of the library are written so): in `C[i,j] = sum(k) A[i,k] * B[k,j]` a row of A waits for the next j and all of B for the
/// next i, if the thread makes more than one row. Where a write may change what was read (writes_unknown_words), A is
/// read anew for each column that the thread makes, and B for each row; an operand of one component is not, since routines read it before
/// their loops, nor what an algorithm reads. Of the algorithms, closed formulas keep what they read of the matrix, factorizations read it once
/// (what they keep are `temporaries`).
std::vector<OperandReuse> operand_reuse(const library::Function& function, const library::Instance& instance,
    const std::vector<Shape>& operands, int threads, library::Touch output);

} // namespace fusec::fusion
