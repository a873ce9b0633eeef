// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/own_function.hpp"

#include "elementary-lib/component_source.hpp"

#include <algorithm>

namespace fusec::library {

namespace {

Parameter parameter(std::string name, const Shape& shape) {
    return {std::move(name), shape.form, whole_number(shape.rows), whole_number(shape.columns), Domain::any};
}

/// Whether all that the threads read of an operand has the thread's own row or column (of the result's component) as its row or column.
struct Alignment {
    bool row_is_row = true, column_is_column = true, column_is_row = true;
    int reads = 0; ///< of one thread, at most
};

Alignment alignment(const std::vector<ComponentPart>& parts, int operand, const Shape& result, bool thread_per_row) {
    Alignment found;
    std::vector<int> reads_of_row(static_cast<std::size_t>(result.rows), 0); // its parts together
    for (const ComponentPart& part : parts) {
        int reads = 0;
        for (const LeafRule& leaf : part.leaves) {
            if (leaf.operand != operand) {
                continue;
            }
            const bool moves_along = leaf.row_by_column != 0 || leaf.column_by_column != 0;
            ++reads;
            for (int i = 0; i < part.rows; ++i) {
                reads_of_row[static_cast<std::size_t>(part.row + i)] += moves_along ? part.columns : 1;
                for (int j = 0; j < part.columns; ++j) {
                    const int row = leaf.row + i * leaf.row_by_row + j * leaf.row_by_column;
                    const int column = leaf.column + i * leaf.column_by_row + j * leaf.column_by_column;
                    found.row_is_row = found.row_is_row && row == part.row + i;
                    found.column_is_row = found.column_is_row && column == part.row + i;
                    found.column_is_column = found.column_is_column && column == part.column + (part.diagonal ? i : j);
                }
            }
        }
        found.reads = std::max(found.reads, reads);
    }
    if (thread_per_row) {
        found.reads = *std::max_element(reads_of_row.begin(), reads_of_row.end());
    }
    return found;
}

/// `all` if none of the others says it.
Touch narrowest(const Alignment& found, const Shape& operand, const Shape& result, bool thread_per_row) {
    if (operand.form == Form::vector) {
        // A component per thread: of the threads of rows, or of a vector's entries.
        const bool own = found.row_is_row && operand.rows == result.rows;
        return own && (thread_per_row || result.form == Form::vector) ? Touch::entry : Touch::all;
    }
    if (operand.form != Form::matrix) {
        return Touch::all;
    }
    if (!thread_per_row && result.form == Form::matrix) { // row i and column i are those of thread i, whatever it makes
        return operand == result && found.row_is_row && found.column_is_column ? Touch::entry : Touch::all;
    }
    if (found.row_is_row && operand.rows == result.rows) {
        return Touch::row;
    }
    const bool own_column = found.column_is_row && operand.columns == result.rows;
    return own_column ? Touch::column : Touch::all;
}

} // namespace

void narrow_inputs(
    Implementation& implementation, const std::vector<ComponentPart>& parts, const std::vector<Shape>& operands, const Shape& result) {
    const bool thread_per_row = implementation.output == Touch::row;
    implementation.reads.assign(operands.size(), 0);
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const Alignment found = alignment(parts, static_cast<int>(operand), result, thread_per_row);
        implementation.inputs[operand] = narrowest(found, operands[operand], result, thread_per_row);
        implementation.reads[operand] = implementation.inputs[operand] == Touch::all ? found.reads : 0;
    }
}

SizeExpression whole_number(std::int64_t value) {
    std::string error;
    std::size_t where = 0;
    return SizeExpression::parse(std::to_string(value), error, where).value();
}

void declare(Function& function, const std::vector<Shape>& operands, const Shape& result) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        function.inputs.push_back(parameter(operand_name(i, operands.size()), operands[i]));
    }
    function.output = parameter("c", result);
}

Implementation& add_implementation(Function& function, const std::string& routine, int threads, Touch output) {
    Implementation& added = function.implementations.emplace_back();
    added.name = added.routine = routine;
    added.threads = whole_number(threads);
    added.inputs.assign(function.inputs.size(), Touch::all);
    added.output = output;
    return added;
}

} // namespace fusec::library
