// SPDX-License-Identifier: Apache-2.0
// Reuse distances of operands in the loop nest of an index expression.
#include "fusion/operand_reuse.hpp"

#include "fusion/operand_loads.hpp"

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

class Nest {
public:
    Nest(const library::Function& function, const ReferenceExpression& reference, const Shape& result, const std::vector<Shape>& operands,
        int threads, library::Touch output)
        : function_(function), reference_(reference), operands_(operands) {
        const auto [rows, columns] = part_of_result(result, output, threads);
        for (std::size_t i = 0; i < reference.result_indices.size(); ++i) {
            loops_.push_back({reference.result_indices[i], i == 0 ? rows : columns, true});
        }
        for (const ReferenceNode& node : reference.nodes) {
            if (node.kind == ReferenceNode::Kind::sum) {
                loops_.push_back({node.name, range_of_index(node.name, reference, function, operands), false});
            }
        }
    }

    /// Nothing where a component meets several, which only all of them together tell.
    std::optional<OperandReuse> of(std::size_t operand) const {
        OperandReuse result;
        const ReferenceNode* first = nullptr;
        const int size = operands_[operand].size();
        for (const ReferenceNode& node : reference_.nodes) {
            if (node.kind != ReferenceNode::Kind::component || node.name != function_.inputs[operand].name) {
                continue;
            }
            const bool plain = std::all_of(node.indices.begin(), node.indices.end(), library::is_plain_index);
            if (!plain || (first != nullptr && !same_component(*first, node))) {
                return std::nullopt;
            }
            if (first == nullptr) {
                first = &node;
                result = of_component(node);
            }
        }
        return OperandReuse{std::min(size, result.read), std::min(size, result.kept), size == 1 ? 1 : result.times};
    }

private:
    static bool same_component(const ReferenceNode& a, const ReferenceNode& b) {
        return std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
            [](const auto& one, const auto& other) { return one.text() == other.text(); });
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
    const auto loaded = [&](std::size_t operand) { // by a thread, where the expression does not say it in one place
        const int loads = threads == 1 ? 0 : static_cast<int>(operand_loads(function, instance, operands, operand, threads, output).size());
        return loads == 0 ? operands[operand].size() : loads;
    };
    const bool closed = algorithm != nullptr && *algorithm != library::Algorithm::cholesky && *algorithm != library::Algorithm::solve;
    std::optional<Nest> nest;
    if (expression != nullptr) {
        nest.emplace(function, *expression, instance.result.shape, operands, threads, output);
    }
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const std::optional<OperandReuse> named = nest ? nest->of(operand) : std::nullopt;
        const int read = named ? named->read : loaded(operand);
        result.push_back(named.value_or(OperandReuse{read, nest || closed ? read : 0}));
    }
    return result;
}

} // namespace fusec::fusion
