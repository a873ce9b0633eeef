// SPDX-License-Identifier: Apache-2.0
#include "fusion/joined_sums.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

using library::ReferenceExpression;
using library::ReferenceNode;

const ReferenceNode* root_of(const library::Reference& reference) {
    const auto* const expression = std::get_if<ReferenceExpression>(&reference);
    return expression == nullptr ? nullptr : &expression->nodes.at(static_cast<std::size_t>(expression->root));
}

const KernelOutline::Call& call_of(const KernelOutline& kernel, int call) {
    return kernel.calls[static_cast<std::size_t>(call)];
}

/// Of what was folded, as `s * I` is, a product may have fewer multiplications than the sum has additions.
bool adds_up(const CallRoutines& sum, const CallRoutines& product) {
    return product.product && product.operations.flops > 0 && product.operations.flops >= sum.operations.flops;
}

} // namespace

bool is_product(const library::Reference& reference) {
    const ReferenceNode* const root = root_of(reference);
    return root != nullptr && root->kind == ReferenceNode::Kind::multiply;
}

bool is_sum(const library::Reference& reference) {
    const ReferenceNode* const root = root_of(reference);
    if (root == nullptr || (root->kind != ReferenceNode::Kind::add && root->kind != ReferenceNode::Kind::subtract)) {
        return false;
    }
    const auto& expression = std::get<ReferenceExpression>(reference);
    return std::ranges::all_of(root->children, [&](int child) {
        const ReferenceNode& node = expression.nodes[static_cast<std::size_t>(child)];
        return node.kind == ReferenceNode::Kind::component &&
            std::ranges::equal(node.indices, expression.result_indices, {}, [](const library::SizeExpression& at) { return at.text(); });
    });
}

int product_of_sum(const KernelOutline& kernel, int sum) {
    const KernelOutline::Call& call = call_of(kernel, sum);
    if (!call.routines->sum) {
        return -1;
    }
    for (const int operand : call.operands) {
        const KernelOutline::Datum& datum = kernel.data[static_cast<std::size_t>(operand)];
        const bool passes = datum.producer >= 0 && !datum.stored && datum.uses.size() == 1 && datum.precision == kernel.precision_of(call);
        if (passes && adds_up(*call.routines, *call_of(kernel, datum.producer).routines)) {
            return datum.producer;
        }
    }
    return -1;
}

int sum_of_product(const KernelOutline& kernel, int product) {
    const KernelOutline::Datum& result = kernel.data[static_cast<std::size_t>(call_of(kernel, product).result)];
    return result.uses.size() == 1 && product_of_sum(kernel, result.uses.front().call) == product ? result.uses.front().call : -1;
}

} // namespace fusec::fusion
