// SPDX-License-Identifier: Apache-2.0
// What the functions that a program defines itself have in common: fixed shapes, operands `a0`, `a1`, ..., result `c`.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_map.hpp"

namespace fusec::library {

SizeExpression whole_number(std::int64_t value);

/// Fills in operands and result.
void declare(Function& function, const std::vector<Shape>& operands, const Shape& result);

/// Appends an implementation whose threads read all of the operands.
Implementation& add_implementation(Function& function, const std::string& routine, int threads, Touch output);

/// Says for an implementation of one thread per entry or per row what of each operand its threads touch: their own row, column or entry
/// where all leaves lie there, else how many components.
void narrow_inputs(
    Implementation& implementation, const std::vector<ComponentPart>& parts, const std::vector<Shape>& operands, const Shape& result);

} // namespace fusec::library
