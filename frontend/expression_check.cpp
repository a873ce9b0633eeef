// SPDX-License-Identifier: Apache-2.0
#include "frontend/expression_check.hpp"
#include "frontend/callee.hpp"
#include "frontend/comparisons.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <utility>

namespace fusec::frontend {

namespace {

CallSite site_of(const ast::Expression& e) {
    return {e.text, e.head, e.span, e.kind == ast::ExpressionKind::prefix};
}

} // namespace

Evaluated ExpressionChecker::evaluate(const ast::Tree& tree, std::optional<Precision> precision) {
    complete_names(tree);
    Evaluation evaluation{tree, {}, {}, {}};
    evaluation.result.calls_before = draft_.calls.size();
    find_precisions(evaluation, precision.value_or(default_precision_));
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        evaluation.values.push_back(node(evaluation, program_.expressions[i]));
    }
    expansion_.spend(tree.root.index() - tree.first.index() + 1, program_.expression(tree.root).span);
    evaluation.result.value = std::move(evaluation.values.back());
    return std::move(evaluation.result);
}

Value ExpressionChecker::add_step(Evaluated& term, const Operand& sum, const Span& term_span, const CallSite& site) {
    const std::optional<DataId> datum = datum_of(term.value, sum.type.precision, term_span);
    if (!datum) {
        return {};
    }
    const std::vector<Operand> operands{sum, {*datum, draft_.datum(*datum).type, term_span, std::nullopt}};
    const std::string_view symbol = site.text == "-=" ? "-" : "+";
    const std::optional<library::Instance> instance = resolution_.operation(site, symbol, operands);
    if (!instance) {
        return {};
    }
    const Value value = add_call(term, *instance, operands, site.span);
    if (value.good()) {
        draft_.sums.push_back({term.calls.back(), sum.datum, *datum, symbol == "-"});
    }
    return value;
}

void ExpressionChecker::negate(Evaluated& evaluated, const Span& span, const CallSite& site) {
    if (evaluated.value.constant) {
        evaluated.value.constant = negated(*evaluated.value.constant);
    } else if (evaluated.value.datum) {
        const std::vector<Operand> operands{{*evaluated.value.datum, draft_.datum(*evaluated.value.datum).type, span, std::nullopt}};
        const std::optional<library::Instance> instance = resolution_.operation(site, "neg", operands);
        evaluated.value = instance ? add_call(evaluated, *instance, operands, site.span) : Value{};
    }
}

std::vector<CallId> ExpressionChecker::name_calls(
    const Evaluated& evaluated, const std::string& name, const std::string& nested, NameKind name_kind, const Span& span) {
    const std::optional<DataId> outermost = evaluated.value.datum;
    if (outermost) {
        const std::optional<CallId> producer = draft_.datum(*outermost).producer;
        if (producer && producer->index() >= evaluated.calls_before) {
            draft_.rename(*outermost, name, name_kind);
            draft_.datum(*outermost).span = span;
        }
    }
    std::vector<CallId> others;
    for (std::size_t i = 0; i < evaluated.calls.size(); ++i) {
        const DataId result = draft_.calls[evaluated.calls[i].index()].result;
        if (result != outermost) {
            draft_.rename(result, nested + "." + std::to_string(i + 1), NameKind::nested);
            others.push_back(evaluated.calls[i]);
        }
    }
    return others;
}

Value ExpressionChecker::node(Evaluation& evaluation, const ast::Expression& e) {
    switch (e.kind) {
    case ast::ExpressionKind::name:
        return name(e);
    case ast::ExpressionKind::number:
        return {std::nullopt, number_constant(e, diagnostics_)};
    case ast::ExpressionKind::call:
        return call(evaluation, e);
    case ast::ExpressionKind::prefix:
        if (const auto& operand = evaluation.value(e.operands[0]).constant) {
            return {std::nullopt, negated(*operand)};
        }
        return operator_call(evaluation, e, "neg");
    case ast::ExpressionKind::infix: {
        if (is_comparison(e)) {
            return {}; // part of the `select` that it stands in
        }
        const auto& left = evaluation.value(e.operands[0]).constant;
        const auto& right = evaluation.value(e.operands[1]).constant;
        if (left && right && left->shape.form == Form::scalar && right->shape.form == Form::scalar) {
            return {std::nullopt, folded(e, *left, *right, diagnostics_)};
        }
        return operator_call(evaluation, e, e.text);
    }
    case ast::ExpressionKind::suffix:
        return operator_call(evaluation, e, e.text);
    case ast::ExpressionKind::index:
        return slice(evaluation, e);
    case ast::ExpressionKind::table:
        break; // the grammar allows tables in constants only
    }
    throw InternalError("a table outside a constant");
}

