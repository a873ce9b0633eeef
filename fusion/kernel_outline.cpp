// SPDX-License-Identifier: Apache-2.0
// Makes the outline of a column's kernel.
#include "fusion/kernel_outline.hpp"

#include <algorithm>
#include <utility>

namespace fusec::fusion {

namespace {

template <class Id>
int position(const std::vector<Id>& sorted, Id id) {
    return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), id) - sorted.begin());
}

} // namespace

const CallCosts::Table& CallCosts::of(CallId id) {
    tables_.resize(graph_.calls());
    Table& table = tables_[id.index()];
    if (table.empty()) {
        const frontend::Call& call = graph_.call(id);
        const auto access = [&](DataId datum, const Routine& routine, library::Touch touch, int reads) {
            const auto cost = [&](const Type& type) -> const AccessCost& {
                return accesses_.of({type.shape, bytes_of(type.precision), routine.threads, touch, reads});
            };
            const frontend::Datum& accessed = graph_.datum(datum);
            if (!accessed.storage) {
                return &cost(accessed.type);
            }
            AccessCost& both = converting_.emplace_back(cost(accessed.type)); // on chip as the type, in its list as stored
            both.direct = cost(accessed.list_type()).direct;
            both.excess_store = cost(accessed.list_type()).excess_store;
            return &std::as_const(both);
        };
        for (const Routine& routine : routines_.at(id.index()).routines) {
            auto& row = table.emplace_back();
            for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                row.push_back(
                    access(call.operands[operand], routine, routine.inputs[operand], routine.reads.empty() ? 0 : routine.reads[operand]));
            }
            row.push_back(access(call.result, routine, routine.output, 0));
        }
    }
    return table;
}

KernelOutline outline_without_orders(
    const dag::CallGraph& graph, const Column& column, const std::vector<CallRoutines>& routines, CallCosts& costs) {
    KernelOutline result;
    result.calls.reserve(column.executes.size());
    std::vector<DataId> touched = graph.uses(column.executes);
    for (CallId call : column.executes) {
        touched.push_back(graph.call(call).result);
    }
    std::sort(touched.begin(), touched.end());

    result.data.reserve(touched.size());
    for (DataId id : touched) {
        const frontend::Datum& datum = graph.datum(id);
        KernelOutline::Datum& entry = result.data.emplace_back();
        entry.id = id;
        entry.kind = datum.kind;
        entry.shape = datum.type.shape;
        entry.precision = datum.type.precision;
        entry.bytes = datum.flag ? 0 : datum.type.bytes();
        entry.list_bytes = datum.list_bytes();
        entry.flag = datum.flag;
        entry.loaded = std::binary_search(column.loads.begin(), column.loads.end(), id);
        entry.stored = std::binary_search(column.stores.begin(), column.stores.end(), id);
        result.read_bytes += entry.loaded ? entry.list_bytes : 0;
        result.write_bytes += entry.stored ? entry.list_bytes : 0;
        if (const std::optional<DataId> old = entry.stored ? graph.old_value(id) : std::nullopt;
            old && std::binary_search(column.loads.begin(), column.loads.end(), *old)) {
            entry.old_value = position(touched, *old);
        }
        result.precision = std::max(result.precision, datum.type.precision);
    }
    for (std::size_t index = 0; index < touched.size(); ++index) {
        if (result.data[index].kind == frontend::DatumKind::derived) {
            const std::size_t number = graph.datum(touched[index]).uniform_call.value();
            KernelOutline::Derivation& entry = result.derivations.emplace_back();
            entry.result = static_cast<int>(index);
            for (const DataId operand : graph.program().uniform_calls.at(number).operands) {
                entry.operands.push_back(position(touched, operand));
            }
            entry.routine = &routines.at(graph.calls() + number).routines.front();
        }
    }
    for (std::size_t index = 0; index < column.executes.size(); ++index) {
        const CallId id = column.executes[index];
        const frontend::Call& call = graph.call(id);
        KernelOutline::Call& entry = result.calls.emplace_back();
        entry.id = id;
        entry.routines = &routines.at(id.index());
        for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
            const int datum = position(touched, call.operands[operand]);
            entry.operands.push_back(datum);
            result.data[static_cast<std::size_t>(datum)].uses.push_back({static_cast<int>(index), operand});
        }
        entry.result = position(touched, call.result);
        result.data[static_cast<std::size_t>(entry.result)].producer = static_cast<int>(index);
        entry.costs = &costs.of(id);
    }
    return result;
}

void find_order(KernelOutline& outline, const dag::CallGraph& graph, const Column& column, LoadOrder loads) {
    std::vector<int>& order = outline.order[loads == LoadOrder::first ? 0 : 1];
    if (order.empty()) {
        for (CallId call : linearize(graph, column.executes, column.stores, loads).order) {
            order.push_back(position(column.executes, call));
        }
    }
}

KernelOutline outline(const dag::CallGraph& graph, const Column& column, const std::vector<CallRoutines>& routines, CallCosts& costs) {
    KernelOutline result = outline_without_orders(graph, column, routines, costs);
    for (LoadOrder loads : {LoadOrder::first, LoadOrder::at_use}) {
        find_order(result, graph, column, loads);
    }
    return result;
}

} // namespace fusec::fusion
