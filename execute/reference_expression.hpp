// SPDX-License-Identifier: Apache-2.0
// Interpreter of index expressions for one shape of operands.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "execute/reference_bounded.hpp"

#include <string>
#include <vector>

namespace fusec::execute {

/// An index expression with its names resolved to positions: operands by number, indices by slot, sums by range.
class ExpressionReference {
public:
    /// `operands` are the shapes in declared order. Throws std::invalid_argument when a sum's index stands for dimensions that differ.
    ExpressionReference(const library::Function& function, const library::ReferenceExpression& expression,
        const library::ShapeValues& parameters, const std::vector<Shape>& operands, const Shape& result);

    /// One instance: `operands[i]` points at the components of operand i, row-major. Throws std::out_of_range when an index leaves its
    /// operand. O(result components times terms per component).
    void evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const;

private:
    struct Index {
        int slot = -1;                      ///< a bare index, or -1
        library::SizeExpression arithmetic; ///< otherwise
    };
    enum class Function {
        sqrt,
        exp,
        log,
        sin,
        cos,
        abs,
        pow,
        min,
        max
    };
    struct Node {
        library::ReferenceNode::Kind kind{};
        double number = 0;
        std::string comparison; ///< select
        Function function{};
        std::size_t operand = 0;
        int slot = -1; ///< sum: the index it binds
        int range = 0; ///< sum: its values are 0 .. range - 1
        std::vector<Index> indices;
        std::vector<std::size_t> children;
    };
    struct State;

    int slot_of(const std::string& name);
    int range_of(const library::ReferenceExpression& expression, const library::ReferenceNode& body, const std::string& index) const;
    Bounded value(std::size_t node, State& state) const;
    void collect(std::size_t node, double sign, UnorderedSum& sum, State& state) const;
    bool hidden(std::size_t node, State& state) const;
    std::int64_t index_value(const Index& index, State& state) const;

    const library::Function* function_;
    library::ShapeValues parameters_;
    std::vector<Shape> operands_;
    Shape result_;
    std::vector<std::string> slots_; ///< names of indices: those of the result first
    std::vector<Node> nodes_;
    std::size_t root_ = 0;
};

} // namespace fusec::execute
