// SPDX-License-Identifier: Apache-2.0
#include "tests/random/chain_statement.hpp"

#include <algorithm>
#include <optional>

namespace fusec::random_programs {

namespace {

struct Factor {
    std::string text;
    int rows = 0, columns = 0; ///< columns 0: a vector
};

/// A matrix with these rows, or its transpose, or a vector.
std::optional<Factor> factor(const std::vector<Value>& values, int rows, bool vector, std::set<std::string>& names, Draw& draw) {
    std::vector<Factor> fitting;
    std::vector<std::string> of;
    const auto add = [&](const Value& v, Factor made) {
        fitting.push_back(std::move(made));
        of.push_back(v.name);
    };
    for (const Value& v : values) {
        if (vector && v.vector() && v.rows == rows) {
            add(v, {v.name, v.rows, 0});
        }
        if (!vector && v.matrix() && (rows == 0 || v.rows == rows)) {
            add(v, {v.name, v.rows, v.columns});
        }
        if (!vector && v.matrix() && (rows == 0 || v.columns == rows)) {
            add(v, {v.name + "'", v.columns, v.rows});
        }
    }
    if (fitting.empty()) {
        return std::nullopt;
    }
    const auto chosen = static_cast<std::size_t>(draw.below(static_cast<int>(fitting.size())));
    names.insert(of[chosen]);
    return fitting[chosen];
}

std::string bracketed(const std::vector<Factor>& factors, std::size_t first, std::size_t end, Draw& draw) {
    if (end - first == 1) {
        return factors[first].text;
    }
    const std::size_t split = first + 1 + static_cast<std::size_t>(draw.below(static_cast<int>(end - first - 1)));
    return "(" + bracketed(factors, first, split, draw) + " * " + bracketed(factors, split, end, draw) + ")";
}

} // namespace

std::string chain_statement(const std::string& target, std::vector<Value>& values, std::set<std::string>& used, Draw& draw) {
    std::set<std::string> names;
    std::vector<Factor> factors;
    const int count = 3 + draw.below(3);
    for (int i = 0; i < count; ++i) {
        const bool last = i + 1 == count;
        const int rows = factors.empty() ? 0 : factors.back().columns;
        auto next = last && draw.chance(60) ? factor(values, rows, true, names, draw) : std::nullopt;
        next = next ? next : factor(values, rows, false, names, draw);
        if (!next) {
            return "";
        }
        factors.push_back(std::move(*next));
    }
    const bool varies = std::any_of(values.begin(), values.end(), [&](const Value& v) { return v.varies && names.contains(v.name); });
    if (!varies) {
        return "";
    }
    const int rows = factors.front().rows, columns = factors.back().columns;
    for (Factor& f : factors) {
        std::vector<std::string> scalars;
        for (const Value& v : values) {
            if (v.scalar()) {
                scalars.push_back(v.name);
            }
        }
        if (!scalars.empty() && draw.chance(20)) {
            const std::string& scalar = draw.one_of(scalars);
            names.insert(scalar);
            f.text = "(" + (draw.chance(50) ? scalar + " * " + f.text : f.text + " * " + scalar) + ")";
        }
    }
    std::string text;
    if (draw.chance(50)) {
        text = "part_of_" + target + " = " + bracketed(factors, 0, 2, draw) + ";\n";
        factors.erase(factors.begin());
        factors.front().text = "part_of_" + target;
    }
    text += target + " = " + bracketed(factors, 0, factors.size(), draw) + ";\n";
    used.insert(names.begin(), names.end());
    values.push_back({.name = target, .rows = rows, .columns = columns});
    return text;
}

} // namespace fusec::random_programs
