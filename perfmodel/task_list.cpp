// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/task_list.hpp"

#include <set>

namespace fusec::perfmodel::pipeline {

std::vector<Task> task_list(std::span<const Instruction> code, int list, int global_latency) {
    std::vector<Task> tasks;
    std::set<int> known;
    const auto add = [&](Unit unit, int latency, int destination, std::array<int, 2> sources, int block) {
        tasks.push_back({static_cast<int>(tasks.size()), list, unit, latency, destination, sources, block});
    };
    for (const Instruction& each : code) {
        for (const int source : each.sources) {
            if (source >= 0 && known.insert(source).second) {
                add(Unit::memory, global_latency, source, {-1, -1}, each.block);
            }
        }
        known.insert(each.destination);
        add(each.unit, each.latency, each.destination, each.sources, each.block);
    }
    return tasks;
}

int basic_blocks(std::span<const Task> tasks) {
    int count = tasks.empty() ? 0 : 1;
    for (std::size_t i = 1; i < tasks.size(); ++i) {
        count += tasks[i].block != tasks[i - 1].block ? 1 : 0;
    }
    return count;
}

} // namespace fusec::perfmodel::pipeline
