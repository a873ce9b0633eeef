// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/warp_access.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace fusec::perfmodel::analysis {

namespace {

constexpr std::int64_t sector_bytes = 32;
constexpr std::int64_t line_bytes = 128;
constexpr std::int64_t bank_bytes = 4;
constexpr std::int64_t banks = 32;

std::vector<int> lanes_of(std::uint32_t mask) {
    std::vector<int> lanes;
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            lanes.push_back(lane);
        }
    }
    return lanes;
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

int distinct(std::vector<std::int64_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    return static_cast<int>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// Aligned parts of memory of that size that the lanes touch.
int parts_touched(const WarpAccess& access, const std::vector<int>& lanes, int bytes, std::int64_t part_bytes) {
    std::vector<std::int64_t> touched;
    for (const int lane : lanes) {
        const std::int64_t first = access.addresses[static_cast<std::size_t>(lane)];
        for (std::int64_t part = floor_divided(first, part_bytes); part <= floor_divided(first + bytes - 1, part_bytes); ++part) {
            touched.push_back(part);
        }
    }
    return distinct(touched);
}

/// Sectors of local memory: the words of one address in all lanes lie side by side.
int local_sectors(const WarpAccess& access, const std::vector<int>& lanes, int bytes) {
    std::vector<std::int64_t> touched;
    for (const int lane : lanes) {
        const std::int64_t first = access.addresses[static_cast<std::size_t>(lane)];
        for (std::int64_t word = floor_divided(first, bank_bytes); word <= floor_divided(first + bytes - 1, bank_bytes); ++word) {
            touched.push_back((word * line_bytes + lane * bank_bytes) / sector_bytes);
        }
    }
    return distinct(touched);
}

/// Of the lanes that are served together: the bank of which they need most distinct words.
int passes_of_part(const WarpAccess& access, const std::vector<int>& lanes, int bytes) {
    std::vector<std::int64_t> words;
    for (const int lane : lanes) {
        const std::int64_t first = access.addresses[static_cast<std::size_t>(lane)];
        for (std::int64_t word = floor_divided(first, bank_bytes); word <= floor_divided(first + bytes - 1, bank_bytes); ++word) {
            words.push_back(word);
        }
    }
    words.resize(static_cast<std::size_t>(distinct(words)));
    std::array<int, banks> load{};
    for (const std::int64_t word : words) {
        ++load[static_cast<std::size_t>((word % banks + banks) % banks)];
    }
    return *std::max_element(load.begin(), load.end());
}

/// Accesses of 8 bytes are served by half warps, of 16 by quarters.
int passes(const WarpAccess& access, int bytes) {
    const int lanes_at_once = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    int sum = 0;
    for (int first = 0; first < 32; first += lanes_at_once) {
        const std::uint32_t part = lanes_at_once == 32 ? ~0U : ((1U << lanes_at_once) - 1) << first;
        if (const std::vector<int> lanes = lanes_of(access.lanes & part); !lanes.empty()) {
            sum += passes_of_part(access, lanes, bytes);
        }
    }
    return sum;
}

} // namespace

WarpCost warp_cost(const WarpAccess& access, Space space, int bytes) {
    const std::vector<int> lanes = lanes_of(access.lanes);
    const auto address = [&](int lane) { return access.addresses[static_cast<std::size_t>(lane)]; };
    const int count = static_cast<int>(lanes.size());
    WarpCost cost;
    if (!access.known) {
        cost.pattern = count == 1 ? Pattern::single : Pattern::scattered;
    } else if (count > 1) {
        const std::int64_t gap = lanes[1] - lanes[0];
        const std::int64_t rise = address(lanes[1]) - address(lanes[0]);
        const bool affine = rise % gap == 0 && std::all_of(lanes.begin(), lanes.end(), [&](int lane) {
            return address(lane) == address(lanes[0]) + rise / gap * (lane - lanes[0]);
        });
        cost.stride_bytes = affine ? rise / gap : 0;
        cost.pattern = !affine           ? Pattern::scattered
            : rise == 0                  ? Pattern::broadcast
            : cost.stride_bytes == bytes ? Pattern::unit
                                         : Pattern::stride;
    }
    // The least: the same bytes side by side, from an address that suits; a word that all share is one.
    const int together = cost.pattern == Pattern::broadcast ? 1 : count;
    if (space == Space::shared) {
        cost.least = static_cast<int>((together * bytes + banks * bank_bytes - 1) / (banks * bank_bytes));
        cost.transactions = access.known ? passes(access, bytes) : count * std::max(1, bytes / 4);
    } else if (space == Space::local) {
        const bool one_place = cost.pattern == Pattern::broadcast; // of every thread's own memory
        cost.pattern = cost.pattern == Pattern::single ? Pattern::single : one_place ? Pattern::unit : Pattern::scattered;
        cost.stride_bytes = one_place ? bank_bytes : 0;
        cost.least = static_cast<int>((count * bytes + sector_bytes - 1) / sector_bytes);
        cost.transactions = access.known ? local_sectors(access, lanes, bytes) : count * std::max(1, bytes / 4);
    } else {
        cost.least = static_cast<int>((together * bytes + sector_bytes - 1) / sector_bytes);
        cost.transactions = access.known ? parts_touched(access, lanes, bytes, sector_bytes) : count;
        const int lines = access.known ? parts_touched(access, lanes, bytes, line_bytes) : count;
        cost.l1_passes = std::max<double>(access.known ? passes(access, bytes) : 1, lines / 4.0 + 0.75);
    }
    return cost;
}

} // namespace fusec::perfmodel::analysis
