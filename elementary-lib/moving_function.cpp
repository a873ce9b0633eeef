// SPDX-License-Identifier: Apache-2.0
// The function of a map of components: name, types and device source.
#include "elementary-lib/catalog.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fusec::library {

namespace {

SizeExpression number(int value) {
    std::string error;
    std::size_t where = 0;
    return SizeExpression::parse(std::to_string(value), error, where).value();
}

Parameter parameter(std::string name, const Shape& shape) {
    return {std::move(name), shape.form, number(shape.rows), number(shape.columns), Domain::any};
}

/// `2 * i + 1`, `j - 3`, `5 - i`: a sum of indices and a number.
std::string affine(int constant, std::initializer_list<std::pair<int, const char*>> terms) {
    std::string text;
    for (const bool positive : {true, false}) {
        for (const auto& [factor, index] : terms) {
            if (factor == 0 || (factor > 0) != positive) {
                continue;
            }
            const std::string term = (std::abs(factor) == 1 ? "" : std::to_string(std::abs(factor)) + " * ") + index;
            text += text.empty() ? (positive ? "" : std::to_string(constant) + " - ") : (positive ? " + " : " - ");
            text += term;
        }
        if (positive && !text.empty() && constant != 0) {
            text += (constant > 0 ? " + " : " - ") + std::to_string(std::abs(constant));
            constant = 0;
        }
    }
    return text.empty() ? std::to_string(constant) : text;
}

/// `(i, j)` as a component of a value of this form is written.
std::string indexed(const std::string& view, Form form, const std::string& row, const std::string& column) {
    return view + (form == Form::scalar ? "()" : form == Form::vector ? "(" + row + ")" : "(" + row + ", " + column + ")");
}

class Writer {
public:
    explicit Writer(const ComponentMap& map) : map_(map), parts_(parts_of(map)) {
        std::size_t covered = 0;
        for (const MapPart& part : parts_) {
            covered += static_cast<std::size_t>(part.rows) * static_cast<std::size_t>(part.columns);
        }
        rest_is_zero_ = covered != map.sources.size();
    }

    /// `a`, or `a0`, `a1`, ...
    std::string operand_name(std::size_t operand) const { return map_.operands.size() == 1 ? "a" : "a" + std::to_string(operand); }

    std::string element(const std::string& name) const {
        std::string text = head(name + "_element", "Lane");
        if (rest_is_zero_) {
            text += assignment({.rows = map_.result.rows, .columns = map_.result.columns});
        }
        for (const MapPart& part : parts_) {
            text += assignment(part);
        }
        return text + "}\n";
    }

    /// Thread t makes component t.
    std::string entry(const std::string& name) const {
        std::string text = head(name + "_entry", "Lane lane");
        const bool matrix = map_.result.form == Form::matrix;
        text += matrix ? "    const int i = lane.index / C::columns, j = lane.index % C::columns;\n" : "    const int i = lane.index;\n";
        const std::string target = "c" + std::string(matrix ? "(i, j)" : "(i)");
        if (rest_is_zero_) {
            text += "    " + target + " = 0;\n";
        }
        for (const MapPart& part : parts_) {
            const std::string condition = condition_of(part);
            text += condition.empty() ? "    " : "    if (" + condition + ")\n        ";
            text += target + " = " + source(part) + ";\n";
        }
        return text + "}\n";
    }

    const std::vector<MapPart>& parts() const { return parts_; }
    bool rest_is_zero() const { return rest_is_zero_; }

private:
    std::string head(const std::string& routine, const std::string& lane) const {
        std::string types = "template <class Lane, ";
        std::string parameters = "FUSEC_DEVICE void " + routine + "(" + lane + ", ";
        for (std::size_t i = 0; i < map_.operands.size(); ++i) {
            std::string type = operand_name(i);
            type.front() = 'A';
            types += "class " + type + ", ";
            parameters += "const " + type + "& " + operand_name(i) + ", ";
        }
        return types + "class C>\n" + parameters + "C& c) {\n";
    }

