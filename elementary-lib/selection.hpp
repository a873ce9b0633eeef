// SPDX-License-Identifier: Apache-2.0
// Functions that choose one of two values by a comparison: `select(a < b, x, y)` of the language.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace fusec::library {

/// Operators of selections: `<`, `<=`, `==`. The language's others exchange the compared (`>`, `>=`) or the chosen (`!=`).
bool is_comparison(std::string_view symbol);

/// The numbers of the operands of a selection.
struct Selection {
    std::string comparison;
    std::size_t left, right, chosen, otherwise;
};

/// Of a function whose reference is `select(a < b, x, y)` of four operands, the chosen ones at the place of the result. Nothing for others.
std::optional<Selection> selection_of(const Function& function);

/// Whether the comparison of two exact numbers holds, as in C: never with NaN.
bool holds(std::string_view comparison, double left, double right);

} // namespace fusec::library
