// SPDX-License-Identifier: Apache-2.0
// Functions that do the same scalar arithmetic to every component, as `vadd` and `smmul`: what they do to one.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <vector>

namespace fusec::library {

/// Scalar calls that make one component of the result from the components at the same place of vector and matrix operands, and from scalar
/// operands.
struct EntryWise {
    struct Step {
        FunctionId function;
        std::vector<int> operands; ///< a step by its number, or the function's operand o as -1 - o
    };
    std::vector<Step> steps; ///< the last makes the component; at least one
};

/// Nothing for functions of another kind, and where the library lacks a scalar function that is needed.
std::optional<EntryWise> entry_wise(const Function& function, const Catalog& catalog);

} // namespace fusec::library
