// SPDX-License-Identifier: Apache-2.0
// What `fusec library check` runs a function on: shapes, random operands within their domains, and what the reference makes of them.
#pragma once

#include "execute/library_check.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

/// Shapes with larger dimensions are not searched for an implementation that none of the usual shapes allows.
inline constexpr int largest_searched_dimension = 16;

/// One shape and precision of a function with its cases. Operands, and the result, may be stored packed.
struct Subject {
    library::Instance instance;
    std::vector<Shape> operands;
    std::vector<std::vector<double>> inputs; ///< per operand, case after case
    std::vector<double> values, bounds;      ///< of the result
};

/// Standard shapes that the function exists for, the largest equal dimensions within its `where`, and the smallest shape for each
/// implementation whose limit excludes all of them.
std::vector<library::ShapeValues> checked_shapes(const library::Catalog& catalog, FunctionId function);

/// Random cases with their reference. Nothing, and `fault`, when the reference cannot be evaluated or more than 5 % of the draws are
/// ill conditioned. Pre: the function exists for the shape. `packed`: all square operands and the result, if it is square; nothing,
/// without a fault, if nothing is.
std::optional<Subject> draw_subject(const library::Catalog& catalog, FunctionId function, const library::ShapeValues& shape,
    Precision precision, bool packed, const LibraryCheckOptions& options, std::string& fault);

} // namespace fusec::execute
