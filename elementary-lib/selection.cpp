// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/selection.hpp"

#include <algorithm>
#include <array>

namespace fusec::library {

bool is_comparison(std::string_view symbol) {
    return symbol == "<" || symbol == "<=" || symbol == "==";
}

std::optional<Selection> selection_of(const Function& function) {
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    if (expression == nullptr || function.inputs.size() != 4) {
        return std::nullopt;
    }
    const ReferenceNode& root = expression->nodes[static_cast<std::size_t>(expression->root)];
    if (root.kind != ReferenceNode::Kind::select) {
        return std::nullopt;
    }
    std::array<std::size_t, 4> operands{};
    for (std::size_t child = 0; child < operands.size(); ++child) {
        const ReferenceNode& node = expression->nodes[static_cast<std::size_t>(root.children[child])];
        const auto operand =
            std::find_if(function.inputs.begin(), function.inputs.end(), [&](const Parameter& input) { return input.name == node.name; });
        const bool in_place = child < 2
            ? node.indices.empty()
            : std::equal(
                  node.indices.begin(), node.indices.end(), expression->result_indices.begin(), expression->result_indices.end(),
                  [](const SizeExpression& index, const std::string& name) { return index.text() == name; });
        if (node.kind != ReferenceNode::Kind::component || operand == function.inputs.end() || !in_place) {
            return std::nullopt;
        }
        operands[child] = static_cast<std::size_t>(operand - function.inputs.begin());
    }
    return Selection{root.name, operands[0], operands[1], operands[2], operands[3]};
}

bool holds(std::string_view comparison, double left, double right) {
    return comparison == "<" ? left < right : comparison == "<=" ? left <= right : left == right;
}

} // namespace fusec::library
