// SPDX-License-Identifier: Apache-2.0
// Reuse distances of operands in the loop nest of an index expression.
#include "fusion/operand_reuse.hpp"

#include <algorithm>
#include <set>

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

/// Row and column of the result at which the part of a thread starts.
std::pair<int, int> start_of(const Shape& shape, library::Touch touch, int threads, int thread) {
    switch (touch) {
    case library::Touch::row:
    case library::Touch::rows:
        return {thread * part_of(shape, touch, threads).first, 0};
    case library::Touch::column:
        return {0, thread};
    case library::Touch::entry:
        return {thread / shape.columns, thread % shape.columns};
    case library::Touch::all:
        break;
    }
    return {0, 0};
}

class Nest {
public:
    Nest(const library::Function& function, const ReferenceExpression& reference, const library::Instance& instance,
        const std::vector<Shape>& operands, int threads, library::Touch output)
        : function_(function), reference_(reference), instance_(instance), operands_(operands), threads_(threads), output_(output) {
        const auto [rows, columns] = part_of(instance.result.shape, output, threads);
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
        std::vector<const ReferenceNode*> nodes;
        for (const ReferenceNode& node : reference_.nodes) {
            if (node.kind == ReferenceNode::Kind::component && node.name == function_.inputs[operand].name) {
                nodes.push_back(&node);
            }
        }
        const int size = operands_[operand].size();
        OperandReuse result;
        if (nodes.empty()) {
            return result;
        }
        if (std::all_of(nodes.begin(), nodes.end(), [&](const ReferenceNode* node) {
                return std::all_of(node->indices.begin(), node->indices.end(), library::is_plain_index) &&
                    same_component(*nodes.front(), *node);
            })) {
            result = of_component(*nodes.front());
            result = {std::min(size, result.read), std::min(size, result.kept), size == 1 ? 1 : result.times};
        } else { // a component meets several, which only all of them together tell
            const int read = threads_ == 1 ? size : played(nodes, operand);
            result = {read, read};
        }
        if (threads_ > 1 && result.read < size) {
            for (int thread = 0; thread < threads_; ++thread) {
                result.first.push_back(component(*nodes.front(), operand, at_start(thread)).value_or(0));
            }
        }
        return result;
    }

private:
    /// Values of indices where a thread starts.
    library::ShapeValues at_start(int thread) const {
        const auto [row, column] = start_of(instance_.result.shape, output_, threads_, thread);
        library::ShapeValues values = instance_.shape;
        for (const Loop& loop : loops_) {
            values[loop.index] = 0;
        }
        for (std::size_t i = 0; i < reference_.result_indices.size(); ++i) {
            values[reference_.result_indices[i]] = i == 0 ? row : column;
        }
        return values;
    }

    /// Nothing where an index is outside: a factor before it is 0 then, and nothing is read.
    std::optional<int> component(const ReferenceNode& node, std::size_t operand, const library::ShapeValues& values) const {
        const Shape& shape = operands_[operand];
        std::int64_t place[2] = {0, 0};
        for (std::size_t i = 0; i < node.indices.size(); ++i) {
            const std::int64_t at = node.indices[i].evaluate(values).value_or(-1);
            if (at < 0 || at >= (i == 0 ? shape.rows : shape.columns)) {
                return std::nullopt;
            }
            place[i] = at;
        }
        return static_cast<int>(place[0] * shape.columns + place[1]);
    }

    /// Most components that a thread reads, by playing the loops of each.
    int played(const std::vector<const ReferenceNode*>& nodes, std::size_t operand) const {
        std::size_t most = 0;
        for (int thread = 0; thread < threads_; ++thread) {
            std::set<int> seen;
            library::ShapeValues values = at_start(thread);
            play(0, values, [&] {
                for (const ReferenceNode* node : nodes) {
                    if (const std::optional<int> read = component(*node, operand, values)) {
                        seen.insert(operands_[operand].stored(*read));
                    }
                }
            });
            most = std::max(most, seen.size());
        }
        return static_cast<int>(most);
    }

    template <class Visit>
    void play(std::size_t level, library::ShapeValues& values, const Visit& visit) const {
        if (level == loops_.size()) {
            visit();
            return;
        }
        int& index = values[loops_[level].index];
        const int start = index;
        for (int i = 0; i < loops_[level].count; ++i) {
            index = start + i;
            play(level + 1, values, visit);
        }
        index = start;
    }

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
    const library::Instance& instance_;
    const std::vector<Shape>& operands_;
    int threads_;
    library::Touch output_;
    std::vector<Loop> loops_; ///< outermost first
};

/// Of the matrix whose cofactors are the result: an entry reads what its row and column do not cross.
OperandReuse of_cofactors(const Shape& shape, int threads, library::Touch output) {
    const auto [rows, columns] = part_of(shape, output, threads);
    const int read = (rows == 1 ? shape.rows - 1 : shape.rows) * (columns == 1 ? shape.columns - 1 : shape.columns);
    OperandReuse result{read, read};
    for (int thread = 0; thread < threads && read < shape.size(); ++thread) {
        const auto [row, column] = start_of(shape, output, threads, thread);
        result.first.push_back((rows == 1 && row == 0 ? shape.columns : 0) + (columns == 1 && column == 0 ? 1 : 0));
    }
    return result;
}

} // namespace

std::vector<OperandReuse> operand_reuse(const library::Function& function, const library::Instance& instance,
    const std::vector<Shape>& operands, int threads, library::Touch output) {
    std::vector<OperandReuse> result;
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    const auto* algorithm = std::get_if<library::Algorithm>(&function.reference);
    const bool closed = algorithm != nullptr && *algorithm != library::Algorithm::cholesky && *algorithm != library::Algorithm::solve;
    std::optional<Nest> nest;
    if (expression != nullptr) {
        nest.emplace(function, *expression, instance, operands, threads, output);
    }
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const int size = operands[operand].size();
        const bool cofactors = algorithm != nullptr && *algorithm == library::Algorithm::cofactor;
        result.push_back(nest ? nest->of(operand)
                : cofactors   ? of_cofactors(operands[operand], threads, output)
                              : OperandReuse{size, closed ? size : 0});
    }
    return result;
}

} // namespace fusec::fusion
