// SPDX-License-Identifier: Apache-2.0
// Arithmetic component by component: scalar functions applied to components of operands, which together make a value. A program that
// says `K[i,j] = 0.5 * (A[i,j] + A[j,i]);` for all i and j has one call of such a function.
#pragma once

#include "elementary-lib/component_map.hpp"
#include "support/ids.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::library {

class Catalog;
struct Function;

/// A component of an operand, a zero, or what a step makes.
struct ComponentValue {
    enum class Kind {
        zero,
        component,
        step
    } kind = Kind::zero;
    ComponentSource source; ///< component
    int step = 0;           ///< step: its number
    auto operator<=>(const ComponentValue&) const = default;
};

struct ScalarStep {
    FunctionId function; ///< of the library: scalars to a scalar
    std::vector<ComponentValue> operands;
};

/// Invariants: every operand and every step is used, operands of a step are steps before it, `values` has one entry per component of
/// the result.
struct ComponentProgram {
    std::vector<Shape> operands;
    Shape result;
    std::vector<ScalarStep> steps;
    std::vector<ComponentValue> values; ///< by component of the result, row-major
};

/// True if calls of the function may be steps: it makes a scalar of scalars by one expression (ScalarExpression).
bool may_be_step(const Function& function);

/// The function: an implementation `element` for one thread; and where the components fall into few parts of one formula each, `entry`
/// with a thread per component, `row`, and `rows2` to `rows4` with shares of rows. Parts are written as loops. Operations are counted as they are written: steps that several parts share
/// are repeated in each if that keeps them few, and computed once otherwise. Its name is made from the program alone, like a
/// moving_function's. Pre: the steps' functions may be steps.
Function component_function(const ComponentProgram& program, const Catalog& catalog, const std::string& name = {});

} // namespace fusec::library
