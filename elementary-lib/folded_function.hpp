// SPDX-License-Identifier: Apache-2.0
// A function for calls whose operands have components that are known when the program is compiled: what is left of its arithmetic,
// written out, beside the implementations that it has.
#pragma once

#include "elementary-lib/partial_evaluation.hpp"

namespace fusec::library {

/// Of a function with an index expression: the same function - operands, reference, implementations for several threads - whose one-thread
/// implementation is the arithmetic that is left, and does not take constants that it does not read; implementations by entry and row of
/// that arithmetic, where its components fall into few formulas, take the place of the function's own. All others index the operands at
/// run time and compute with their zeros and ones, and count them. A change of sign counts no operation in what is left: it is part of the
/// instruction that reads the value.
/// Of a component program: the function of what is left, over the operands `partial.read`.
///
/// Nothing where that does not pay: an operand other than a constant would no longer be read; nothing is saved; or less than an eighth of
/// the operations of a result of more than 36 components, which loops say better. The name is made from function, shape and what is known.
std::optional<Function> folded_function(const Function& function, const Instance& instance, const std::vector<Shape>& operands,
    const std::vector<bool>& constants, const std::vector<KnownComponents>& known, const PartialResult& partial, const Catalog& catalog);

} // namespace fusec::library
