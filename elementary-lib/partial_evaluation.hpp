// SPDX-License-Identifier: Apache-2.0
// What is left of a function's arithmetic where components of its operands are known when the program is compiled: a factor 0 makes a
// product 0, a factor 1 or -1 gives the other factor or its negative, a term 0 gives the other term.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_program.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fusec::library {

/// By component, row-major; empty: none is known.
using KnownComponents = std::vector<std::optional<double>>;

/// The arithmetic of one call that is left.
struct PartialResult {
    /// Over the operands `read`, ascending. Nothing where some of it is no scalar arithmetic of the library, and where no operand is read.
    std::optional<ComponentProgram> program;
    std::vector<std::size_t> read;
    int negations = 0;     ///< steps of the program that only change a sign
    KnownComponents known; ///< of the result; a known component is 0, or one of an operand as it is
};

/// Evaluates references with values that stand for components. Sums keep their order: each remaining operation gives the bits that it gives
/// without folding, except for the sign of a zero, and except where a factor of a 0 is infinite or no number.
class PartialEvaluator {
public:
    /// Of the library's functions, those that are one operation on scalars.
    explicit PartialEvaluator(const Catalog& catalog);

    /// Nothing for references that are no arithmetic (algorithms), and for more than 20,000 operations. Linear in the operations.
    /// Pre: `known` has an entry for each operand.
    std::optional<PartialResult> evaluate(const Function& function, const ShapeValues& shape, const std::vector<Shape>& operands,
        const Shape& result, const std::vector<KnownComponents>& known) const;

    /// Whether some component of the values takes an operation away.
    static bool folds(const KnownComponents& known);

private:
    friend class PartialEvaluation;
    using Operation = std::pair<ReferenceNode::Kind, std::string>; ///< the name of a call

    std::map<Operation, FunctionId> function_of_;
    std::map<FunctionId, Operation> operation_of_;
};

} // namespace fusec::library
