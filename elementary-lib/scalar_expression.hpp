// SPDX-License-Identifier: Apache-2.0
// Scalar functions whose device source is one expression: `c() = a() + b();`. Such expressions can stand inside of others.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::library {

/// How tightly a text holds together: what may stand around it without parentheses.
enum class Binding {
    loose, ///< a comparison or a conditional
    sum,
    product,
    sign, ///< `-x`
    atom
};

struct BoundText {
    std::string text;
    Binding binding = Binding::atom;
};

class ScalarExpression {
public:
    /// Of a function with scalar operands and a scalar result, whose one-thread routine is a single assignment to its result. Nothing for
    /// others.
    static std::optional<ScalarExpression> of(const Function& function);

    /// The expression with these texts for its operands, in declared order; parentheses where they are needed to keep the order of
    /// evaluation.
    BoundText with(const std::vector<BoundText>& operands) const;

    /// True if the operand stands at several places: a text with arithmetic should be a variable.
    bool repeats(std::size_t operand) const;

private:
    struct Piece {
        std::string text; ///< before the operand, or the rest
        std::optional<std::size_t> operand;
        Binding least = Binding::loose; ///< that the operand needs to stand there
    };
    std::vector<Piece> pieces_;
    Binding binding_ = Binding::atom;
};

} // namespace fusec::library
