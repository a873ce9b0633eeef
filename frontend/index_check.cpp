// SPDX-License-Identifier: Apache-2.0
// The integers of a program: bounds of loops and indices of tables.
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

bool ExpressionChecker::is_table(const ast::Expression& table, const Value& value) {
    if (value.constant || draft_.datum(*value.datum).kind == DatumKind::constant) {
        return true;
    }
    const DatumKind what = draft_.datum(*value.datum).kind;
    const char* words = what == DatumKind::input ? " is an input, one value per element"
        : what == DatumKind::uniform             ? " is a uniform, given at launch"
                                                 : " is computed per element";
    Diagnostic& d = diagnostics_.report(
        kind::not_a_constant_table, table.span, in_backticks(table.span.text()) + words + ": only tables declared `const` can be indexed");
    if (const std::optional<Span> place = definition_place(table)) {
        d.notes.push_back({*place, "defined here"});
    }
    return false;
}

bool ExpressionChecker::indices_fit(const ast::Expression& e, const Shape& shape, const std::vector<std::int64_t>& indices) {
    const std::string table = in_backticks(program_.expression(e.operands.front()).span.text());
    const std::size_t most = shape.form == Form::matrix ? 2 : shape.form == Form::vector ? 1 : 0;
    if (indices.size() > most) {
        const std::string allowed = most == 0 ? "has no entries" : most == 1 ? "takes one index" : "takes one or two indices";
        Diagnostic& d = diagnostics_.report(kind::wrong_index_count, e.head,
            table + " is a `" + to_string(shape) + "`, which " + allowed + ", found " + std::to_string(indices.size()));
        d.hint = most == 0 ? "write it without brackets" : "";
        return false;
    }
    bool fit = true;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const int size = i == 0 ? shape.rows : shape.columns;
        if (indices[i] < 0 || indices[i] >= size) {
            fit = false;
            Diagnostic& d = diagnostics_.report(kind::index_out_of_range, span_of(program_, e.indices[i]),
                "index " + std::to_string(indices[i]) + " of " + table + ", which is a `" + to_string(shape) + "`: 0 to " +
                    std::to_string(size - 1));
            if (const std::optional<Span> place = definition_place(program_.expression(e.operands.front()))) {
                d.notes.push_back({*place, "defined here"});
            }
        }
    }
    return fit;
}

Value ExpressionChecker::entry(const Evaluation& evaluation, const ast::Expression& e) {
    std::vector<std::int64_t> indices;
    for (const ast::IndexTree& tree : e.indices) {
        if (const std::optional<std::int64_t> index = integer(tree)) {
            indices.push_back(*index);
        }
    }
    const Value& table = evaluation.value(e.operands.front());
    if (!table.good() || !is_table(program_.expression(e.operands.front()), table) || indices.size() != e.indices.size()) {
        return {};
    }
    const Shape shape = table.constant ? table.constant->shape : draft_.datum(*table.datum).type.shape;
    if (!indices_fit(e, shape, indices)) {
        return {};
    }
    const std::vector<double>& values = table.constant ? table.constant->values : draft_.datum(*table.datum).values;
    std::string name = table.constant ? table.constant->name : draft_.datum(*table.datum).name;
    name += "[" + std::to_string(indices[0]) + (indices.size() == 2 ? "," + std::to_string(indices[1]) : "") + "]";
    const bool row = shape.form == Form::matrix && indices.size() == 1;
    const auto first = values.begin() + indices[0] * shape.columns + (indices.size() == 2 ? indices[1] : 0);
    std::vector<double> chosen(first, first + (row ? shape.columns : 1));
    const Shape chosen_shape = row ? Shape{Form::vector, shape.columns, 1} : Shape{Form::scalar, 1, 1};
    if (table.constant) {
        return {std::nullopt, row ? Constant{chosen_shape, std::move(chosen), std::move(name)} : scalar_constant(chosen.front())};
    }
    draft_.read[table.datum->index()] = true;
    const Precision precision = draft_.datum(*table.datum).type.precision;
    return {
        draft_.shared_constant({std::move(name), {}, {chosen_shape, precision}, DatumKind::constant, std::move(chosen), {}, false, e.span},
            NameKind::entry, *table.datum),
        std::nullopt};
}

} // namespace fusec::frontend
