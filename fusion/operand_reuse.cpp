// SPDX-License-Identifier: Apache-2.0
// Reuse distances of operands in the loop nest of an index expression.
#include "fusion/operand_reuse.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

using library::ReferenceExpression;
using library::ReferenceNode;

struct Loop {
    std::string index;
    int count = 1; ///< iterations of one thread
    bool of_result = false;
};

/// Rows and columns of a result that one of `threads` threads makes.
std::pair<int, int> part_of(const Shape& shape, library::Touch touch, int threads) {
    if (threads == 1) {
        return {shape.rows, shape.columns};
    }
    switch (touch) {
    case library::Touch::row:
        return {1, shape.columns};
    case library::Touch::column:
        return {shape.rows, 1};
    case library::Touch::entry:
        return {1, 1};
    case library::Touch::rows:
        return {std::max(1, shape.rows / threads), shape.columns};
    case library::Touch::all:
        break;
    }
    return {shape.rows, shape.columns};
}

class Nest {
public:
    Nest(const library::Function& function, const ReferenceExpression& reference, const Shape& result, const std::vector<Shape>& operands,
        int threads, library::Touch output)
        : function_(function), reference_(reference), operands_(operands) {
        const auto [rows, columns] = part_of(result, output, threads);
        for (std::size_t i = 0; i < reference.result_indices.size(); ++i) {
            loops_.push_back({reference.result_indices[i], i == 0 ? rows : columns, true});
        }
        for (const ReferenceNode& node : reference.nodes) {
            if (node.kind == ReferenceNode::Kind::sum) {
                loops_.push_back({node.name, range_of(node.name), false});
            }
        }
    }

    OperandReuse of(std::size_t operand) const {
        OperandReuse result;
        const ReferenceNode* first = nullptr;
        const int size = operands_[operand].size();
        for (const ReferenceNode& node : reference_.nodes) {
            if (node.kind != ReferenceNode::Kind::component || node.name != function_.inputs[operand].name) {
                continue;
            }
            const bool plain = std::all_of(node.indices.begin(), node.indices.end(), library::is_plain_index);
            if (!plain || (first != nullptr && !same_component(*first, node))) {
                return {size, size}; // a component meets several, which only all of them together tell
            }
            if (first == nullptr) {
                first = &node;
                result = of_component(node);
            }
        }
        return {std::min(size, result.read), std::min(size, result.kept), size == 1 ? 1 : result.times};
    }

private:
    static bool same_component(const ReferenceNode& a, const ReferenceNode& b) {
        return std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
            [](const auto& one, const auto& other) { return one.text() == other.text(); });
    }

    int range_of(const std::string& index) const {
        for (const ReferenceNode& node : reference_.nodes) {
            for (std::size_t operand = 0; node.kind == ReferenceNode::Kind::component && operand < operands_.size(); ++operand) {
                for (std::size_t i = 0; i < node.indices.size() && node.name == function_.inputs[operand].name; ++i) {
                    if (node.indices[i].text() == index) {
                        return i == 0 ? operands_[operand].rows : operands_[operand].columns;
                    }
                }
            }
        }
        return 1;
    }

    OperandReuse of_component(const ReferenceNode& node) const {
        OperandReuse result{1, 0};
        bool waits = false; // a loop outside, without this operand, comes back to it
        int inside = 1;
        for (const Loop& loop : loops_) {
            const bool own = std::any_of(node.indices.begin(), node.indices.end(), [&](const auto& at) { return at.text() == loop.index; });
            if (own) {
                result.read *= loop.count;
                inside *= waits ? loop.count : 1;
            } else {
                waits = waits || loop.count > 1;
                result.times *= loop.of_result ? loop.count : 1;
            }
        }
        result.kept = waits ? inside : 0;
        return result;
    }

    const library::Function& function_;
    const ReferenceExpression& reference_;
    const std::vector<Shape>& operands_;
    std::vector<Loop> loops_; ///< outermost first
};

} // namespace

std::vector<OperandReuse> operand_reuse(const library::Function& function, const library::Instance& instance,
    const std::vector<Shape>& operands, int threads, library::Touch output) {
    std::vector<OperandReuse> result;
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    const auto* algorithm = std::get_if<library::Algorithm>(&function.reference);
    const bool closed = algorithm != nullptr && *algorithm != library::Algorithm::cholesky && *algorithm != library::Algorithm::solve;
    std::optional<Nest> nest;
    if (expression != nullptr) {
        nest.emplace(function, *expression, instance.result.shape, operands, threads, output);
    }
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const int size = operands[operand].size();
        result.push_back(nest ? nest->of(operand) : OperandReuse{size, closed ? size : 0});
    }
    return result;
}

} // namespace fusec::fusion
