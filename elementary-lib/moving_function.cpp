// SPDX-License-Identifier: Apache-2.0
// The function of a map of components: name, types and device source.
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_source.hpp"
#include "elementary-lib/own_function.hpp"
#include "support/diagnostics.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fusec::library {

namespace {

std::string dimensions(const Shape& shape) {
    return std::to_string(shape.rows) + (shape.form == Form::matrix ? "x" + std::to_string(shape.columns) : "");
}

/// Whether the part is all of its operand, row by row.
bool is_whole(const ComponentPart& part, const Shape& operand) {
    return part.leaves.front().row == 0 && part.leaves.front().column == 0 && part.rows * part.columns == operand.size();
}

std::string slice_name(const ComponentMap& map, const ComponentPart& part) {
    const Shape& operand = map.operands.front();
    const LeafRule& leaf = part.leaves.front();
    const std::string of = "_of_" + dimensions(operand);
    const std::string row = std::to_string(leaf.row), column = std::to_string(leaf.column);
    if (map.result.form == Form::scalar) {
        return operand.form == Form::vector ? "entry_" + row + of : operand.form == Form::matrix ? "entry_" + row + "_" + column + of : "";
    }
    const bool down = leaf.row_by_row == 1 && leaf.column_by_row == 0;
    const bool along = leaf.row_by_row == 0 && leaf.column_by_row == 1;
    if (map.result.form == Form::vector && operand.form == Form::vector && (down || part.rows == 1)) {
        return "entries_" + row + "_to_" + std::to_string(leaf.row + part.rows - 1) + of;
    }
    if (map.result.form == Form::vector && operand.form == Form::matrix && part.rows > 1) {
        const int last = (along ? leaf.column : leaf.row) + part.rows - 1;
        const std::string to = "_to_" + std::to_string(last);
        if (along) {
            return "row_" + row + (part.rows == operand.columns ? "" : "_from_" + column + to) + of;
        }
        if (down) {
            return "column_" + column + (part.rows == operand.rows ? "" : "_from_" + row + to) + of;
        }
    }
    const bool straight = (down || part.rows == 1) && (part.columns == 1 || (leaf.row_by_column == 0 && leaf.column_by_column == 1));
    if (map.result.form == Form::matrix && operand.form == Form::matrix && straight && !part.diagonal) {
        return "block_" + dimensions(map.result) + "_at_" + row + "_" + column + of;
    }
    return "";
}

/// `rows_3x4`, `columns_4x3`, `diagonal_3`: what programs write most.
std::string assembly_name(const ComponentMap& map, const ComponentSourceWriter& writer) {
    const std::vector<ComponentPart>& parts = writer.parts();
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
    for (const ComponentPart& part : parts) {
        if (part.formula == ComponentPattern::zero ||
            map.operands[static_cast<std::size_t>(part.leaves.front().operand)].form != Form::vector ||
            !is_whole(part, map.operands[static_cast<std::size_t>(part.leaves.front().operand)])) {
            return "";
        }
        rows = rows && part.columns == map.result.columns && part.leaves.front().row_by_column == 1;
        columns = columns && part.rows == map.result.rows && part.leaves.front().row_by_row == 1;
    }
    return rows ? "rows_" + dimensions(map.result) : columns ? "columns_" + dimensions(map.result) : "";
}

/// Of a matrix from one like it: `copy_of_4x4`, and `triangle_of_4x4` of its lower triangle, which is all of a symmetric one.
std::string copy_name(const ComponentMap& map) {
    if (map.operands.size() != 1 || map.result.form != Form::matrix || map.operands.front() != map.result) {
        return "";
    }
    bool all = true, triangle = map.result.rows == map.result.columns;
    for (int component = 0; component < map.result.size(); ++component) {
        const ComponentSource& source = map.sources[static_cast<std::size_t>(component)];
        const bool moved = source == ComponentSource{0, component};
        const bool above = component / map.result.columns < component % map.result.columns;
        all = all && moved;
        triangle = triangle && (above ? source.operand == ComponentSource::zero : moved);
    }
    return (all ? "copy_of_" : triangle ? "triangle_of_" : "") + (all || triangle ? dimensions(map.result) : "");
}

std::string name_of(const ComponentMap& map, const ComponentSourceWriter& writer) {
    if (const std::string copy = copy_name(map); !copy.empty()) {
        return copy;
    }
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
    internal_check(!map.result.packed && map.sources.size() == static_cast<std::size_t>(map.result.components()) &&
            std::none_of(map.operands.begin(), map.operands.end(), [](const Shape& operand) { return operand.packed; }),
        "a map of components has not one source for each component of its result");
    const ComponentSourceWriter writer(map.result, map.operands, parts_of(map),
        [](int, const std::vector<std::string>& leaves, std::vector<std::string>&) { return leaves.front(); });
    Function function;
    function.name = name.empty() ? name_of(map, writer) : name;
    const std::string slice = slice_text(map);
    function.summary =
        slice.empty() ? "components of " + std::string(map.operands.size() == 1 ? "its operand" : "its operands") : "c = a" + slice;
    function.reference = map;
    declare(function, map.operands, map.result);
    const SizeExpression none = whole_number(0);
    function.flops = function.divisions = function.square_roots = function.transcendentals = none;
    set_reads(add_implementation(function, "element", 1, Touch::all), map.sources);
    function.source = writer.element(function.name);
    if (map.result.size() > 1) {
        add_parallel_implementations(function, writer, map.operands, map.result);
    }
    return function;
}

} // namespace fusec::library
