// SPDX-License-Identifier: Apache-2.0
// Random programs of which some statements are computed in the other precision.
#pragma once

#include "tests/random/draw.hpp"

#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace fusec::random_programs {

/// `t = float(E)` in place of `t = E` for about half of the statements that stand on a line of their own, with `double(x)` in place of every
/// value x in E; the other way round in a program of doubles. What is declared SYMMETRIC keeps its statement: that `mmult(t, t)` is symmetric is
/// seen by the name. Pre: its values have one precision.
inline std::string with_conversions(const std::string& text, std::uint64_t seed, bool f64) {
    static const std::regex statement(R"(( *)(t[0-9]+) = (.*);)"), value(R"(\b([A-Za-z_]\w*)\b(?! *\())"),
        packed(R"(.*SYMMETRIC[0-9]+ (t[0-9]+);)");
    const std::string own = f64 ? "double(" : "float(", other = f64 ? "float($1)" : "double($1)";
    Draw draw(seed ^ 0x2c1b3c6dU);
    std::istringstream lines(text);
    std::string result;
    std::set<std::string> symmetric;
    for (std::string line; std::getline(lines, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, packed)) {
            symmetric.insert(parts[1].str());
        } else if (std::regex_match(line, parts, statement) && !symmetric.contains(parts[2].str()) && draw.chance(50)) {
            line = parts[1].str() + parts[2].str() + " = " + own + std::regex_replace(parts[3].str(), value, other) + ");";
        }
        result += line + "\n";
    }
    return result;
}

} // namespace fusec::random_programs
