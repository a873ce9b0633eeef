// SPDX-License-Identifier: Apache-2.0
#include "fusion/joined_sums.hpp"

#include "fusion/instruction_rates.hpp"

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

/// GCC joins values of its own, not arrays in memory: it has those whose loops it unrolls (longest_unrolled_loop), and leaves
/// those in memory that were loaded in strips.
bool is_scalarized(const KernelOutline::Datum& datum, int lanes) {
    const Shape& shape = datum.shape;
    return (shape.size() <= most_words_transposed_at_once || is_loaded_in_halves(shape.size(), lanes, bytes_of(datum.precision))) &&
        std::max(shape.rows, shape.columns) <= longest_unrolled_loop;
}

/// Of what was folded, as `s * I` is, a product may have fewer multiplications than the sum has additions.
bool adds_up(const CallRoutines& sum, const CallRoutines& product) {
    return sum.sum && product.product && product.operations.flops > 0 && product.operations.flops >= sum.operations.flops;
}

/// All that reads the products adds them, each call once.
bool adds_everywhere(const KernelOutline& kernel, const KernelOutline::Datum& products, int lanes) {
    const CallRoutines& made_by = *call_of(kernel, products.producer).routines;
    for (std::size_t i = 0; i < products.uses.size(); ++i) {
        const KernelOutline::Call& call = call_of(kernel, products.uses[i].call);
        if (!adds_up(*call.routines, made_by) || kernel.precision_of(call) != products.precision ||
            (i > 0 && products.uses[i - 1].call == products.uses[i].call)) {
            return false;
        }
    }
    return is_scalarized(products, lanes);
}

} // namespace

bool is_commutative(const library::Reference& reference) {
    const ReferenceNode* const root = root_of(reference);
    if (root == nullptr || (root->kind != ReferenceNode::Kind::add && root->kind != ReferenceNode::Kind::multiply)) {
        return false;
    }
    const auto& nodes = std::get<ReferenceExpression>(reference).nodes;
    const ReferenceNode &left = nodes[static_cast<std::size_t>(root->children.front())],
                        &right = nodes[static_cast<std::size_t>(root->children.back())];
    return left.kind == ReferenceNode::Kind::component && right.kind == ReferenceNode::Kind::component &&
        std::ranges::equal(left.indices, right.indices, {}, &library::SizeExpression::text, &library::SizeExpression::text);
}

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

int product_of_sum(const KernelOutline& kernel, int sum, int lanes) {
    const KernelOutline::Call& call = call_of(kernel, sum);
    for (const int operand : call.operands) {
        const KernelOutline::Datum& datum = kernel.data[static_cast<std::size_t>(operand)];
        if (datum.producer >= 0 && !datum.stored && datum.uses.front().call == sum && adds_everywhere(kernel, datum, lanes)) {
            return datum.producer;
        }
    }
    return -1;
}

int sum_of_product(const KernelOutline& kernel, int product, int lanes) {
    const KernelOutline::Datum& result = kernel.data[static_cast<std::size_t>(call_of(kernel, product).result)];
    return !result.uses.empty() && product_of_sum(kernel, result.uses.front().call, lanes) == product ? result.uses.front().call : -1;
}

} // namespace fusec::fusion
