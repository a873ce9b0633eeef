// SPDX-License-Identifier: Apache-2.0
// Maps of components in few rules.
#include "elementary-lib/component_map.hpp"

#include <algorithm>
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

using Steps = std::vector<Step>; ///< of each leaf

bool plain(const Steps& steps) {
    return std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.plain(); });
}

class Partition {
public:
    Partition(const Shape& result, const std::vector<Shape>& operands, const std::vector<ComponentPattern>& patterns)
        : result_(result), operands_(operands), patterns_(patterns), covered_(patterns.size(), false) {}

    std::vector<ComponentPart> run() {
        std::vector<ComponentPart> zeros;
        for (int row = 0; row < result_.rows; ++row) {
            for (int column = 0; column < result_.columns; ++column) {
                if (!covered(row, column)) {
                    const ComponentPart part = part_at(row, column);
                    cover(part);
                    (part.formula == ComponentPattern::zero ? zeros : parts_).push_back(part);
                }
            }
        }
        if (zeros.size() == 1) {
            parts_.push_back(zeros.front());
        }
        return std::move(parts_);
    }

private:
    bool inside(int row, int column) const { return row < result_.rows && column < result_.columns; }
    std::size_t at(int row, int column) const { return static_cast<std::size_t>(row * result_.columns + column); }
    bool covered(int row, int column) const { return covered_[at(row, column)]; }
    const ComponentPattern& pattern(int row, int column) const { return patterns_[at(row, column)]; }

    /// One formula of the same operands.
    bool alike(const ComponentPattern& a, const ComponentPattern& b) const {
        return a.formula == b.formula &&
            std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(),
                [](const ComponentSource& x, const ComponentSource& y) { return x.operand == y.operand; });
    }

    /// True if the steps from one component to the other are the given ones.
    bool follows(int row, int column, int next_row, int next_column, const Steps& steps) const {
        return inside(next_row, next_column) && !covered(next_row, next_column) &&
            alike(pattern(row, column), pattern(next_row, next_column)) && steps_between(row, column, next_row, next_column) == steps;
    }
    /// Pre: the two are alike.
    Steps steps_between(int row, int column, int next_row, int next_column) const {
        const ComponentPattern& from = pattern(row, column);
        const ComponentPattern& to = pattern(next_row, next_column);
        Steps steps;
        for (std::size_t leaf = 0; leaf < from.leaves.size(); ++leaf) {
            const int columns = operands_[static_cast<std::size_t>(from.leaves[leaf].operand)].columns;
            const int first = from.leaves[leaf].component, second = to.leaves[leaf].component;
            steps.push_back({second / columns - first / columns, second % columns - first % columns});
        }
        return steps;
    }

    /// How many components from here on, in the direction given, follow one step; 1 if only two do with a step that is not plain.
    int run_length(int row, int column, int down, int right, Steps& steps) const {
        steps.assign(pattern(row, column).leaves.size(), {});
        if (!inside(row + down, column + right) || !alike(pattern(row, column), pattern(row + down, column + right))) {
            return 1;
        }
        const Steps first = steps_between(row, column, row + down, column + right);
        int length = 1;
        while (follows(row + (length - 1) * down, column + (length - 1) * right, row + length * down, column + length * right, first)) {
            ++length;
        }
        if (length == 1 || (length == 2 && !plain(first))) {
            return 1;
        }
        steps = first;
        return length;
    }

    ComponentPart part_at(int row, int column) const {
        ComponentPart part;
        part.row = row;
        part.column = column;
        const ComponentPattern& first = pattern(row, column);
        part.formula = first.formula;
        Steps right, down;
        part.columns = run_length(row, column, 0, 1, right);
        part.rows = rows_of(part, right, down);
        if (part.rows == 1 && part.columns == 1) {
            Steps along;
            const int length = run_length(row, column, 1, 1, along);
            if (length > 1) {
                part.diagonal = true;
                part.rows = length;
                down = along;
            }
        }
        for (std::size_t leaf = 0; leaf < first.leaves.size(); ++leaf) {
            const ComponentSource& source = first.leaves[leaf];
            const int columns = operands_[static_cast<std::size_t>(source.operand)].columns;
            part.leaves.push_back({source.operand, source.component / columns, source.component % columns, down[leaf].row, right[leaf].row,
                down[leaf].column, right[leaf].column});
        }
        return part;
    }

    /// Rows from the part's on that repeat its first row with one step.
    int rows_of(const ComponentPart& part, const Steps& right, Steps& down) const {
        const int most = run_length(part.row, part.column, 1, 0, down);
        int rows = 1;
        while (rows < most && repeats(part, rows, right, down)) {
            ++rows;
        }
        if (rows == 1 || (rows == 2 && !plain(down))) {
            down.assign(down.size(), {});
            return 1;
        }
        return rows;
    }
    bool repeats(const ComponentPart& part, int rows, const Steps& right, const Steps& down) const {
        const int row = part.row + rows;
        for (int j = 0; j < part.columns; ++j) {
            const int column = part.column + j;
            if (!follows(row - 1, column, row, column, down) || (j > 0 && !follows(row, column - 1, row, column, right))) {
                return false;
            }
        }
        return true;
    }

    void cover(const ComponentPart& part) {
        for (int i = 0; i < part.rows; ++i) {
            for (int j = 0; j < part.columns; ++j) {
                covered_[at(part.row + i, part.column + (part.diagonal ? i : j))] = true;
            }
        }
    }

    const Shape& result_;
    const std::vector<Shape>& operands_;
    const std::vector<ComponentPattern>& patterns_;
    std::vector<bool> covered_;
    std::vector<ComponentPart> parts_;
};

