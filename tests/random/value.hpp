// SPDX-License-Identifier: Apache-2.0
// What the generator of random programs knows about a value of the program so far, and statements about values.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fusec::random_programs {

/// Rows 0: a scalar; columns 0: a vector.
struct Value {
    std::string name;
    int rows = 0;
    int columns = 0;
    bool input = false;
    bool updated = false; ///< an input that has its new value
    bool varies = true;   ///< one value per element
    bool moved = false;   ///< components of other values: two of them may together be all of one
    bool fixed = false;   ///< moved, with components that are constants
    bool several = false; ///< moved from several values
    bool alias = false;   ///< chosen from such a value: may be another value, which cannot be returned twice
    /// Values of which this one is a sum, up to signs, transposition and maxima, itself included: adding or subtracting any of them
    /// could cancel and leave nothing but rounding errors.
    std::set<std::string> parts{name};

    bool packed = false; ///< declared `SYMMETRICn`

    bool scalar() const { return rows == 0; }
    bool vector() const { return rows > 0 && columns == 0; }
    bool matrix() const { return columns > 0; }
    bool square() const { return matrix() && rows == columns; }
    std::string declared_type() const { return packed ? "SYMMETRIC" + std::to_string(rows) : type(); }
    std::string type() const {
        return scalar() ? "SCALAR"
            : vector()  ? "VECTOR" + std::to_string(rows)
                        : "MATRIX" + std::to_string(rows) + "x" + std::to_string(columns);
    }
};

/// The same value with more calls, in one of five ways.
inline std::string with_neutral(int way, const std::string& expression, int rows, int columns) {
    const std::string value = "(" + expression + ")";
    switch (way) {
    case 0:
        return "1 * " + value;
    case 1:
        return "-(-" + value + ")";
    case 2:
        return value + " / 1";
    case 3:
        return rows == 0 ? "0 + " + value : "midentity(" + std::to_string(rows) + ") * " + value;
    default:
        return rows == 0 ? value + " - 0" : columns == 0 ? value + " * 1" : value + "'' * midentity(" + std::to_string(columns) + ")";
    }
}

/// The statement as a call of a definition whose parameters are the operands.
inline std::string called(const std::string& target, const std::string& expression, const std::vector<Value>& operands) {
    std::string parameters;
    std::string arguments;
    std::string body = expression;
    std::set<std::string> done;
    for (const Value& v : operands) {
        if (done.insert(v.name).second) {
            const std::string parameter = "x" + std::to_string(done.size());
            body = std::regex_replace(body, std::regex("\\b" + v.name + "\\b"), parameter);
            parameters += (parameters.empty() ? "" : ", ") + parameter;
            arguments += (arguments.empty() ? "" : ", ") + v.name;
        }
    }
    return "def make_" + target + "(" + parameters + ") {\n    y = " + body + ";\n    return y;\n}\n" + target + " = make_" + target + "(" +
        arguments + ");\n";
}

} // namespace fusec::random_programs
