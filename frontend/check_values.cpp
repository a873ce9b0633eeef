// SPDX-License-Identifier: Apache-2.0
// Assignments: values, constants, and sums that get one value after the other.
#include "frontend/checker.hpp"
#include "frontend/syntax_messages.hpp"

namespace fusec::frontend {

void Checker::add(const ast::Assignment& form) {
    const std::string& name = form.target.text;
    if (!form.slices.empty()) {
        assign_part(form);
        return;
    }
    const Defined* defined = std::as_const(scope_).definition(name);
    if (form.form == ast::Assignment::Form::defines && defined && defined->role == Role::updated) {
        update(form);
    } else if (form.form == ast::Assignment::Form::defines) {
        assign(form, false);
    } else if (scope_.definition(name)) {
        expressions_.complete(name, form.target.span);
        if (can_sum(form)) {
            add_to_sum(form);
        }
    } else if (scope_.declaration(name)) {
        assign(form, true); // the sum was empty
    } else {
        messages_.report(kind::undefined_name, form.target.span, in_backticks(name) + " has no value that could be summed to").hint =
            "begin with `" + name + " = ...;`, or declare `" + name + "`, then the sum begins empty";
        scope_.define_wrong(form.target);
    }
}

void Checker::assign(const ast::Assignment& form, bool where_declared) {
    const Declared* declared = scope_.declaration(form.target.text);
    const bool wrongly_declared = declared && !declared->type;
    std::optional<Precision> precision;
    if (declared && declared->type) {
        precision = declared->type->precision;
    }
    const bool free = where_declared || scope_.can_define(form.target);
    const Span value_span = program_.expression(form.value.root).span;
    Defined defined{form.target.span, Role::computed, {}, std::nullopt, {}, 1, {}};
    defined.name = where_declared ? expansion_.qualified(form.target.text, scope_.loops_around_declaration(form.target.text))
                                  : expansion_.qualified(form.target.text);

    Evaluated evaluated = expressions_.evaluate(form.value, precision);
    if (form.form == ast::Assignment::Form::subtracts) {
        expressions_.negate(evaluated, value_span, site_of(form));
    }
    const NameKind name_kind = kind_of_name(defined.name, form.target);
    if (evaluated.value.constant) {
        Constant& constant = *evaluated.value.constant;
        if (round_to(evaluated.precision, constant, value_span, messages_)) {
            defined.value.datum = add_constant({defined.name, {}, {constant.shape, evaluated.precision}, DatumKind::constant,
                                                   std::move(constant.values), {}, false, form.target.span},
                name_kind);
        }
    } else {
        if (declared && declared->type) {
            expressions_.store_as_declared(evaluated, declared->type->shape, value_span);
        }
        defined.nested = expressions_.name_calls(evaluated, defined.name, defined.name, name_kind, form.target.span);
        defined.value.datum = evaluated.value.datum;
    }
    if (wrongly_declared || (free && defined.value.datum && !fits_declaration(form, *defined.value.datum))) {
        defined.value.datum.reset();
    }
    if (free) {
        const bool constant = defined.value.datum && draft_.datum(*defined.value.datum).kind == DatumKind::constant;
        defined.role = constant ? Role::constant : Role::computed;
        scope_.define(form.target, std::move(defined), where_declared);
    }
}

void Checker::update(const ast::Assignment& form) {
    const ast::Name& name = form.target;
    if (scope_.depth() != 0) {
        Diagnostic& d = messages_.report(kind::declared_outside, name.span,
            in_backticks(name.text) + " is an `inout` list of the program, but this value ends with its iteration");
        d.notes.push_back({std::as_const(scope_).definition(name.text)->span, "defined here"});
        d.hint = "sum with `" + name.text + " += ...`, or assign it behind the loop";
        expressions_.evaluate(form.value, std::nullopt);
        scope_.definition(name.text)->value = {}; // that it has no new value is not reported too
        return;
    }
    const Declared* declared = scope_.declaration(name.text);
    const std::optional<Precision> precision = declared && declared->type ? std::optional(declared->type->precision) : std::nullopt;
    const Span value_span = program_.expression(form.value.root).span;
    Evaluated evaluated = expressions_.evaluate(form.value, precision);
    if (!evaluated.value.constant && declared && declared->type) {
        expressions_.store_as_declared(evaluated, declared->type->shape, value_span);
    }
    const std::optional<DataId> datum = expressions_.datum_of(evaluated.value, evaluated.precision, value_span);
    const Defined before = *std::as_const(scope_).definition(name.text); // evaluating may have moved it
    std::vector<CallId> nested;
    if (datum && before.value.datum) {
        number_value(before);
        nested = expressions_.name_calls(evaluated, name.text, name.text, NameKind::written, name.span);
    }
    Defined& after = *scope_.definition(name.text);
    after.value = datum && fits_declaration(form, *datum) ? Value{datum, std::nullopt} : Value{};
    after.values = 1;
    after.role = Role::computed;
    after.span = name.span;
    after.nested = std::move(nested);
    after.assembly.reset();
}

bool Checker::can_sum(const ast::Assignment& form) {
    const Defined& sum = *scope_.definition(form.target.text);
    const bool own = scope_.is_own(form.target.text);
    if (own && (sum.role == Role::computed || sum.role == Role::constant || sum.role == Role::updated)) {
        return true;
    }
    Diagnostic& d = messages_.report(kind::not_a_sum, form.target.span,
        in_backticks(form.target.text) + " is " + std::string(described(sum.role)) +
            (own ? ": only what was assigned, or is a constant, can be summed to" : " of the program, which a definition does not change"));
    d.notes.push_back({sum.span, "defined here"});
    d.hint = "begin a sum of its own: `sum = " + form.target.text + ";`";
    return false;
}

void Checker::add_to_sum(const ast::Assignment& form) {
    const Defined before = *scope_.definition(form.target.text); // expanding the term may move it
    const Span value_span = program_.expression(form.value.root).span;
    std::optional<Precision> precision;
    if (before.value.datum) {
        precision = draft_.datum(*before.value.datum).type.precision;
    }
    Evaluated evaluated = expressions_.evaluate(form.value, precision);
    if (!before.value.datum) {
        return;
    }
    const Operand sum{*before.value.datum, draft_.datum(*before.value.datum).type, form.target.span, before.span};
    Value value = expressions_.add_step(evaluated, sum, value_span, site_of(form));
    evaluated.value = value;
    if (const Declared* declared = scope_.declaration(form.target.text); declared && declared->type) {
        expressions_.store_as_declared(evaluated, declared->type->shape, value_span);
        value = evaluated.value;
    }
    if (value.datum) {
        name_step(before, evaluated, form.target);
        if (!fits_declaration(form, *value.datum)) {
            value = {};
        }
    }
    Defined& after = *scope_.definition(form.target.text);
    after.value = std::move(value);
    after.values = before.values + 1;
    after.role = Role::computed;
    after.span = form.target.span;
    after.assembly.reset();
}

/// The values of a sum are `K:1`, `K:2`, ..., the last one `K`: as long as there is no next one, every value is the last.
void Checker::name_step(const Defined& before, const Evaluated& evaluated, const ast::Name& target) {
    number_value(before);
    expressions_.name_calls(
        evaluated, before.name, before.name + ":" + std::to_string(before.values + 1), kind_of_name(before.name, target), target.span);
}

void Checker::number_value(const Defined& before) {
    const std::string numbered = before.name + ":" + std::to_string(before.values);
    if (draft_.datum(*before.value.datum).name == before.name) { // else it is a second name of another value
        draft_.rename(*before.value.datum, numbered, NameKind::expanded);
    }
    for (std::size_t i = 0; before.values == 1 && i < before.nested.size(); ++i) {
        const DataId nested = draft_.calls[before.nested[i].index()].result;
        const std::string& name = draft_.datum(nested).name;
        if (name.starts_with(before.name + ".")) {
            draft_.rename(nested, numbered + name.substr(before.name.size()), NameKind::nested);
        }
    }
}

NameKind Checker::kind_of_name(const std::string& name, const ast::Name& target) {
    return name == target.text ? NameKind::written : NameKind::expanded;
}

CallSite Checker::site_of(const ast::Assignment& form) const {
    return {std::string(form.sign.text()), form.sign, form.target.span.to(program_.expression(form.value.root).span)};
}

DataId Checker::add_constant(Datum datum, NameKind name_kind) {
    return name_kind == NameKind::written ? draft_.add(std::move(datum), name_kind) : draft_.shared_constant(std::move(datum), name_kind);
}

bool Checker::fits_declaration(const ast::Assignment& form, DataId datum) {
    const Declared* declared = scope_.declaration(form.target.text);
    const Datum& value = draft_.datum(datum);
    const Type found = value.type;
    if (!declared || !declared->type || *declared->type == found) {
        return true;
    }
    const Type& type = *declared->type;
    const bool stored_otherwise = type.precision == found.precision && type.shape.full() == found.shape.full();
    if (stored_otherwise && type.shape.packed && value.kind == DatumKind::constant && draft_.symmetric[datum.index()]) {
        return true; // constants are no lists
    }
    const Span place = program_.expression(form.value.root).span;
    const std::string is = in_backticks(form.target.text) + " is declared `" + to_string(type) + "`, but its value is ";
    Diagnostic& d = stored_otherwise && type.shape.packed
        ? messages_.report(kind::not_symmetric, place, is + "a `" + to_string(found) + "` that is not known to be symmetric")
        : messages_.report(kind::declared_type_mismatch, place, is + "`" + to_string(found) + "`");
    d.notes.push_back({declared->span, "declared here"});
    if (stored_otherwise) {
        d.hint = type.shape.packed ? "`symmetric(...)` takes the lower triangle" : "`full(...)` stores all components";
    } else if (type.shape == found.shape) {
        d.hint = conversion_hint(type.precision);
    }
    return false;
}

} // namespace fusec::frontend
