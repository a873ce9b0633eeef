// SPDX-License-Identifier: Apache-2.0
// Statements that declare, give and return.
#include "frontend/checker.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fusec::frontend {

void Checker::add(const ast::ProgramName& form) {
    if (current_ != 0) {
        messages_.report(kind::misplaced_program_name, program_.statements[current_].span, "`program` is not the first statement")
            .notes.push_back({program_.statements.front().span, "the first statement"});
    }
    name_ = form.name.text;
}

void Checker::add(const ast::Declaration& form) {
    const std::optional<Type> type = type_of(form.shape, form.precision);
    note_storage(form);
    for (const ast::Name& name : form.names) {
        const bool free = scope_.declare(name, type);
        if (form.uniform && free) {
            Defined defined{name.span, Role::uniform, {}, std::nullopt, name.text, 1, {}};
            defined.value.datum = type ? std::optional(add_interface(name, *type, DatumKind::uniform)) : std::nullopt;
            scope_.define(name, std::move(defined));
        }
    }
}

void Checker::add(const ast::ConstantDeclaration& form) {
    std::optional<Type> type = type_of(form.shape, form.precision);
    if (form.storage) {
        messages_.report(kind::storage_without_list, form.storage->span, "a constant is part of the text, no list that could be stored")
            .hint = "leave " + in_backticks(form.storage->span.text()) + " out";
    }
    if (type && type->shape.packed) {
        messages_
            .report(kind::packed_constant, form.shape.span,
                "`" + to_string(type->shape) + "` says how a list is stored, but a constant is part of the text")
            .hint = "declare it `" + to_string(type->shape.full()) + "`; that it is symmetric is seen";
        type.reset();
    }
    for (const ast::ConstantDeclaration::Definition& definition : form.definitions) {
        const bool free = scope_.declare(definition.name, type);
        Defined defined{definition.name.span, Role::constant, {}, std::nullopt, expansion_.qualified(definition.name.text), 1, {}};
        if (type) {
            std::optional<Constant> value = constant_value(program_, definition.value, definition.name.text, type->shape, messages_);
            if (value && round_to(type->precision, *value, program_.expression(definition.value.root).span, messages_)) {
                defined.value.datum =
                    add_constant({defined.name, {}, *type, DatumKind::constant, std::move(value->values), {}, false, definition.name.span},
                        kind_of_name(defined.name, definition.name));
            }
        }
        expansion_.spend(definition.value.root.index() - definition.value.first.index() + 1, definition.name.span);
        if (free) {
            scope_.define(definition.name, std::move(defined));
        }
    }
}

void Checker::add(const ast::InputList& form) {
    for (const ast::Name& name : form.names) {
        if (!scope_.can_define(name)) {
            continue;
        }
        const Declared* declared = scope_.declaration(name.text);
        if (!declared) {
            messages_
                .report(kind::undeclared_input, name.span,
                    std::string(form.updated ? "`inout` " : "input ") + in_backticks(name.text) + " is not declared")
                .hint = "declare its type first: `MATRIX3x3 " + name.text + ";`";
        }
        // The values of an updated list are `y:0`, the old one, `y:1`, ..., the last one `y`.
        Defined defined{
            name.span, form.updated ? Role::updated : Role::input, {}, std::nullopt, name.text, form.updated ? std::size_t{0} : 1, {}};
        if (declared && declared->type) {
            defined.value.datum = add_interface(name, *declared->type, DatumKind::input);
            if (form.updated) {
                updated_.emplace_back(name, *defined.value.datum);
                draft_.read[defined.value.datum->index()] = true; // written at least
            }
        }
        store_list(name, defined.value.datum);
        scope_.define(name, std::move(defined));
    }
}

