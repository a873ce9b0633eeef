// SPDX-License-Identifier: Apache-2.0
// Slots of the workspace: intermediates whose lives do not meet share memory.
#include "fusion/plan.hpp"

#include <algorithm>
#include <map>

namespace fusec::fusion {

int Workspace::bytes_per_element() const {
    int sum = 0;
    for (const Slot& slot : slots) {
        sum += slot.bytes_per_element;
    }
    return sum;
}

std::uint64_t Workspace::bytes(std::uint64_t n) const {
    constexpr std::uint64_t alignment = 256;
    std::uint64_t sum = 0;
    for (const Slot& slot : slots) {
        sum += (static_cast<std::uint64_t>(slot.bytes_per_element) * n + alignment - 1) / alignment * alignment;
    }
    return sum;
}

Workspace plan_workspace(const dag::CallGraph& graph, const std::vector<Candidate>& kernels) {
    struct Life {
        DataId datum;
        std::size_t first, last; ///< the storing kernel, the last loading kernel; of what crosses program blocks: all
        int bytes;
    };
    std::map<DataId, Life> by_datum;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        for (const DataId stored : kernels[k].stores) {
            if (!graph.datum(stored).output) {
                by_datum.emplace(stored, Life{stored, k, k, graph.datum(stored).list_bytes()});
            }
        }
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        for (const DataId loaded : kernels[k].loads) {
            if (const auto found = by_datum.find(loaded); found != by_datum.end()) {
                found->second.last = std::max(found->second.last, k);
                const bool crosses =
                    !graph.program().blocks.empty() && graph.block(kernels[k].calls.front()) != graph.block(*graph.datum(loaded).producer);
                if (crosses) { // a block may be launched again, with what those before it have left
                    found->second.first = 0;
                    found->second.last = kernels.size();
                }
            }
        }
    }
    std::vector<Life> lives;
    for (const auto& [datum, life] : by_datum) {
        lives.push_back(life);
    }
    // Largest first, so that a slot never has to grow: first fit by decreasing size; ties by first life, then by datum.
    std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.first != b.first ? a.first < b.first : a.datum < b.datum;
    });
    Workspace workspace;
    std::vector<std::vector<Life>> tenants;
    for (const Life& life : lives) {
        std::size_t slot = 0;
        // Lives that meet in one kernel clash: it reads the one while it writes the other.
        const auto clashes = [&](const Life& other) { return life.first <= other.last && other.first <= life.last; };
        while (slot < tenants.size() && std::any_of(tenants[slot].begin(), tenants[slot].end(), clashes)) {
            ++slot;
        }
        if (slot == tenants.size()) {
            tenants.emplace_back();
            workspace.slots.push_back({life.bytes});
        }
        tenants[slot].push_back(life);
        workspace.placed.emplace_back(life.datum, slot);
    }
    std::sort(workspace.placed.begin(), workspace.placed.end());
    return workspace;
}

} // namespace fusec::fusion
