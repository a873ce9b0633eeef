// SPDX-License-Identifier: Apache-2.0
#include "frontend/comparisons.hpp"

#include "frontend/callee.hpp"
#include "frontend/syntax_messages.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fusec::frontend {

namespace {

constexpr std::size_t operands_of_select = 3;

/// What an `assert` was made into.
bool is_assertion(const ast::Expression& call) {
    return call.head.text() == "assert";
}

/// A `select` that has too few or too many operands, or chooses by no comparison.
void check_select(const ast::Program& program, const ast::Expression& call, Diagnostics& diagnostics) {
    const std::size_t given = call.operands.size();
    if (given != operands_of_select) {
        diagnostics
            .report(kind::wrong_arity, call.span,
                "`select` takes a comparison and two values, but " + std::to_string(given) +
                    (given == 1 ? " operand is" : " operands are") + " given")
            .hint = "write `select(a < b, x, y)`: x where the comparison holds, y where it does not";
    } else if (const ast::Expression& first = program.expression(call.operands.front()); !is_comparison(first)) {
        diagnostics
            .report(kind::missing_comparison, first.span,
                in_backticks(first.span.text()) + " is no comparison, " +
                    (is_assertion(call) ? "which `assert` checks" : "by which `select` chooses"))
            .hint = "compare it: `" + std::string(call.head.text()) + "(" +
            std::string(first.kind == ast::ExpressionKind::name ? first.text : "a") +
            (is_assertion(call) ? " > 0, \"...\")`" : " > 0, x, y)`");
    }
}

/// Of `a < b < c`, by the number of the first comparison: what to write for `assert` and `select`.
std::map<std::size_t, std::string> hints_of_chains(const ast::Program& program, const std::vector<bool>& in_place) {
    std::map<std::size_t, std::string> hints;
    for (const ast::Expression& call : program.expressions) {
        if (call.kind != ast::ExpressionKind::call || call.operands.empty() || !in_place[call.operands.front().index()]) {
            continue;
        }
        const ast::Expression& whole = program.expression(call.operands.front());
        const ast::Expression& chained = program.expression(whole.operands.front());
        if (!is_comparison(chained) || is_comparison(program.expression(chained.operands.front()))) {
            continue;
        }
        const std::string one(chained.span.text());
        const std::string middle(program.expression(chained.operands.back()).span.text());
        const std::string two = middle + " " + whole.text + " " + std::string(program.expression(whole.operands.back()).span.text());
        hints.emplace(whole.operands.front().index(),
            is_assertion(call) ? "two assertions say that: `assert(" + one + ", \"...\"); assert(" + two + ", \"...\");`"
                               : "nest it: `select(" + one + ", select(" + two + ", x, y), y)`");
    }
    return hints;
}

} // namespace

bool is_select(std::string_view name) {
    return name == "select";
}

bool is_selection(const ast::Program& program, const ast::Expression& call) {
    return call.kind == ast::ExpressionKind::call && is_select(call.text) && call.operands.size() == operands_of_select &&
        is_comparison(program.expression(call.operands.front()));
}

void check_comparisons(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics) {
    std::set<std::string> defined;
    for (const ast::Statement& statement : program.statements) {
        if (const auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            defined.insert(definition->name.text);
        }
    }
    const auto is_unknown = [&](const std::string& name) {
        return name != "midentity" && !is_movement(name) && !is_conversion(name) && !defined.contains(name) && !find_callee(name, catalog);
    };
    std::vector<bool> in_place(program.expressions.size(), false);
    for (const ast::Expression& e : program.expressions) {
        if (e.kind == ast::ExpressionKind::call && !e.operands.empty() && is_comparison(program.expression(e.operands.front())) &&
            (is_select(e.text) || is_unknown(e.text))) {
            in_place[e.operands.front().index()] = true;
        }
    }
    const std::map<std::size_t, std::string> chains = hints_of_chains(program, in_place);
    for (std::size_t i = 0; i < program.expressions.size(); ++i) {
        const ast::Expression& e = program.expressions[i];
        if (is_comparison(e) && !in_place[i]) {
            const auto chain = chains.find(i);
            diagnostics
                .report(kind::misplaced_comparison, e.head,
                    "comparison " + in_backticks(e.span.text()) + " that is not the first argument of `select` or `assert`")
                .hint = chain != chains.end() ? chain->second
                                              : "a comparison has no value; `select(a < b, x, y)` is x where it holds, y where it does not";
        } else if (e.kind == ast::ExpressionKind::call && is_select(e.text)) {
            check_select(program, e, diagnostics);
        }
    }
}

} // namespace fusec::frontend