void Checker::add(const ast::ReturnList& form) {
    if (return_) {
        return; // reported as a statement after `return`
    }
    return_ = &program_.statements[current_];
    for (const ast::Name& name : form.names) {
        expressions_.complete(name.text, name.span);
        const Defined* defined = scope_.use(name.text, name.span);
        store_list(name, std::nullopt);
        if (!defined || !defined->value.datum) {
            continue;
        }
        const auto updated =
            std::find_if(updated_.begin(), updated_.end(), [&](const auto& update) { return update.first.text == name.text; });
        if (updated != updated_.end()) {
            Diagnostic& d = messages_.report(
                kind::returned_inout, name.span, in_backticks(name.text) + " is `inout`: its new value is stored without `return`");
            d.notes.push_back({updated->first.span, "defined here"});
            d.hint = "leave it out of `return`, or give the value a name of its own, `F = " + name.text + " + ...;`";
            continue;
        }
        if (may_return(name, *defined->value.datum, in_backticks(name.text))) {
            store_list(name, defined->value.datum);
            draft_.returned.push_back({*defined->value.datum, name});
        }
    }
}

/// Reports what is not computed, and what is returned already.
bool Checker::may_return(const ast::Name& name, DataId datum, const std::string& subject) {
    if (const DatumKind what = draft_.datum(datum).kind; what != DatumKind::computed) {
        const char* word = what == DatumKind::input ? "an input" : what == DatumKind::uniform ? "a uniform" : "a constant";
        messages_.report(kind::returned_uncomputed, name.span, subject + " is " + word + ": there is nothing to compute")
            .notes.push_back({draft_.datum(datum).span, "defined here"});
        return false;
    }
    const auto before = returned_.emplace(datum, name);
    if (!before.second) {
        const ast::Name& first = before.first->second;
        Diagnostic& d = messages_.report(kind::returned_twice, name.span,
            subject +
                (first.text == name.text ? " is returned twice"
                                         : " is another name of " + in_backticks(first.text) + ", which is returned already"));
        d.notes.push_back({first.span, "the first time"});
        return false;
    }
    return true;
}

void Checker::return_updated() {
    for (const auto& [name, old] : updated_) {
        expressions_.complete(name.text, name.span);
        const Defined* defined = std::as_const(scope_).definition(name.text);
        if (!defined || !defined->value.datum) {
            continue; // reported
        }
        if (defined->role == Role::updated) {
            Diagnostic& d = messages_.report(
                kind::unchanged_inout, name.span, in_backticks(name.text) + " is `inout`, but the program gives it no new value");
            d.hint = "add to it, `" + name.text + " += ...;`, or assign it; what is only read is an `input`";
            continue;
        }
        if (may_return({name.text, defined->span}, *defined->value.datum, "the new value of " + in_backticks(name.text))) {
            store_list(name, defined->value.datum);
            draft_.updates.emplace_back(old, draft_.returned.size());
            draft_.returned.push_back({*defined->value.datum, {name.text, defined->span}});
        }
    }
}

std::optional<Type> Checker::type_of(const ast::WrittenShape& written, const std::optional<Precision>& precision) {
    Type type{{written.form, 1, 1}, precision.value_or(options_.default_precision)};
    bool good = written.form == Form::scalar || dimension(written, written.rows, type.shape.rows);
    if (written.form == Form::matrix) {
        good = written.packed || (dimension(written, written.columns, type.shape.columns) && good);
    }
    if (written.packed) {
        type.shape.columns = type.shape.rows;
        type.shape.packed = true;
    }
    return good ? std::optional(type) : std::nullopt;
}

bool Checker::dimension(const ast::WrittenShape& written, const std::string& digits, int& into) {
    if (digits.front() == '0') {
        messages_
            .report(kind::invalid_dimension, written.span, "dimension " + in_backticks(digits) + " of " + in_backticks(written.span.text()))
            .hint = "dimensions are 1 to " + std::to_string(max_dimension) + ", without leading zeros";
        return false;
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    if (error != std::errc{} || into > max_dimension) {
        messages_.report(kind::dimension_limit, written.span,
            "dimension " + (digits.size() > 20 ? digits.substr(0, 20) + "..." : digits) + ", the limit is " +
                std::to_string(max_dimension));
        return false;
    }
    return true;
}

DataId Checker::add_interface(const ast::Name& name, const Type& type, DatumKind what) {
    const DataId id = draft_.add({name.text, {}, type, what, {}, {}, false, name.span}, NameKind::written);
    draft_.interface.push_back(id);
    return id;
}

} // namespace fusec::frontend
