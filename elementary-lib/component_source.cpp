// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/component_source.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <utility>

namespace fusec::library {

namespace {

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

std::string loop(const char* index, int first, int count) {
    return "for (int " + std::string(index) + " = " + std::to_string(first) + "; " + index + " < " + std::to_string(first + count) +
        "; ++" + index + ")";
}

/// That the index is one of `count` from `first` on; empty if that is all of `size`.
std::string range_condition(const std::string& index, int first, int count, int size) {
    if (count == size) {
        return "";
    }
    if (count == 1) {
        return index + " == " + std::to_string(first);
    }
    const std::string low = first > 0 ? index + " >= " + std::to_string(first) : "";
    const std::string high = first + count < size ? index + " < " + std::to_string(first + count) : "";
    return low + (low.empty() || high.empty() ? "" : " && ") + high;
}

} // namespace

std::string operand_name(std::size_t operand, std::size_t operands) {
    return operands == 1 ? "a" : "a" + std::to_string(operand);
}

std::string indexed(const std::string& view, Form form, const std::string& row, const std::string& column) {
    return view + (form == Form::scalar ? "()" : form == Form::vector ? "(" + row + ")" : "(" + row + ", " + column + ")");
}

std::string routine_head(const std::string& routine, const std::string& lane, std::size_t operands) {
    std::string types = "template <class Lane, ";
    std::string parameters = "FUSEC_DEVICE void " + routine + "(" + lane + ", ";
    for (std::size_t i = 0; i < operands; ++i) {
        std::string type = operand_name(i, operands);
        type.front() = 'A';
        types += "class " + type + ", ";
        parameters += "const " + type + "& " + operand_name(i, operands) + ", ";
    }
    return types + "class C>\n" + parameters + "C& c) {\n";
}

ComponentSourceWriter::ComponentSourceWriter(
    const Shape& result, const std::vector<Shape>& operands, std::vector<ComponentPart> parts, FormulaText formula)
    : result_(result), operands_(operands), parts_(std::move(parts)), formula_(std::move(formula)) {
    int covered = 0;
    for (const ComponentPart& part : parts_) {
        covered += part.rows * part.columns;
    }
    rest_is_zero_ = covered != result.size();
}

std::string ComponentSourceWriter::element(const std::string& function) const {
    std::string text = routine_head(function + "_element", "Lane", operands_.size());
    if (rest_is_zero_) {
        ComponentPart all;
        all.rows = result_.rows;
        all.columns = result_.columns;
        text += assignment(all);
    }
    for (const ComponentPart& part : parts_) {
        text += assignment(part);
    }
    return text + "}\n";
}

std::string ComponentSourceWriter::entry(const std::string& function) const {
    const bool matrix = result_.form == Form::matrix;
    return routine_head(function + "_entry", "Lane lane", operands_.size()) +
        (matrix ? "    const int i = lane.index / C::columns, j = lane.index % C::columns;\n" : "    const int i = lane.index;\n") +
        entry_body() + "}\n";
}

std::string ComponentSourceWriter::entry_body() const {
    std::string text;
    const bool matrix = result_.form == Form::matrix;
    const std::string target = "c" + std::string(matrix ? "(i, j)" : "(i)");
    if (rest_is_zero_) {
        text += "    " + target + " = 0;\n";
    }
    for (const ComponentPart& part : parts_) {
        const std::string condition = condition_of(part);
        bool one = true;
        const std::string plain = statements(part, "    ", target, one);
        if (condition.empty() && (one || parts_.size() == 1)) {
            text += plain;
            continue;
        }
        const std::string inner = statements(part, "        ", target, one);
        text += "    " + (condition.empty() ? std::string() : "if (" + condition + ")" + (one ? "" : " ")) + (one ? "\n" : "{\n") + inner +
            (one ? "" : "    }\n");
    }
    return text;
}

/// The right-hand side for the result's component (i, j). An index that has one value only is its number.
ComponentSourceWriter::Text ComponentSourceWriter::source(const ComponentPart& part) const {
    if (part.formula == ComponentPattern::zero) {
        return {{}, "0"};
    }
    const bool row_moves = part.rows > 1;
    const bool column_moves = part.columns > 1;
    const auto coordinate = [&](int first, int by_row, int by_column) {
        const int constant = first - (row_moves ? by_row * part.row : 0) - (column_moves ? by_column * part.column : 0);
        return affine(constant, {{row_moves ? by_row : 0, "i"}, {column_moves ? by_column : 0, "j"}});
    };
    std::vector<std::string> leaves;
    for (const LeafRule& leaf : part.leaves) {
        const auto operand = static_cast<std::size_t>(leaf.operand);
        leaves.push_back(indexed(operand_name(operand, operands_.size()), operands_[operand].form,
            coordinate(leaf.row, leaf.row_by_row, leaf.row_by_column), coordinate(leaf.column, leaf.column_by_row, leaf.column_by_column)));
    }
    Text text;
    text.value = formula_(part.formula, leaves, text.before);
    return text;
}

/// `one`: it is a single statement.
std::string ComponentSourceWriter::statements(
    const ComponentPart& part, const std::string& indentation, const std::string& target, bool& one) const {
    const Text text = source(part);
    std::string lines;
    for (const std::string& statement : text.before) {
        lines += indentation + statement + "\n";
    }
    one = text.before.empty();
    return lines + indentation + target + " = " + text.value + ";\n";
}

std::string ComponentSourceWriter::assignment(const ComponentPart& part) const {
    const bool rows = part.rows > 1;
    const bool columns = part.columns > 1;
    const std::string i = rows ? "i" : std::to_string(part.row);
    const std::string j = columns ? "j" : part.diagonal ? affine(part.column - part.row, {{1, "i"}}) : std::to_string(part.column);
    const std::string target = indexed("c", result_.form, i, j);
    const int depth = (rows ? 1 : 0) + (columns ? 1 : 0);
    bool one = true;
    const std::string body = statements(part, std::string(static_cast<std::size_t>(depth + 1) * 4, ' '), target, one);
    const std::string open = one ? "\n" : " {\n";
    if (depth == 2) {
        return "    FUSEC_UNROLL " + loop("i", part.row, part.rows) + " {\n        " + loop("j", part.column, part.columns) + open + body +
            (one ? "" : "        }\n") + "    }\n";
    }
    if (depth == 1) {
        return "    " + (rows ? loop("i", part.row, part.rows) : loop("j", part.column, part.columns)) + open + body +
            (one ? "" : "    }\n");
    }
    return one || parts_.size() == 1 ? body : "    {\n" + statements(part, "        ", target, one) + "    }\n";
}

bool ComponentSourceWriter::has_rows() const {
    const auto diagonals = std::count_if(parts_.begin(), parts_.end(), [](const ComponentPart& part) { return part.diagonal; });
    const bool simple =
        std::all_of(parts_.begin(), parts_.end(), [&](const ComponentPart& part) { return !part.diagonal || source(part).before.empty(); });
    return result_.form == Form::matrix && result_.rows > 1 && result_.columns > 1 && (diagonals <= 1 || rest_is_zero_) && simple;
}

bool ComponentSourceWriter::row_is_kept() const {
    return result_.form == Form::matrix &&
        std::any_of(parts_.begin(), parts_.end(), [](const ComponentPart& part) { return part.diagonal; });
}

std::string ComponentSourceWriter::row(const std::string& function) const {
    return routine_head(function + "_row", "Lane lane", operands_.size()) + "    const int i = lane.index;\n" + row_body() + "}\n";
}

std::string ComponentSourceWriter::rows(const std::string& function) const {
    std::istringstream body(result_.form == Form::matrix ? row_body() : entry_body());
    std::string text = routine_head(function + "_rows", "Lane lane", operands_.size()) +
        "    constexpr int share = C::rows / Lane::count;\n"
        "    FUSEC_UNROLL for (int r = 0; r < share; ++r) {\n"
        "        const fusec::own_row i{share * lane.index, r};\n";
    for (std::string line; std::getline(body, line);) {
        text += "    " + line + "\n";
    }
    return text + "    }\n}\n";
}

std::string ComponentSourceWriter::row_body() const {
    std::string text;
    if (rest_is_zero_) {
        text += "    FUSEC_UNROLL_SHORT " + loop("j", 0, result_.columns) + "\n        c(i, j) = 0;\n";
    }
    for (const bool diagonal : {false, true}) { // diagonals keep what the others have written
        for (const ComponentPart& part : parts_) {
            if (part.diagonal == diagonal) {
                text += diagonal ? diagonal_of_row(part) : part_of_row(part);
            }
        }
    }
    return text;
}

std::string ComponentSourceWriter::part_of_row(const ComponentPart& part) const {
    const std::string condition = row_condition(part);
    const bool columns = part.columns > 1;
    const auto body = [&](std::size_t depth, bool& one) {
        return statements(part, std::string(depth * 4, ' '), "c(i, " + (columns ? "j" : std::to_string(part.column)) + ")", one);
    };
    bool one = true;
    body(1, one);
    // Braces where there are several statements, and around those without condition or loop that declare something.
    const bool braces = !one && !columns && (!condition.empty() || parts_.size() > 1);
    std::string text = condition.empty() ? (braces ? "    {\n" : "") : "    if (" + condition + ")" + (braces ? " {\n" : "\n");
    const std::size_t depth = text.empty() ? 1 : 2;
    if (columns) {
        const std::string indentation(depth * 4, ' ');
        text += indentation + "FUSEC_UNROLL_SHORT " + loop("j", part.column, part.columns) + (one ? "\n" : " {\n") + body(depth + 1, one) +
            (one ? "" : indentation + "}\n");
    } else {
        text += body(depth, one);
    }
    return text + (braces ? "    }\n" : "");
}

/// A loop that chooses, since a row in registers has no index that depends on the thread. (With an `if` around the assignment nvcc 13
/// makes such an index of it, and local memory of the row.)
std::string ComponentSourceWriter::diagonal_of_row(const ComponentPart& part) const {
    ComponentPart swept = part;
    swept.diagonal = false;
    swept.columns = part.rows;
    for (LeafRule& leaf : swept.leaves) {
        leaf.column_by_column = std::exchange(leaf.column_by_row, 0);
    }
    // What is chosen is read only there: a component of another row may be another thread's.
    return "    FUSEC_UNROLL_SHORT " + loop("j", part.column, part.rows) +
        "\n        c(i, j) = j == " + affine(part.column - part.row, {{1, "i"}}) + " ? " + source(swept).value + " : c(i, j);\n";
}

/// That the result's row i is among the part's; empty if all are.
std::string ComponentSourceWriter::row_condition(const ComponentPart& part) const {
    return range_condition("i", part.row, part.rows, result_.rows);
}

/// That the result's component (i, j) is in the part; empty if all are.
std::string ComponentSourceWriter::condition_of(const ComponentPart& part) const {
    std::string text = row_condition(part);
    const std::string along = part.diagonal ? "j == " + affine(part.column - part.row, {{1, "i"}})
        : result_.form == Form::matrix      ? range_condition("j", part.column, part.columns, result_.columns)
                                            : "";
    return text + (text.empty() || along.empty() ? "" : " && ") + along;
}

} // namespace fusec::library
