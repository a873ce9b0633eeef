// SPDX-License-Identifier: Apache-2.0
// The order of fewest operations of a chain of products.
#include "frontend/contraction.hpp"

#include "support/diagnostics.hpp"

#include <array>
#include <limits>

namespace fusec::frontend {

namespace {

/// Of the products of factors first .. last, without and with the scalar.
struct Best {
    double operations = std::numeric_limits<double>::infinity();
    std::size_t split = 0;     ///< the left product ends before this factor; 0 of a leaf
    bool scaled_left = false;  ///< the scalar is in the left one
    bool scaled_right = false; ///< or in the right one; neither: it multiplies the product itself
};

class ChainProgramme {
public:
    ChainProgramme(const std::vector<ChainFactor>& factors, bool scalar, const ChainCosts& costs)
        : count_(factors.size()), scalar_(scalar), best_(count_ * count_), products_(count_ * count_) {
        for (std::size_t length = 1; length <= count_; ++length) {
            for (std::size_t first = 0; first + length <= count_; ++first) {
                solve(first, first + length - 1, factors, costs);
            }
        }
    }

    ChainOrder order() {
        ChainOrder made;
        made.operations = best_[at(0, count_ - 1)][scalar_ ? 1 : 0].operations;
        internal_check(made.operations < std::numeric_limits<double>::infinity(), "a chain of products without an order");
        append(made, 0, count_ - 1, scalar_);
        return made;
    }

private:
    std::size_t at(std::size_t first, std::size_t last) const { return first * count_ + last; }

    void solve(std::size_t first, std::size_t last, const std::vector<ChainFactor>& factors, const ChainCosts& costs) {
        std::array<Best, 2>& best = best_[at(first, last)];
        ChainFactor& made = products_[at(first, last)];
        if (first == last) {
            made = factors[first];
            best[0].operations = 0;
        }
        for (std::size_t split = first + 1; split <= last; ++split) {
            const std::array<Best, 2>&left = best_[at(first, split - 1)], &right = best_[at(split, last)];
            const ChainFactor &a = products_[at(first, split - 1)], &b = products_[at(split, last)];
            made = multiplied(a, b);
            const double product = costs.product(a, b);
            take(best[0], {left[0].operations + right[0].operations + product, split, false, false});
            if (scalar_) {
                take(best[1], {left[1].operations + right[0].operations + product, split, true, false});
                take(best[1], {left[0].operations + right[1].operations + product, split, false, true});
            }
        }
        if (scalar_) {
            take(best[1], {best[0].operations + costs.scaling(made), best[0].split, false, false});
        }
    }

    static void take(Best& best, const Best& other) { best = other.operations < best.operations ? other : best; }

    int append(ChainOrder& order, std::size_t first, std::size_t last, bool scaled) {
        const Best& best = best_[at(first, last)][scaled ? 1 : 0];
        ChainOrder::Node node;
        if (first == last) {
            node.factor = static_cast<int>(first);
        } else {
            node.left = append(order, first, best.split - 1, best.scaled_left);
            node.right = append(order, best.split, last, best.scaled_right);
        }
        node.scaled = scaled && !best.scaled_left && !best.scaled_right;
        order.nodes.push_back(node);
        return static_cast<int>(order.nodes.size()) - 1;
    }

    std::size_t count_;
    bool scalar_;
    std::vector<std::array<Best, 2>> best_; ///< by first and last factor, then whether the scalar is in it
    std::vector<ChainFactor> products_;
};

} // namespace

ChainFactor multiplied(const ChainFactor& left, const ChainFactor& right) {
    return {left.has_rows, right.has_columns, left.rows, right.columns, left.constant && right.constant};
}

ChainOrder fewest_operations(const std::vector<ChainFactor>& factors, bool scalar, const ChainCosts& costs) {
    return ChainProgramme(factors, scalar, costs).order();
}

} // namespace fusec::frontend
