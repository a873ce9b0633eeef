// SPDX-License-Identifier: Apache-2.0
// Loops and definitions: their bodies are checked once per iteration and per call, as if they were written out.
#include "frontend/callee.hpp"
#include "frontend/checker.hpp"
#include "frontend/comparisons.hpp"
#include "frontend/integers.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <utility>

namespace fusec::frontend {

void Checker::add(const ast::Include&) {}

void Checker::add(const ast::Alternative&) {
    throw InternalError("a program is checked without a choice of its alternatives");
}

void Checker::add(const ast::AlternativesEnd& form) {
    if (options_.types == nullptr) {
        return;
    }
    const std::size_t before = options_.types->reached[form.block]++;
    for (const ast::Name& name : form.names) {
        const Defined* defined = std::as_const(scope_).definition(name.text);
        if (defined && defined->value.datum) {
            options_.types->found[{form.block, before}][name.text] = {draft_.datum(*defined->value.datum).type, defined->span};
        } else if (defined && defined->assembly) {
            options_.types->found[{form.block, before}][name.text] = {defined->assembly->type, defined->span};
        }
    }
}

void Checker::add(const ast::Loop& form) {
    const std::size_t statement = current_;
    const std::optional<std::int64_t> first = expressions_.integer(form.first);
    const std::optional<std::int64_t> last = expressions_.integer(form.last);
    const Span range = span_of(program_, form.first).to(span_of(program_, form.last));
    LoopUse& use = loops_.try_emplace(statement, LoopUse{range, {}, true}).first->second;
    if (!first || !last) {
        use.empty = false;
        return;
    }
    // The difference of two 64-bit integers is a 64-bit natural number.
    const std::uint64_t count = *last > *first ? static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first) : 0;
    if (use.text.empty()) {
        use.text = std::to_string(*first) + ".." + std::to_string(*last);
    }
    use.empty = use.empty && count == 0;
    if (count == 0 || !scope_.can_define(form.variable) || !expansion_.may_loop(form, program_.statements[statement].span, count)) {
        return;
    }
    expansion_.pass_on();
    for (std::int64_t value = *first; value < *last && !expansion_.stopped(); ++value) {
        scope_.enter_loop(statement);
        expansion_.enter_iteration(form, statement, value);
        scope_.define(form.variable,
            {form.variable.span, Role::variable, {std::nullopt, scalar_constant(static_cast<double>(value))}, value, {}, 1, {}});
        expansion_.spend(1, form.variable.span);
        run(statement + 1, form.end);
        complete_parts();
        scope_.leave();
        expansion_.pass_on();
        expansion_.leave();
    }
}

void Checker::add(const ast::Definition& form) {
    Definition definition{&form, current_, scope_.order(), {}, 0};
    std::map<std::string, Span> names;
    for (const ast::Parameter& parameter : form.parameters) {
        const auto [before, inserted] = names.emplace(parameter.name.text, parameter.name.span);
        if (!inserted) {
            messages_
                .report(kind::declared_twice, parameter.name.span, "parameter " + in_backticks(parameter.name.text) + " is declared twice")
                .notes.push_back({before->second, "the first declaration"});
        }
        definition.types.push_back(parameter.shape ? type_of(*parameter.shape, parameter.precision) : std::nullopt);
    }
    const std::string& name = form.name.text;
    const bool of_language = is_movement(name) || is_select(name);
    if (name == "midentity" || of_language || find_callee(name, catalog_)) {
        messages_
            .report(kind::definition_name, form.name.span,
                in_backticks(name) + " is a function of the " + (of_language ? "language" : "library"))
            .hint = "give the definition another name";
        return;
    }
    const auto [before, inserted] = definitions_.emplace(name, std::move(definition));
    if (!inserted) {
        messages_.report(kind::definition_name, form.name.span, in_backticks(name) + " is defined twice")
            .notes.push_back({before->second.form->name.span, "the first definition"});
    }
}

void Checker::add(const ast::ReturnValue& form) {
    Evaluated evaluated = expressions_.evaluate(form.value, std::nullopt);
    const std::string name = expansion_.call_name();
    expressions_.name_calls(evaluated, name, name, NameKind::expanded, program_.expression(form.value.root).span);
    results_.back() = std::move(evaluated.value);
}

