// SPDX-License-Identifier: Apache-2.0
#include "codegen/thread_groups.hpp"

#include <map>

namespace fusec::codegen {

std::optional<ThreadMap> thread_map(const Kernel& kernel, const Step& step) {
    if (const auto* compute = std::get_if<Compute>(&step)) {
        return ThreadMap{compute->threads, compute->guarded};
    }
    if (const auto* load = std::get_if<LoadValue>(&step); load != nullptr && !kernel.lists.at(load->list).uniform) {
        return ThreadMap{kernel.values.at(load->value).threads};
    }
    if (const auto* store = std::get_if<StoreValue>(&step)) {
        return ThreadMap{kernel.values.at(store->value).threads};
    }
    if (const auto* report = std::get_if<Report>(&step)) {
        return ThreadMap{kernel.values.at(report->value).threads};
    }
    return std::nullopt;
}

ThreadGroups thread_groups(const Kernel& kernel) {
    ThreadGroups found;
    std::map<std::size_t, std::set<int>> groups_of_value;
    std::optional<ThreadMap> open;
    int group = -1;
    const auto uses = [&](const Place& place) {
        if (place.kind == Place::Kind::value) {
            groups_of_value[place.index].insert(group);
        }
    };
    for (const Step& step : kernel.steps) {
        const std::optional<ThreadMap> map = thread_map(kernel, step);
        group += !map || map != open ? 1 : 0;
        found.mapped += map && map != open ? 1 : 0;
        open = map;
        if (map) {
            found.granularities.insert(map->threads);
        }
        if (const auto* compute = std::get_if<Compute>(&step)) {
            for (const Operand& operand : compute->operands) {
                uses(operand.place);
            }
            uses(compute->result.place);
        } else if (const auto* load = std::get_if<LoadValue>(&step); load != nullptr && map) {
            groups_of_value[load->value].insert(group);
        } else if (const auto* store = std::get_if<StoreValue>(&step)) {
            groups_of_value[store->value].insert(group);
        } else if (const auto* report = std::get_if<Report>(&step)) {
            groups_of_value[report->value].insert(group);
        }
    }
    for (const auto& [value, groups] : groups_of_value) {
        if (groups.size() > 1) {
            found.early.insert(value);
        }
    }
    for (const Step& step : kernel.steps) {
        if (const auto* load = std::get_if<LoadValue>(&step); load != nullptr && kernel.lists.at(load->list).uniform) {
            found.early.erase(load->value); // declared where it is loaded, outside any block
        } else if (const auto* derive = std::get_if<Derive>(&step)) {
            found.early.erase(derive->result.place.index); // likewise
        }
    }
    return found;
}

} // namespace fusec::codegen
