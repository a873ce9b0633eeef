// SPDX-License-Identifier: Apache-2.0
// Device source of the functions that a program defines itself: routines written from parts of the result.
#pragma once

#include "elementary-lib/component_map.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fusec::library {

/// `a`, or `a0`, `a1`, ... where there are several.
std::string operand_name(std::size_t operand, std::size_t operands);

/// `a(i, j)`: a component of a value of this form.
std::string indexed(const std::string& view, Form form, const std::string& row, const std::string& column);

/// The right-hand side of a component: `formula` of a part, from the texts of its leaves. Appends to `before` the statements that have to
/// stand before it.
using FormulaText = std::function<std::string(int formula, const std::vector<std::string>& leaves, std::vector<std::string>& before)>;

/// Writes routines for a partition of the result; what is in no part is 0.
class ComponentSourceWriter {
public:
    ComponentSourceWriter(const Shape& result, const std::vector<Shape>& operands, std::vector<ComponentPart> parts, FormulaText formula);

    /// One thread makes everything.
    std::string element(const std::string& function) const;
    /// Thread t makes component t.
    std::string entry(const std::string& function) const;
    /// Thread i makes row i. Pre: has_rows().
    std::string row(const std::string& function) const;
    /// Thread t makes its share of the rows, of a vector its share of the components, from t * share on. Pre: has_rows(), or a vector.
    std::string rows(const std::string& function) const;
    /// Of a matrix with rows and columns, unless several diagonals lie among components that nothing gives a value before, or one needs variables.
    bool has_rows() const;

    /// Whether row() and rows() write components of a matrix again with what they have already: a diagonal is swept along the row.
    bool row_is_kept() const;

    const std::vector<ComponentPart>& parts() const { return parts_; }
    bool rest_is_zero() const { return rest_is_zero_; }

private:
    struct Text {
        std::vector<std::string> before;
        std::string value;
    };
    Text source(const ComponentPart& part) const;
    std::string statements(const ComponentPart& part, const std::string& indentation, const std::string& target, bool& one) const;
    std::string assignment(const ComponentPart& part) const;
    std::string entry_body() const;
    std::string row_body() const;
    std::string part_of_row(const ComponentPart& part) const;
    std::string diagonal_of_row(const ComponentPart& part) const;
    std::string row_condition(const ComponentPart& part) const;
    std::string condition_of(const ComponentPart& part) const;

    const Shape& result_;
    const std::vector<Shape>& operands_;
    std::vector<ComponentPart> parts_;
    FormulaText formula_;
    bool rest_is_zero_ = false;
};

/// `template <...> FUSEC_DEVICE void FUNCTION_element(LANE, const A& a, ..., C& c) {` with its line end.
std::string routine_head(const std::string& routine, const std::string& lane, std::size_t operands);

} // namespace fusec::library
