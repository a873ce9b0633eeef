// SPDX-License-Identifier: Apache-2.0
#include "tests/random/with_checks.hpp"

#include "execute/domains.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <sstream>
#include <utility>
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
    std::vector<std::size_t> places;
};

/// The lines of a program, and where assertions may stand between them.
class Lines {
public:
    explicit Lines(const std::string& text) {
        const bool divided = text.find("\nblock ") != std::string::npos; // then what computes stands in a block
        std::istringstream in(text);
        std::vector<bool> open; // by brace: whether it is that of a block of the program
        for (std::string line; std::getline(in, line);) {
            const bool own_level = std::find(open.begin(), open.end(), false) == open.end() && open.size() == (divided ? 1U : 0U);
            const bool declares = line.starts_with("program ") || line.starts_with("input ") || line.starts_with("inout ");
            free_.push_back(own_level && !declares);
            for (const char c : line) {
                if (c == '{') {
                    open.push_back(line.starts_with("block "));
                } else if (c == '}') {
                    open.pop_back();
                }
            }
            lines_.push_back(line);
            const bool interface = line.starts_with("input ") || line.starts_with("inout ");
            first_ = interface ? lines_.size() : first_;
        }
    }

    /// Numbers of lines in front of which the name means this value: its first if it is updated and `old`, else its last.
    std::vector<std::size_t> places(const std::string& name, bool old) const {
        const std::regex assigned("\\b" + name + R"(\b(\[[^\]]*\])? *(=|\+=|-=)[^=])");
        std::vector<std::size_t> assigning;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (std::regex_search(lines_[i], assigned)) {
                assigning.push_back(i);
            }
        }
        const std::size_t first = old || assigning.empty() ? first_ : assigning.back() + 1;
        const std::size_t end = old && !assigning.empty() ? assigning.front() + 1 : lines_.size();
        std::vector<std::size_t> found;
        for (std::size_t i = std::max(first, first_); i < end; ++i) {
            if (free_[i]) {
                found.push_back(i);
            }
        }
        return found;
    }

    void insert(std::size_t place, const std::string& statement) { inserted_[place] += statement; }

    /// What is inserted stands at the beginning of its line.
    std::string text() const {
        std::string result;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto statements = inserted_.find(i);
            result += (statements == inserted_.end() ? "" : statements->second) + lines_[i] + "\n";
        }
        return result;
    }

private:
    std::vector<std::string> lines_;
    std::vector<bool> free_;
    std::map<std::size_t, std::string> inserted_;
    std::size_t first_ = 0; ///< behind the interface
};

} // namespace

std::string with_checks(const std::string& text, const frontend::CheckedProgram& program, const library::Catalog& catalog, Draw& draw) {
    constexpr std::size_t elements = 100;
    const execute::RandomCases cases = execute::draw_cases(program, catalog, elements, 2);
    const bool chooses = text.find("alternatives") != std::string::npos; // of whose names some end with them
    Lines lines(text);
    std::vector<std::pair<DataId, std::vector<std::size_t>>> named; // with the places where the name means it
    for (std::size_t i = 0; i < program.data.size(); ++i) {
        const frontend::Datum& datum = program.data[i];
        const bool old = program.new_value(DataId(i)).has_value();
        const bool usable = datum.kind == DatumKind::input || (datum.kind == DatumKind::computed && !chooses);
        const std::string name = old ? program.list_name(DataId(i)) : datum.name;
        if (usable && is_plain(name)) {
            if (auto places = lines.places(name, old); !places.empty()) {
                named.emplace_back(DataId(i), std::move(places));
            }
        }
    }
    std::vector<std::string> uniforms;
    for (const DataId input : program.inputs) {
        if (program.datum(input).kind == DatumKind::uniform && program.datum(input).type.shape.form == Form::scalar) {
            uniforms.push_back(program.datum(input).name);
        }
    }
    const auto component = [&] {
        const auto& [id, places] = draw.one_of(named);
        const Shape& shape = program.datum(id).type.shape;
        const int row = draw.below(shape.rows), column = shape.packed ? draw.below(row + 1) : draw.below(shape.columns);
        Component chosen{program.new_value(id) ? program.list_name(id) : program.datum(id).name, {}, places};
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
    const int count = named.empty() ? 0 : 1 + draw.below(5);
    for (int i = 0; i < count; ++i) {
        const Component one = component();
        const std::string message = ", \"check " + std::to_string(i) + "\");";
        const double high = one.values[elements - 1 - static_cast<std::size_t>(draw.below(8))];
        std::string statement;
        switch (draw.below(uniforms.empty() ? 4 : 5)) {
        case 0:
        case 1:
            statement = "assert(" + one.text + " <= " + number(high + 0.01 * std::abs(high)) + message + " ";
            break;
        case 2:
            statement = "assert(" + number(one.values[static_cast<std::size_t>(draw.below(8))] - 0.01) + " < " + one.text + message + " ";
            break;
        case 3:
            statement = "for q in 1..4 { assert(" + one.text + " * q < " + number(2.5 * std::abs(high) + 1) + message + " } ";
            break;
        default:
            statement =
                "assert(" + one.text + " > " + draw.one_of(uniforms) + " - " + number(2 * std::abs(one.values.front()) + 2) + message + " ";
        }
        lines.insert(draw.one_of(one.places), statement);
    }
    return lines.text();
}

} // namespace fusec::random_programs
