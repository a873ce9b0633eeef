// SPDX-License-Identifier: Apache-2.0
// `double(x)` and `float(x)`: values in another precision, and the precision of the literals around and in them.
#include "frontend/callee.hpp"
#include "frontend/expression_check.hpp"
#include "frontend/syntax_messages.hpp"

#include <utility>

namespace fusec::frontend {

namespace {

bool converts(const ast::Expression& e) {
    return e.kind == ast::ExpressionKind::call && is_conversion(e.text);
}

Precision precision_named(const ast::Expression& conversion) {
    return conversion.text == c_name(Precision::f64) ? Precision::f64 : Precision::f32;
}

} // namespace

std::optional<Precision> ExpressionChecker::precision_of_name(const std::string& name) const {
    const Defined* defined = std::as_const(scope_).definition(name);
    if (defined && defined->assembly) {
        return defined->assembly->type.precision;
    }
    return defined && defined->value.datum ? std::optional(draft_.datum(*defined->value.datum).type.precision) : std::nullopt;
}

void ExpressionChecker::find_precisions(Evaluation& evaluation, Precision otherwise) const {
    const std::size_t first = evaluation.tree.first.index(), count = evaluation.tree.root.index() - first + 1;
    const auto node = [&](std::size_t i) -> const ast::Expression& { return program_.expressions[first + i]; };
    // The conversion whose operand a node is part of, the innermost one; `count`: none. Operands stand before what uses them.
    std::vector<std::size_t> within(count, count);
    for (std::size_t i = count; i-- > 0;) {
        for (const ast::ExpressionId operand : node(i).operands) {
            within[operand.index() - first] = converts(node(i)) ? i : within[i];
        }
    }
    std::vector<std::optional<Precision>> found(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<Precision>& around = found[within[i]];
        if (!around && node(i).kind == ast::ExpressionKind::name) {
            around = precision_of_name(node(i).text);
        } else if (!around && converts(node(i))) {
            around = precision_named(node(i));
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t conversion = within[i];
        evaluation.precisions.push_back(found[conversion].value_or(conversion == count ? otherwise : precision_named(node(conversion))));
    }
    evaluation.result.precision = evaluation.precisions.back();
}

Value ExpressionChecker::conversion(Evaluation& evaluation, const ast::Expression& e) {
    if (e.operands.size() != 1) {
        const std::string given = std::to_string(e.operands.size()) + (e.operands.size() == 1 ? " is" : " are");
        diagnostics_.report(kind::wrong_arity, e.span, in_backticks(e.text) + " takes 1 operand, but " + given + " given");
        return {};
    }
    const ast::Expression& operand = program_.expression(e.operands.front());
    const Value& value = evaluation.value(e.operands.front());
    const Precision to = precision_named(e);
    if (value.constant) {
        return {datum_of(value, to, operand.span), std::nullopt};
    }
    if (!value.datum || draft_.datum(*value.datum).type.precision == to) {
        return value;
    }
    const Datum from = draft_.datum(*value.datum);
    if (from.kind == DatumKind::constant) {
        Constant constant{from.type.shape, from.values, e.text + "(" + from.name + ")"};
        if (!round_to(to, constant, e.span, diagnostics_)) {
            return {};
        }
        draft_.read[value.datum->index()] = true;
        return {draft_.shared_constant(
                    {constant.name, {}, {constant.shape, to}, DatumKind::constant, std::move(constant.values), {}, false, e.span},
                    NameKind::entry, value.datum),
            std::nullopt};
    }
    const FunctionId function(catalog_.library_size() + draft_.own.number(library::Conversion{from.type.shape.full(), to}));
    return add_call(evaluation.result, {function, {}, false, {from.type.shape, to}},
        {{*value.datum, from.type, operand.span, definition_place(operand)}}, e.span);
}

} // namespace fusec::frontend
