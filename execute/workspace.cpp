// SPDX-License-Identifier: Apache-2.0
#include "execute/workspace.hpp"

#include "support/counted.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace fusec::execute {

namespace {

std::size_t rounded(std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// A quiet NaN as a float, and as the upper half of a double: sign, exponents and quiet bits of both, then 19 bits of payload.
std::uint32_t poison_word(std::size_t index) {
    auto mixed = static_cast<std::uint32_t>(index) * 2654435769U; // 2^32 over the golden ratio: neighbours differ in the upper bits
    mixed ^= mixed >> 15U;
    return 0xfff80000U | (mixed & 0x7ffffU);
}

unsigned char poison_byte(std::size_t at) {
    const std::uint32_t word = poison_word(at / 4);
    unsigned char bytes[4];
    std::memcpy(bytes, &word, 4);
    return bytes[at % 4];
}

/// What a launch of n elements shows of a slot.
struct Shown {
    bool wider = false, narrower = false, full = false;
};

Shown shown_by(std::size_t n, std::size_t bytes) {
    const std::size_t size = rounded(n * bytes);
    return {rounded(n * (bytes + 1)) != size, rounded(n * (bytes - 1)) != size, size - n * bytes < bytes};
}

} // namespace

std::size_t workspace_bytes(const std::vector<int>& slots, std::size_t n) {
    std::size_t bytes = 0;
    for (const int slot : slots) {
        bytes += rounded(n * static_cast<std::size_t>(slot));
    }
    return bytes;
}

void poison(unsigned char* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
        data[at] = poison_byte(at);
    }
}

std::optional<std::size_t> altered_poison(const unsigned char* data, std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
        if (data[at] != poison_byte(at)) {
            return at;
        }
    }
    return std::nullopt;
}

std::vector<emulation::Forbidden> paddings(const unsigned char* data, const std::vector<int>& slots, std::size_t n, std::size_t front) {
    std::vector<emulation::Forbidden> ranges;
    const unsigned char* start = data + front;
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const std::size_t bytes = n * static_cast<std::size_t>(slots[s]);
        if (rounded(bytes) != bytes) {
            ranges.push_back({start + bytes, start + rounded(bytes), "behind slot " + std::to_string(s) + " of the workspace"});
        }
        start += rounded(bytes);
    }
    return ranges;
}

std::optional<std::string> altered_padding(const unsigned char* data, const std::vector<int>& slots, std::size_t n, std::size_t front) {
    for (const emulation::Forbidden& range : paddings(data, slots, n, front)) {
        if (const auto at =
                altered_poison(data, static_cast<std::size_t>(range.first - data), static_cast<std::size_t>(range.last - data))) {
            return range.what + ", " + counted(static_cast<std::uint64_t>(data + *at - range.first), "byte") + " past its last element";
        }
    }
    return std::nullopt;
}

std::vector<RunCase> workspace_cases(const std::vector<int>& tiles, const std::vector<int>& slots, std::uint64_t seed) {
    if (slots.empty()) {
        return {};
    }
    const auto largest = static_cast<std::size_t>(*std::max_element(tiles.begin(), tiles.end()));
    std::vector<std::size_t> sizes;
    for (std::size_t n = largest + 1; n <= largest + workspace_alignment + 1; ++n) {
        if (std::none_of(tiles.begin(), tiles.end(), [&](int tile) { return tile > 1 && n % static_cast<std::size_t>(tile) == 0; })) {
            sizes.push_back(n);
        }
    }
    std::set<std::pair<std::size_t, int>> missing; // a slot's bytes and one of the three demands
    const auto shows = [](std::size_t n, const std::pair<std::size_t, int>& demand) {
        const Shown shown = shown_by(n, demand.first);
        return demand.second == 0 ? shown.wider : demand.second == 1 ? shown.narrower : shown.full;
    };
    for (const int slot : slots) {
        for (const int demand : {0, 1, 2}) {
            const std::pair<std::size_t, int> wanted{static_cast<std::size_t>(slot), demand};
            if (std::any_of(sizes.begin(), sizes.end(), [&](std::size_t n) { return shows(n, wanted); })) {
                missing.insert(wanted);
            }
        }
    }
    std::vector<RunCase> cases;
    while (!missing.empty()) {
        const auto count = [&](std::size_t n) {
            return std::count_if(missing.begin(), missing.end(), [&](const auto& demand) { return shows(n, demand); });
        };
        const std::size_t best =
            *std::max_element(sizes.begin(), sizes.end(), [&](std::size_t a, std::size_t b) { return count(a) < count(b); });
        std::erase_if(missing, [&](const auto& demand) { return shows(best, demand); });
        cases.push_back({best, false, 0, 0, Placement::at_end, 0, emulation::Schedule::reverse, seed});
    }
    return cases;
}

} // namespace fusec::execute
