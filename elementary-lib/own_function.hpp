// SPDX-License-Identifier: Apache-2.0
// What the functions that a program defines itself have in common: fixed shapes, operands `a0`, `a1`, ..., result `c`.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_map.hpp"
#include "elementary-lib/component_source.hpp"

namespace fusec::library {

/// The expression that is this number at every shape. Pre: value >= 0.
SizeExpression whole_number(std::int64_t value);

/// Fills in operands and result.
void declare(Function& function, const std::vector<Shape>& operands, const Shape& result);

/// Appends an implementation whose threads read all of the operands.
Implementation& add_implementation(Function& function, const std::string& routine, int threads, Touch output);

/// Appends the implementations of several threads that the parts allow, with their sources: `entry`, `row`, and where two, three or four rows
/// of the result (components of a vector) are a thread's share, `rows2` to `rows4`.
void add_parallel_implementations(
    Function& function, const ComponentSourceWriter& writer, const std::vector<Shape>& operands, const Shape& result);

/// Says for an implementation of one thread which components it reads, and how many wait to be read again. `reads` is in the order in which
/// it reads them. Linear in the reads.
void set_reads(Implementation& implementation, const std::vector<ComponentSource>& reads);

} // namespace fusec::library
