// SPDX-License-Identifier: Apache-2.0
// The `reference` of an elementary function: an index expression such as `C[i,j] = sum(k) A[i,k] * B[k,j]`, or the name of an
// algorithm. Parsed here, evaluated in double by execute/reference: never through a device source, so a wrong template cannot
// agree with itself.
#pragma once

#include "support/source.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fusec::library {

enum class Algorithm { determinant,
                       inverse,
                       cofactor,
                       cholesky,
                       solve };

/// Node of a scalar index expression; children are indices into ReferenceExpression::nodes.
struct ReferenceNode {
    enum class Kind { number,
                      index,
                      component,
                      sum,
                      add,
                      subtract,
                      multiply,
                      divide,
                      negate,
                      call,
                      compare_select } kind = Kind::number;
    double number = 0;                ///< number
    std::string name;                 ///< index: its name; component: the operand; sum: the bound index; call: sqrt, exp, log, sin, cos, pow, abs, min, max
    std::vector<std::string> indices; ///< component: index names in order (empty for a scalar); `i+1` style arithmetic is written as an index expression string
    std::vector<int> children;
};

/// `result[indices] = body`. A sum's range is found from the operand dimensions it indexes (all must agree).
struct ReferenceExpression {
    std::string result;
    std::vector<std::string> result_indices;
    std::vector<ReferenceNode> nodes;
    int root = -1;
};

using Reference = std::variant<ReferenceExpression, Algorithm>;

/// Parses a reference; on failure returns nothing and sets `error` and the byte offset `where`.
std::optional<Reference> parse_reference(std::string_view text, std::string& error, std::size_t& where);

} // namespace fusec::library
