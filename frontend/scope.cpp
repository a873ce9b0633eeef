// SPDX-License-Identifier: Apache-2.0
#include "frontend/scope.hpp"
#include "frontend/syntax_messages.hpp"

namespace fusec::frontend {

namespace {

constexpr std::size_t most_errors_with_hints = 100;
constexpr std::size_t longest_hinted = 64; ///< bytes of a name for which a near one is sought

} // namespace

Scope::Scope(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics)
    : catalog_(catalog), diagnostics_(diagnostics) {
    for (const ast::Statement& statement : program.statements) {
        const auto* assignment = std::get_if<ast::Assignment>(&statement.form);
        if (!assignment || !assigned_later_.emplace(assignment->target.text, assignment->target.span).second) {
            continue;
        }
        std::vector<std::string>& reads = reads_[assignment->target.text];
        for (std::size_t i = assignment->value.first.index(); i <= assignment->value.root.index(); ++i) {
            if (program.expressions[i].kind == ast::ExpressionKind::name) {
                reads.push_back(program.expressions[i].text);
            }
        }
    }
}

bool Scope::declare(const ast::Name& name, std::optional<Type> type) {
    const auto [entry, inserted] = declared_.emplace(name.text, Declared{name.span, type});
    if (!inserted) {
        diagnostics_.report(kind::declared_twice, name.span, in_backticks(name.text) + " is declared twice").notes.push_back({entry->second.span, "the first declaration"});
        return false;
    }
    if (const Defined* defined = definition(name.text)) {
        diagnostics_.report(kind::declared_twice, name.span, in_backticks(name.text) + " is declared after its definition").notes.push_back({defined->span, "defined here"});
        return false;
    }
    return true;
}

bool Scope::can_define(const ast::Name& name) {
    const Defined* before = definition(name.text);
    if (before) {
        diagnostics_.report(kind::defined_twice, name.span, in_backticks(name.text) + " is already " + before->how).notes.push_back({before->span, "defined here"});
    }
    return !before;
}

bool Scope::define(const ast::Name& name, std::string how, std::optional<DataId> datum) {
    if (!can_define(name)) {
        return false;
    }
    defined_.emplace(name.text, Defined{name.span, std::move(how), datum});
    return true;
}

const Declared* Scope::declaration(const std::string& name) const {
    const auto entry = declared_.find(name);
    return entry == declared_.end() ? nullptr : &entry->second;
}

const Defined* Scope::definition(const std::string& name) const {
    const auto entry = defined_.find(name);
    return entry == defined_.end() ? nullptr : &entry->second;
}

std::optional<DataId> Scope::use(const std::string& name, const Span& span) {
    if (const Defined* defined = definition(name)) {
        return defined->datum;
    }
    if (!reported_.insert(name).second) {
        return std::nullopt;
    }
    if (const auto later = assigned_later_.find(name); later != assigned_later_.end()) {
        const bool cycle = diagnostics_.error_count() < most_errors_with_hints && needs(name, name);
        Diagnostic& d = diagnostics_.report(kind::used_before_definition, span, in_backticks(name) + (cycle ? " is used before its definition, which needs this value: a cycle" : " is used before its definition"));
        d.notes.push_back({later->second, "defined here"});
        d.hint = cycle ? "" : "move the definition up";
        return std::nullopt;
    }
    if (const Declared* declared = declaration(name)) {
        Diagnostic& d = diagnostics_.report(kind::undefined_name, span, in_backticks(name) + " is declared but has no value");
        d.notes.push_back({declared->span, "declared here"});
        d.hint = "list it in `input`, or assign it";
        return std::nullopt;
    }
    Diagnostic& d = diagnostics_.report(kind::undefined_name, span, in_backticks(name) + " is not defined");
    if (const std::string near = nearest_name(name); !near.empty()) {
        d.hint = "did you mean `" + near + "`?";
    } else if (name.size() <= longest_hinted && catalog_.find(name)) {
        d.hint = "`" + name + "` is a function: its operands follow in parentheses";
    }
    return std::nullopt;
}

bool Scope::needs(const std::string& from, const std::string& name) const {
    std::set<std::string> seen;
    std::vector<std::string> open{from};
    while (!open.empty()) {
        const auto reads = reads_.find(open.back());
        open.pop_back();
        if (reads == reads_.end()) {
            continue;
        }
        for (const std::string& read : reads->second) {
            if (read == name) {
                return true;
            }
            if (seen.insert(read).second) {
                open.push_back(read);
            }
        }
    }
    return false;
}

void Scope::report_unused_declarations() {
    for (const auto& [name, declared] : declared_) {
        if (!defined_.contains(name) && !reported_.contains(name)) {
            diagnostics_.report(kind::unused_declaration, declared.span, in_backticks(name) + " is declared, but is neither an input nor assigned");
        }
    }
}

std::string Scope::nearest_name(const std::string& name) const {
    if (diagnostics_.error_count() > most_errors_with_hints || name.size() > longest_hinted) {
        return {};
    }
    std::vector<std::string> known;
    for (const auto& [other, defined] : defined_) {
        if (other.size() <= longest_hinted) {
            known.push_back(other);
        }
    }
    return nearest(name, known);
}

} // namespace fusec::frontend
