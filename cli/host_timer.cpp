// SPDX-License-Identifier: Apache-2.0
#include "cli/host_timer.hpp"

#include "support/median.hpp"

#include <algorithm>
#include <iterator>

namespace fusec::cli {

namespace {

constexpr double ns = 1e-9;

bool is_serial(const HostProbe& probe) {
    return static_cast<double>(probe.unit.elements) / probe.candidate.instances_per_block <= most_serial_tiles;
}

} // namespace

double HostTimer::ns_of(const HostProbe& probe, double seconds) const {
    return seconds / static_cast<double>(probe.unit.elements) / ns / (is_serial(probe) ? machine_.cores : 1);
}

double HostTimer::ns_of(const HostProbe& probe, const execute::UnitTimes& times) const {
    const double time = times.undisturbed() - (is_serial(probe) ? 0 : launch_seconds);
    return ns_of(probe, std::max(0.0, time));
}

double HostTimer::uncertain_ns(const HostProbe& probe, const execute::UnitTimes& times) const {
    return ns_of(probe, half_between_quartiles(times.seconds));
}

std::vector<std::vector<execute::TimedUnit>> HostTimer::groups(const std::vector<HostProbe>& probes) {
    constexpr double most_bytes = 2.0 * 1024 * 1024 * 1024;
    std::vector<std::vector<execute::TimedUnit>> all;
    for (const HostProbe& probe : probes) {
        if (!all.empty()) {
            all.back().push_back(probe.unit);
            if (execute::timing_memory(all.back()) <= most_bytes) {
                continue;
            }
            all.back().pop_back();
        }
        all.push_back({probe.unit});
    }
    return all;
}

std::optional<std::vector<execute::UnitTimes>> HostTimer::time(
    const std::vector<HostProbe>& probes, double share, std::size_t passes, std::size_t rounds_before) {
    execute::TimingSetup setup = setup_;
    setup.first_round += rounds_before;
    setup.rounds = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(setup_.rounds)));
    const std::vector<std::vector<execute::TimedUnit>> parts = groups(probes);
    std::vector<execute::TimedUnit> units;
    for (const std::vector<execute::TimedUnit>& part : parts) {
        units.insert(units.end(), part.begin(), part.end());
    }
    if (!texts_.compile(units, telling_share(setup, 0, 0.5), diagnostics_)) {
        return std::nullopt;
    }
    const auto times = execute::time_in_passes(parts, texts_, std::min(passes, setup.rounds), telling_share(setup, 0.5, 1), diagnostics_);
    if (!times) {
        return std::nullopt;
    }
    std::vector<execute::UnitTimes> all;
    for (const std::vector<execute::UnitTimes>& part : *times) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace fusec::cli
