// SPDX-License-Identifier: Apache-2.0
// Values that are put together from parts, `K[0:3, 3:6] = B;`, parts that are summed to, `K[i, j] += s;`, and parts of updated lists, which replace those of
// the old value.
#include "frontend/checker.hpp"
#include "frontend/selection.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fusec::frontend {

void Checker::assign_part(const ast::Assignment& form) {
    const std::string& name = form.target.text;
    const bool adds = form.form != ast::Assignment::Form::defines;
    Defined* assembled = part_target(form);
    if (!assembled) { // reported
        expressions_.evaluate(form.value, std::nullopt);
        return;
    }
    const Type type = assembled->assembly->type;
    const Declared* declared = scope_.declaration(name);
    const Indexed whole{type.shape, form.brackets, form.target.span, declared ? std::optional(declared->span) : std::nullopt};
    const auto integer = [this](const ast::IndexTree& tree) { return expressions_.integer(tree); };
    std::optional<Selection> part = selected(form.slices, whole, integer, messages_);
    if (part) {
        list_all(*part);
        for (int& component : part->components) {
            component = type.shape.stored(component);
        }
    }
    const Span value_span = program_.expression(form.value.root).span;
    Evaluated evaluated = expressions_.evaluate(form.value, type.precision);
    const std::optional<DataId> datum =
        part && evaluated.value.good() ? expressions_.datum_of(evaluated.value, type.precision, value_span) : std::nullopt;
    assembled = scope_.definition(name); // evaluating may have moved it
    Assembly& assembly = *assembled->assembly;
    assembly.wrong = assembly.wrong || !datum || !part_fits(form, *part, *datum) || !mirrors_itself(form, *part, *datum);
    if (assembly.wrong) {
        leave_wrong(*assembled);
        return;
    }
    const auto assigned = [&](int component) {
        return assembly.components[static_cast<std::size_t>(component)].has_value() && (adds || !assembly.is_old(component));
    };
    const auto is_assigned = std::find_if(part->components.begin(), part->components.end(), assigned);
    const bool all = std::all_of(part->components.begin(), part->components.end(), assigned);
    const bool none = is_assigned == part->components.end();
    if (!none && !adds) {
        report_overlap(form, *part, *is_assigned);
        leave_wrong(*assembled);
        return;
    }
    if (!none && !all) {
        expressions_.report_gap(name, form.target.span.to(form.brackets));
        return;
    }
    evaluated.value = {datum, std::nullopt};
    const CallSite site = site_of(form);
    if (none && form.form == ast::Assignment::Form::subtracts) {
        expressions_.negate(evaluated, value_span, site);
    } else if (all && adds) {
        std::vector<Component> components;
        for (const int component : part->components) {
            components.push_back(*assembly.at(component));
        }
        const Span target = form.target.span.to(form.brackets);
        const Value before = expressions_.moved(
            evaluated, {part->shape, type.precision}, std::move(components), assembled->name + "[" + part->text + "]", target);
        if (before.datum) {
            evaluated.value = expressions_.add_step(
                evaluated, {*before.datum, draft_.datum(*before.datum).type, target, assembled->span}, value_span, site);
        }
    }
    if (!evaluated.value.datum) {
        leave_wrong(*assembled);
        return;
    }
    next_value(*assembled, form.target);
    name_part(*assembled, evaluated);
    assembly.places.push_back(form.target.span.to(form.brackets));
    for (std::size_t i = 0; i < part->components.size(); ++i) {
        assembly.assign(part->components[i], {evaluated.value.datum, static_cast<int>(i)}, assembly.places.size() - 1);
    }
}

/// That an updated list has no new value is not reported too.
void Checker::leave_wrong(Defined& assembled) {
    assembled.assembly->wrong = true;
    if (assembled.role == Role::updated) {
        assembled.value = {};
    }
}

/// The name as something that parts can be assigned to; nothing after reporting.
Defined* Checker::part_target(const ast::Assignment& form) {
    const std::string& name = form.target.text;
    const bool adds = form.form != ast::Assignment::Form::defines;
    Defined* defined = scope_.definition(name);
    if (!defined) {
        const Declared* declared = scope_.declaration(name);
        if (!declared) {
            messages_.report(kind::undefined_name, form.target.span, in_backticks(name) + " is not declared, so it has no parts").hint =
                "declare its type first: `MATRIX6x6 " + name + ";`";
            scope_.define_wrong(form.target);
            return nullptr;
        }
        Defined made{
            form.target.span, Role::computed, {}, std::nullopt, expansion_.qualified(name, scope_.loops_around_declaration(name)), 0, {}};
        if (declared->type) {
            made.assembly.emplace(*declared->type);
        }
        scope_.define(form.target, std::move(made), true);
        defined = scope_.definition(name);
    }
    const bool in_progress = defined->assembly && !defined->value.good();
    const bool summed = adds && scope_.is_own(name) &&
        (defined->role == Role::computed || defined->role == Role::constant || defined->role == Role::updated);
    if (in_progress && scope_.is_own(name)) {
        return defined;
    }
    if (!defined->value.good()) {
        return nullptr; // reported
    }
    const bool replaced = scope_.is_own(name) && (defined->role == Role::updated || (defined->assembly && defined->assembly->replaces));
    if (!adds && !replaced) {
        Diagnostic& d = messages_.report(
            kind::defined_twice, form.target.span, in_backticks(name) + " is already " + std::string(described(defined->role)));
        d.notes.push_back({defined->span, "defined here"});
        d.hint = defined->role == Role::computed || defined->role == Role::constant || defined->role == Role::updated
            ? "a part of a value can be summed to, with `" + name + "[...] += ...`"
            : "give it another name first, `B = " + name + ";`, and sum to a part of that, `B[...] += ...`";
        return nullptr;
    }
    if (adds && !summed) {
        can_sum(form);
        return nullptr;
    }
    if (!defined->assembly) {
        const Datum& datum = draft_.datum(*defined->value.datum);
        defined->assembly.emplace(datum.type);
        defined->assembly->places.push_back(defined->span);
        defined->assembly->named = defined->nested.size();
        defined->assembly->replaces = defined->role == Role::updated;
        for (int i = 0; i < datum.type.shape.components(); ++i) {
            defined->assembly->assign(datum.type.shape.stored(i), {*defined->value.datum, datum.type.shape.stored(i)}, 0);
        }
    }
    return defined;
}

