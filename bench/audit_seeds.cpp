// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_seeds.hpp"

#include "perfmodel/occupancy.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fusec::bench {

using perfmodel::Point;
using perfmodel::Role;
using perfmodel::RoutineTimes;

namespace {

/// Linear between the entries of an ascending table, the nearest beyond them.
double between(const std::map<double, double>& table, double at) {
    const auto next = table.lower_bound(at);
    if (next == table.begin() || (next != table.end() && next->first == at)) {
        return next->second;
    }
    const auto& [low, value] = *std::prev(next);
    return next == table.end() ? value : value + (next->second - value) * (at - low) / (next->first - low);
}

/// Of the kernel's only access. Points of one block and shared memory are the same measurement under several names: the last counts.
void add_routine(const DeviceData& data, const std::string& kernel, RoutineTimes& times) {
    std::map<double, std::map<double, double>> by_block; // elements per block -> shared bytes -> ns
    std::set<double> shared;
    std::string name;
    for (const Point& point : data.points) {
        if (point.role == Role::fit && point.kernel == kernel) {
            by_block[point.work.elements_per_block][point.work.shared_bytes] = 1e9 * point.seconds / static_cast<double>(point.elements);
            shared.insert(point.work.shared_bytes);
            for (const fusion::WorkStep& step : point.work.steps) {
                for (const std::string& each : perfmodel::transfer_routines(step)) {
                    name = each;
                }
            }
        }
    }
    if (by_block.empty()) {
        return;
    }
    RoutineTimes::Routine& made = times.routines[name];
    made.extra_shared.assign(shared.begin(), shared.end());
    for (const auto& [block, row] : by_block) {
        made.block_size.push_back(block);
    }
    for (const double bytes : made.extra_shared) {
        for (const auto& [block, row] : by_block) {
            made.ns.push_back(between(row, bytes));
        }
    }
}

/// t0 and occupancy of a launch that fills the device, as the predictor counts its operations.
std::pair<double, double> occupancy_and_t0(const Point& point, const fusion::DeviceLimits& limits) {
    perfmodel::StaircaseInputs in =
        perfmodel::staircase_inputs(limits, point.work, point.elements, perfmodel::resident_blocks(limits, point.work));
    in.t0 = 1;
    const double stairs = staircase(in).stairs;
    return {in.occupancy, t0_of(point.seconds / stairs, in)};
}

} // namespace

std::shared_ptr<const RoutineTimes> transfer_times(const DeviceData& data) {
    RoutineTimes times;
    times.device = data.device.name;
    for (const char* kernel : {"read", "init"}) {
        add_routine(data, kernel, times);
    }
    return times.routines.empty() ? nullptr : std::make_shared<const RoutineTimes>(std::move(times));
}

std::optional<perfmodel::StaircaseLine> stair_of_scale(const DeviceData& data) {
    std::map<double, double> t0; // by occupancy
    for (const Point& point : data.points) {
        if (point.role == Role::fit && point.kernel == "scale") {
            t0.insert(occupancy_and_t0(point, data.device.limits));
        }
    }
    if (t0.size() < 2) {
        return std::nullopt;
    }
    const auto& [low, first] = *t0.begin();
    const auto& [high, last] = *t0.rbegin();
    const perfmodel::StaircaseLine line = perfmodel::staircase_line(first, low, last, high);
    return line.t0(0) > 0 && line.t0(1) > 0 ? std::optional(line) : std::nullopt;
}

perfmodel::Device with_measured(const DeviceData& data) {
    perfmodel::Device device = data.device;
    const auto supply = [&](const char* key, double value) {
        if (!perfmodel::figure(device, key)) {
            perfmodel::set_figure(device, key, value);
        }
    };
    if (const auto line = stair_of_scale(data)) {
        supply("staircase.ta", line->ta);
        supply("staircase.tb", line->tb);
    }
    if (device.routine_times == nullptr) {
        device.routine_times = transfer_times(data);
    }
    if (device.routine_times != nullptr) {
        supply("benchmark.remap", 0);
    }
    return device;
}

} // namespace fusec::bench
