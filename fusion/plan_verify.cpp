// SPDX-License-Identifier: Apache-2.0
// `verify(Plan)`: the plan executes the whole graph, shown by going through its launches; shares no code with the solver.
#include "fusion/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fusec::fusion {

namespace {

bool is_list(const frontend::Datum& datum) {
    return datum.per_element();
}

void verify_launches(const Plan& plan, const dag::CallGraph& graph) {
    std::set<DataId> in_memory;
    std::set<CallId> executed;
    std::uint32_t block = 0; // of the launches so far
    for (const Candidate& kernel : plan.kernels) {
        const auto executes = [&](CallId call) { return std::find(kernel.calls.begin(), kernel.calls.end(), call) != kernel.calls.end(); };
        internal_check(!kernel.stores.empty(), "plan: a kernel stores nothing");
        for (const CallId call : kernel.calls) {
            internal_check(graph.block(call) == graph.block(kernel.calls.front()), "plan: a kernel has calls of several blocks");
            internal_check(graph.block(call) >= block, "plan: a kernel is launched behind one of a later block");
            block = graph.block(call);
        }
        std::set<DataId> loads;
        for (const CallId call : kernel.calls) {
            executed.insert(call);
            for (const DataId operand : graph.call(call).operands) {
                const frontend::Datum& datum = graph.datum(operand);
                if (is_list(datum) && !(datum.producer && executes(*datum.producer))) {
                    loads.insert(operand);
                }
            }
        }
        internal_check(std::vector(loads.begin(), loads.end()) == kernel.loads,
            "plan: a kernel's loads are not the lists its calls use and do not make");
        for (const DataId loaded : kernel.loads) {
            internal_check(graph.datum(loaded).kind == frontend::DatumKind::input || in_memory.contains(loaded),
                "plan: a kernel loads what no kernel before it stored");
            internal_check(!graph.new_value(loaded) || !in_memory.contains(*graph.new_value(loaded)),
                "plan: a kernel loads the old value of a list that has its new one");
        }
        for (const DataId stored : kernel.stores) {
            const auto producer = graph.datum(stored).producer;
            internal_check(producer && executes(*producer), "plan: a kernel stores what it does not make");
            internal_check(in_memory.insert(stored).second, "plan: two kernels store the same datum");
        }
    }
    internal_check(executed.size() == graph.calls(), "plan: a call is executed by no kernel");
    for (const DataId output : graph.program().outputs) {
        internal_check(in_memory.contains(output), "plan: an output is stored by no kernel");
    }
}

void verify_workspace(const Plan& plan, const dag::CallGraph& graph) {
    std::map<DataId, std::size_t> slot_of;
    for (const auto& [datum, slot] : plan.workspace.placed) {
        internal_check(slot < plan.workspace.slots.size(), "plan: an intermediate lies in a slot that does not exist");
        internal_check(plan.workspace.slots[slot].bytes_per_element >= graph.datum(datum).list_bytes(),
            "plan: a slot is smaller than its intermediate");
        internal_check(slot_of.emplace(datum, slot).second, "plan: an intermediate lies in two slots");
    }
    internal_check(std::is_sorted(plan.workspace.placed.begin(), plan.workspace.placed.end()), "plan: slots are not ascending by datum");
    // Launch by launch, what each slot holds; storing into a slot destroys what it held.
    std::map<std::size_t, DataId> holds;
    for (const Candidate& kernel : plan.kernels) {
        std::set<std::size_t> read;
        for (const DataId loaded : kernel.loads) {
            if (const frontend::Datum& datum = graph.datum(loaded); datum.kind == frontend::DatumKind::computed && !datum.output) {
                const auto slot = slot_of.find(loaded);
                internal_check(slot != slot_of.end(), "plan: an intermediate has no slot");
                internal_check(holds.contains(slot->second) && holds.at(slot->second) == loaded,
                    "plan: an intermediate is overwritten before its last use");
                read.insert(slot->second);
            }
        }
        for (const DataId stored : kernel.stores) {
            if (!graph.datum(stored).output) {
                const auto slot = slot_of.find(stored);
                internal_check(slot != slot_of.end(), "plan: an intermediate has no slot");
                internal_check(read.insert(slot->second).second, "plan: a kernel stores into a slot that it reads or stores already");
                holds[slot->second] = stored;
            }
        }
    }
    // What later blocks load may be loaded again: nothing else is ever in its slot.
    for (const Candidate& kernel : plan.kernels) {
        for (const DataId loaded : kernel.loads) {
            const auto& producer = graph.datum(loaded).producer;
            const auto slot = slot_of.find(loaded);
            if (producer && slot != slot_of.end() && graph.block(*producer) != graph.block(kernel.calls.front())) {
                internal_check(
                    std::count_if(slot_of.begin(), slot_of.end(), [&](const auto& other) { return other.second == slot->second; }) == 1,
                    "plan: an intermediate that crosses blocks shares its slot");
            }
        }
    }
    for (const auto& [datum, slot] : slot_of) {
        const bool stored = std::any_of(plan.kernels.begin(), plan.kernels.end(),
            [&](const Candidate& k) { return std::find(k.stores.begin(), k.stores.end(), datum) != k.stores.end(); });
        internal_check(stored && !graph.datum(datum).output, "plan: a slot is kept for something that is no intermediate");
    }
}

} // namespace

void verify(const Plan& plan, const dag::CallGraph& graph) {
    verify_launches(plan, graph);
    verify_workspace(plan, graph);
    double seconds = 0;
    for (const Candidate& kernel : plan.kernels) {
        seconds += kernel.cost.seconds;
    }
    internal_check(std::abs(seconds - plan.seconds) <= 1e-9 * seconds, "plan: its seconds are not the sum of its kernels'");
    internal_check(plan.bound <= plan.seconds * (1 + 1e-9), "plan: it is predicted faster than its bound");
    internal_check(std::abs(plan.gap - (plan.seconds - plan.bound) / plan.seconds) <= 1e-9, "plan: its gap is not that of its bound");
}

} // namespace fusec::fusion
