// SPDX-License-Identifier: Apache-2.0
// Functions that multiply two values: `C[i,j] = sum(k) A[k,i] * B[k,j]`, `y[i] = sum(k) A[i,k] * v[k]`, `B[i,j] = A[i,j] * s`; and those that
// transpose. What a function is follows from its reference, which `library check` holds against its implementations; no name says it.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <utility>

namespace fusec::library {

/// Result = left right, where a matrix may be read transposed and a vector is a column, transposed a row. A result with one dimension is a
/// column: of a row and a matrix, the metadata's v' A, this says A' v. Each component sums over the common dimension in ascending order,
/// whichever of these functions it is.
struct Product {
    std::size_t left = 0, right = 1; ///< numbers of the operands
    bool left_transposed = false, right_transposed = false;
    bool operator==(const Product&) const = default;
};

/// Of a function of two matrices or vectors. Nothing for others, and where an operand has a domain. Linear in the reference.
std::optional<Product> product_of(const Function& function);

/// The number of the scalar by which a function multiplies its other operand. Nothing for other functions. Linear in the reference.
std::optional<std::size_t> scaling_of(const Function& function);

/// Whether the function is C = A'. Linear in the reference.
bool is_transposition(const Function& function);

/// A product and the order of its operands.
struct ProductCall {
    Instance instance;
    bool swapped = false; ///< the function's first operand is the right factor
};

/// The first function, in order of names but those with an operator before, that multiplies two values, each transposed or not. Nothing where
/// the library has none. Linear in the library.
std::optional<ProductCall> find_product(
    const Catalog& catalog, const Type& left, bool left_transposed, const Type& right, bool right_transposed);

/// The first function that multiplies by a scalar, as find_product(); `swapped`: its first operand is the scalar.
std::optional<ProductCall> find_scaling(const Catalog& catalog, const Type& value, const Type& scalar);

} // namespace fusec::library
