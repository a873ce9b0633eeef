// SPDX-License-Identifier: Apache-2.0
// Loads of operands, by playing the loops of an index expression for all threads at once.
#include "fusion/operand_loads.hpp"

#include <algorithm>
#include <set>

namespace fusec::fusion {

namespace {

using library::ReferenceExpression;
using library::ReferenceNode;
using library::ThreadLoads;

/// Row and column of the result at which the part of a thread starts.
std::pair<int, int> start_of_part(const Shape& result, library::Touch touch, int threads, int thread) {
    switch (touch) {
    case library::Touch::row:
    case library::Touch::rows:
        return {thread * part_of_result(result, touch, threads).first, 0};
    case library::Touch::column:
        return {0, thread};
    case library::Touch::entry:
        return {thread / result.columns, thread % result.columns};
    case library::Touch::all:
        break;
    }
    return {0, 0};
}

/// Loads in the order in which they were met, each once.
class Loads {
public:
    void add(std::vector<int> load) {
        if (known_.insert(load).second) {
            loads_.push_back(std::move(load));
        }
    }
    /// Nothing if all threads load all components.
    ThreadLoads take(int components) {
        const bool whole =
            static_cast<int>(loads_.size()) == components && std::all_of(loads_.begin(), loads_.end(), [](const std::vector<int>& load) {
                return std::all_of(load.begin(), load.end(), [&](int component) { return component == load.front(); });
            });
        return whole ? ThreadLoads() : std::move(loads_);
    }

private:
    std::set<std::vector<int>> known_;
    ThreadLoads loads_;
};

class Nest {
public:
    Nest(const ReferenceExpression& reference, const library::Function& function, const library::Instance& instance,
        const std::vector<Shape>& operands, int threads, library::Touch output)
        : shape_(instance.shape), threads_(threads) {
        const Shape& result = instance.result.shape;
        const auto [rows, columns] = part_of_result(result, output, threads);
        for (std::size_t i = 0; i < reference.result_indices.size(); ++i) {
            Loop& loop = loops_.emplace_back(Loop{reference.result_indices[i], i == 0 ? rows : columns, {}});
            for (int thread = 0; thread < threads; ++thread) {
                const auto [row, column] = start_of_part(result, output, threads, thread);
                loop.starts.push_back(i == 0 ? row : column);
            }
        }
        for (const ReferenceNode& node : reference.nodes) {
            if (node.kind == ReferenceNode::Kind::sum) {
                loops_.push_back(
                    {node.name, range_of_index(node.name, reference, function, operands), std::vector<int>(index(threads), 0)});
            }
        }
    }

    /// All threads load the whole operand by this node, as is seen without playing it.
    bool is_whole(const ReferenceNode& node, const Shape& operand) const {
        int loads = 1;
        const bool alike = std::all_of(node.indices.begin(), node.indices.end(), library::is_plain_index) &&
            std::all_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
                const auto uses = std::count_if(
                    node.indices.begin(), node.indices.end(), [&](const library::SizeExpression& at) { return at.text() == loop.index; });
                loads *= uses == 0 ? 1 : loop.count;
                return uses == 0 ||
                    std::all_of(loop.starts.begin(), loop.starts.end(), [&](int start) { return start == loop.starts.front(); });
            });
        return alike && loads == operand.components();
    }

    void play(const ReferenceNode& node, const Shape& operand, Loads& loads) const {
        std::vector<const Loop*> own;
        for (const Loop& loop : loops_) {
            const bool used = std::any_of(node.indices.begin(), node.indices.end(), [&](const library::SizeExpression& at) {
                const std::vector<std::string> names = at.names();
                return std::find(names.begin(), names.end(), loop.index) != names.end();
            });
            if (used) {
                own.push_back(&loop);
            }
        }
        std::vector<int> passes(own.size(), 0);
        play(node, operand, own, passes, 0, loads);
    }

private:
    struct Loop {
        std::string index;
        int count = 1;           ///< iterations of one thread
        std::vector<int> starts; ///< per thread
    };

    static std::size_t index(int number) { return static_cast<std::size_t>(number); }

    void play(const ReferenceNode& node, const Shape& operand, const std::vector<const Loop*>& own, std::vector<int>& passes,
        std::size_t level, Loads& loads) const {
        if (level < own.size()) {
            for (passes[level] = 0; passes[level] < own[level]->count; ++passes[level]) {
                play(node, operand, own, passes, level + 1, loads);
            }
            return;
        }
        std::vector<int> load;
        for (int thread = 0; thread < threads_; ++thread) {
            load.push_back(component(node, operand, own, passes, thread));
        }
        loads.add(std::move(load));
    }

