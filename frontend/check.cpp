// SPDX-License-Identifier: Apache-2.0
#include "frontend/alternatives.hpp"
#include "frontend/checker.hpp"
#include "frontend/comparisons.hpp"
#include "frontend/contraction.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fusec::frontend {

Checker::Checker(const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics)
    : program_(program),
      catalog_(catalog),
      options_(options),
      diagnostics_(diagnostics),
      expansion_(diagnostics),
      messages_(expansion_.messages()),
      scope_(program, catalog, messages_),
      expressions_(program, catalog, options.default_precision, scope_, draft_, expansion_, *this) {
    for (const ast::Statement& statement : program.statements) {
        if (const auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            later_.emplace(definition->name.text, definition->name.span);
        }
    }
}

std::optional<CheckedProgram> Checker::check() {
    const std::size_t errors_before = diagnostics_.error_count();
    check_comparisons(program_, catalog_, diagnostics_);
    run(0, program_.statements.size());
    complete_parts();
    return_updated();
    report_storage_without_list();
    if (!return_ && updated_.empty()) {
        report_missing_return();
    }
    expansion_.pass_on();
    internal_check(diagnostics_.error_count() != errors_before || !draft_.returned.empty(), "a program without results is no error");
    if (diagnostics_.error_count() != errors_before) {
        return std::nullopt;
    }
    report_unused();
    expansion_.pass_on();
    if (options_.reassociate) {
        draft_ = reassociated(std::move(draft_), catalog_);
    }
    const std::string name = name_ ? *name_ : std::filesystem::path(program_.source->path()).stem().string();
    CheckedProgram checked = finish(std::move(draft_), name, program_.source, catalog_, diagnostics_);
    report_empty_blocks(checked);
    return checked;
}

void Checker::run(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end && !expansion_.stopped();) {
        const ast::Statement& statement = program_.statements[i];
        if (return_ && !reported_after_return_) {
            Diagnostic& d = messages_.report(kind::statement_after_return, statement.span, "statement after `return`");
            d.notes.push_back({return_->span, "`return` is the last statement"});
            d.hint = std::holds_alternative<ast::ReturnList>(statement.form) ? "list all results in one `return F, G;`" : "";
            reported_after_return_ = true;
        }
        current_ = i++;
        if (const auto* loop = std::get_if<ast::Loop>(&statement.form)) {
            i = loop->end;
        } else if (const auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            i = definition->end;
        }
        expansion_.spend(1, statement.span);
        std::visit([this](const auto& form) { add(form); }, statement.form);
        expansion_.pass_on();
    }
}

/// At the end of the last statement (of an empty program: its start); the hint names what was defined last.
void Checker::report_missing_return() {
    if (expansion_.stopped()) {
        return; // it may be further down
    }
    Span end{program_.source, 0, 0};
    std::string result = "F";
    for (const ast::Statement& statement : program_.statements) {
        if (statement.span.source == program_.source) {
            end = {program_.source, statement.span.end - 1, statement.span.end};
        }
        if (const auto* assignment = std::get_if<ast::Assignment>(&statement.form)) {
            result = assignment->target.text;
        }
    }
    messages_.report(kind::missing_return, end, "the program has no `return`").hint =
        "end it with the names of its results: `return " + result + ";`";
}

void Checker::report_unused() {
    scope_.leave();
    for (const auto& [name, definition] : definitions_) {
        const Span& place = definition.form->name.span;
        if (definition.calls == 0 && place.source == program_.source) { // an included file offers more than one program needs
            messages_.report(
                kind::unused_definition, place, "definition " + in_backticks(name) + " is never called: its types were not checked");
        }
    }
    for (const auto& [statement, loop] : loops_) {
        if (loop.empty) {
            messages_.report(kind::empty_range, loop.range, "the range " + loop.text + " is empty: the loop is never executed");
        }
    }
}

namespace {

bool same(const Diagnostic& a, const Diagnostic& b) {
    return a.kind.name == b.kind.name && a.span.source == b.span.source && a.span.begin == b.span.begin && a.message == b.message;
}

void pass_on(const Diagnostic& message, Diagnostics& diagnostics) {
    Diagnostic& passed = diagnostics.report(message.kind, message.span, message.message);
    passed.notes = message.notes;
    passed.hint = message.hint;
}

/// With assertions that are not compiled, the program is made without them; what only they read is used all the same.
std::optional<CheckedProgram> check_one(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics) {
    const bool asserts = std::any_of(program.statements.begin(), program.statements.end(),
        [](const ast::Statement& statement) { return std::holds_alternative<ast::Assertion>(statement.form); });
    if (!asserts || options.checked) {
        return Checker(program, catalog, options, diagnostics).check();
    }
    CheckOptions with_assertions = options;
    with_assertions.checked = true;
    with_assertions.types = nullptr;
    Diagnostics with, without;
    if (!Checker(program, catalog, with_assertions, with).check()) {
        std::for_each(with.all().begin(), with.all().end(), [&](const Diagnostic& m) { pass_on(m, diagnostics); });
        return std::nullopt;
    }
    std::optional<CheckedProgram> made = Checker(program, catalog, options, without).check();
    for (const Diagnostic& message : without.all()) {
        if (!made || std::any_of(with.all().begin(), with.all().end(), [&](const Diagnostic& other) { return same(message, other); })) {
            pass_on(message, diagnostics);
        }
    }
    return made;
}

} // namespace

