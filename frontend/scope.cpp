// SPDX-License-Identifier: Apache-2.0
#include "frontend/scope.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <utility>

namespace fusec::frontend {

namespace {

constexpr std::size_t most_hints = 100;
constexpr std::size_t longest_hinted = 64; ///< bytes of a name for which a near one is sought
constexpr std::size_t no_block = static_cast<std::size_t>(-1);

std::size_t end_of_block(const ast::Statement& statement) {
    if (const auto* loop = std::get_if<ast::Loop>(&statement.form)) {
        return loop->end;
    }
    const auto* definition = std::get_if<ast::Definition>(&statement.form);
    return definition ? definition->end : 0;
}

} // namespace

std::string_view described(Role role) {
    switch (role) {
    case Role::input:
        return "an input";
    case Role::updated:
        return "an `inout` list";
    case Role::uniform:
        return "a uniform";
    case Role::constant:
        return "a constant";
    case Role::computed:
        return "computed";
    case Role::variable:
        return "the variable of a loop";
    case Role::parameter:
        return "a parameter";
    }
    return {};
}

Scope::Scope(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics)
    : catalog_(catalog), diagnostics_(diagnostics), frames_(1) {
    frames_.front().block = no_block;
    std::vector<std::size_t> blocks; // around the statement
    for (std::size_t i = 0; i < program.statements.size(); ++i) {
        const ast::Statement& statement = program.statements[i];
        while (!blocks.empty() && end_of_block(program.statements[blocks.back()]) == i) {
            blocks.pop_back();
        }
        const std::size_t block = blocks.empty() ? no_block : blocks.back();
        if (end_of_block(statement) > i + 1) {
            blocks.push_back(i);
        }
        const auto* assignment = std::get_if<ast::Assignment>(&statement.form);
        if (!assignment || assignment->form != ast::Assignment::Form::defines || (!assignment->slices.empty() && block != no_block)) {
            continue; // what parts in a block make is a value of the block around
        }
        assigned_[assignment->target.text].push_back({assignment->target.span, block});
        if (block != no_block || reads_.contains(assignment->target.text)) {
            continue;
        }
        std::vector<std::string>& reads = reads_[assignment->target.text];
        for (std::size_t e = assignment->value.first.index(); e <= assignment->value.root.index(); ++e) {
            if (program.expressions[e].kind == ast::ExpressionKind::name) {
                reads.push_back(program.expressions[e].text);
            }
        }
    }
}

void Scope::enter_loop(std::size_t block) {
    const std::size_t barrier = frames_.back().barrier;
    const std::size_t above = frames_.back().above;
    frames_.push_back({block, barrier, above, {}});
}

void Scope::enter_definition(std::size_t block, std::size_t above) {
    frames_.push_back({block, frames_.size(), above, {}});
}

void Scope::leave() {
    for (const Bindings::iterator& name : frames_.back().names) {
        report_unused(name->first, name->second.back());
        name->second.pop_back();
    }
    frames_.back().names.clear();
    if (frames_.size() > 1) {
        frames_.pop_back();
    }
}

const Scope::Binding* Scope::visible(const std::string& name) const {
    const auto entry = names_.find(name);
    if (entry == names_.end() || entry->second.empty()) {
        return nullptr;
    }
    const Binding& inner = entry->second.back();
    if (inner.depth >= frames_.back().barrier) {
        return &inner;
    }
    const Binding& outer = entry->second.front();
    const bool shared = outer.depth == 0 && outer.order < frames_.back().above && outer.defined &&
        (outer.defined->role == Role::constant || outer.defined->role == Role::uniform);
    return shared ? &outer : nullptr;
}

Scope::Binding* Scope::visible(const std::string& name) {
    return const_cast<Binding*>(std::as_const(*this).visible(name));
}

Scope::Binding& Scope::bind(const std::string& name, std::size_t depth) {
    const auto entry = names_.try_emplace(name).first;
    if (entry->second.empty() || entry->second.back().depth != depth) {
        entry->second.push_back({depth, 0, std::nullopt, std::nullopt});
        frames_[depth].names.push_back(entry);
    }
    return entry->second.back();
}

bool Scope::declare(const ast::Name& name, std::optional<Type> type) {
    const Binding* before = visible(name.text);
    if (before && before->declared) {
        diagnostics_.report(kind::declared_twice, name.span, in_backticks(name.text) + " is declared twice")
            .notes.push_back({before->declared->span, "the first declaration"});
        return false;
    }
    if (before) {
        diagnostics_.report(kind::declared_twice, name.span, in_backticks(name.text) + " is declared after its definition")
            .notes.push_back({before->defined->span, "defined here"});
        return false;
    }
    bind(name.text, depth()).declared = Declared{name.span, type};
    return true;
}

bool Scope::can_define(const ast::Name& name) {
    const Binding* before = visible(name.text);
    if (before && before->defined) {
        diagnostics_
            .report(
                kind::defined_twice, name.span, in_backticks(name.text) + " is already " + std::string(described(before->defined->role)))
            .notes.push_back({before->defined->span, "defined here"});
        return false;
    }
    if (before && before->depth != depth()) {
        Diagnostic& d = diagnostics_.report(kind::declared_outside, name.span,
            in_backticks(name.text) + " is declared outside of the loop, but this value ends with its iteration");
        d.notes.push_back({before->declared->span, "declared here"});
        d.hint = "declare it inside the loop, or sum with `" + name.text + " += ...`";
        return false;
    }
    return true;
}

bool Scope::define(const ast::Name& name, Defined defined, bool where_declared) {
    const Binding* declared = where_declared ? visible(name.text) : nullptr;
    if (!declared && !can_define(name)) {
        return false;
    }
    Binding& binding = bind(name.text, declared ? declared->depth : depth());
    binding.defined = std::move(defined);
    binding.order = order_++;
    return true;
}

void Scope::define_parameter(const ast::Name& name, Defined defined) {
    Binding& binding = bind(name.text, depth());
    binding.defined = std::move(defined);
    binding.order = order_++;
}

void Scope::define_wrong(const ast::Name& name) {
    Binding& binding = bind(name.text, frames_.back().barrier);
    binding.defined = Defined{name.span, Role::computed, {}, std::nullopt, name.text, 1, {}};
    binding.order = order_++;
}

std::vector<std::string> Scope::own_names() const {
    std::vector<std::string> names;
    for (const Bindings::iterator& name : frames_.back().names) {
        if (name->second.back().defined) {
            names.push_back(name->first);
        }
    }
    return names;
}

const Declared* Scope::declaration(const std::string& name) const {
    const Binding* binding = visible(name);
    return binding && binding->declared ? &*binding->declared : nullptr;
}

const Defined* Scope::definition(const std::string& name) const {
    const Binding* binding = visible(name);
    return binding && binding->defined ? &*binding->defined : nullptr;
}

Defined* Scope::definition(const std::string& name) {
    Binding* binding = visible(name);
    return binding && binding->defined ? &*binding->defined : nullptr;
}

std::size_t Scope::loops_around_declaration(const std::string& name) const {
    const std::size_t depth = visible(name)->depth;
    return depth - std::min(depth, frames_.back().barrier);
}

const Defined* Scope::use(const std::string& name, const Span& span) {
    if (const Defined* defined = std::as_const(*this).definition(name)) {
        return defined;
    }
    if (reported_.emplace(frames_[frames_.back().barrier].block, name).second) {
        report_undefined(name, span);
    }
    return nullptr;
}

void Scope::report_undefined(const std::string& name, const Span& span) {
    if (report_later(name, span) || report_hidden(name, span)) {
        return;
    }
    if (const Declared* declared = declaration(name)) {
        Diagnostic& d = diagnostics_.report(kind::undefined_name, span, in_backticks(name) + " is declared but has no value");
        d.notes.push_back({declared->span, "declared here"});
        d.hint = "list it in `input`, or assign it";
        return;
    }
    Diagnostic& d = diagnostics_.report(kind::undefined_name, span, in_backticks(name) + " is not defined");
    const auto elsewhere = assigned_.find(name);
    const auto in_block = [](const Place& place) { return place.block != no_block; };
    if (elsewhere != assigned_.end() && in_block(elsewhere->second.front())) {
        d.notes.push_back({elsewhere->second.front().span, "a value of " + in_backticks(name) + ", which ends with its block"});
        d.hint = "sum over a loop with `+=`; the value of a definition is what it returns";
    } else if (const std::string near = nearest_name(name); !near.empty()) {
        d.hint = "did you mean `" + near + "`?";
    } else if (name.size() <= longest_hinted && catalog_.find(name)) {
        d.hint = "`" + name + "` is a function: its operands follow in parentheses";
    }
}

/// In a definition: a name that the program has and the definition does not see.
bool Scope::report_hidden(const std::string& name, const Span& span) {
    const auto entry = names_.find(name);
    if (frames_.back().barrier == 0 || entry == names_.end() || entry->second.empty() || entry->second.front().depth != 0 ||
        !entry->second.front().defined) {
        return false;
    }
    const Defined& outer = *entry->second.front().defined;
    const bool shared = outer.role == Role::constant || outer.role == Role::uniform;
    Diagnostic& d = diagnostics_.report(kind::undefined_name, span,
        in_backticks(name) + " is " + std::string(outer.role == Role::computed ? "a value" : described(outer.role)) +
            (shared ? " below the definition, which does not see it" : " of the program, which a definition does not see"));
    d.notes.push_back({outer.span, "defined here"});
    d.hint = shared ? "move it above the definition"
                    : "make it a parameter; a definition sees its own names, and constants and uniforms above it";
    return true;
}

/// A name that is assigned further down in a block that is open.
bool Scope::report_later(const std::string& name, const Span& span) {
    const auto assigned = assigned_.find(name);
    if (assigned == assigned_.end()) {
        return false;
    }
    for (std::size_t depth = frames_.size(); depth-- > frames_.back().barrier;) {
        for (const Place& place : assigned->second) {
            if (place.block != frames_[depth].block) {
                continue;
            }
            const bool cycle = place.block == no_block && ++hints_ < most_hints && needs(name, name);
            Diagnostic& d = diagnostics_.report(kind::used_before_definition, span,
                in_backticks(name) +
                    (cycle ? " is used before its definition, which needs this value: a cycle" : " is used before its definition"));
            d.notes.push_back({place.span, "defined here"});
            d.hint = cycle ? "" : "move the definition up";
            return true;
        }
    }
    return false;
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

void Scope::report_unused(const std::string& name, const Binding& binding) {
    const bool unused = binding.declared && !binding.defined && !reported_.contains({frames_[frames_.back().barrier].block, name});
    if (unused) {
        diagnostics_.report(
            kind::unused_declaration, binding.declared->span, in_backticks(name) + " is declared, but is neither an input nor assigned");
    }
}

std::string Scope::nearest_name(const std::string& name) {
    if (++hints_ > most_hints || name.size() > longest_hinted) {
        return {};
    }
    std::vector<std::string> known;
    for (const auto& [other, bindings] : names_) {
        if (other.size() <= longest_hinted && std::as_const(*this).definition(other)) {
            known.push_back(other);
        }
    }
    return nearest(name, known);
}

} // namespace fusec::frontend
