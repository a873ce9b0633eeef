// SPDX-License-Identifier: Apache-2.0
// Statements that choose one of two values by a comparison.
#include "tests/random/generator_parts.hpp"

#include <algorithm>

namespace fusec::random_programs {

bool Generator::selection_statement(const std::string& target) {
    const auto x = pick([](const Value&) { return true; });
    const auto y = pick([&](const Value& v) { return v.rows == x->rows && v.columns == x->columns; });
    const auto compared = compared_scalar();
    if (!y || !compared || (!x->varies && !y->varies)) {
        return false;
    }
    const std::string comparison =
        compared->first + " " + selection_draw_.one_of(std::vector<std::string>{"<", "<=", ">", ">=", "==", "!="}) + " " + compared->second;
    const bool turned = selection_draw_.chance(30);
    const std::string expression = "select(" + comparison + ", " + x->name + ", " + (turned ? "-" : "") + y->name + ")";
    std::vector<Value> operands{*x, *y};
    operands.insert(operands.end(), compared_.begin(), compared_.end());
    if (!options_.components || x->scalar() || x->fixed || y->fixed || x->moved || y->moved || selection_draw_.chance(50)) {
        return add_sum(target, x->rows, x->columns, expression, operands);
    }
    // Component by component: one call when it is condensed.
    const std::string at = x->matrix() ? "[i, j]" : "[i]";
    const std::string body =
        target + at + " = select(" + comparison + ", " + x->name + at + ", " + (turned ? "-" : "") + y->name + at + ");";
    return made_by_loops(target, *x, loop("i", 0, x->rows, x->matrix() ? loop("j", 0, x->columns, body) : body), operands);
}

std::optional<std::pair<std::string, std::string>> Generator::compared_scalar() {
    const auto component = [&](const Value& v) {
        const auto index = [&](int size) { return std::to_string(selection_draw_.below(size)); };
        return v.scalar() ? v.name : v.name + "[" + index(v.rows) + (v.matrix() ? ", " + index(v.columns) : "") + "]";
    };
    const auto a = pick([](const Value& v) { return v.varies && !v.fixed; });
    const auto b = pick([&](const Value& v) {
        return !v.fixed && std::none_of(v.parts.begin(), v.parts.end(), [&](const std::string& part) { return a->parts.contains(part); });
    });
    compared_ = {*a};
    if (!b || selection_draw_.chance(40)) {
        return std::pair{component(*a), selection_draw_.one_of(std::vector<std::string>{"0", "0.25", "-0.5"})};
    }
    compared_.push_back(*b);
    return std::pair{component(*a), component(*b)};
}

} // namespace fusec::random_programs