Value ExpressionChecker::name(const ast::Expression& e) {
    const Defined* defined = scope_.use(e.text, e.head);
    if (!defined) {
        return {};
    }
    constexpr std::int64_t most = std::int64_t{1} << 53U; // every integer up to it is a double
    if (defined->integer && (*defined->integer > most || *defined->integer < -most)) {
        diagnostics_.report(kind::number_out_of_range, e.span,
            in_backticks(e.text) + " is " + std::to_string(*defined->integer) +
                ", outside the integers that `double` holds exactly, up to " + std::to_string(most));
        return {};
    }
    return defined->value;
}

Value ExpressionChecker::call(Evaluation& evaluation, const ast::Expression& e) {
    if (is_conversion(e.text)) {
        return conversion(evaluation, e);
    }
    if (e.text == "midentity") {
        std::vector<std::optional<Constant>> operands;
        for (const ast::ExpressionId id : e.operands) {
            if (!evaluation.value(id).good()) {
                return {};
            }
            operands.push_back(evaluation.value(id).constant);
        }
        return {std::nullopt, identity_constant(e, operands, diagnostics_)};
    }
    if (is_select(e.text)) {
        return is_selection(program_, e) ? selection(evaluation, e) : Value{};
    }
    if (std::optional<Value> value = movement(evaluation, e)) {
        return std::move(*value);
    }
    std::vector<Argument> arguments;
    for (const ast::ExpressionId id : e.operands) {
        const ast::Expression& operand = program_.expression(id);
        arguments.push_back({evaluation.value(id), operand.span, definition_place(operand)});
    }
    if (std::optional<Value> value = definitions_.expand(e, arguments)) {
        return std::move(*value);
    }
    if (const std::optional<Callee> callee = find_callee(e.text, catalog_)) {
        const CallSite site = site_of(e);
        if (!resolution_.arity_fits(site, callee->function, e.operands.size())) {
            return {};
        }
        const std::optional<std::vector<Operand>> operands = operands_of(evaluation, e);
        const std::optional<library::Instance> instance =
            operands ? resolution_.named(site, callee->function, callee->suffix, *operands) : std::nullopt;
        return instance ? add_call(evaluation.result, *instance, *operands, e.span) : Value{};
    }
    Diagnostic& d = diagnostics_.report(kind::unknown_function, e.head, "no function " + in_backticks(e.text) + " in the library");
    if (const Defined* defined = std::as_const(scope_).definition(e.text)) {
        d.notes.push_back({defined->span, in_backticks(e.text) + " is " + std::string(described(defined->role))});
        d.hint = "write `*` between the factors of a product";
    } else if (const std::string near = nearest_callee(e.text, catalog_); !near.empty()) {
        d.hint = "did you mean `" + near + "`?";
    }
    return {};
}

Value ExpressionChecker::selection(Evaluation& evaluation, const ast::Expression& e) {
    const ast::Expression& comparison = program_.expression(e.operands.front());
    std::string symbol = comparison.text;
    std::vector<ast::ExpressionId> order{comparison.operands[0], comparison.operands[1], e.operands[1], e.operands[2]};
    const std::optional<std::vector<Operand>> written = operands_of(evaluation, order);
    if (!written || !selection_fits(*written)) {
        return {};
    }
    std::vector<Operand> operands = *written;
    // Each holds for no operand that is no number (NaN), except `!=`, as in C.
    if (symbol.front() == '>') {
        symbol.front() = '<';
        std::swap(operands[0], operands[1]);
    } else if (symbol == "!=") {
        symbol = "==";
        std::swap(operands[2], operands[3]);
    }
    const std::optional<library::Instance> instance = resolution_.operation(site_of(e), symbol, operands);
    return instance ? add_call(evaluation.result, *instance, operands, e.span) : Value{};
}

bool ExpressionChecker::selection_fits(const std::vector<Operand>& operands) {
    const auto report = [&](const DiagnosticKind& kind, const Operand& operand, const Operand& other, const std::string& message,
                            const char* hint = "") {
        Diagnostic& d = diagnostics_.report(kind, operand.span, message);
        note_operand(d, other);
        note_operand(d, operand);
        d.hint = hint;
        return false;
    };
    for (const std::size_t i : {0U, 1U}) {
        if (operands[i].type.shape.form != Form::scalar) {
            return report(kind::operand_mismatch, operands[i], operands[i], described(operands[i]) + ": only scalars are compared");
        }
    }
    if (operands[2].type.shape.full() != operands[3].type.shape.full()) {
        return report(kind::operand_mismatch, operands[3], operands[2],
            described(operands[3]) + ", but " + described(operands[2]) + ": `select` chooses between values of one shape");
    }
    for (const Operand& operand : operands) {
        if (operand.type.precision != operands.front().type.precision) {
            return report(kind::precision_mismatch, operand, operands.front(), described(operand) + ", but " + described(operands.front()),
                one_precision_hint);
        }
    }
    return true;
}

