// SPDX-License-Identifier: Apache-2.0
// Maps of components in few rules.
#include "elementary-lib/component_map.hpp"

#include <cstdlib>

namespace fusec::library {

namespace {

/// How the source's coordinates change from one component to the next.
struct Step {
    int row = 0;
    int column = 0;
    bool operator==(const Step&) const = default;
    /// What a program writes; other steps have to prove themselves over three components.
    bool plain() const { return row >= 0 && row <= 1 && column >= 0 && column <= 1; }
};

class Partition {
public:
    explicit Partition(const ComponentMap& map) : map_(map), covered_(map.sources.size(), false) {}

    std::vector<MapPart> run() {
        std::vector<MapPart> zeros;
        for (int row = 0; row < map_.result.rows; ++row) {
            for (int column = 0; column < map_.result.columns; ++column) {
                if (!covered(row, column)) {
                    const MapPart part = part_at(row, column);
                    cover(part);
                    (part.operand == ComponentSource::zero ? zeros : parts_).push_back(part);
                }
            }
        }
        if (zeros.size() == 1) {
            parts_.push_back(zeros.front());
        }
        return std::move(parts_);
    }

private:
    bool inside(int row, int column) const { return row < map_.result.rows && column < map_.result.columns; }
    std::size_t at(int row, int column) const { return static_cast<std::size_t>(row * map_.result.columns + column); }
    bool covered(int row, int column) const { return covered_[at(row, column)]; }
    const ComponentSource& source(int row, int column) const { return map_.sources[at(row, column)]; }

    /// True if the step from one component to the other is the given one, within one operand.
    bool follows(int row, int column, int next_row, int next_column, const Step& step) const {
        if (!inside(next_row, next_column) || covered(next_row, next_column) ||
            source(row, column).operand != source(next_row, next_column).operand) {
            return false;
        }
        return step_between(row, column, next_row, next_column) == step;
    }
    Step step_between(int row, int column, int next_row, int next_column) const {
        const ComponentSource& from = source(row, column);
        const ComponentSource& to = source(next_row, next_column);
        if (from.operand == ComponentSource::zero || from.operand != to.operand) {
            return {};
        }
        const int columns = map_.operands[static_cast<std::size_t>(from.operand)].columns;
        return {to.component / columns - from.component / columns, to.component % columns - from.component % columns};
    }

    /// How many components from here on, in the direction given, follow one step; 1 if only two do with a step that is not plain.
    int run_length(int row, int column, int down, int right, Step& step) const {
        step = {};
        if (!inside(row + down, column + right)) {
            return 1;
        }
        const Step first = step_between(row, column, row + down, column + right);
        int length = 1;
        while (follows(row + (length - 1) * down, column + (length - 1) * right, row + length * down, column + length * right, first)) {
            ++length;
        }
        if (length == 1 || (length == 2 && !first.plain())) {
            return 1;
        }
        step = first;
        return length;
    }

    MapPart part_at(int row, int column) const {
        MapPart part{.row = row, .column = column};
        const ComponentSource& first = source(row, column);
        part.operand = first.operand;
        if (first.operand != ComponentSource::zero) {
            const int columns = map_.operands[static_cast<std::size_t>(first.operand)].columns;
            part.source_row = first.component / columns;
            part.source_column = first.component % columns;
        }
        Step right, down;
        part.columns = run_length(row, column, 0, 1, right);
        part.rows = rows_of(part, right, down);
        if (part.rows == 1 && part.columns == 1) {
            Step along;
            const int length = run_length(row, column, 1, 1, along);
            if (length > 1) {
                part.diagonal = true;
                part.rows = length;
                down = along;
            }
        }
        part.row_by_row = down.row;
        part.column_by_row = down.column;
        part.row_by_column = right.row;
        part.column_by_column = right.column;
        return part;
    }

    /// Rows from the part's on that repeat its first row with one step.
    int rows_of(const MapPart& part, const Step& right, Step& down) const {
        const int most = run_length(part.row, part.column, 1, 0, down);
        int rows = 1;
        while (rows < most && repeats(part, rows, right, down)) {
            ++rows;
        }
        if (rows == 1 || (rows == 2 && !down.plain())) {
            down = {};
            return 1;
        }
        return rows;
    }
    bool repeats(const MapPart& part, int rows, const Step& right, const Step& down) const {
        const int row = part.row + rows;
        for (int j = 0; j < part.columns; ++j) {
            const int column = part.column + j;
            if (!follows(row - 1, column, row, column, down) || (j > 0 && !follows(row, column - 1, row, column, right))) {
                return false;
            }
        }
        return true;
    }

    void cover(const MapPart& part) {
        for (int i = 0; i < part.rows; ++i) {
            for (int j = 0; j < part.columns; ++j) {
                covered_[at(part.row + i, part.column + (part.diagonal ? i : j))] = true;
            }
        }
    }

    const ComponentMap& map_;
    std::vector<bool> covered_;
    std::vector<MapPart> parts_;
};

/// `:` for all of a dimension, `a:b` for a part of it.
std::string range_text(int first, int count, int size) {
    return count == size ? ":" : std::to_string(first) + ":" + std::to_string(first + count);
}

} // namespace

std::string slice_text(const ComponentMap& map) {
    const std::vector<MapPart> parts = parts_of(map);
    const Shape& operand = map.operands.front();
    const MapPart& part = parts.front();
    if (map.operands.size() != 1 || parts.size() != 1 || part.diagonal || part.rows * part.columns != map.result.size()) {
        return "";
    }
    const std::string row = std::to_string(part.source_row);
    const std::string column = std::to_string(part.source_column);
    const bool down = part.rows == 1 || (part.row_by_row == 1 && part.column_by_row == 0);
    const bool along = part.rows == 1 || (part.row_by_row == 0 && part.column_by_row == 1);
    const bool straight = part.columns == 1 || (part.row_by_column == 0 && part.column_by_column == 1);
    if (operand.form == Form::vector) {
        return map.result.form == Form::scalar        ? "[" + row + "]"
            : map.result.form == Form::vector && down ? "[" + range_text(part.source_row, part.rows, operand.rows) + "]"
                                                      : "";
    }
    if (operand.form == Form::scalar || (map.result.form == Form::matrix && !(down && straight))) {
        return "";
    }
    switch (map.result.form) {
    case Form::scalar:
        return "[" + row + "," + column + "]";
    case Form::vector:
        return along
            ? "[" + row + (part.rows == operand.columns ? "" : "," + range_text(part.source_column, part.rows, operand.columns)) + "]"
            : down ? "[" + range_text(part.source_row, part.rows, operand.rows) + "," + column + "]"
                   : "";
    case Form::matrix:
        return "[" + range_text(part.source_row, part.rows, operand.rows) +
            (part.columns == operand.columns ? "" : "," + range_text(part.source_column, part.columns, operand.columns)) + "]";
    }
    return "";
}

std::vector<MapPart> parts_of(const ComponentMap& map) {
    return Partition(map).run();
}

} // namespace fusec::library
