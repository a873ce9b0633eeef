// SPDX-License-Identifier: Apache-2.0
// Statement by statement from the AST to a checked program.
#include "frontend/draft.hpp"
#include "frontend/expression_check.hpp"
#include "frontend/frontend.hpp"
#include "frontend/scope.hpp"
#include "frontend/syntax_messages.hpp"

#include <charconv>
#include <filesystem>

namespace fusec::frontend {

namespace {

class Checker {
public:
    Checker(const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics)
        : program_(program), catalog_(catalog), options_(options), diagnostics_(diagnostics), scope_(program, catalog, diagnostics),
          expressions_(program, catalog, options.default_precision, scope_, draft_, diagnostics) {}

    std::optional<CheckedProgram> check() {
        const std::size_t errors_before = diagnostics_.error_count();
        for (const ast::Statement& statement : program_.statements) {
            if (return_ && !reported_after_return_) {
                Diagnostic& d = diagnostics_.report(kind::statement_after_return, statement.span, "statement after `return`");
                d.notes.push_back({return_->span, "`return` is the last statement"});
                d.hint = std::holds_alternative<ast::ReturnList>(statement.form) ? "list all results in one `return F, G;`" : "";
                reported_after_return_ = true;
            }
            current_ = &statement;
            std::visit([this](const auto& form) { add(form); }, statement.form);
        }
        if (!return_) {
            report_missing_return();
        }
        if (diagnostics_.error_count() != errors_before) {
            return std::nullopt;
        }
        scope_.report_unused_declarations();
        return finish(std::move(draft_), program_name(), program_.source, catalog_, diagnostics_);
    }

private:
    /// At the end of the last statement (of an empty program: its start); the hint names what was defined last.
    void report_missing_return() {
        Span end{program_.source, 0, 0};
        std::string result = "F";
        for (const ast::Statement& statement : program_.statements) {
            end = {program_.source, statement.span.end - 1, statement.span.end};
            if (const auto* assignment = std::get_if<ast::Assignment>(&statement.form)) {
                result = assignment->target.text;
            }
        }
        diagnostics_.report(kind::missing_return, end, "the program has no `return`").hint = "end it with the names of its results: `return " + result + ";`";
    }

    void add(const ast::ProgramName& form) {
        if (current_ != &program_.statements.front()) {
            diagnostics_.report(kind::misplaced_program_name, current_->span, "`program` is not the first statement").notes.push_back({program_.statements.front().span, "the first statement"});
        }
        name_ = form.name.text;
    }

    void add(const ast::Declaration& form) {
        const std::optional<Type> type = type_of(form.shape, form.precision);
        for (const ast::Name& name : form.names) {
            const bool free = scope_.declare(name, type);
            if (form.uniform && free) {
                scope_.define(name, "a uniform", type ? std::optional(add_interface(name, *type, DatumKind::uniform)) : std::nullopt);
            }
        }
    }

    void add(const ast::ConstantDeclaration& form) {
        const std::optional<Type> type = type_of(form.shape, form.precision);
        for (const ast::ConstantDeclaration::Definition& definition : form.definitions) {
            const bool free = scope_.declare(definition.name, type);
            std::optional<DataId> datum;
            if (type) {
                std::optional<Constant> value = constant_value(program_, definition.value, definition.name.text, type->shape, diagnostics_);
                if (value && round_to(type->precision, *value, program_.expression(definition.value.root).span, diagnostics_)) {
                    datum = draft_.add({definition.name.text, {}, *type, DatumKind::constant, std::move(value->values), {}, false, definition.name.span});
                }
            }
            if (free) {
                scope_.define(definition.name, "a constant", datum);
            }
        }
    }

    void add(const ast::InputList& form) {
        for (const ast::Name& name : form.names) {
            if (!scope_.can_define(name)) {
                continue;
            }
            const Declared* declared = scope_.declaration(name.text);
            if (!declared) {
                diagnostics_.report(kind::undeclared_input, name.span, "input " + in_backticks(name.text) + " is not declared").hint = "declare its type first: `MATRIX3x3 " + name.text + ";`";
            }
            const bool typed = declared && declared->type;
            scope_.define(name, "an input", typed ? std::optional(add_interface(name, *declared->type, DatumKind::input)) : std::nullopt);
        }
    }