    /// The component of the operand for the result's component (i, j). An index that has one value only is its number.
    std::string source(const MapPart& part) const {
        if (part.operand == ComponentSource::zero) {
            return "0";
        }
        const auto operand = static_cast<std::size_t>(part.operand);
        const bool row_moves = part.rows > 1;
        const bool column_moves = part.columns > 1;
        const auto coordinate = [&](int first, int by_row, int by_column) {
            const int constant = first - (row_moves ? by_row * part.row : 0) - (column_moves ? by_column * part.column : 0);
            return affine(constant, {{row_moves ? by_row : 0, "i"}, {column_moves ? by_column : 0, "j"}});
        };
        return indexed(operand_name(operand), map_.operands[operand].form, coordinate(part.source_row, part.row_by_row, part.row_by_column),
            coordinate(part.source_column, part.column_by_row, part.column_by_column));
    }

    std::string assignment(const MapPart& part) const {
        const bool rows = part.rows > 1;
        const bool columns = part.columns > 1;
        const std::string i = rows ? "i" : std::to_string(part.row);
        const std::string j = columns ? "j" : part.diagonal ? affine(part.column - part.row, {{1, "i"}}) : std::to_string(part.column);
        const std::string statement = indexed("c", map_.result.form, i, j) + " = " + source(part) + ";\n";
        const auto loop = [](const char* index, int first, int count) {
            return "for (int " + std::string(index) + " = " + std::to_string(first) + "; " + index + " < " + std::to_string(first + count) +
                "; ++" + index + ")";
        };
        if (rows && columns) {
            return "    FUSEC_UNROLL " + loop("i", part.row, part.rows) + " {\n        " + loop("j", part.column, part.columns) +
                "\n            " + statement + "    }\n";
        }
        if (rows || columns) {
            return "    " + (rows ? loop("i", part.row, part.rows) : loop("j", part.column, part.columns)) + "\n        " + statement;
        }
        return "    " + statement;
    }

    /// That the result's component (i, j) is in the part; empty if all are.
    std::string condition_of(const MapPart& part) const {
        std::string text;
        const auto add = [&](const std::string& condition) { text += (text.empty() ? "" : " && ") + condition; };
        const auto range = [&](const char* index, int first, int count, int size) {
            if (count == size) {
                return;
            }
            if (count == 1) {
                add(index + (" == " + std::to_string(first)));
                return;
            }
            if (first > 0) {
                add(index + (" >= " + std::to_string(first)));
            }
            if (first + count < size) {
                add(index + (" < " + std::to_string(first + count)));
            }
        };
        range("i", part.row, part.rows, map_.result.rows);
        if (part.diagonal) {
            add("j == " + affine(part.column - part.row, {{1, "i"}}));
        } else if (map_.result.form == Form::matrix) {
            range("j", part.column, part.columns, map_.result.columns);
        }
        return text;
    }

