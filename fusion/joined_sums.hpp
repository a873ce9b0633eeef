// SPDX-License-Identifier: Apache-2.0
// Which sums of a host's kernel compilers execute together with the products that they add up: a multiply-add in place of two instructions.
// GCC does so across functions (`-ffp-contract=fast`, its default for C++); clang within an expression alone.
#pragma once

#include "elementary-lib/reference.hpp"
#include "fusion/kernel_outline.hpp"

namespace fusec::fusion {

/// Each component of the result is one product, as of `C[i,j] = s * A[i,j]`.
bool is_product(const library::Reference& reference);
/// Each component is the sum or the difference of the same component of two operands, as of `C[i,j] = A[i,j] - B[i,j]`.
bool is_sum(const library::Reference& reference);
/// Each component is the sum or the product of the same component of two operands: either order of them means the same.
bool is_commutative(const library::Reference& reference);

/// The call whose products are added up by this call in the same instructions; -1: none. That are products which are only added, by the first of the
/// calls that do so: each of the others executes one instruction too, and nobody the multiplication alone. A product that is stored, or read
/// otherwise, is computed by itself; so is one of two that are added to each other, one of fewer components than are added, as of a multiple of
/// the unit matrix, and one of values that GCC leaves in memory (more than 28 components whose lists are not loaded in halves of a tile, or in a direction more
/// than 17: a test looks at its code. It joins 30 doubles too, which counts as apart here, and where lists that might go in halves are asked for, and so
/// go in strips, sums count as joined that are not).
/// Pre: an index into the kernel's calls; `lanes` are the elements of its tile. Linear in the uses of the operands.
int product_of_sum(const KernelOutline& kernel, int sum, int lanes);
/// The inverse: the call that adds this call's products; -1: none.
int sum_of_product(const KernelOutline& kernel, int product, int lanes);

} // namespace fusec::fusion