/// `:` for all of a dimension, `a:b` for a part of it.
std::string range_text(int first, int count, int size) {
    return count == size ? ":" : std::to_string(first) + ":" + std::to_string(first + count);
}

} // namespace

std::string slice_text(const ComponentMap& map) {
    const std::vector<ComponentPart> parts = parts_of(map);
    const Shape& operand = map.operands.front();
    const ComponentPart& part = parts.front();
    if (map.operands.size() != 1 || parts.size() != 1 || part.diagonal || part.rows * part.columns != map.result.size()) {
        return "";
    }
    const LeafRule& leaf = part.leaves.front();
    const std::string row = std::to_string(leaf.row);
    const std::string column = std::to_string(leaf.column);
    const bool down = part.rows == 1 || (leaf.row_by_row == 1 && leaf.column_by_row == 0);
    const bool along = part.rows == 1 || (leaf.row_by_row == 0 && leaf.column_by_row == 1);
    const bool straight = part.columns == 1 || (leaf.row_by_column == 0 && leaf.column_by_column == 1);
    if (operand.form == Form::vector) {
        return map.result.form == Form::scalar        ? "[" + row + "]"
            : map.result.form == Form::vector && down ? "[" + range_text(leaf.row, part.rows, operand.rows) + "]"
                                                      : "";
    }
    if (operand.form == Form::scalar || (map.result.form == Form::matrix && !(down && straight))) {
        return "";
    }
    switch (map.result.form) {
    case Form::scalar:
        return "[" + row + "," + column + "]";
    case Form::vector:
        return along ? "[" + row + (part.rows == operand.columns ? "" : "," + range_text(leaf.column, part.rows, operand.columns)) + "]"
            : down   ? "[" + range_text(leaf.row, part.rows, operand.rows) + "," + column + "]"
                     : "";
    case Form::matrix:
        return "[" + range_text(leaf.row, part.rows, operand.rows) +
            (part.columns == operand.columns ? "" : "," + range_text(leaf.column, part.columns, operand.columns)) + "]";
    }
    return "";
}

std::vector<ComponentPart> parts_of(
    const Shape& result, const std::vector<Shape>& operands, const std::vector<ComponentPattern>& patterns) {
    return Partition(result, operands, patterns).run();
}

std::vector<ComponentPart> parts_of(const ComponentMap& map) {
    std::vector<ComponentPattern> patterns;
    for (const ComponentSource& source : map.sources) {
        ComponentPattern& pattern = patterns.emplace_back();
        if (source.operand != ComponentSource::zero) {
            pattern = {ComponentPattern::moved, {source}};
        }
    }
    return parts_of(map.result, map.operands, patterns);
}

} // namespace fusec::library
