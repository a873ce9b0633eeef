// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/own_function.hpp"

#include <algorithm>
#include <map>
#include <numeric>

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

/// `share`: rows of the result that a thread makes; 0: it makes a component.
Alignment alignment(const std::vector<ComponentPart>& parts, int operand, const Shape& result, int share) {
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
    for (std::size_t row = 0; share > 0 && row < reads_of_row.size(); row += static_cast<std::size_t>(share)) {
        const auto first = reads_of_row.begin() + static_cast<std::ptrdiff_t>(row);
        found.reads = std::max(row == 0 ? 0 : found.reads, std::accumulate(first, first + share, 0));
    }
    return found;
}

/// `all` if none of the others says it.
Touch narrowest(const Alignment& found, const Shape& operand, const Shape& result, Touch output) {
    const bool thread_per_row = output == Touch::row;
    if (output == Touch::rows) {
        return operand.form != Form::scalar && found.row_is_row && operand.rows == result.rows ? Touch::rows : Touch::all;
    }
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

/// Says what of each operand the threads touch: their own row, rows, column or entry where all leaves lie there, else how many components.
void narrow_inputs(Implementation& implementation, const std::vector<ComponentPart>& parts, const std::vector<Shape>& operands,
    const Shape& result, int share) {
    implementation.reads.assign(operands.size(), 0);
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const Alignment found = alignment(parts, static_cast<int>(operand), result, share);
        implementation.inputs[operand] = narrowest(found, operands[operand], result, implementation.output);
        implementation.reads[operand] = implementation.inputs[operand] == Touch::all ? found.reads : 0;
    }
}

} // namespace

void add_parallel_implementations(
    Function& function, const ComponentSourceWriter& writer, const std::vector<Shape>& operands, const Shape& result) {
    const auto add = [&](const std::string& routine, int threads, Touch output, int share) -> Implementation& {
        Implementation& added = add_implementation(function, routine, threads, output);
        narrow_inputs(added, writer.parts(), operands, result, share);
        added.keeps_row = output != Touch::entry && writer.row_is_kept();
        return added;
    };
    add("entry", result.size(), Touch::entry, 0);
    function.source += "\n" + writer.entry(function.name);
    const bool has_rows = writer.has_rows();
    if (has_rows) {
        add("row", result.rows, Touch::row, 1);
        function.source += "\n" + writer.row(function.name);
    }
    bool shares = false;
    for (const int share : {2, 3, 4}) {
        if ((has_rows || result.form == Form::vector) && result.rows % share == 0 && result.rows > share) {
            add("rows", result.rows / share, Touch::rows, share).name = "rows" + std::to_string(share);
            shares = true;
        }
    }
    function.source += shares ? "\n" + writer.rows(function.name) : "";
}

void set_reads(Implementation& implementation, const std::vector<ComponentSource>& reads) {
    const std::size_t operands = implementation.inputs.size();
    std::map<ComponentSource, std::pair<std::size_t, std::size_t>> spans; // first and last read
    for (std::size_t time = 0; time < reads.size(); ++time) {
        if (reads[time].operand != ComponentSource::zero) {
            spans.try_emplace(reads[time], time, time).first->second.second = time;
        }
    }
    implementation.components.assign(operands, {});
    implementation.waiting.assign(operands, 0);
    std::vector<std::map<std::size_t, int>> changes(operands); // of the number that waits, by time
    for (const auto& [source, span] : spans) {
        const auto operand = static_cast<std::size_t>(source.operand);
        implementation.components[operand].push_back(source.component);
        if (span.second > span.first) {
            ++changes[operand][span.first];
            --changes[operand][span.second];
        }
    }
    for (std::size_t operand = 0; operand < operands; ++operand) {
        int waiting = 0;
        for (const auto& [time, change] : changes[operand]) {
            waiting += change;
            implementation.waiting[operand] = std::max(implementation.waiting[operand], waiting);
        }
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
