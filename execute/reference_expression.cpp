// SPDX-License-Identifier: Apache-2.0
#include "execute/reference_expression.hpp"

#include "elementary-lib/selection.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

namespace fusec::execute {

using library::ReferenceExpression;
using library::ReferenceNode;
using Kind = ReferenceNode::Kind;

struct ExpressionReference::State {
    const std::vector<const Bounded*>& operands;
    std::vector<int> indices;   ///< by slot
    library::ShapeValues names; ///< shape parameters and, when an index is computed, the indices
};

namespace {

std::size_t operand_number(const library::Function& function, const std::string& name) {
    const auto found =
        std::find_if(function.inputs.begin(), function.inputs.end(), [&](const library::Parameter& input) { return input.name == name; });
    internal_check(found != function.inputs.end(), "a reference names no operand");
    return static_cast<std::size_t>(found - function.inputs.begin());
}

} // namespace

ExpressionReference::ExpressionReference(const library::Function& function, const ReferenceExpression& expression,
    const library::ShapeValues& parameters, const std::vector<Shape>& operands, const Shape& result)
    : function_(&function),
      parameters_(parameters),
      operands_(operands),
      result_(result),
      slots_(expression.result_indices),
      root_(static_cast<std::size_t>(expression.root)) {
    static constexpr std::array<std::pair<std::string_view, Function>, 9> functions{
        {{"sqrt", Function::sqrt}, {"exp", Function::exp}, {"log", Function::log}, {"sin", Function::sin}, {"cos", Function::cos},
            {"abs", Function::abs}, {"pow", Function::pow}, {"min", Function::min}, {"max", Function::max}}};
    for (const ReferenceNode& node : expression.nodes) {
        if (node.kind == Kind::sum) {
            slot_of(node.name);
        }
    }
    for (const ReferenceNode& node : expression.nodes) {
        Node made;
        made.kind = node.kind;
        made.number = node.number;
        made.comparison = node.kind == Kind::select ? node.name : "";
        for (const int child : node.children) {
            made.children.push_back(static_cast<std::size_t>(child));
        }
        for (const library::SizeExpression& index : node.indices) {
            const auto slot = std::find(slots_.begin(), slots_.end(), index.text());
            made.indices.push_back({slot == slots_.end() ? -1 : static_cast<int>(slot - slots_.begin()), index});
        }
        if (node.kind == Kind::component) {
            made.operand = operand_number(function, node.name);
        } else if (node.kind == Kind::sum) {
            made.slot = slot_of(node.name);
            made.range = range_of(expression, expression.nodes[made.children[0]], node.name);
        } else if (node.kind == Kind::call) {
            made.function =
                std::find_if(functions.begin(), functions.end(), [&](const auto& known) { return known.first == node.name; })->second;
        }
        nodes_.push_back(std::move(made));
    }
}

int ExpressionReference::slot_of(const std::string& name) {
    const auto found = std::find(slots_.begin(), slots_.end(), name);
    const auto slot = static_cast<int>(found - slots_.begin());
    if (found == slots_.end()) {
        slots_.push_back(name);
    }
    return slot;
}

int ExpressionReference::range_of(const ReferenceExpression& expression, const ReferenceNode& body, const std::string& index) const {
    int range = 0;
    const auto agree = [&](int other) {
        if (range != 0 && other != 0 && other != range) {
            throw std::invalid_argument("the index `" + index + "` of `" + function_->name + "` runs over dimensions of " +
                std::to_string(range) + " and " + std::to_string(other));
        }
        range = std::max(range, other);
    };
    for (std::size_t dimension = 0; body.kind == Kind::component && dimension < body.indices.size(); ++dimension) {
        if (body.indices[dimension].text() == index) {
            const Shape& shape = operands_.at(operand_number(*function_, body.name));
            agree(dimension == 0 ? shape.rows : shape.columns);
        }
    }
    for (const int child : body.children) {
        agree(range_of(expression, expression.nodes[static_cast<std::size_t>(child)], index));
    }
    return range;
}

std::int64_t ExpressionReference::index_value(const Index& index, State& state) const {
    if (index.slot >= 0) {
        return state.indices[static_cast<std::size_t>(index.slot)];
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        state.names[slots_[slot]] = state.indices[slot];
    }
    const std::optional<std::int64_t> value = index.arithmetic.evaluate(state.names);
    if (!value) {
        throw std::out_of_range("the index `" + index.arithmetic.text() + "` of `" + function_->name + "` has no value");
    }
    return *value;
}

/// A condition that does not hold hides the factors to its right.
bool ExpressionReference::hidden(std::size_t node, State& state) const {
    const Node& here = nodes_[node];
    if (here.kind == Kind::condition) {
        return index_value(here.indices[0], state) == 0;
    }
    return here.kind == Kind::multiply && (hidden(here.children[0], state) || hidden(here.children[1], state));
}

/// Adds the terms of nested additions and sums to one unordered sum.
void ExpressionReference::collect(std::size_t node, double sign, UnorderedSum& sum, State& state) const {
    const Node& here = nodes_[node];
    switch (here.kind) {
    case Kind::add:
    case Kind::subtract:
        collect(here.children[0], sign, sum, state);
        collect(here.children[1], here.kind == Kind::add ? sign : -sign, sum, state);
        return;
    case Kind::sum: {
        int& index = state.indices[static_cast<std::size_t>(here.slot)];
        for (index = 0; index < here.range; ++index) {
            collect(here.children[0], sign, sum, state);
        }
        return;
    }
    case Kind::multiply:
        // A term that a condition removes is not computed, so it is none of the additions.
        if (hidden(node, state)) {
            return;
        }
        break;
    case Kind::negate:
        collect(here.children[0], -sign, sum, state);
        return;
    case Kind::number:
    case Kind::condition:
    case Kind::component:
    case Kind::divide:
    case Kind::call:
    case Kind::select:
        break;
    }
    sum.add(value(node, state), sign);
}

Bounded ExpressionReference::value(std::size_t node, State& state) const {
    const Node& here = nodes_[node];
    const auto child = [&](std::size_t which) { return value(here.children[which], state); };
    switch (here.kind) {
    case Kind::number:
        // A literal that is no float is rounded when it is used in float.
        return {here.number, static_cast<double>(static_cast<float>(here.number)) == here.number ? 0 : std::abs(here.number)};
    case Kind::condition:
        return {index_value(here.indices[0], state) != 0 ? 1.0 : 0.0, 0};
    case Kind::component: {
        const Shape& shape = operands_[here.operand];
        const std::int64_t row = here.indices.empty() ? 0 : index_value(here.indices[0], state);
        const std::int64_t column = here.indices.size() < 2 ? 0 : index_value(here.indices[1], state);
        if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns) {
            throw std::out_of_range("the reference of `" + function_->name + "` reads component (" + std::to_string(row) + ", " +
                std::to_string(column) + ") of `" + function_->inputs[here.operand].name + "`, which is " + to_string(shape));
        }
        return state.operands[here.operand][row * shape.columns + column];
    }
    case Kind::sum:
    case Kind::add:
    case Kind::subtract: {
        UnorderedSum sum;
        collect(node, 1, sum, state);
        return sum.result();
    }
    case Kind::multiply: {
        if (hidden(here.children[0], state)) {
            return {0, 0};
        }
        // A condition that holds multiplies by nothing.
        const Kind left = nodes_[here.children[0]].kind;
        const Kind right = nodes_[here.children[1]].kind;
        if (left == Kind::condition) {
            return child(1);
        }
        if (right == Kind::condition) {
            const Bounded holds = child(1);
            return holds.value != 0 ? child(0) : Bounded{0, 0};
        }
        return multiply(child(0), child(1));
    }
    case Kind::divide:
        return divide(child(0), child(1));
    case Kind::negate:
        return negate(child(0));
    case Kind::select: {
        const Bounded left = child(0), right = child(1), first = child(2), second = child(3);
        const bool in_doubt = comparison_in_doubt(left, right);
        return library::holds(here.comparison, left.value, right.value) ? choose(in_doubt, first, second) : choose(in_doubt, second, first);
    }
    case Kind::call:
        switch (here.function) {
        case Function::sqrt:
            return square_root(child(0));
        case Function::exp:
            return exponential(child(0));
        case Function::log:
            return logarithm(child(0));
        case Function::sin:
            return sine(child(0));
        case Function::cos:
            return cosine(child(0));
        case Function::abs:
            return absolute(child(0));
        case Function::pow:
            return power(child(0), child(1));
        case Function::min:
            return smaller(child(0), child(1));
        case Function::max:
            return larger(child(0), child(1));
        }
    }
    throw InternalError("a node of a reference has no kind");
}

void ExpressionReference::evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const {
    State state{operands, std::vector<int>(slots_.size(), 0), parameters_};
    for (int row = 0; row < result_.rows; ++row) {
        for (int column = 0; column < result_.columns; ++column) {
            if (result_.form != Form::scalar) {
                state.indices[0] = row;
            }
            if (result_.form == Form::matrix) {
                state.indices[1] = column;
            }
            result[row * result_.columns + column] = value(root_, state);
        }
    }
}

} // namespace fusec::execute
