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

double HostTimer::ns_of(const HostProbe& probe, const std::vector<double>& seconds) const {
    const double time = execute::undisturbed(seconds) - (is_serial(probe) ? 0 : launch_seconds);
    return ns_of(probe, std::max(0.0, time));
}

double HostTimer::uncertain_ns(const HostProbe& probe, const std::vector<double>& seconds) const {
    return ns_of(probe, half_between_quartiles(seconds));
}

std::optional<std::vector<std::vector<double>>> HostTimer::time(const std::vector<HostProbe>& probes, std::size_t more) {
    constexpr double most_bytes = 2.0 * 1024 * 1024 * 1024;
    execute::TimingSetup setup = setup_;
    setup.rounds *= more;
    std::vector<execute::TimedUnit> units;
    std::ranges::transform(probes, std::back_inserter(units), &HostProbe::unit);
    if (!texts_.compile(units, telling_share(setup, 0, 0.5), diagnostics_)) {
        return std::nullopt;
    }
    std::vector<std::vector<double>> seconds;
    std::vector<execute::TimedUnit> part;
    for (std::size_t i = 0; i < units.size(); ++i) {
        part.push_back(units[i]);
        if (i + 1 < units.size()) {
            part.push_back(units[i + 1]);
            const double bytes = execute::timing_bytes(part);
            part.pop_back();
            if (bytes <= most_bytes) {
                continue;
            }
        }
        const auto share = [&](std::size_t timed) { return 0.5 + 0.5 * static_cast<double>(timed) / static_cast<double>(units.size()); };
        const auto times = execute::time_units(
            part, texts_, telling_share(setup, share(seconds.size()), share(seconds.size() + part.size())), diagnostics_);
        if (!times) {
            return std::nullopt;
        }
        std::ranges::transform(*times, std::back_inserter(seconds), &execute::UnitTimes::seconds);
        part.clear();
    }
    return seconds;
}

} // namespace fusec::cli