Value ExpressionChecker::operator_call(Evaluation& evaluation, const ast::Expression& e, std::string_view symbol) {
    const std::optional<std::vector<Operand>> operands = operands_of(evaluation, e);
    const std::optional<library::Instance> instance = operands ? resolution_.operation(site_of(e), symbol, *operands) : std::nullopt;
    return instance ? add_call(evaluation.result, *instance, *operands, e.span) : Value{};
}

Value ExpressionChecker::add_call(
    Evaluated& evaluated, const library::Instance& instance, const std::vector<Operand>& operands, const Span& span) {
    if (!expansion_.count_call(span)) {
        return {};
    }
    const CallId id{draft_.calls.size()};
    std::vector<DataId> data;
    std::vector<Span> spans;
    for (const Operand& operand : operands) {
        data.push_back(operand.datum);
        spans.push_back(operand.span);
    }
    if (instance.swapped) {
        std::swap(data.at(0), data.at(1));
        std::swap(spans.at(0), spans.at(1));
    }
    library::Instance made = instance;
    const bool symmetric = is_symmetric_result(instance, data);
    const bool of_packed =
        std::any_of(data.begin(), data.end(), [this](DataId operand) { return draft_.datum(operand).type.shape.packed; });
    made.result.shape.packed =
        instance.result.shape.packed || (symmetric && of_packed && instance.function.index() < catalog_.library_size());
    const DataId result = draft_.add({{}, {}, made.result, DatumKind::computed, {}, id, false, span}, NameKind::nested);
    draft_.symmetric[result.index()] = symmetric || made.result.shape.packed;
    draft_.calls.push_back({std::move(made), std::move(data), result, span, std::move(spans), draft_.block()});
    evaluated.calls.push_back(id);
    return {result, std::nullopt};
}

std::optional<std::vector<Operand>> ExpressionChecker::operands_of(const Evaluation& evaluation, const ast::Expression& e) {
    return operands_of(evaluation, e.operands);
}

std::optional<std::vector<Operand>> ExpressionChecker::operands_of(
    const Evaluation& evaluation, const std::vector<ast::ExpressionId>& expressions) {
    std::vector<Operand> operands;
    bool good = true;
    // Literals take the precision of the first other operand, whose text does not tell it if it is the call of a definition.
    const auto other =
        std::find_if(expressions.begin(), expressions.end(), [&](ast::ExpressionId id) { return evaluation.value(id).datum.has_value(); });
    for (const ast::ExpressionId id : expressions) {
        const ast::Expression& operand = program_.expression(id);
        const Precision precision =
            other == expressions.end() ? evaluation.precision(id) : draft_.datum(*evaluation.value(*other).datum).type.precision;
        const std::optional<DataId> datum = datum_of(evaluation.value(id), precision, operand.span);
        good = good && datum;
        if (datum) {
            operands.push_back({*datum, draft_.datum(*datum).type, operand.span, definition_place(operand)});
        }
    }
    return good ? std::optional(std::move(operands)) : std::nullopt;
}

std::optional<Span> ExpressionChecker::definition_place(const ast::Expression& operand) const {
    const Defined* defined = operand.kind == ast::ExpressionKind::name ? std::as_const(scope_).definition(operand.text) : nullptr;
    return defined ? std::optional(defined->span) : std::nullopt;
}

std::optional<DataId> ExpressionChecker::datum_of(const Value& value, Precision precision, const Span& span) {
    if (!value.constant) {
        return value.datum;
    }
    Constant constant = *value.constant;
    if (!round_to(precision, constant, span, diagnostics_)) {
        return std::nullopt;
    }
    const auto [entry, inserted] = literals_.try_emplace({precision, constant.shape, bits_of(constant.values)});
    if (inserted) {
        entry->second = draft_.add(
            {constant.name, {}, {constant.shape, precision}, DatumKind::constant, constant.values, {}, false, span}, NameKind::literal);
    }
    return entry->second;
}

} // namespace fusec::frontend
