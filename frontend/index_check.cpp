// SPDX-License-Identifier: Apache-2.0
// The integers of a program: bounds of loops and indices.
#include "frontend/expression_check.hpp"
#include "frontend/integers.hpp"
#include "frontend/selection.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::frontend {

std::optional<std::int64_t> ExpressionChecker::integer(const ast::IndexTree& tree) {
    expansion_.spend(tree.root.index() - tree.first.index() + 1, span_of(program_, tree));
    return integer_value(
        program_, tree, [this](const ast::Index& name, const std::vector<std::int64_t>& indices) { return integer_of_name(name, indices); },
        diagnostics_);
}

std::optional<std::int64_t> ExpressionChecker::integer_of_name(const ast::Index& name, const std::vector<std::int64_t>& indices) {
    const bool entry = name.kind == ast::IndexKind::entry;
    const Span& place = entry ? name.head : name.span;
    complete(name.text, place);
    const Defined* defined = scope_.use(name.text, place);
    if (!defined || (defined->integer && !entry) || (!defined->integer && !defined->value.good())) {
        return defined ? defined->integer : std::nullopt;
    }
    const std::optional<Constant>& constant = defined->value.constant;
    const std::optional<DataId>& datum = defined->value.datum;
    const bool varies = datum && draft_.datum(*datum).kind != DatumKind::constant;
    Shape shape = constant ? constant->shape : datum ? draft_.datum(*datum).type.shape : Shape{};
    std::size_t component = 0;
    if (entry && !varies) {
        std::vector<ast::Slice> slices;
        for (const ast::IndexId id : name.left == name.right ? std::vector{name.left} : std::vector{name.left, name.right}) {
            slices.push_back({false, ast::IndexTree{id, id}, {}, program_.index(id).span});
        }
        const auto known = [&](const ast::IndexTree& index) { return std::optional(indices.at(index.root == name.left ? 0 : 1)); };
        const Span brackets = slices.front().span.to(slices.back().span);
        const std::optional<Selection> chosen = selected(slices, {shape, brackets, name.head, defined->span}, known, diagnostics_);
        if (!chosen) {
            return std::nullopt;
        }
        shape = chosen->shape;
        component = chosen->components.empty() ? 0 : static_cast<std::size_t>(chosen->components.front());
    }
    const std::string text(entry ? name.span.text() : std::string_view(name.text));
    if (varies || shape.form != Form::scalar) {
        const std::string what = varies ? std::string(described(defined->role)) : "a `" + to_string(shape) + "`";
        Diagnostic& d = diagnostics_.report(
            kind::not_an_integer, name.span, in_backticks(varies ? name.text : text) + " in a bound or an index is " + what);
        d.notes.push_back({defined->span, "defined here"});
        d.hint = "bounds and indices are made of whole numbers, variables of loops, scalar constants and entries of tables";
        return std::nullopt;
    }
    constexpr double most = 9007199254740992.0; // 2^53
    const double value = (constant ? constant->values : draft_.datum(*datum).values).at(component);
    if (datum) {
        draft_.read[datum->index()] = true;
    }
    if (value != std::floor(value) || std::abs(value) > most) {
        const Constant written = constant && !entry ? *constant : scalar_constant(value);
        diagnostics_.report(kind::not_an_integer, name.span, in_backticks(text) + " in a bound or an index is " + written.name)
            .notes.push_back({defined->span, "defined here"});
        return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
}

} // namespace fusec::frontend
