// SPDX-License-Identifier: Apache-2.0
#include "fusion/cover_modes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>

namespace fusec::fusion {

PartitionColumns::PartitionColumns(const dag::CallGraph& graph, const std::vector<Column>& columns)
    : graph_(graph), columns_(columns), slots_(std::bit_ceil(2 * columns.size() + 2), 0) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::size_t slot = first_slot(columns[c].executes);
        while (slots_[slot] != 0) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = static_cast<std::uint32_t>(c + 1);
    }
}

std::size_t PartitionColumns::first_slot(const CallSet& executes) const {
    std::uint64_t hash = 0;
    for (const CallId call : executes) {
        hash = (hash ^ call.value) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return hash & (slots_.size() - 1);
}

std::optional<ColumnId> PartitionColumns::find(const CallSet& executes) const {
    // Of several columns, the first: they were put in by number.
    for (std::size_t slot = first_slot(executes); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
        const ColumnId column(slots_[slot] - 1);
        if (columns_[column.index()].executes == executes && stores_all_its_boundary(graph_, columns_[column.index()])) {
            return column;
        }
    }
    return std::nullopt;
}

std::optional<std::vector<ColumnId>> separate_kernels(
    const dag::CallGraph& graph, const PartitionColumns& partition, ColumnSource& source) {
    std::vector<ColumnId> kernels;
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        const std::optional<ColumnId> column = partition.find({CallId(i)});
        if (!column || !std::isfinite(source.seconds(*column))) {
            return std::nullopt;
        }
        kernels.push_back(*column);
    }
    return kernels;
}

namespace {

/// The kernels of a growing fusion. A kernel is named by the smallest call it had first; fusing b into a keeps a's name.
class GreedyFusion {
public:
    GreedyFusion(const dag::CallGraph& graph, const PartitionColumns& partition, ColumnSource& source, std::vector<ColumnId> kernels)
        : graph_(graph),
          partition_(partition),
          source_(source),
          columns_(std::move(kernels)),
          kernel_of_(columns_.size()),
          alive_(columns_.size(), true) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            kernel_of_[i] = i;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            propose_successors(i);
        }
    }

    std::vector<ColumnId> run() {
        while (!proposals_.empty()) {
            const Proposal best = *proposals_.begin();
            proposals_.erase(proposals_.begin());
            if (std::isfinite(source_.seconds(best.fused)) && !path_around(best.from, best.to)) {
                fuse(best);
            }
        }
        std::vector<ColumnId> kernels;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (alive_[i]) {
                kernels.push_back(columns_[i]);
            }
        }
        return kernels;
    }

private:
    struct Proposal {
        double saved_bytes;
        std::size_t from, to;
        ColumnId fused;
        bool operator<(const Proposal& other) const {
            return std::tuple(-saved_bytes, from, to) < std::tuple(-other.saved_bytes, other.from, other.to);
        }
    };

    const Column& column(std::size_t kernel) const { return source_.columns()[columns_[kernel].index()]; }

    double bytes(const Column& c) const {
        double sum = 0;
        for (const std::vector<DataId>* data : {&c.loads, &c.stores}) {
            for (const DataId d : *data) {
                sum += graph_.datum(d).list_bytes();
            }
        }
        return sum;
    }

    std::set<std::size_t> successors(std::size_t kernel) const {
        std::set<std::size_t> result;
        for (const CallId call : column(kernel).executes) {
            for (const CallId user : graph_.successors(call)) {
                if (kernel_of_[user.index()] != kernel) {
                    result.insert(kernel_of_[user.index()]);
                }
            }
        }
        return result;
    }

    std::set<std::size_t> predecessors(std::size_t kernel) const {
        std::set<std::size_t> result;
        for (const CallId call : column(kernel).executes) {
            for (const CallId user : graph_.predecessors(call)) {
                if (kernel_of_[user.index()] != kernel) {
                    result.insert(kernel_of_[user.index()]);
                }
            }
        }
        return result;
    }

    void propose(std::size_t from, std::size_t to) {
        CallSet both;
        std::merge(column(from).executes.begin(), column(from).executes.end(), column(to).executes.begin(), column(to).executes.end(),
            std::back_inserter(both));
        if (const std::optional<ColumnId> fused = partition_.find(both)) {
            proposals_.insert({bytes(column(from)) + bytes(column(to)) - bytes(source_.columns()[fused->index()]), from, to, *fused});
        }
    }
    void propose_successors(std::size_t kernel) {
        for (const std::size_t next : successors(kernel)) {
            propose(kernel, next);
        }
    }

    /// A path from -> other kernel -> ... -> to: fusing the two would make that kernel wait for itself.
    bool path_around(std::size_t from, std::size_t to) const {
        std::vector<std::size_t> stack;
        std::set<std::size_t> seen;
        for (const std::size_t next : successors(from)) {
            if (next != to) {
                stack.push_back(next);
            }
        }
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (at == to) {
                return true;
            }
            if (seen.insert(at).second) {
                const std::set<std::size_t> next = successors(at);
                stack.insert(stack.end(), next.begin(), next.end());
            }
        }
        return false;
    }

    void fuse(const Proposal& best) {
        std::erase_if(proposals_,
            [&](const Proposal& p) { return p.from == best.from || p.to == best.from || p.from == best.to || p.to == best.to; });
        for (const CallId call : column(best.to).executes) {
            kernel_of_[call.index()] = best.from;
        }
        alive_[best.to] = false;
        columns_[best.from] = best.fused;
        propose_successors(best.from);
        for (const std::size_t before : predecessors(best.from)) {
            propose(before, best.from);
        }
    }

    const dag::CallGraph& graph_;
    const PartitionColumns& partition_;
    ColumnSource& source_;
    std::vector<ColumnId> columns_; ///< per kernel
    std::vector<std::size_t> kernel_of_;
    std::vector<bool> alive_;
    std::set<Proposal> proposals_;
};

} // namespace

std::optional<std::vector<ColumnId>> greedy_kernels(const dag::CallGraph& graph, const PartitionColumns& partition, ColumnSource& source) {
    std::optional<std::vector<ColumnId>> separate = separate_kernels(graph, partition, source);
    if (!separate) {
        return std::nullopt;
    }
    return GreedyFusion(graph, partition, source, std::move(*separate)).run();
}

} // namespace fusec::fusion
