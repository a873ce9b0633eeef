// SPDX-License-Identifier: Apache-2.0
// The check of a call graph against its program. Closures are found again by searching, not by the recurrence that built them.
#include "dag/call_graph.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace fusec::dag {

namespace {

/// Calls met by walking `next` from `start`, without `start` unless a cycle returns to it.
template <class Next>
Bits reachable(std::size_t calls, CallId start, Next next) {
    Bits met(calls);
    std::vector<CallId> open = {start};
    while (!open.empty()) {
        const CallId call = open.back();
        open.pop_back();
        for (CallId other : next(call)) {
            if (!met.test(other.index())) {
                met.set(other.index());
                open.push_back(other);
            }
        }
    }
    return met;
}

/// What a derived datum is made of, by walking back over the operands of uniform calls.
std::set<DataId> made_of(const CallGraph& graph, DataId datum) {
    std::set<DataId> met;
    std::vector<DataId> open = {datum};
    while (!open.empty()) {
        const DataId at = open.back();
        open.pop_back();
        if (met.insert(at).second && graph.datum(at).kind == frontend::DatumKind::derived) {
            const std::vector<DataId>& operands = graph.program().derivation(at).operands;
            open.insert(open.end(), operands.begin(), operands.end());
        }
    }
    return met;
}

bool uses(const CallGraph& graph, CallId call, DataId datum) {
    const auto& operands = graph.call(call).operands;
    return std::find(operands.begin(), operands.end(), datum) != operands.end();
}

/// Whether `reader` reads the old value of a list that `maker`, another call, makes the new value of.
bool reads_what_it_replaces(const CallGraph& graph, CallId reader, CallId maker) {
    const frontend::CheckedProgram& program = graph.program();
    return reader != maker && std::any_of(program.updates.begin(), program.updates.end(), [&](const frontend::Update& update) {
        return program.outputs[update.output] == graph.call(maker).result && uses(graph, reader, program.inputs[update.input]);
    });
}

/// Calls that wait for the call: because of its result, or because it reads what they replace. Ascending.
std::vector<CallId> followers(const CallGraph& graph, CallId call) {
    std::vector<CallId> result = graph.consumers(graph.call(call).result);
    for (const frontend::Update& update : graph.program().updates) {
        if (const CallId maker = *graph.datum(graph.program().outputs[update.output]).producer;
            reads_what_it_replaces(graph, call, maker)) {
            result.push_back(maker);
        }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace

void verify(const CallGraph& graph) {
    const frontend::CheckedProgram& program = graph.program();
    for (std::size_t index = 0; index < program.data.size(); ++index) {
        const DataId datum(index);
        const auto& consumers = graph.consumers(datum);
        internal_check(std::is_sorted(consumers.begin(), consumers.end()), "call graph: consumers are not ascending");
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            const bool listed = std::binary_search(consumers.begin(), consumers.end(), CallId(call));
            internal_check(listed == uses(graph, CallId(call), datum), "call graph: consumers differ from the program");
        }
        const auto& producer = program.data[index].producer;
        internal_check(!producer || graph.call(*producer).result == datum, "call graph: producer differs from the program");
        internal_check(producer.has_value() == (program.data[index].kind == frontend::DatumKind::computed),
            "call graph: only computed data have producers");
        const std::set<DataId> parts =
            program.data[index].kind == frontend::DatumKind::derived ? made_of(graph, datum) : std::set<DataId>();
        internal_check(std::ranges::equal(parts, graph.derivation(datum)), "call graph: a derivation is wrong");
        internal_check(std::none_of(parts.begin(), parts.end(), [&](DataId part) { return graph.datum(part).per_element(); }),
            "call graph: a derived datum is made of a list");
    }
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const CallId call(index);
        const Bits below = reachable(graph.calls(), call, [&](CallId at) { return followers(graph, at); });
        const Bits above = reachable(graph.calls(), call, [&](CallId at) {
            std::vector<CallId> producers;
            for (DataId operand : graph.call(at).operands) {
                if (const auto& producer = graph.datum(operand).producer) {
                    producers.push_back(*producer);
                }
            }
            for (const frontend::Update& update : graph.program().updates) {
                const std::vector<CallId>& readers = graph.consumers(graph.program().inputs[update.input]);
                std::copy_if(readers.begin(), readers.end(), std::back_inserter(producers),
                    [&](CallId reader) { return reads_what_it_replaces(graph, reader, at); });
            }
            return producers;
        });
        internal_check(!below.test(index), "call graph: cycle");
        internal_check(below == graph.descendants(call), "call graph: descendants are wrong");
        internal_check(above == graph.ancestors(call), "call graph: ancestors are wrong");
        internal_check(graph.successors(call) == followers(graph, call), "call graph: successors are wrong");
        for (CallId predecessor : graph.predecessors(call)) {
            internal_check(graph.block(predecessor) <= graph.block(call), "call graph: a call waits for one of a later block");
            internal_check(uses(graph, call, graph.call(predecessor).result) || reads_what_it_replaces(graph, predecessor, call),
                "call graph: predecessors are wrong");
        }
    }
}

} // namespace fusec::dag
