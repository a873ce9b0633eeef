// SPDX-License-Identifier: Apache-2.0
// Legality of a choice of columns, and the order in which its kernels are launched.
#include "fusion/plan.hpp"

#include <algorithm>
#include <map>
#include <queue>

namespace fusec::fusion {

bool launch_order(
    const dag::CallGraph& graph, const std::vector<Column>& columns, const std::vector<ColumnId>& chosen, std::vector<ColumnId>& order) {
    order.clear();
    std::map<DataId, std::size_t> storer; // datum -> index into `chosen`
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        for (const DataId stored : columns[chosen[k].index()].stores) {
            if (!storer.emplace(stored, k).second) {
                return false;
            }
        }
    }
    for (const DataId output : graph.program().outputs) {
        if (!storer.contains(output)) {
            return false;
        }
    }
    std::vector<std::vector<std::size_t>> waiting(
        chosen.size()); // kernels that load what this one stores, or store over what it loads, once per datum
    std::vector<std::size_t> missing(chosen.size(), 0);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        for (const DataId loaded : columns[chosen[k].index()].loads) {
            if (const std::optional<DataId> updated = graph.new_value(loaded)) {
                if (const std::size_t storing = storer.at(*updated); storing != k) { // an output: it has one
                    waiting[k].push_back(storing);
                    ++missing[storing];
                }
            }
            if (graph.datum(loaded).kind != frontend::DatumKind::computed) {
                continue;
            }
            const auto found = storer.find(loaded);
            if (found == storer.end()) {
                return false;
            }
            waiting[found->second].push_back(k);
            ++missing[k];
        }
    }
    // Ties by the smallest executed call, then by the whole set, then by column: the same plan always has the same order.
    const auto later = [&](std::size_t a, std::size_t b) {
        const CallSet& calls_a = columns[chosen[a].index()].executes;
        const CallSet& calls_b = columns[chosen[b].index()].executes;
        return calls_a != calls_b ? calls_a > calls_b : chosen[a] > chosen[b];
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        if (missing[k] == 0) {
            ready.push(k);
        }
    }
    while (!ready.empty()) {
        const std::size_t k = ready.top();
        ready.pop();
        order.push_back(chosen[k]);
        for (const std::size_t next : waiting[k]) {
            if (--missing[next] == 0) {
                ready.push(next);
            }
        }
    }
    return order.size() == chosen.size();
}

} // namespace fusec::fusion