    void add(const ast::Assignment& form) {
        const Declared* declared = scope_.declaration(form.target.text);
        const bool free = scope_.can_define(form.target);
        std::optional<DataId> datum = expressions_.check(form.target, form.value, declared ? declared->type : std::nullopt);
        if (datum && declared && declared->type && *declared->type != draft_.datum(*datum).type) {
            const Type found = draft_.datum(*datum).type;
            Diagnostic& d = diagnostics_.report(kind::declared_type_mismatch, program_.expression(form.value.root).span, in_backticks(form.target.text) + " is declared `" + to_string(*declared->type) + "`, but its value is `" + to_string(found) + "`");
            d.notes.push_back({declared->span, "declared here"});
            datum.reset();
        }
        if (declared && !declared->type) {
            datum.reset();
        }
        if (free) {
            const bool constant = datum && draft_.datum(*datum).kind == DatumKind::constant;
            scope_.define(form.target, constant ? "a constant" : "computed", datum);
        }
    }

    void add(const ast::ReturnList& form) {
        if (return_) {
            return; // reported as a statement after `return`
        }
        return_ = current_;
        for (const ast::Name& name : form.names) {
            const std::optional<DataId> datum = scope_.use(name.text, name.span);
            if (!datum) {
                continue;
            }
            if (const DatumKind what = draft_.datum(*datum).kind; what != DatumKind::computed) {
                const char* word = what == DatumKind::input ? "an input" : what == DatumKind::uniform ? "a uniform"
                                                                                                      : "a constant";
                diagnostics_.report(kind::returned_uncomputed, name.span, in_backticks(name.text) + " is " + word + ": there is nothing to compute").notes.push_back({draft_.datum(*datum).span, "defined here"});
                continue;
            }
            const auto before = returned_.emplace(*datum, name);
            if (!before.second) {
                const ast::Name& first = before.first->second;
                Diagnostic& d = diagnostics_.report(kind::returned_twice, name.span, in_backticks(name.text) + (first.text == name.text ? " is returned twice" : " is another name of " + in_backticks(first.text) + ", which is returned already"));
                d.notes.push_back({first.span, "the first time"});
                continue;
            }
            draft_.returned.push_back({*datum, name});
        }
    }

    /// The type a declaration means; nothing after reporting a dimension that cannot be.
    std::optional<Type> type_of(const ast::WrittenShape& written, const std::optional<Precision>& precision) {
        Type type{{written.form, 1, 1}, precision.value_or(options_.default_precision)};
        bool good = written.form == Form::scalar || dimension(written, written.rows, type.shape.rows);
        if (written.form == Form::matrix) {
            good = dimension(written, written.columns, type.shape.columns) && good;
        }
        return good ? std::optional(type) : std::nullopt;
    }

    bool dimension(const ast::WrittenShape& written, const std::string& digits, int& into) {
        if (digits.front() == '0') {
            diagnostics_.report(kind::invalid_dimension, written.span, "dimension " + in_backticks(digits) + " of " + in_backticks(written.span.text())).hint = "dimensions are 1 to " + std::to_string(max_dimension) + ", without leading zeros";
            return false;
        }
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
        if (error != std::errc{} || into > max_dimension) {
            diagnostics_.report(kind::dimension_limit, written.span, "dimension " + (digits.size() > 20 ? digits.substr(0, 20) + "..." : digits) + ", the limit is " + std::to_string(max_dimension));
            return false;
        }
        return true;
    }

    DataId add_interface(const ast::Name& name, const Type& type, DatumKind what) {
        const DataId id = draft_.add({name.text, {}, type, what, {}, {}, false, name.span});
        draft_.interface.push_back(id);
        return id;
    }

    std::string program_name() const { return name_ ? *name_ : std::filesystem::path(program_.source->path()).stem().string(); }

    const ast::Program& program_;
    const library::Catalog& catalog_;
    const CheckOptions& options_;
    Diagnostics& diagnostics_;
    Scope scope_;
    Draft draft_;
    ExpressionChecker expressions_;
    const ast::Statement* current_ = nullptr;
    const ast::Statement* return_ = nullptr;
    bool reported_after_return_ = false;
    std::optional<std::string> name_;
    std::map<DataId, ast::Name> returned_;
};

} // namespace

std::optional<CheckedProgram> check(const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics) {
    return Checker(program, catalog, options, diagnostics).check();
}

} // namespace fusec::frontend
