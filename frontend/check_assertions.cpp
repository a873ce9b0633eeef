// SPDX-License-Identifier: Apache-2.0
// Assertions: each is the flag of a selection, which nothing uses. Without `--checked`, the program is that without them; the errors are
// those of the program with them, and what is warned of holds for both.
#include "frontend/checker.hpp"
#include "frontend/syntax_messages.hpp"

namespace fusec::frontend {

void Checker::add(const ast::Assertion& form) {
    if (!options_.checked) {
        return;
    }
    const Span& place = program_.statements[current_].span;
    Evaluated evaluated = expressions_.evaluate(form.flag, std::nullopt);
    if (!evaluated.value.datum) {
        return; // reported
    }
    if (draft_.checks.size() == most_checks) {
        messages_.report(kind::call_limit, place,
            "more than " + std::to_string(most_checks) + " assertions, of loops and definitions those of every iteration and call");
        return;
    }
    const std::string name = "assert:" + std::to_string(draft_.checks.size() + 1);
    expressions_.name_calls(evaluated, name, name, NameKind::expanded, program_.expression(form.flag.root).span);
    draft_.checks.push_back({*evaluated.value.datum, form.text, place});
}

} // namespace fusec::frontend