    /// -1 where an index is outside: a factor before it is 0 then, and nothing is read.
    int component(const ReferenceNode& node, const Shape& operand, const std::vector<const Loop*>& own, const std::vector<int>& passes,
        int thread) const {
        std::int64_t place[2] = {0, 0};
        for (std::size_t i = 0; i < node.indices.size(); ++i) {
            const std::int64_t at = value(node.indices[i], own, passes, thread);
            if (at < 0 || at >= (i == 0 ? operand.rows : operand.columns)) {
                return -1;
            }
            place[i] = at;
        }
        return operand.stored(static_cast<int>(place[0] * operand.columns + place[1]));
    }

    std::int64_t value(
        const library::SizeExpression& at, const std::vector<const Loop*>& own, const std::vector<int>& passes, int thread) const {
        const auto now = [&](std::size_t level) { return own[level]->starts[index(thread)] + passes[level]; };
        if (library::is_plain_index(at)) {
            for (std::size_t level = 0; level < own.size(); ++level) {
                if (own[level]->index == at.text()) {
                    return now(level);
                }
            }
        }
        library::ShapeValues values = shape_;
        for (std::size_t level = 0; level < own.size(); ++level) {
            values[own[level]->index] = now(level);
        }
        return at.evaluate(values).value_or(-1);
    }

    const library::ShapeValues& shape_;
    int threads_;
    std::vector<Loop> loops_; ///< outermost first
};

/// As the routines of mcof go round: the other rows and columns of the matrix, of 4x4 in an order of even permutations.
std::vector<int> others(int of, int size) {
    if (size == 4) {
        return {(of + 1) % 4, (of + 2 + of % 2) % 4, (of + 3 - of % 2) % 4};
    }
    std::vector<int> result;
    for (int i = 1; i < size; ++i) {
        result.push_back((of + i) % size);
    }
    return result;
}

ThreadLoads of_cofactors(const Shape& matrix, int threads, library::Touch output) {
    const auto [rows, columns] = part_of_result(matrix, output, threads);
    std::vector<std::vector<int>> by_thread;
    for (int thread = 0; thread < threads; ++thread) {
        const auto [row, column] = start_of_part(matrix, output, threads, thread);
        std::vector<int> all(static_cast<std::size_t>(matrix.rows));
        for (int i = 0; i < matrix.rows; ++i) {
            all[static_cast<std::size_t>(i)] = i;
        }
        std::vector<int>& read = by_thread.emplace_back();
        for (const int i : rows == 1 ? others(row, matrix.rows) : all) {
            for (const int j : columns == 1 ? others(column, matrix.columns) : all) {
                read.push_back(matrix.stored(i * matrix.columns + j));
            }
        }
    }
    Loads loads;
    for (std::size_t time = 0; time < by_thread.front().size(); ++time) {
        std::vector<int> load;
        for (const std::vector<int>& read : by_thread) {
            load.push_back(read[time]);
        }
        loads.add(std::move(load));
    }
    return loads.take(matrix.size());
}

} // namespace

std::pair<int, int> part_of_result(const Shape& result, library::Touch touch, int threads) {
    if (threads == 1) {
        return {result.rows, result.columns};
    }
    switch (touch) {
    case library::Touch::row:
        return {1, result.columns};
    case library::Touch::column:
        return {result.rows, 1};
    case library::Touch::entry:
        return {1, 1};
    case library::Touch::rows:
        return {std::max(1, result.rows / threads), result.columns};
    case library::Touch::all:
        break;
    }
    return {result.rows, result.columns};
}

int range_of_index(
    const std::string& index, const ReferenceExpression& reference, const library::Function& function, const std::vector<Shape>& operands) {
    for (const ReferenceNode& node : reference.nodes) {
        for (std::size_t operand = 0; node.kind == ReferenceNode::Kind::component && operand < operands.size(); ++operand) {
            for (std::size_t i = 0; i < node.indices.size() && node.name == function.inputs[operand].name; ++i) {
                if (node.indices[i].text() == index) {
                    return i == 0 ? operands[operand].rows : operands[operand].columns;
                }
            }
        }
    }
    return 1;
}

ThreadLoads operand_loads(const library::Function& function, const library::Instance& instance, const std::vector<Shape>& operands,
    std::size_t operand, int threads, library::Touch output) {
    if (const auto* algorithm = std::get_if<library::Algorithm>(&function.reference)) {
        return *algorithm == library::Algorithm::cofactor ? of_cofactors(operands[operand], threads, output) : ThreadLoads();
    }
    const auto* reference = std::get_if<ReferenceExpression>(&function.reference);
    if (reference == nullptr) {
        return {};
    }
    const Nest nest(*reference, function, instance, operands, threads, output);
    Loads loads;
    for (const ReferenceNode& node : reference->nodes) {
        if (node.kind == ReferenceNode::Kind::component && node.name == function.inputs[operand].name) {
            if (nest.is_whole(node, operands[operand])) {
                return {};
            }
            nest.play(node, operands[operand], loads);
        }
    }
    return loads.take(operands[operand].size());
}

} // namespace fusec::fusion
