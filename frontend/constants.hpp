// SPDX-License-Identifier: Apache-2.0
// Numbers of a program: literals, arithmetic between literals, identity matrices, tables. All in double until their precision is known.
#pragma once

#include "elementary-lib/type.hpp"
#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

/// A value known when the program is compiled, its precision not chosen yet. Components row-major.
struct Constant {
    Shape shape;
    std::vector<double> values;
    std::string name; ///< how the program's text would write it: `2.5`, `midentity(3)`
};

/// A number as its shortest text would write it.
Constant scalar_constant(double value);

/// The value of a literal; reports `number-out-of-range` when it is not a finite double or rounds to 0.
std::optional<Constant> number_constant(const ast::Expression& literal, Diagnostics& diagnostics);

/// `-operand`.
Constant negated(Constant operand);

/// `left operator right` of two scalars in double; reports `number-out-of-range` when the result is not finite.
std::optional<Constant> folded(const ast::Expression& infix, const Constant& left, const Constant& right, Diagnostics& diagnostics);

/// `midentity(n)`: reports `identity-size` unless the call has one operand that is a whole number of at least 1, and
/// `dimension-limit` when it is too large.
std::optional<Constant> identity_constant(
    const ast::Expression& call, const std::vector<std::optional<Constant>>& operands, Diagnostics& diagnostics);

/// The value of a `const` of the declared shape: a number, `midentity(n)`, or a table of as many numbers as the shape has components,
/// `[..]` for a vector and `[[..], ..]` by rows for a matrix. Numbers may be arithmetic between literals. Reports what does not fit.
std::optional<Constant> constant_value(
    const ast::Program& program, const ast::Tree& tree, const std::string& name, const Shape& shape, Diagnostics& diagnostics);

/// Rounds the components to the precision; reports `number-out-of-range` at `span` when one overflows or a nonzero one becomes 0.
bool round_to(Precision precision, Constant& constant, const Span& span, Diagnostics& diagnostics);

} // namespace fusec::frontend
