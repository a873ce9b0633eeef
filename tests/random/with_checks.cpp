// SPDX-License-Identifier: Apache-2.0
#include "tests/random/with_checks.hpp"

#include "execute/domains.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace fusec::random_programs {

namespace {

using frontend::DatumKind;

/// Whether the program's own level can use the name: values of loops, definitions and expressions have other characters in theirs.
bool is_plain(const std::string& name) {
    return !name.empty() &&
        std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }) &&
        std::isdigit(static_cast<unsigned char>(name.front())) == 0;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text[0] == '-' ? "0 - " + std::string(text + 1) : text;
}

struct Component {
    std::string text;
    std::vector<double> values; ///< ascending
};

} // namespace

std::string with_checks(const std::string& text, const frontend::CheckedProgram& program, const library::Catalog& catalog, Draw& draw) {
    constexpr std::size_t elements = 100;
    const execute::RandomCases cases = execute::draw_cases(program, catalog, elements, 2);
    const bool chooses = text.find("alternatives") != std::string::npos; // of whose names some end with them
    std::vector<DataId> named;
    for (std::size_t i = 0; i < program.data.size(); ++i) {
        const bool usable = program.data[i].kind == DatumKind::input || (program.data[i].kind == DatumKind::computed && !chooses);
        if (usable && is_plain(program.data[i].name) && !program.new_value(DataId(i))) {
            named.emplace_back(i);
        }
    }
    std::vector<std::string> uniforms;
    for (const DataId input : program.inputs) {
        if (program.datum(input).kind == DatumKind::uniform && program.datum(input).type.shape.form == Form::scalar) {
            uniforms.push_back(program.datum(input).name);
        }
    }
    const auto component = [&] {
        const DataId id = draw.one_of(named);
        const Shape& shape = program.datum(id).type.shape;
        const int row = draw.below(shape.rows), column = shape.packed ? draw.below(row + 1) : draw.below(shape.columns);
        Component chosen{program.datum(id).name, {}};
        if (shape.form == Form::vector) {
            chosen.text += "[" + std::to_string(row) + "]";
        } else if (shape.form == Form::matrix) {
            chosen.text += "[" + std::to_string(row) + ", " + std::to_string(column) + "]";
        }
        const int word = shape.packed ? packed_word(row, column) : row * shape.columns + column;
        for (std::size_t e = 0; e < elements; ++e) {
            chosen.values.push_back(
                cases.reference.values[id.index()].at(e * static_cast<std::size_t>(shape.size()) + static_cast<std::size_t>(word)));
        }
        std::sort(chosen.values.begin(), chosen.values.end());
        return chosen;
    };
    std::string statements;
    const int count = named.empty() ? 0 : 1 + draw.below(5);
    for (int i = 0; i < count; ++i) {
        const Component one = component();
        const std::string message = ", \"check " + std::to_string(i) + "\");";
        const double high = one.values[elements - 1 - static_cast<std::size_t>(draw.below(8))];
        switch (draw.below(uniforms.empty() ? 4 : 5)) {
        case 0:
        case 1:
            statements += "assert(" + one.text + " <= " + number(high + 0.01 * std::abs(high)) + message + " ";
            break;
        case 2:
            statements += "assert(" + number(one.values[static_cast<std::size_t>(draw.below(8))] - 0.01) + " < " + one.text + message + " ";
            break;
        case 3:
            statements += "for q in 1..4 { assert(" + one.text + " * q < " + number(2.5 * std::abs(high) + 1) + message + " } ";
            break;
        default:
            statements +=
                "assert(" + one.text + " > " + draw.one_of(uniforms) + " - " + number(2 * std::abs(one.values.front()) + 2) + message + " ";
        }
    }
    if (!statements.empty() && text.find("\nblock ") != std::string::npos) { // what computes stands in a block, or there are none
        statements = "block checked { " + statements + "} ";
    }
    const std::size_t at = text.rfind("return");
    return at == std::string::npos ? text + statements : text.substr(0, at) + statements + text.substr(at);
}

} // namespace fusec::random_programs
