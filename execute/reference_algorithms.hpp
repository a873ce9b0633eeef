// SPDX-License-Identifier: Apache-2.0
// The named algorithms of references, in double, with bounds to first order that hold for every usual way to compute them in working
// precision. Matrices are square, n x n, row-major; results overwrite nothing. Sources: N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., chapters 9, 10, 14; the derivations stand at each function.
#pragma once

#include "execute/reference_bounded.hpp"

#include <vector>

namespace fusec::execute {

using BoundedMatrix = std::vector<Bounded>;

/// The determinant with its error bound. Pre: n * n entries by rows, n >= 1.
Bounded determinant(const BoundedMatrix& a, int n);
/// det(A) A^-T, by minors: defined for singular matrices too.
BoundedMatrix cofactor(const BoundedMatrix& a, int n);
BoundedMatrix inverse(const BoundedMatrix& a, int n);
/// The lower factor; reads the lower triangle. Not positive definite: the values are not finite.
BoundedMatrix cholesky(const BoundedMatrix& a, int n);
/// X with A X = B, B n x columns. `positive_definite`: A is, and computations may use a Cholesky factor.
BoundedMatrix solve(const BoundedMatrix& a, const BoundedMatrix& b, int n, int columns, bool positive_definite);

} // namespace fusec::execute
