// SPDX-License-Identifier: Apache-2.0
#include "cli/host_footprints.hpp"

#include "support/median.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::cli {

std::vector<double> footprints(double second_level, double last_level, double most) {
    std::vector<double> all;
    for (double bytes = 2 * second_level; all.size() < 3 || (all.back() < 2 * last_level && bytes <= most); bytes *= 2) {
        all.push_back(bytes);
    }
    return all;
}

std::optional<LastLevel> last_level(std::span<const Footprint> sweep) {
    constexpr double seen = 1.25; // what bandwidths of one footprint differ by from run to run on a machine with neighbours
    if (sweep.empty()) {
        return std::nullopt;
    }
    const double memory = sweep.back().gb_per_s;
    const auto fastest_of = [](std::span<const Footprint> some) { return std::ranges::max(some, {}, &Footprint::gb_per_s).gb_per_s; };
    const double beyond_first = sweep.size() > 1 ? fastest_of(sweep.subspan(1)) : 0;
    // Half of the first footprint, twice what the second level holds, comes from there at best.
    const bool second_level_shows = beyond_first >= seen * memory && sweep.front().gb_per_s <= 2 * beyond_first;
    const double fastest = second_level_shows ? beyond_first : fastest_of(sweep);
    if (fastest < seen * memory) {
        return std::nullopt;
    }
    std::vector<double> rates;
    double bytes = 0;
    for (const Footprint& each : sweep) {
        if (each.gb_per_s < std::sqrt(fastest * memory)) {
            break;
        }
        rates.push_back(each.gb_per_s);
        bytes = each.bytes;
    }
    if (rates.empty()) {
        return std::nullopt;
    }
    if (second_level_shows && rates.size() > 1) {
        rates.erase(rates.begin());
    }
    LastLevel found{bytes, median(rates), 0, static_cast<int>(rates.size())};
    for (const double rate : rates) {
        found.spread += std::abs(rate / found.gb_per_s - 1) / static_cast<double>(rates.size());
    }
    return found;
}

} // namespace fusec::cli
