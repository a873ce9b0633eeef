// SPDX-License-Identifier: Apache-2.0
// What the functions that a program defines itself have in common: fixed shapes, operands `a0`, `a1`, ..., result `c`.
#pragma once

#include "elementary-lib/catalog.hpp"

namespace fusec::library {

SizeExpression whole_number(std::int64_t value);

/// Fills in operands and result.
void declare(Function& function, const std::vector<Shape>& operands, const Shape& result);

/// Appends an implementation whose threads read all of the operands.
Implementation& add_implementation(Function& function, const std::string& routine, int threads, Touch output);

} // namespace fusec::library
