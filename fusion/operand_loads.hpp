// SPDX-License-Identifier: Apache-2.0
// Which components of an operand the threads of an element load, from the index expression of the function's reference.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <string>
#include <utility>
#include <vector>

namespace fusec::fusion {

/// Rows and columns of a result that one of `threads` threads makes.
std::pair<int, int> part_of_result(const Shape& result, library::Touch touch, int threads);

/// Iterations of a sum over `index`: the dimension of the first operand position where it stands alone.
int range_of_index(const std::string& index, const library::ReferenceExpression& reference, const library::Function& function,
    const std::vector<Shape>& operands);

/// The loads of a routine whose threads make their parts of the result in the order of the reference: a load is a statement that says of each
/// thread which component it reads, and statements that say the same of all threads are one load, since compilers keep what they have. They
/// cannot keep what two statements read alike for some threads only: the rows and columns of a symmetric part meet on the diagonal, and are
/// loaded both. Empty where every thread loads every component, and where the reference does not tell: of the algorithms, cofactors tell (their
/// own row and column are not read), others read everything.
/// Linear in the loads times threads, where one operand stands with bare indices; else in iterations of all loops times threads.
library::ThreadLoads operand_loads(const library::Function& function, const library::Instance& instance, const std::vector<Shape>& operands,
    std::size_t operand, int threads, library::Touch output);

} // namespace fusec::fusion
