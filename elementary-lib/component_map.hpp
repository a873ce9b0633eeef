// SPDX-License-Identifier: Apache-2.0
// Functions that only move data: selections of components, as `A[1, 0:3]`, and assemblies of values from others. They are no files of
// the library: a program defines those that it uses, each made from one map of components.
#pragma once

#include "elementary-lib/type.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace fusec::library {

struct Function;

/// Where a component of the result comes from.
struct ComponentSource {
    static constexpr int zero = -1;
    int operand = zero; ///< by number; `zero`: the component is 0
    int component = 0;  ///< of the operand, row-major
    auto operator<=>(const ComponentSource&) const = default;
};

/// Invariants: every operand is the source of a component, there is at least one operand, operands are numbered in the order in which
/// the components name them first, and `sources` has one entry per component of the result.
struct ComponentMap {
    std::vector<Shape> operands;
    Shape result;
    std::vector<ComponentSource> sources; ///< by component of the result, row-major
};

/// What one component of a result is made from: a formula, by a number that stands for it, and its leaves. Formula `zero` has no leaves.
struct ComponentPattern {
    static constexpr int zero = -1;
    static constexpr int moved = 0; ///< the one leaf as it is
    int formula = zero;
    std::vector<ComponentSource> leaves; ///< components of operands
};

/// Where a leaf of component (row + i, column + j) of a part is: at (row + i * row_by_row + j * row_by_column, ...) of its operand.
struct LeafRule {
    int operand = 0;
    int row = 0, column = 0;
    int row_by_row = 0, row_by_column = 0, column_by_row = 0, column_by_column = 0;
};

/// Components of the result with one rule: (row + i, column + j) for i below `rows` and j below `columns`; of a diagonal, i = j below
/// `rows`.
struct ComponentPart {
    int row = 0, column = 0, rows = 1, columns = 1;
    bool diagonal = false;
    int formula = ComponentPattern::zero;
    std::vector<LeafRule> leaves;
};

/// A partition of the result into few parts (greedy, in row-major order). If zeros are not one part, they are none: then everything that
/// is in no part is 0. `patterns` is by component, row-major. Linear in the leaves of all components times the neighbours of a part.
std::vector<ComponentPart> parts_of(const Shape& result, const std::vector<Shape>& operands, const std::vector<ComponentPattern>& patterns);
std::vector<ComponentPart> parts_of(const ComponentMap& map);

/// A map that a program could write as one slice, as it would stand behind the operand: `[1]`, `[:,2]`, `[0:3,3:6]`; empty for others.
std::string slice_text(const ComponentMap& map);

/// The function: no arithmetic; an implementation `element` for one thread and, unless the result is one component, `entry` with a
/// thread per component. Its name is made from the map alone, is no name of a function in a file (`row_1_of_4x3`, `assembly_1b5f09aa`),
/// and is that of another map only by a collision of hashes: then `name` gives it one.
Function moving_function(const ComponentMap& map, const std::string& name = {});

} // namespace fusec::library
