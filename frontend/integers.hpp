// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of bounds and indices.
#pragma once

#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fusec::frontend {

/// The value of a name, or of an entry of it at the one or two indices given; nothing after reporting.
using IntegerOfName = std::function<std::optional<std::int64_t>(const ast::Index& name, const std::vector<std::int64_t>& indices)>;

/// The value of an index in 64 bits; `/` rounds towards 0 and `%` has the sign of its left operand. Reports `integer-arithmetic` when
/// a value overflows or the divisor is 0, and `not-an-integer` for a number with a point or an exponent. Linear, no recursion.
std::optional<std::int64_t> integer_value(
    const ast::Program& program, const ast::IndexTree& tree, const IntegerOfName& value_of, Diagnostics& diagnostics);

/// The whole text of an index.
Span span_of(const ast::Program& program, const ast::IndexTree& tree);

} // namespace fusec::frontend