namespace {

std::vector<CheckedCombination> as_written(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics) {
    const std::optional<std::vector<Combination>> all = combinations(program, diagnostics);
    std::vector<CheckedCombination> checked;
    if (!all) {
        return checked;
    }
    if (all->front().empty()) {
        if (auto only = check_one(program, catalog, options, diagnostics)) {
            checked.push_back({{}, std::move(*only)});
        }
        return checked;
    }
    std::vector<AlternativeTypes> types;
    std::vector<Diagnostics> messages(all->size());
    for (std::size_t i = 0; i < all->size(); ++i) {
        CheckOptions recording = options;
        recording.types = &types.emplace_back();
        auto one = check_one(*chosen(program, (*all)[i]), catalog, recording, messages[i]);
        if (!one) {
            std::for_each(messages[i].all().begin(), messages[i].all().end(), [&](const Diagnostic& m) { pass_on(m, diagnostics); });
            return {};
        }
        checked.push_back({(*all)[i], std::move(*one)});
    }
    if (!types_agree(types, diagnostics)) {
        return {};
    }
    for (const Diagnostic& message : messages.front().all()) {
        const bool in_all = std::all_of(messages.begin(), messages.end(), [&](const Diagnostics& of) {
            return std::any_of(of.all().begin(), of.all().end(), [&](const Diagnostic& other) { return same(message, other); });
        });
        if (in_all) {
            pass_on(message, diagnostics);
        }
    }
    return checked;
}

std::string text_of(double operations) {
    return std::to_string(static_cast<long long>(operations));
}

/// One remark for a place of the text, which may stand for several values, in several combinations.
void report_chains(const std::vector<ReorderedChain>& chains, Diagnostics& diagnostics) {
    std::map<std::tuple<const SourceText*, std::size_t, std::size_t>, std::vector<const ReorderedChain*>> at;
    for (const ReorderedChain& chain : chains) {
        at[{chain.span.source.get(), chain.span.begin, chain.span.end}].push_back(&chain);
    }
    for (const ReorderedChain& chain : chains) {
        const auto& here = at[{chain.span.source.get(), chain.span.begin, chain.span.end}];
        if (here.front() != &chain) {
            continue;
        }
        std::set<std::string> values;
        std::for_each(here.begin(), here.end(), [&](const ReorderedChain* one) { values.insert(one->value); });
        const std::string more = values.size() == 1 ? "" : " (one of " + std::to_string(values.size()) + " values)";
        diagnostics.report(kind::contraction_order, chain.span,
            "`" + chain.value + "`" + more + " as `" + chain.order + "`: " + text_of(chain.operations) + " operations in place of " +
                text_of(chain.operations_as_written));
    }
}

} // namespace

std::vector<CheckedCombination> check_combinations(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics) {
    std::vector<CheckedCombination> checked = as_written(program, catalog, options, diagnostics);
    if (!options.reassociate) {
        return checked;
    }
    std::vector<CheckedCombination> all;
    std::vector<ReorderedChain> chains;
    for (CheckedCombination& combination : checked) {
        std::optional<ReorderedProgram> reordered = with_fewest_operations(combination.program, catalog);
        CheckedCombination& written = all.emplace_back(std::move(combination));
        written.taken.push_back(1);
        if (reordered) {
            std::vector<std::size_t> taken = written.taken;
            taken.back() = 2;
            all.push_back({std::move(taken), std::move(reordered->program), reordered->chains.front().span});
            chains.insert(chains.end(), reordered->chains.begin(), reordered->chains.end());
        }
    }
    if (chains.empty()) { // nothing to choose
        std::for_each(all.begin(), all.end(), [](CheckedCombination& one) { one.taken.pop_back(); });
    }
    report_chains(chains, diagnostics);
    return all;
}

std::optional<CheckedProgram> check(
    const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics) {
    std::vector<CheckedCombination> checked = check_combinations(program, catalog, options, diagnostics);
    return checked.empty() ? std::nullopt : std::optional(std::move(checked.front().program));
}

} // namespace fusec::frontend