/// Whether the value has the type of the part.
bool Checker::part_fits(const ast::Assignment& form, const Selection& part, DataId value) {
    const ast::Expression& expression = program_.expression(form.value.root);
    const Type& found = draft_.datum(value).type;
    const Type needed{part.shape, scope_.definition(form.target.text)->assembly->type.precision};
    if (found.shape.full() == needed.shape && found.precision == needed.precision) {
        return true;
    }
    const std::string target = in_backticks(form.target.span.to(form.brackets).text());
    Diagnostic& d = messages_.report(found.shape == needed.shape ? kind::precision_mismatch : kind::part_mismatch, expression.span,
        target + " is `" + to_string(needed) + "`, but its value is `" + to_string(found) + "`");
    if (const Declared* declared = scope_.declaration(form.target.text)) {
        d.notes.push_back({declared->span, in_backticks(form.target.text) + " is declared here"});
    }
    d.hint = found.shape == needed.shape ? conversion_hint(needed.precision) : "";
    return false;
}

/// Where a part of a packed matrix lies on both sides of its diagonal: whether the value has there what the other side has.
bool Checker::mirrors_itself(const ast::Assignment& form, const Selection& part, DataId value) {
    const Assembly& assembly = *scope_.definition(form.target.text)->assembly;
    if (!assembly.type.shape.packed) {
        return true;
    }
    std::map<int, int> first; // by component: where the part has it first
    for (std::size_t i = 0; i < part.components.size(); ++i) {
        const int here = static_cast<int>(i);
        const auto [before, inserted] = first.emplace(part.components[i], here);
        const int columns = part.shape.columns;
        const bool mirrored = draft_.symmetric[value.index()] && before->second == here % columns * columns + here / columns;
        if (inserted || mirrored) {
            continue;
        }
        const int n = assembly.type.shape.columns;
        const std::string row = std::to_string(part.components[i] / n), column = std::to_string(part.components[i] % n);
        Diagnostic& d = messages_.report(kind::not_symmetric, form.target.span.to(form.brackets),
            in_backticks(form.target.text + "[" + part.text + "]") + " has [" + row + "," + column + "] and [" + column + "," + row +
                "], which are one component of a `" + to_string(assembly.type.shape) + "`, and its value is not known to be symmetric");
        d.hint = "assign the lower triangle, or a value made by `symmetric(...)`";
        return false;
    }
    return true;
}

void Checker::report_overlap(const ast::Assignment& form, const Selection& part, int component) {
    const Assembly& assembly = *scope_.definition(form.target.text)->assembly;
    const int columns = assembly.type.shape.columns;
    const std::string at = assembly.type.shape.form == Form::matrix
        ? std::to_string(component / columns) + "," + std::to_string(component % columns)
        : std::to_string(component);
    const Span target = form.target.span.to(form.brackets);
    const Span& before = assembly.places[assembly.place_of[static_cast<std::size_t>(component)]];
    Diagnostic& d = messages_.report(
        kind::overlapping_parts, target, in_backticks(form.target.text + "[" + part.text + "]") + " has a value in [" + at + "] already");
    d.notes.push_back({before, "assigned here"});
    d.hint = "parts that are assigned do not overlap; sums are written `+=`";
}

/// Before a part of it changes: what has been read as a whole is one value, and the next one begins.
void Checker::next_value(Defined& assembled, const ast::Name& target) {
    if (!assembled.value.good()) {
        return;
    }
    number_value(assembled);
    assembled.value = {};
    assembled.role = Role::computed;
    assembled.span = target.span;
    assembled.assembly->named = 0;
    assembled.assembly->read = false;
}

/// Calls inside parts are `K.1`, `K.2`, ... in the order of the parts; of the second value of `K`, `K:2.1`.
void Checker::name_part(Defined& assembled, const Evaluated& evaluated) {
    const std::string prefix = assembled.values == 0 ? assembled.name : assembled.name + ":" + std::to_string(assembled.values + 1);
    for (const CallId call : evaluated.calls) {
        draft_.rename(draft_.calls[call.index()].result, prefix + "." + std::to_string(++assembled.assembly->named), NameKind::nested);
        if (assembled.values == 0) {
            assembled.nested.push_back(call);
        }
    }
}

void Checker::complete_parts() {
    for (const std::string& name : scope_.own_names()) {
        const Defined* defined = std::as_const(scope_).definition(name);
        const bool used = defined && defined->assembly && defined->assembly->read && defined->assembly->missing == 0; // if not as a whole
        if (!expansion_.stopped() && defined && defined->assembly && !used) {
            expressions_.complete(name, scope_.declaration(name) ? scope_.declaration(name)->span : defined->span);
        }
    }
}

} // namespace fusec::frontend
