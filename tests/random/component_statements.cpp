// SPDX-License-Identifier: Apache-2.0
// Statements of scalar arithmetic in loops over components, which the compiler puts into one call.
#include "tests/random/generator_parts.hpp"

#include <algorithm>

namespace fusec::random_programs {

bool Generator::component_statement(const std::string& target) {
    const auto computed = [](const Value& v) { return v.varies && !v.fixed && !v.moved; };
    const auto a = pick([&](const Value& v) { return computed(v) && !v.scalar(); });
    if (!a) {
        return false;
    }
    return a->matrix() ? matrix_components(target, *a) : vector_components(target, *a);
}

std::string Generator::loop(const std::string& index, int first, int last, const std::string& body) {
    return "for " + index + " in " + std::to_string(first) + ".." + std::to_string(last) + " { " + body + " }\n";
}

bool Generator::made_by_loops(const std::string& target, const Value& like, const std::string& loops, const std::vector<Value>& operands) {
    if (!like.scalar()) {
        body_ += (options_.f64 ? "double " : "float ") + like.type() + " " + target + ";\n";
    }
    body_ += loops;
    note_statement(target, like, operands);
    values_.back().moved = false;
    return true;
}

bool Generator::matrix_components(const std::string& target, const Value& a) {
    const std::string entry = target + "[i, j] = ";
    const auto over_all = [&](const Value& v, const std::string& body) { return loop("i", 0, v.rows, loop("j", 0, v.columns, body)); };
    switch (component_draw_.below(5)) {
    case 0: // a rule for every entry
        return made_by_loops(target, a, over_all(a, entry + "2 * smax(" + a.name + "[i, j], 0.25) - 0.125;"), {a});
    case 1: { // entries and those of the transposed
        Value transposed = a;
        std::swap(transposed.rows, transposed.columns);
        return made_by_loops(target, transposed,
            over_all(transposed, entry + a.name + "[j, i] * " + a.name + "[" + std::to_string(a.rows - 1) + " - j, i];"), {a});
    }
    case 2: { // a product, term by term
        const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.columns && v.varies && !v.fixed && !v.moved; });
        if (!b) {
            return false;
        }
        const Value product{.name = target, .rows = a.rows, .columns = b->columns};
        const std::string term = a.name + "[i, m] * " + b->name + "[m, j]";
        const std::string sum = "s_" + target;
        return made_by_loops(target, product,
            over_all(product,
                sum + " = " + a.name + "[i, 0] * " + b->name + "[0, j]; " + loop("m", 1, a.columns, sum + " += " + term + ";") + entry +
                    sum + ";"),
            {a, *b});
    }
    case 3: // a lower triangle that uses what is above
        return made_by_loops(target, a,
            loop("i", 0, a.rows,
                loop("j", 0, a.columns, entry + "0.5 * " + a.name + "[i, j];") + "d_" + target + " = smax(" + target + "[i, 0], 1); " +
                    loop("j", 0, a.columns, target + "[i, j] += d_" + target + ";")),
            {a});
    default: { // a sum of squares
        const std::string sum = "for i in 0.." + std::to_string(a.rows) + " { for j in 0.." + std::to_string(a.columns) + " { " + target +
            " += " + a.name + "[i, j] * " + a.name + "[i, j]; } }\n";
        return made_by_loops(target, {.name = target}, (options_.f64 ? "double " : "float ") + ("SCALAR " + target) + ";\n" + sum, {a});
    }
    }
}

bool Generator::vector_components(const std::string& target, const Value& a) {
    const std::string n = std::to_string(a.rows);
    switch (component_draw_.below(3)) {
    case 0: // a recurrence
        return made_by_loops(target, a,
            target + "[0] = " + a.name + "[0] * " + a.name + "[0];\n" +
                loop("i", 1, a.rows, target + "[i] = " + a.name + "[i] * " + a.name + "[i] + 0.25 * " + target + "[i - 1];"),
            {a});
    case 1: { // a scalar that several parts use, and that is a value of its own
        const std::string scale = "g_" + target;
        return made_by_loops(target, a,
            scale + " = " + a.name + "[0] * " + a.name + "[0] + 1;\n" +
                loop("i", 0, a.rows, target + "[i] = " + a.name + "[i] / " + scale + ";"),
            {a});
    }
    default: { // a matrix of products
        const Value square{.name = target, .rows = a.rows, .columns = a.rows};
        return made_by_loops(
            target, square, loop("i", 0, a.rows, loop("j", 0, a.rows, target + "[i, j] = " + a.name + "[i] * " + a.name + "[j];")), {a});
    }
    }
}

} // namespace fusec::random_programs
