// SPDX-License-Identifier: Apache-2.0
// Statements that choose components, and that put values together of others or assign them by parts.
#include "tests/random/generator_parts.hpp"

#include <algorithm>

namespace fusec::random_programs {

bool Generator::add_moved(
    const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands, bool zeros) {
    const bool all_moved = std::all_of(operands.begin(), operands.end(), [](const Value& v) { return v.moved; });
    if ((operands.size() > 1 && all_moved) || !add_sum(target, rows, columns, expression, operands)) {
        return false;
    }
    values_.back().moved = true;
    values_.back().several = operands.size() > 1;
    values_.back().alias = operands.size() == 1 && (operands.front().several || operands.front().alias);
    values_.back().fixed = zeros || std::any_of(operands.begin(), operands.end(), [](const Value& v) { return v.fixed || !v.varies; });
    return true;
}

std::pair<std::string, int> Generator::proper_range(int size) {
    const int count = 1 + draw_.below(size - 1);
    const int first = draw_.below(size - count + 1);
    const bool open_begin = first == 0 && draw_.chance(50);
    const bool open_end = first + count == size && draw_.chance(50);
    return {(open_begin ? "" : std::to_string(first)) + ":" + (open_end ? "" : std::to_string(first + count)), count};
}

bool Generator::moving_statement(const std::string& target) {
    const auto a = pick([](const Value&) { return true; });
    if (a->matrix()) {
        return matrix_move(target, *a);
    }
    return a->vector() ? vector_move(target, *a) : scalar_move(target, *a);
}

bool Generator::matrix_move(const std::string& target, const Value& a) {
    const std::string i = std::to_string(draw_.below(a.rows));
    const std::string j = std::to_string(draw_.below(a.columns));
    const int what = draw_.below(9);
    if (what <= 4 && a.fixed) {
        return false;
    }
    switch (what) {
    case 0:
        return add_moved(target, 0, 0, a.name + "[" + i + ", " + j + "]", {a});
    case 1:
        return add_moved(target, a.columns, 0, a.name + "[" + i + (draw_.chance(50) ? "]" : ", :]"), {a});
    case 2:
        return add_moved(target, a.rows, 0, a.name + "[:, " + j + "]", {a});
    case 3: {
        if (a.rows == 1 || a.columns == 1) {
            return false;
        }
        const auto [rows, row_count] = proper_range(a.rows);
        const auto [columns, column_count] = proper_range(a.columns);
        return add_moved(target, row_count, column_count, a.name + "[" + rows + ", " + columns + "]", {a});
    }
    case 4: {
        if (a.rows == 1) {
            return false;
        }
        const auto [rows, count] = proper_range(a.rows);
        return add_moved(target, count, a.columns, a.name + "[" + rows + "]", {a});
    }
    case 5: {
        const auto b = pick([&](const Value& v) { return v.rows == a.columns || v.columns == a.columns; });
        const bool fits = b && (b->vector() ? b->rows == a.columns : b->columns == a.columns);
        const int rows = fits ? a.rows + (b->vector() ? 1 : b->rows) : 0;
        return fits && rows <= largest_made && add_moved(target, rows, a.columns, "rows(" + a.name + ", " + b->name + ")", {a, *b});
    }
    case 6: {
        const auto b = pick([&](const Value& v) { return v.rows == a.rows; });
        const int columns = b ? a.columns + (b->vector() ? 1 : b->columns) : 0;
        return b && columns <= largest_made && add_moved(target, a.rows, columns, "columns(" + b->name + ", " + a.name + ")", {*b, a});
    }
    case 7:
        return reversed_rows(target, a);
    default:
        return part_summed_to(target, a);
    }
}

bool Generator::vector_move(const std::string& target, const Value& a) {
    switch (draw_.below(4)) {
    case 0:
        return !a.fixed && add_moved(target, 0, 0, a.name + "[" + std::to_string(draw_.below(a.rows)) + "]", {a});
    case 1: {
        if (a.rows == 1 || a.fixed) {
            return false;
        }
        const auto [range, count] = proper_range(a.rows);
        return add_moved(target, count, 0, a.name + "[" + range + "]", {a});
    }
    case 2:
        return a.rows > 1 && add_moved(target, a.rows, a.rows, "diag(" + a.name + ")", {a}, true);
    default: {
        const auto b = pick([&](const Value& v) { return v.vector() && v.rows == a.rows; });
        const bool down = draw_.chance(50);
        return add_moved(
            target, down ? 2 : a.rows, down ? a.rows : 2, (down ? "rows(" : "columns(") + a.name + ", " + b->name + ")", {a, *b});
    }
    }
}

bool Generator::scalar_move(const std::string& target, const Value& a) {
    const auto b = pick([](const Value& v) { return v.scalar(); });
    const auto c = pick([](const Value& v) { return v.scalar(); });
    return add_moved(target, 3, 0, "rows(" + a.name + ", " + b->name + ", " + c->name + ")", {a, *b, *c});
}

bool Generator::reversed_rows(const std::string& target, const Value& a) {
    if (a.rows == 1 || a.fixed || a.moved || !a.varies) {
        return false;
    }
    const std::string last = std::to_string(a.rows - 1);
    body_ += (options_.f64 ? "double " : "float ") + a.type() + " " + target + ";\nfor i in 0.." + std::to_string(a.rows) + " { " + target +
        "[i, :] = " + a.name + "[" + last + " - i]; }\n";
    note_statement(target, a, {a});
    return true;
}

bool Generator::part_summed_to(const std::string& target, const Value& a) {
    const auto b = pick([&](const Value& v) { return v.vector() && v.rows == a.columns; });
    const bool shared = b && std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b->parts.contains(part); });
    if (!b || shared || a.fixed || !a.varies || !b->varies) {
        return false;
    }
    body_ += target + " = " + a.name + ";\n" + target + "[" + std::to_string(draw_.below(a.rows)) + "] " +
        (draw_.chance(50) ? "+= " : "-= ") + b->name + ";\n";
    note_statement(target, a, {a, *b});
    return true;
}

} // namespace fusec::random_programs
