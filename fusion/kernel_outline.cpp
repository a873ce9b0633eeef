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

/// Access::reads.
int reads_of(const Routine& routine, std::size_t operand, int words) {
    if (!routine.reads.empty()) {
        return routine.reads[operand];
    }
    const int listed = routine.components.empty() ? 0 : static_cast<int>(routine.components[operand].size());
    return listed == words ? 0 : listed;
}

} // namespace

CallCosts::CallCosts(const dag::CallGraph& graph, const std::vector<CallRoutines>& routines)
    : graph_(graph), routines_(routines), in_parts_(graph.program().data.size(), false) {
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        const std::vector<DataId>& operands = graph.call(CallId(i)).operands;
        for (std::size_t operand = 0; operand < operands.size(); ++operand) {
            in_parts_[operands[operand].index()] = in_parts_[operands[operand].index()] || words_read(CallId(i), operand) != nullptr;
        }
    }
}

const std::vector<int>* CallCosts::words_read(CallId call, std::size_t operand) const {
    const std::vector<std::vector<int>>& words = routines_.at(call.index()).routines.front().components;
    return words.empty() || words.at(operand).empty() ? nullptr : &words[operand];
}

double CallCosts::touched_bytes(DataId list, const std::vector<CallId>& calls) const {
    const Type type = graph_.datum(list).list_type();
    const double whole = graph_.datum(list).list_bytes();
    if (!in_parts_[list.index()]) {
        return whole;
    }
    std::vector<int> touched;
    for (const CallId call : calls) {
        const std::vector<DataId>& operands = graph_.call(call).operands;
        for (std::size_t operand = 0; operand < operands.size(); ++operand) {
            if (operands[operand] != list) {
                continue;
            }
            const std::vector<int>* const words = words_read(call, operand);
            if (words == nullptr) {
                return whole;
            }
            touched.insert(touched.end(), words->begin(), words->end());
        }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return std::min(whole, sector_bytes(type.bytes(), bytes_of(type.precision), touched));
}

const CallCosts::Table& CallCosts::of(CallId id) {
    tables_.resize(graph_.calls());
    Table& table = tables_[id.index()];
    if (table.empty()) {
        const frontend::Call& call = graph_.call(id);
        const auto access = [&](DataId datum, const Routine& routine, library::Touch touch, int reads,
                                const std::shared_ptr<const library::ThreadLoads>& loads) {
            const auto cost = [&](const Type& type) -> const AccessCost& {
                return accesses_.of({type.shape, bytes_of(type.precision), routine.threads, touch, reads, loads});
            };
            const frontend::Datum& accessed = graph_.datum(datum);
            if (!accessed.storage) {
                return &cost(accessed.type);
            }
            const AccessCost &on_chip = cost(accessed.type), &in_list = cost(accessed.list_type());
            const auto [entry, added] = converting_.try_emplace({&on_chip, &in_list}, on_chip);
            if (added) {
                entry->second.direct = in_list.direct;
                entry->second.excess_store = in_list.excess_store;
                entry->second.sectors = in_list.sectors;
            }
            return &std::as_const(entry->second);
        };
        for (const Routine& routine : routines_.at(id.index()).routines) {
            auto& row = table.emplace_back();
            for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                row.push_back(access(call.operands[operand], routine, routine.inputs[operand],
                    reads_of(routine, operand, graph_.datum(call.operands[operand]).type.shape.size()),
                    routine.loads.empty() ? nullptr : routine.loads[operand]));
            }
            row.push_back(access(call.result, routine, routine.output, 0, nullptr));
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
        entry.touched_bytes = entry.loaded ? costs.touched_bytes(id, column.executes) : 0;
        entry.stored = std::binary_search(column.stores.begin(), column.stores.end(), id);
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
