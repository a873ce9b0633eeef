// SPDX-License-Identifier: Apache-2.0
// Statements that call functions and operators.
#include "tests/random/generator_parts.hpp"

#include <algorithm>

namespace fusec::random_programs {

bool Generator::sum_or_difference(const std::string& target, const Value& a, const Value& b) {
    const bool shared = std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b.parts.contains(part); });
    if (shared && a.name != b.name) {
        return false;
    }
    return add_sum(target, a.rows, a.columns, a.name + (shared || draw_.chance(50) ? " + " : " - ") + b.name, {a, b});
}

bool Generator::clipped(const std::string& target, const Value& a, const Value& b) {
    if (std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b.parts.contains(part); })) {
        return false;
    }
    return add_sum(target, 0, 0, (draw_.chance(50) ? "smax(" : "smin(") + a.name + " - " + b.name + ", 0)", {a, b});
}

bool Generator::matrix_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar) {
    switch (draw_.below(12)) {
    case 0:
    case 1: {
        const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.columns; });
        return b && add(target, a.rows, b->columns, a.name + " * " + b->name, {a, *b});
    }
    case 2: {
        const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.rows; });
        return b && add(target, a.columns, b->columns, "mtmul(" + a.name + ", " + b->name + ")", {a, *b});
    }
    case 3: {
        const auto b = pick([&](const Value& v) { return v.matrix() && v.columns == a.columns; });
        return b && add(target, a.rows, b->rows, "mmult(" + a.name + ", " + b->name + ")", {a, *b});
    }
    case 4: {
        const auto b = pick(same);
        return sum_or_difference(target, a, *b);
    }
    case 5: {
        const auto s = pick(is_scalar);
        return s && add(target, a.rows, a.columns, s->name + " * " + a.name, {a, *s});
    }
    case 6: {
        const auto v = pick([&](const Value& x) { return x.vector() && x.rows == a.columns; });
        return v && add(target, a.rows, 0, a.name + " * " + v->name, {a, *v});
    }
    case 7: {
        const auto v = pick([&](const Value& x) { return x.vector() && x.rows == a.rows; });
        return v && add(target, a.columns, 0, "mtvmul(" + a.name + ", " + v->name + ")", {a, *v});
    }
    case 8:
        return add_sum(target, a.columns, a.rows, a.name + "'", {a});
    case 9:
        return a.rows == a.columns && add(target, 0, 0, "mtrace(" + a.name + ")", {a});
    case 10:
        return a.rows == a.columns && a.rows <= 4 && a.input && !a.updated && add(target, a.rows, a.rows, "minv(" + a.name + ")", {a});
    default:
        return a.rows == a.columns && add_sum(target, a.rows, a.rows, "msym(" + a.name + ")", {a});
    }
}

bool Generator::vector_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar) {
    switch (draw_.below(6)) {
    case 0: {
        const auto b = pick(same);
        return sum_or_difference(target, a, *b);
    }
    case 1: {
        const auto b = pick(same);
        return add(target, 0, 0, "vdot(" + a.name + ", " + b->name + ")", {a, *b});
    }
    case 2:
        return add(target, 0, 0, "venorm(" + a.name + ")", {a});
    case 3: {
        const auto b = pick([](const Value& v) { return v.vector(); });
        return add(target, a.rows, b->rows, "vouter(" + a.name + ", " + b->name + ")", {a, *b});
    }
    case 4: {
        const auto s = pick(is_scalar);
        const auto b = pick(same);
        return s && add_sum(target, a.rows, 0, "axpy(" + s->name + ", " + a.name + ", " + b->name + ")", {a, *s, *b});
    }
    default: {
        const auto s = pick(is_scalar);
        return s && add(target, a.rows, 0, s->name + " * " + a.name, {a, *s});
    }
    }
}

} // namespace fusec::random_programs
