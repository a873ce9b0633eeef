// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/product.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fusec::library {

namespace {

using Kind = ReferenceNode::Kind;

/// A factor of a product: which operand, and by which indices, all of them bare names.
struct Factor {
    std::size_t operand;
    std::vector<std::string> indices;
};

std::optional<Factor> factor_of(const Function& function, const ReferenceNode& node) {
    const auto operand =
        std::find_if(function.inputs.begin(), function.inputs.end(), [&](const Parameter& input) { return input.name == node.name; });
    if (node.kind != Kind::component || operand == function.inputs.end() || operand->domain != Domain::any ||
        !std::all_of(node.indices.begin(), node.indices.end(), is_plain_index)) {
        return std::nullopt;
    }
    Factor factor{static_cast<std::size_t>(operand - function.inputs.begin()), {}};
    for (const SizeExpression& index : node.indices) {
        factor.indices.push_back(index.text());
    }
    return factor;
}

/// `result[...] = first * second` of the function's two operands, or the sum of it over one index.
struct Multiplication {
    std::array<Factor, 2> factors;
    std::vector<std::string> result;
    std::string summed; ///< empty: no sum
};

std::optional<Multiplication> multiplication_of(const Function& function) {
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    if (expression == nullptr || function.inputs.size() != 2 || !function.base.empty()) {
        return std::nullopt;
    }
    const auto node = [&](int number) -> const ReferenceNode& { return expression->nodes[static_cast<std::size_t>(number)]; };
    const ReferenceNode* top = &node(expression->root);
    std::string summed;
    if (top->kind == Kind::sum) {
        summed = top->name;
        top = &node(top->children.front());
    }
    if (top->kind != Kind::multiply) {
        return std::nullopt;
    }
    auto first = factor_of(function, node(top->children[0])), second = factor_of(function, node(top->children[1]));
    if (!first || !second || first->operand == second->operand) {
        return std::nullopt;
    }
    return Multiplication{{std::move(*first), std::move(*second)}, expression->result_indices, std::move(summed)};
}

/// Where `index` stands among the indices of a factor, if it stands there once.
std::optional<std::size_t> place_of(const Factor& factor, const std::string& index) {
    const auto found = std::find(factor.indices.begin(), factor.indices.end(), index);
    return std::count(factor.indices.begin(), factor.indices.end(), index) == 1
        ? std::optional(static_cast<std::size_t>(found - factor.indices.begin()))
        : std::nullopt;
}

/// The functions that `fits` accepts: those with an operator first, in order of names.
template <class Fits>
std::optional<ProductCall> first_that(const Catalog& catalog, const Fits& fits) {
    for (const bool with_operator : {true, false}) {
        for (std::size_t id = 0; id < catalog.library_size(); ++id) {
            if (catalog.function(FunctionId(id)).operator_symbol.has_value() == with_operator) {
                if (auto found = fits(FunctionId(id))) {
                    return found;
                }
            }
        }
    }
    return std::nullopt;
}

std::optional<ProductCall> matched(const Catalog& catalog, FunctionId function, const Type& first, const Type& second, bool swapped) {
    auto match = catalog.match(function, swapped ? std::vector{second, first} : std::vector{first, second});
    auto* instance = std::get_if<Instance>(&match);
    return instance != nullptr && !instance->swapped ? std::optional(ProductCall{std::move(*instance), swapped}) : std::nullopt;
}

} // namespace

std::optional<Product> product_of(const Function& function) {
    const std::optional<Multiplication> product = multiplication_of(function);
    if (!product) {
        return std::nullopt;
    }
    const std::array<Factor, 2>& factors = product->factors;
    // Each index stands in two of result and factors: that of the sum in both factors, the others in the result and one factor.
    std::size_t indices = product->result.size() + (product->summed.empty() ? 0 : 2);
    if (factors[0].indices.empty() || factors[1].indices.empty() || factors[0].indices.size() + factors[1].indices.size() != indices ||
        std::count(product->result.begin(), product->result.end(), product->summed) != 0) {
        return std::nullopt;
    }
    const bool sums = !product->summed.empty();
    if (sums && (!place_of(factors[0], product->summed) || !place_of(factors[1], product->summed))) {
        return std::nullopt;
    }
    // The left factor has the result's first index; of a vector, the matrix is left, and of a scalar the first operand.
    const auto has = [](const Factor& factor, const std::string& index) { return place_of(factor, index).has_value(); };
    const auto result = product->result.size();
    std::size_t left = 0;
    if (result == 0) {
        left = factors[0].operand < factors[1].operand ? 0 : 1;
    } else {
        left = has(factors[0], product->result[0]) ? 0 : 1;
    }
    const Factor &l = factors[left], &r = factors[1 - left];
    const bool fits = (result < 1 || (has(l, product->result[0]) && !has(r, product->result[0]))) &&
        (result < 2 || (has(r, product->result[1]) && !has(l, product->result[1]))) && result <= 2;
    if (!fits || (!sums && result != 2)) {
        return std::nullopt;
    }
    // A matrix is read as it is if the result's first (left) or second (right) index stands where such an index does.
    Product made{l.operand, r.operand, false, false};
    made.left_transposed = l.indices.size() == 2 ? *place_of(l, product->summed) == 0 : sums;
    made.right_transposed = r.indices.size() == 2 ? *place_of(r, product->summed) == 1 : !sums;
    return made;
}

std::optional<std::size_t> scaling_of(const Function& function) {
    const std::optional<Multiplication> product = multiplication_of(function);
    if (!product || !product->summed.empty()) {
        return std::nullopt;
    }
    for (const std::size_t scalar : {std::size_t{1}, std::size_t{0}}) {
        if (product->factors[scalar].indices.empty() && product->factors[1 - scalar].indices == product->result) {
            return product->factors[scalar].operand;
        }
    }
    return std::nullopt;
}

bool is_transposition(const Function& function) {
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    if (expression == nullptr || function.inputs.size() != 1 || !function.base.empty()) {
        return false;
    }
    const auto factor = factor_of(function, expression->nodes[static_cast<std::size_t>(expression->root)]);
    const std::vector<std::string>& result = expression->result_indices;
    return factor && result.size() == 2 && result[0] != result[1] && factor->indices == std::vector{result[1], result[0]};
}

std::optional<ProductCall> find_product(
    const Catalog& catalog, const Type& left, bool left_transposed, const Type& right, bool right_transposed) {
    return first_that(catalog, [&](FunctionId id) -> std::optional<ProductCall> {
        const std::optional<Product> product = product_of(catalog.function(id));
        if (!product || product->left_transposed != left_transposed || product->right_transposed != right_transposed) {
            return std::nullopt;
        }
        return matched(catalog, id, left, right, product->left == 1);
    });
}

std::optional<ProductCall> find_scaling(const Catalog& catalog, const Type& value, const Type& scalar) {
    return first_that(catalog, [&](FunctionId id) -> std::optional<ProductCall> {
        const std::optional<std::size_t> number = scaling_of(catalog.function(id));
        return number ? matched(catalog, id, value, scalar, *number == 0) : std::nullopt;
    });
}

} // namespace fusec::library
