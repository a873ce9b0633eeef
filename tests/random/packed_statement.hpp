// SPDX-License-Identifier: Apache-2.0
// Statements that give values which are stored packed, by declaration or by conversion.
#pragma once

#include "tests/random/draw.hpp"
#include "tests/random/value.hpp"

namespace fusec::random_programs {

struct PackedStatement {
    int size = 0;         ///< rows and columns of what is made
    std::string converts; ///< an expression; else:
    std::string text;     ///< the declaration and the definition of the target
};

/// From a vector or a matrix. What is converted is a new value, so that no result is another name of one.
inline PackedStatement packed_statement(Draw& draw, const std::string& target, const Value& a, bool f64) {
    const auto declared = [&](int n, const std::string& value) -> PackedStatement {
        return {n, "", (f64 ? "double SYMMETRIC" : "float SYMMETRIC") + std::to_string(n) + " " + target + ";\n" + value + "\n"};
    };
    if (a.vector()) {
        return declared(a.rows, target + " = vouter(" + a.name + ", " + a.name + ");");
    }
    const std::string n = std::to_string(a.rows);
    switch (a.square() ? draw.below(6) : 4 + draw.below(2)) {
    case 0:
        return {a.rows, "symmetric(0.5 * " + a.name + ")", ""};
    case 1:
        return {a.rows, "full(symmetric(2 * " + a.name + "))", ""};
    case 2:
        return declared(a.rows, target + " = msym(" + a.name + ");");
    case 3: // the lower triangle sets both sides
        return declared(a.rows,
            "for i in 0.." + n + " { for j in 0..i + 1 { " + target + "[i, j] = " + a.name + "[j, i] * " + a.name + "[" + n +
                " - 1 - i, j]; } }");
    case 4:
        return declared(a.columns, target + " = mtmul(" + a.name + ", " + a.name + ");");
    default:
        return declared(a.rows, target + " = mmult(" + a.name + ", " + a.name + ");");
    }
}

} // namespace fusec::random_programs
