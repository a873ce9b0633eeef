// SPDX-License-Identifier: Apache-2.0
// The launches that a unit is checked with.
#include "execute/runner.hpp"

#include "support/counted.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fusec::execute {

std::string to_string(const RunCase& launch) {
    std::string text = "n = " + std::to_string(launch.n);
    if (launch.ranged) {
        text += ", " + counted(launch.count, "element") + " from " + std::to_string(launch.first) + " on";
    }
    if (launch.shifted != 0) {
        text += ", bases off by " + counted(static_cast<std::uint64_t>(launch.shifted), "component");
    }
    if (!launch.entries.empty()) {
        text += launch.entries.size() == 1 ? ", one block only" : ", block by block";
    }
    return text;
}

std::vector<RunCase> standard_cases(int tile, std::uint64_t seed) {
    const auto t = static_cast<std::size_t>(tile);
    using emulation::Schedule;
    // Counts that are multiples of 4 end every list on a multiple of 16 bytes, flush with the inaccessible page.
    return {
        {0, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {1, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {t - 1, false, 0, 0, Placement::at_end, 0, Schedule::reverse, seed},
        {t, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {t + 1, false, 0, 0, Placement::at_end, 0, Schedule::shuffled, seed},
        {t + 4, false, 0, 0, Placement::at_end, 0, Schedule::reverse, seed + 1},
        {2 * t + 4, false, 0, 0, Placement::at_start, 0, Schedule::shuffled, seed + 2},
        {t + 3, false, 0, 0, Placement::at_end, 1, Schedule::shuffled, seed + 3},
        {t + 3, false, 0, 0, Placement::at_start, 1, Schedule::forward, seed},
        {2 * t + 8, true, t / 2 + 1, t + 1, Placement::at_end, 0, Schedule::forward, seed},
        {2 * t + 8, true, 4, 2 * t, Placement::at_end, 0, Schedule::reverse, seed}, // two whole tiles
        {2 * t + 8, true, 2 * t + 7, 1, Placement::at_end, 0, Schedule::forward, seed},
        {2 * t + 8, true, t, 0, Placement::at_end, 0, Schedule::forward, seed},
    };
}

std::vector<RunCase> with_entries(std::vector<RunCase> cases, std::size_t blocks) {
    const std::size_t count = blocks == 0 ? 0 : cases.size();
    for (std::size_t i = 0; i < count; ++i) {
        RunCase launch = cases[i];
        launch.entries.resize(blocks);
        std::iota(launch.entries.begin(), launch.entries.end(), std::size_t{0});
        cases.push_back(std::move(launch));
    }
    return cases;
}

std::size_t most_elements(const std::vector<RunCase>& cases) {
    std::size_t most = 0;
    for (const RunCase& launch : cases) {
        most = std::max(most, launch.n);
    }
    return most;
}

} // namespace fusec::execute
