// SPDX-License-Identifier: Apache-2.0
// Builds the call graph: adjacency from operands, a topological order by Boost.Graph, closures as bitsets along that order.
#include "dag/call_graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>

#include <algorithm>
#include <iterator>

namespace fusec::dag {

namespace {

template <class Id>
void sort_unique(std::vector<Id>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Calls so that every edge points forward. Throws InternalError on a cycle.
std::vector<std::size_t> topological_order(const std::vector<std::vector<CallId>>& successors) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph graph(successors.size());
    for (std::size_t call = 0; call < successors.size(); ++call) {
        for (CallId successor : successors[call]) {
            boost::add_edge(call, successor.index(), graph);
        }
    }
    std::vector<std::size_t> order;
    order.reserve(successors.size());
    try {
        boost::topological_sort(graph, std::back_inserter(order)); // last call first
    } catch (const boost::not_a_dag&) {
        throw InternalError("call graph: a call depends on its own result");
    }
    std::reverse(order.begin(), order.end());
    return order;
}

} // namespace

CallGraph::CallGraph(frontend::CheckedProgram program) : program_(std::move(program)) {
    const std::size_t count = program_.calls.size();
    consumers_.resize(program_.data.size());
    predecessors_.resize(count);
    successors_.resize(count);
    for (std::size_t index = 0; index < count; ++index) {
        const CallId id(index);
        const frontend::Call& call = program_.calls[index];
        internal_check(datum(call.result).producer == id, "call graph: the result of a call names another producer");
        for (DataId operand : call.operands) {
            consumers_.at(operand.index()).push_back(id);
            if (const auto& producer = datum(operand).producer) {
                predecessors_[index].push_back(*producer);
                successors_.at(producer->index()).push_back(id);
            }
        }
    }
    new_values_.resize(program_.data.size());
    old_values_.resize(program_.data.size());
    for (const frontend::Update& update : program_.updates) {
        const DataId old = program_.inputs.at(update.input), updated = program_.outputs.at(update.output);
        new_values_.at(old.index()) = updated;
        old_values_.at(updated.index()) = old;
        const CallId maker = datum(updated).producer.value();
        for (const CallId reader : consumers(old)) {
            if (reader != maker) {
                predecessors_[maker.index()].push_back(reader);
                successors_[reader.index()].push_back(maker);
            }
        }
    }
    derivations_.resize(program_.data.size());
    for (const frontend::Call& call : program_.uniform_calls) {
        std::vector<DataId>& made_of = derivations_.at(call.result.index());
        made_of = {call.result};
        for (DataId operand : call.operands) {
            const std::vector<DataId>& before = derivations_.at(operand.index());
            made_of.push_back(operand);
            made_of.insert(made_of.end(), before.begin(), before.end());
        }
        sort_unique(made_of);
    }
    for (auto* lists : {&consumers_, &predecessors_, &successors_}) {
        for (auto& list : *lists) {
            sort_unique(list);
        }
    }

    descendants_.assign(count, Bits(count));
    ancestors_.assign(count, Bits(count));
    const std::vector<std::size_t> order = topological_order(successors_);
    for (std::size_t call : order) {
        for (CallId predecessor : predecessors_[call]) {
            ancestors_[call] |= ancestors_[predecessor.index()];
            ancestors_[call].set(predecessor.index());
        }
    }
    for (auto call = order.rbegin(); call != order.rend(); ++call) {
        for (CallId successor : successors_[*call]) {
            descendants_[*call] |= descendants_[successor.index()];
            descendants_[*call].set(successor.index());
        }
    }
}

bool CallGraph::convex(const CallSet& set) const {
    Bits below(calls());
    Bits above(calls());
    for (CallId id : set) {
        below |= descendants(id);
        above |= ancestors(id);
    }
    // A call between two calls of the set is below one and above another.
    below &= above;
    for (CallId id : set) {
        below.reset(id.index());
    }
    return below.none();
}

std::vector<DataId> CallGraph::uses(const CallSet& set) const {
    std::vector<DataId> result;
    for (CallId id : set) {
        for (DataId operand : call(id).operands) {
            const auto& producer = datum(operand).producer;
            if (!producer || !std::binary_search(set.begin(), set.end(), *producer)) {
                const std::vector<DataId>& made_of = derivation(operand);
                result.push_back(operand);
                result.insert(result.end(), made_of.begin(), made_of.end());
            }
        }
    }
    sort_unique(result);
    return result;
}

std::vector<DataId> CallGraph::derives(const CallSet& set) const {
    std::vector<DataId> result = uses(set);
    std::erase_if(result, [&](DataId id) { return datum(id).kind != frontend::DatumKind::derived; });
    return result;
}

std::vector<DataId> CallGraph::boundary(const CallSet& set) const {
    std::vector<DataId> result;
    for (CallId id : set) {
        const DataId made = call(id).result;
        const bool used_outside = std::any_of(consumers(made).begin(), consumers(made).end(),
            [&](CallId consumer) { return !std::binary_search(set.begin(), set.end(), consumer); });
        if (datum(made).output || used_outside) {
            result.push_back(made);
        }
    }
    sort_unique(result);
    return result;
}

} // namespace fusec::dag