    const ComponentMap& map_;
    std::vector<MapPart> parts_;
    bool rest_is_zero_ = false;
};

std::string dimensions(const Shape& shape) {
    return std::to_string(shape.rows) + (shape.form == Form::matrix ? "x" + std::to_string(shape.columns) : "");
}

/// Whether the part is all of its operand, row by row.
bool is_whole(const MapPart& part, const Shape& operand) {
    return part.source_row == 0 && part.source_column == 0 && part.rows * part.columns == operand.size();
}

std::string slice_name(const ComponentMap& map, const MapPart& part) {
    const Shape& operand = map.operands.front();
    const std::string of = "_of_" + dimensions(operand);
    const std::string row = std::to_string(part.source_row), column = std::to_string(part.source_column);
    if (map.result.form == Form::scalar) {
        return operand.form == Form::vector ? "entry_" + row + of : operand.form == Form::matrix ? "entry_" + row + "_" + column + of : "";
    }
    const bool down = part.row_by_row == 1 && part.column_by_row == 0;
    const bool along = part.row_by_row == 0 && part.column_by_row == 1;
    if (map.result.form == Form::vector && operand.form == Form::vector && (down || part.rows == 1)) {
        return "entries_" + row + "_to_" + std::to_string(part.source_row + part.rows - 1) + of;
    }
    if (map.result.form == Form::vector && operand.form == Form::matrix && part.rows > 1) {
        const int last = (along ? part.source_column : part.source_row) + part.rows - 1;
        const std::string to = "_to_" + std::to_string(last);
        if (along) {
            return "row_" + row + (part.rows == operand.columns ? "" : "_from_" + column + to) + of;
        }
        if (down) {
            return "column_" + column + (part.rows == operand.rows ? "" : "_from_" + row + to) + of;
        }
    }
    const bool straight = (down || part.rows == 1) && (part.columns == 1 || (part.row_by_column == 0 && part.column_by_column == 1));
    if (map.result.form == Form::matrix && operand.form == Form::matrix && straight && !part.diagonal) {
        return "block_" + dimensions(map.result) + "_at_" + row + "_" + column + of;
    }
    return "";
}

/// `rows_3x4`, `columns_4x3`, `diagonal_3`: what programs write most.
std::string assembly_name(const ComponentMap& map, const Writer& writer) {
    const std::vector<MapPart>& parts = writer.parts();
    if (map.result.form == Form::vector) {
        bool scalars = map.operands.size() == map.sources.size();
        for (std::size_t i = 0; scalars && i < map.sources.size(); ++i) {
            scalars = map.operands[i].form == Form::scalar && map.sources[i].operand == static_cast<int>(i);
        }
        return scalars ? "rows_" + dimensions(map.result) : "";
    }
    if (map.result.form != Form::matrix) {
        return "";
    }
    if (writer.rest_is_zero() && parts.size() == 1 && parts.front().diagonal && map.operands.front().form == Form::vector &&
        is_whole(parts.front(), map.operands.front()) && parts.front().rows == map.result.rows && map.result.rows == map.result.columns) {
        return "diagonal_" + dimensions(map.operands.front());
    }
    bool rows = parts.size() == map.operands.size() && parts.size() == static_cast<std::size_t>(map.result.rows) && map.result.columns > 1;
    bool columns =
        parts.size() == map.operands.size() && parts.size() == static_cast<std::size_t>(map.result.columns) && map.result.rows > 1;
    for (const MapPart& part : parts) {
        if (part.operand == ComponentSource::zero || map.operands[static_cast<std::size_t>(part.operand)].form != Form::vector ||
            !is_whole(part, map.operands[static_cast<std::size_t>(part.operand)])) {
            return "";
        }
        rows = rows && part.columns == map.result.columns && part.row_by_column == 1;
        columns = columns && part.rows == map.result.rows && part.row_by_row == 1;
    }
    return rows ? "rows_" + dimensions(map.result) : columns ? "columns_" + dimensions(map.result) : "";
}

std::string name_of(const ComponentMap& map, const Writer& writer) {
    const bool slice = map.operands.size() == 1 && writer.parts().size() == 1 && !writer.rest_is_zero();
    std::string name = slice ? slice_name(map, writer.parts().front()) : assembly_name(map, writer);
    if (!name.empty()) {
        return name;
    }
    Fnv1a hash;
    const auto add = [&](int value) { hash.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); };
    for (const Shape& shape : map.operands) {
        hash.add(to_string(shape));
    }
    hash.add(to_string(map.result));
    for (const ComponentSource& source : map.sources) {
        add(source.operand);
        add(source.component);
    }
    constexpr std::size_t digits = 8;
    return (map.operands.size() == 1 ? "selection_" : "assembly_") + hexadecimal(mixed(hash.value())).substr(0, digits);
}

} // namespace

Function moving_function(const ComponentMap& map, const std::string& name) {
    const Writer writer(map);
    Function function;
    function.name = name.empty() ? name_of(map, writer) : name;
    const std::string slice = slice_text(map);
    function.summary =
        slice.empty() ? "components of " + std::string(map.operands.size() == 1 ? "its operand" : "its operands") : "c = a" + slice;
    function.reference = map;
    function.flops = function.divisions = function.square_roots = function.transcendentals = number(0);
    for (std::size_t i = 0; i < map.operands.size(); ++i) {
        function.inputs.push_back(parameter(writer.operand_name(i), map.operands[i]));
    }
    function.output = parameter("c", map.result);
    const auto implementation = [&](const std::string& routine, int threads, Touch output) {
        Implementation& added = function.implementations.emplace_back();
        added.name = added.routine = routine;
        added.threads = number(threads);
        added.inputs.assign(map.operands.size(), Touch::all);
        added.output = output;
    };
    implementation("element", 1, Touch::all);
    function.source = writer.element(function.name);
    if (map.result.size() > 1) {
        implementation("entry", map.result.size(), Touch::entry);
        function.source += "\n" + writer.entry(function.name);
    }
    return function;
}

} // namespace fusec::library
