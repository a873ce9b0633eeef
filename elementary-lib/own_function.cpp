// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/own_function.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fusec::library {

namespace {

Parameter parameter(std::string name, const Shape& shape) {
    return {std::move(name), shape.form, whole_number(shape.rows), whole_number(shape.columns), Domain::any};
}

/// Whether all that the threads read of an operand has the thread's own row or column (of the result's component) as its row or column.
struct Alignment {
    bool row_is_row = true, column_is_column = true, column_is_row = true;
};

struct Place {
    int row = 0, column = 0;
};

Place place_of(const LeafRule& leaf, int i, int j) {
    return {leaf.row + i * leaf.row_by_row + j * leaf.row_by_column, leaf.column + i * leaf.column_by_row + j * leaf.column_by_column};
}

Alignment alignment(const std::vector<ComponentPart>& parts, int operand) {
    Alignment found;
    for (const ComponentPart& part : parts) {
        for (const LeafRule& leaf : part.leaves) {
            for (int i = 0; leaf.operand == operand && i < part.rows; ++i) {
                for (int j = 0; j < part.columns; ++j) {
                    const auto [row, column] = place_of(leaf, i, j);
                    found.row_is_row = found.row_is_row && row == part.row + i;
                    found.column_is_row = found.column_is_row && column == part.row + i;
                    found.column_is_column = found.column_is_column && column == part.column + (part.diagonal ? i : j);
                }
            }
        }
    }
    return found;
}

/// What the threads load of the operand: the leaves of each part are a branch of their own. `share`: rows of the result that a thread makes, the
/// columns of a part in a loop; 0: it makes a component.
ThreadLoads loads_of(
    const std::vector<ComponentPart>& parts, int operand, const Shape& shape, const Shape& result, int share, int threads) {
    ThreadLoads loads;
    std::set<std::vector<int>> known;
    const auto add = [&](const ComponentPart& part, const LeafRule& leaf, const auto& place_in_part) {
        std::vector<int> load;
        for (int thread = 0; thread < threads; ++thread) {
            const Place at = place_in_part(thread);
            const bool takes_part =
                at.row >= 0 && at.row < part.rows && at.column >= 0 && at.column < part.columns && (!part.diagonal || at.column == 0);
            const Place read = place_of(leaf, at.row, at.column);
            load.push_back(takes_part ? shape.stored(read.row * shape.columns + read.column) : -1);
        }
        if (std::any_of(load.begin(), load.end(), [](int component) { return component >= 0; }) && known.insert(load).second) {
            loads.push_back(std::move(load));
        }
    };
    for (int r = 0; r < std::max(share, 1); ++r) {
        for (const ComponentPart& part : parts) {
            for (const LeafRule& leaf : part.leaves) {
                if (leaf.operand != operand) {
                    continue;
                }
                if (share == 0) {
                    add(part, leaf, [&](int thread) {
                        const int row = thread / result.columns - part.row, column = thread % result.columns - part.column;
                        return Place{row, part.diagonal ? column - row : column};
                    });
                    continue;
                }
                for (int j = 0; j < part.columns; ++j) {
                    add(part, leaf, [&](int thread) { return Place{thread * share + r - part.row, j}; });
                }
            }
        }
    }
    return loads;
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

/// Says what of each operand the threads touch: their own row, rows, column or entry where all leaves lie there, else what they load.
void narrow_inputs(Implementation& implementation, const std::vector<ComponentPart>& parts, const std::vector<Shape>& operands,
    const Shape& result, int share, int threads) {
    implementation.loads.assign(operands.size(), {});
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const Alignment found = alignment(parts, static_cast<int>(operand));
        implementation.inputs[operand] = narrowest(found, operands[operand], result, implementation.output);
        if (implementation.inputs[operand] == Touch::all) {
            implementation.loads[operand] = loads_of(parts, static_cast<int>(operand), operands[operand], result, share, threads);
        }
    }
}

} // namespace

void add_parallel_implementations(
    Function& function, const ComponentSourceWriter& writer, const std::vector<Shape>& operands, const Shape& result) {
    const auto add = [&](const std::string& routine, int threads, Touch output, int share) -> Implementation& {
        Implementation& added = add_implementation(function, routine, threads, output);
        narrow_inputs(added, writer.parts(), operands, result, share, threads);
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
