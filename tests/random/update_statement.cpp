// SPDX-License-Identifier: Apache-2.0
#include "tests/random/update_statement.hpp"

#include <algorithm>
#include <iterator>

namespace fusec::random_programs {

std::string update_statement(std::vector<Value>& values, std::set<std::string>& used, Draw& draw) {
    std::vector<std::size_t> lists;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].input && values[i].varies && !values[i].updated) {
            lists.push_back(i);
        }
    }
    if (lists.empty()) {
        return "";
    }
    const std::size_t index = draw.one_of(lists);
    const Value old = values[index];
    std::vector<Value> terms; // which the old value cannot cancel
    std::copy_if(values.begin(), values.end(), std::back_inserter(terms), [&](const Value& v) {
        const bool shared = std::any_of(v.parts.begin(), v.parts.end(), [&](const std::string& part) { return old.parts.contains(part); });
        return v.varies && !v.fixed && !v.input && v.rows == old.rows && v.columns == old.columns && !shared;
    });
    const std::string& name = old.name;
    std::string text;
    if (draw.chance(50)) {
        text += "old_" + name + " = " + name + ";\n";
        Value kept = old;
        kept.name = "old_" + name;
        kept.alias = true;
        kept.input = false;
        values.push_back(std::move(kept));
    }
    Value& updated = values[index];
    updated.updated = true;
    updated.parts.insert(name + "'");
    if (terms.empty()) {
        return text + name + (draw.chance(50) ? " = 2 * " + name + ";\n" : " += 0.5 * " + name + ";\n");
    }
    const Value& term = draw.one_of(terms);
    used.insert(term.name);
    updated.parts.insert(term.parts.begin(), term.parts.end());
    const std::string added = old.packed ? "symmetric(" + term.name + ")" : term.name; // whether it is symmetric, `Value` does not tell
    switch (draw.below(old.scalar() ? 4 : 5)) {
    case 0:
        return text + name + " += " + added + ";\n";
    case 1:
        return text + name + " = 2 * " + added + ";\n"; // the old value is not read
    case 2:
        return text + name + " = 0.5 * " + name + ";\n" + name + " -= " + added + ";\n";
    case 3:
        return text + "for q in 1..3 { " + name + " += " + added + " * q; }\n";
    default: // the other rows stay
        updated.moved = updated.several = true;
        return text + name + "[0] = 2 * " + added + "[0];\n";
    }
}

} // namespace fusec::random_programs
