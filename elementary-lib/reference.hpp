// SPDX-License-Identifier: Apache-2.0
// The `reference` of an elementary function: an index expression such as `C[i,j] = sum(k) A[i,k] * B[k,j]`, or the name of an
// algorithm. Parsed here, evaluated in double by execute/reference: never through a device source, so a wrong template cannot
// agree with itself.
//
//   reference  = algorithm | component "=" sum
//   sum        = term { ("+" | "-") term }
//   term       = factor { ("*" | "/") factor }
//   factor     = "-" factor | "sum" "(" name { "," name } ")" term | primary
//   primary    = number | component | function "(" sum { "," sum } ")" | "select" "(" sum comparison sum "," sum "," sum ")"
//              | "delta" "(" index "," index ")" | "[" index "]" | "(" sum ")"
//   comparison = "<" | "<=" | ">" | ">=" | "==" | "!="
//   component  = name [ "[" index { "," index } "]" ]
//   index      = an integer expression over index names and shape parameters
//   algorithm  = "det" | "inverse" | "cofactor" | "cholesky" | "solve"
//
// `sum(k)` takes the product after it: `sum(k) a * b + c` is `(sum(k) a * b) + c`. `delta(i,j)` is 1 where i = j and else 0; `[i < j]`
// is 1 where the condition holds and else 0; a factor 0 of this kind hides the factors to its right, so they may index out of range.
// `select(a < b, x, y)` is x where the comparison of the values holds, and else y: both are computed.
#pragma once

#include "elementary-lib/component_map.hpp"
#include "elementary-lib/component_program.hpp"
#include "elementary-lib/conversion.hpp"
#include "elementary-lib/expression.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fusec::library {

enum class Algorithm {
    determinant,
    inverse,
    cofactor,
    cholesky,
    solve
};

/// The name in metadata: "det", "inverse", ...
std::string_view name_of(Algorithm algorithm);

/// Node of a scalar index expression; children are indices into ReferenceExpression::nodes and smaller than the node's own.
struct ReferenceNode {
    enum class Kind {
        number,
        condition, ///< 1 where indices[0] is nonzero, else 0: `delta(i,j)`, `[i < j]`
        component,
        sum,
        add,
        subtract,
        multiply,
        divide,
        negate,
        call,
        select ///< children[2] where the comparison `name` of children[0] with children[1] holds, else children[3]
    } kind = Kind::number;
    double number = 0; ///< number
    /// component: the operand; sum: the bound index; call: sqrt, exp, log, sin, cos, pow, abs, min, max; select: <, <= or ==
    std::string name;
    std::vector<SizeExpression> indices; ///< component: one per dimension (none for a scalar), 0-based
    std::vector<int> children;
    std::size_t where = 0; ///< byte of the reference's text where the node starts
};

/// `result[indices] = body`. A sum's range is the dimension of the operand positions that its index stands in alone (all must agree).
struct ReferenceExpression {
    std::string result;
    std::vector<std::string> result_indices;
    std::vector<ReferenceNode> nodes;
    int root = -1;
};

/// Of a function in a file one of the first two; the others are those of functions that a program defines by slices, by arithmetic with
/// components and by conversions.
using Reference = std::variant<ReferenceExpression, Algorithm, ComponentMap, ComponentProgram, Conversion>;

/// Parses a reference; on failure returns nothing and sets `error` and the byte offset `where`.
std::optional<Reference> parse_reference(std::string_view text, std::string& error, std::size_t& where);

/// True when `index` is a bare name, as the `k` of `A[i,k]` and unlike the `(i+1)%3` of `a[(i+1)%3]`.
bool is_plain_index(const SizeExpression& index);

} // namespace fusec::library
