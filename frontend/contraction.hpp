// SPDX-License-Identifier: Apache-2.0
// `--reassociate`: chains of products in the order of fewest operations, `A * B * v` as `A * (B * v)`.
#pragma once

#include "frontend/checked_program.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

/// A factor of a chain of products, or a product of neighbouring ones: a matrix has rows and columns, a vector only rows, a transposed vector
/// only columns, and what is left of a row times a column has neither.
struct ChainFactor {
    bool has_rows = true, has_columns = true;
    int rows = 1, columns = 1;
    bool constant = false; ///< products of constants cost nothing: they are computed while compiling
};

/// What multiplying two neighbours costs, and multiplying one by the chain's scalar.
struct ChainCosts {
    std::function<double(const ChainFactor& left, const ChainFactor& right)> product;
    std::function<double(const ChainFactor& value)> scaling;
};

/// The order in which the factors of a chain are multiplied, a tree.
struct ChainOrder {
    struct Node {
        int factor = -1;           ///< of a leaf
        int left = -1, right = -1; ///< of a product: nodes before this one
        bool scaled = false;       ///< its value is multiplied by the chain's scalar
    };
    std::vector<Node> nodes; ///< the root last
    double operations = 0;
};

/// The order of fewest operations, of equal ones that with the earlier splits (later products on the right). A scalar is multiplied by the factor
/// or product where that costs least. Matrix-chain dynamic programming (Godbole 1973), twice the states with a scalar: O(n^3) for n factors.
/// Pre: 1 or more factors, of which neighbours fit.
ChainOrder fewest_operations(const std::vector<ChainFactor>& factors, bool scalar, const ChainCosts& costs);

/// The product of neighbours.
ChainFactor multiplied(const ChainFactor& left, const ChainFactor& right);

/// A chain that takes fewer operations in another order.
struct ReorderedChain {
    Span span;                                        ///< of the call that makes its value
    std::string value;                                ///< name
    std::string order;                                ///< `A * (B * v)`
    double operations = 0, operations_as_written = 0; ///< for an element
};

/// A program with products in the order of fewest operations.
struct ReorderedProgram {
    CheckedProgram program;
    std::vector<ReorderedChain> chains; ///< one at least
};

/// Chains are products (elementary-lib/product.hpp), multiplications by a scalar and transposes whose values have no other use and no list of
/// their own, whatever their names. Values that are used elsewhere keep their value; so do those that are stored packed, of which half is dropped. The
/// functions for the new products are the library's. Interface, outputs and names of what stays are as before. Nothing where no chain takes
/// fewer operations. Pre: the program is as check() gives it. Cubic in the longest chain.
std::optional<ReorderedProgram> with_fewest_operations(const CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::frontend