std::optional<Value> Checker::expand(const ast::Expression& call, const std::vector<Argument>& arguments) {
    const auto found = definitions_.find(call.text);
    const bool above = found != definitions_.end() && (calling_.empty() || found->second.statement < calling_.back());
    if (!above) {
        return report_not_above(call);
    }
    Definition& definition = found->second;
    ++definition.calls;
    const std::size_t parameters = definition.form->parameters.size();
    if (arguments.size() != parameters) {
        Diagnostic& d = messages_.report(kind::wrong_arity, call.span,
            in_backticks(call.text) + " has " + std::to_string(parameters) + (parameters == 1 ? " parameter" : " parameters") + ", found " +
                std::to_string(arguments.size()) + (arguments.size() == 1 ? " operand" : " operands"));
        d.notes.push_back({definition.form->name.span, "defined here"});
        return Value{};
    }
    std::vector<Value> values;
    bool good = true;
    for (std::size_t i = 0; i < parameters; ++i) {
        values.push_back(arguments[i].value);
        good = argument_fits(definition, i, arguments[i], values.back()) && good;
    }
    if (!good || !expansion_.may_call(call.text, call.span)) {
        return Value{};
    }
    expansion_.pass_on();
    scope_.enter_definition(definition.statement, definition.above);
    expansion_.enter_call(call.text, definition.calls, call.span);
    for (std::size_t i = 0; i < parameters; ++i) {
        const ast::Name& name = definition.form->parameters[i].name;
        scope_.define_parameter(name, {name.span, Role::parameter, std::move(values[i]), std::nullopt, {}, 1, {}});
    }
    expansion_.spend(1, call.span);
    calling_.push_back(definition.statement);
    results_.emplace_back();
    run(definition.statement + 1, definition.form->end);
    Value result = std::move(results_.back());
    results_.pop_back();
    calling_.pop_back();
    complete_parts();
    scope_.leave();
    expansion_.pass_on();
    expansion_.leave();
    return result;
}

/// What to say of a name that is no definition above the call; nothing if the program has none of that name.
std::optional<Value> Checker::report_not_above(const ast::Expression& call) {
    const auto later = later_.find(call.text);
    if (later == later_.end() || find_callee(call.text, catalog_)) {
        return std::nullopt;
    }
    const bool itself = !calling_.empty() && std::get<ast::Definition>(program_.statements[calling_.back()].form).name.text == call.text;
    Diagnostic& d = messages_.report(kind::used_before_definition, call.head,
        in_backticks(call.text) + (itself ? " is called in its own definition: there is no recursion" : " is called above its definition"));
    d.notes.push_back({later->second, "defined here"});
    d.hint = itself ? "write a loop" : "move the definition up; definitions that need each other cannot be, there is no recursion";
    return Value{};
}

bool Checker::argument_fits(const Definition& definition, std::size_t index, const Argument& argument, Value& value) {
    const ast::Parameter& parameter = definition.form->parameters[index];
    const std::optional<Type>& type = definition.types[index];
    if (!value.good() || (parameter.shape && !type)) {
        return false; // reported
    }
    if (!parameter.shape && !parameter.precision) {
        return true;
    }
    const Shape shape = value.constant ? value.constant->shape : draft_.datum(*value.datum).type.shape;
    const bool symmetric = value.constant ? is_symmetric(shape, value.constant->values) : shape.packed;
    if (type && (shape.full() != type->shape.full() || (type->shape.packed && !symmetric))) {
        report_parameter(kind::operand_mismatch, definition, index, argument, value);
        return false;
    }
    if (!parameter.precision) {
        return true;
    }
    if (value.constant) {
        value = {expressions_.datum_of(value, *parameter.precision, argument.span), std::nullopt};
    } else if (draft_.datum(*value.datum).type.precision != *parameter.precision) {
        report_parameter(kind::precision_mismatch, definition, index, argument, value);
        return false;
    }
    return value.good();
}

void Checker::report_parameter(
    const DiagnosticKind& kind, const Definition& definition, std::size_t index, const Argument& argument, const Value& value) {
    const ast::Parameter& parameter = definition.form->parameters[index];
    const std::string found = value.constant ? to_string(value.constant->shape) : to_string(draft_.datum(*value.datum).type);
    const std::string precision = parameter.precision ? std::string(c_name(*parameter.precision)) + (parameter.shape ? " " : "") : "";
    const std::string needed = precision + (parameter.shape ? std::string(parameter.shape->span.text()) : "");
    Diagnostic& d = messages_.report(kind, argument.span,
        in_backticks(argument.span.text()) + " is `" + found + "`, but parameter " + in_backticks(parameter.name.text) + " of " +
            in_backticks(definition.form->name.text) + " is `" + needed + "`");
    d.notes.push_back({parameter.name.span, "the parameter"});
    if (argument.defined) {
        d.notes.push_back({*argument.defined, in_backticks(argument.span.text()) + " is defined here"});
    }
    if (parameter.precision && kind.name == kind::precision_mismatch.name) {
        d.hint = conversion_hint(*parameter.precision);
    }
}

} // namespace fusec::frontend
