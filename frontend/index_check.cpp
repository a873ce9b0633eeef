// SPDX-License-Identifier: Apache-2.0
// The integers of a program: bounds of loops and indices.
#include "frontend/expression_check.hpp"
#include "frontend/integers.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::frontend {

std::optional<std::int64_t> ExpressionChecker::integer(const ast::IndexTree& tree) {
    expansion_.spend(tree.root.index() - tree.first.index() + 1, span_of(program_, tree));
    return integer_value(program_, tree, [this](const ast::Index& name) { return integer_of_name(name); }, diagnostics_);
}

std::optional<std::int64_t> ExpressionChecker::integer_of_name(const ast::Index& name) {
    complete(name.text, name.span);
    const Defined* defined = scope_.use(name.text, name.span);
    if (!defined || defined->integer || !defined->value.good()) {
        return defined ? defined->integer : std::nullopt;
    }
    const std::optional<Constant>& constant = defined->value.constant;
    const std::optional<DataId>& datum = defined->value.datum;
    const Shape shape = constant ? constant->shape : draft_.datum(*datum).type.shape;
    if ((datum && draft_.datum(*datum).kind != DatumKind::constant) || shape.form != Form::scalar) {
        const std::string what = datum && draft_.datum(*datum).kind != DatumKind::constant ? std::string(described(defined->role))
                                                                                           : "a `" + to_string(shape) + "`";
        Diagnostic& d =
            diagnostics_.report(kind::not_an_integer, name.span, in_backticks(name.text) + " in a bound or an index is " + what);
        d.notes.push_back({defined->span, "defined here"});
        d.hint = "bounds and indices are made of whole numbers, variables of loops and scalar constants";
        return std::nullopt;
    }
    constexpr double most = 9007199254740992.0; // 2^53
    const double value = constant ? constant->values.front() : draft_.datum(*datum).values.front();
    if (datum) {
        draft_.read[datum->index()] = true;
    }
    if (value != std::floor(value) || std::abs(value) > most) {
        const Constant written = constant ? *constant : scalar_constant(value);
        diagnostics_.report(kind::not_an_integer, name.span, in_backticks(name.text) + " in a bound or an index is " + written.name)
            .notes.push_back({defined->span, "defined here"});
        return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
}

} // namespace fusec::frontend
