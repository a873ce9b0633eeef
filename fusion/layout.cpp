// SPDX-License-Identifier: Apache-2.0
// Costs of accesses by simulation of a few warps. 32 banks of 4 bytes; an access of 4, 8 or 16 bytes is resolved for 32, 16 or 8
// lanes at a time; a pass serves one word of each bank, and lanes with the same word share it.
#include "fusion/layout.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace fusec::fusion {

namespace {

constexpr int warp = 32;
constexpr int simulated_warps = 8;

/// First word, within an element, of the part that lane `lane` of the element's threads touches.
int first_word(const Access& access, int lane) {
    const Shape& shape = access.shape;
    if (shape.packed && access.touch != library::Touch::all) { // a result: parts of the lower triangle
        const int row = access.touch == library::Touch::rows ? lane * shape.rows / access.threads
            : access.touch == library::Touch::entry          ? lane / shape.columns % shape.rows
                                                             : lane % shape.rows;
        return packed_word(row, access.touch == library::Touch::column ? row : 0);
    }
    switch (access.touch) {
    case library::Touch::all:
        return access.first.empty() ? 0 : access.first[static_cast<std::size_t>(lane)];
    case library::Touch::row:
        return lane * shape.rows / access.threads * shape.columns;
    case library::Touch::column:
        return lane % shape.columns;
    case library::Touch::entry:
        return lane % shape.size();
    case library::Touch::rows:
        return lane * shape.rows / access.threads * shape.columns;
    }
    return 0;
}

/// Bytes of one access: parts that are contiguous are taken in 4, 8 or 16 bytes.
int access_bytes(const Access& access) {
    const bool scattered = access.touch == library::Touch::column && access.shape.columns > 1;
    if (scattered || access.reads != 0 || (access.shape.packed && access.touch != library::Touch::all)) {
        return access.word_bytes;
    }
    int width = access.word_bytes;
    const int part = components_per_thread(access) * access.word_bytes;
    const int element = access.shape.size() * access.word_bytes;
    while (width < 16 && part % (2 * width) == 0 && element % (2 * width) == 0) {
        width *= 2;
    }
    return width;
}

/// Start addresses of the accesses of one warp, by lane.
std::array<int, warp> addresses(const Access& access, int number, int run, int pad_words) {
    std::array<int, warp> result{};
    for (int lane = 0; lane < warp; ++lane) {
        const int item = number * warp + lane;
        const int element = item / access.threads;
        const int word = element * access.shape.size() + first_word(access, item % access.threads);
        result[static_cast<std::size_t>(lane)] = padded_word(word, run, pad_words) * access.word_bytes;
    }
    return result;
}

/// Passes that serve `width` bytes at each address.
int passes(const std::array<int, warp>& starts, int width) {
    const int lanes = std::min(warp, 128 / width);
    int total = 0;
    for (int first = 0; first < warp; first += lanes) {
        std::array<std::array<int, warp>, 32> words{}; // per bank, distinct words
        std::array<int, 32> count{};
        int most = 1;
        for (int lane = first; lane < first + lanes; ++lane) {
            for (int byte = 0; byte < width; byte += 4) {
                const int word = (starts[static_cast<std::size_t>(lane)] + byte) / 4;
                const auto bank = static_cast<std::size_t>(word % 32);
                auto& in_bank = words[bank];
                const auto end = in_bank.begin() + count[bank];
                if (std::find(in_bank.begin(), end, word) == end) {
                    *end = word;
                    most = std::max(most, ++count[bank]);
                }
            }
        }
        total += most;
    }
    return total;
}

/// Distinct blocks of `size` bytes that the accesses of `width` bytes touch.
int blocks_touched(const std::array<int, warp>& starts, int width, int size) {
    std::array<int, static_cast<std::size_t>(2) * warp> blocks{};
    auto end = blocks.begin();
    for (int start : starts) {
        for (int block : {start / size, (start + width - 1) / size}) {
            if (std::find(blocks.begin(), end, block) == end) {
                *end++ = block;
            }
        }
    }
    return static_cast<int>(end - blocks.begin());
}

/// Mean of `measure(addresses of a warp)` over the simulated warps, per element.
template <class Measure>
double per_element(const Access& access, int run, int pad_words, Measure measure) {
    double sum = 0;
    for (int number = 0; number < simulated_warps; ++number) {
        sum += measure(addresses(access, number, run, pad_words));
    }
    return sum / simulated_warps * access.threads / warp;
}

} // namespace

int components_per_thread(const Access& access) {
    if (access.reads != 0) {
        return access.reads;
    }
    if (access.shape.packed && access.touch != library::Touch::all) {
        return std::max(1, access.shape.size() / access.threads);
    }
    if (const int part = library::components_touched(access.shape, access.touch, access.threads)) {
        return part;
    }
    switch (access.touch) {
    case library::Touch::row:
        return access.shape.columns;
    case library::Touch::column:
        return access.shape.rows;
    case library::Touch::entry:
        return 1;
    case library::Touch::all:
    case library::Touch::rows:
        break;
    }
    return access.shape.size();
}

double shared_accesses(const Access& access) {
    return static_cast<double>(components_per_thread(access)) * access.word_bytes / access_bytes(access) * access.threads;
}

double shared_wavefronts(const Access& access, int run, int pad_words) {
    const int width = access_bytes(access);
    // All accesses of a part shift every lane alike: the first one stands for them.
    const double accesses = static_cast<double>(components_per_thread(access)) * access.word_bytes / width;
    return accesses * per_element(access, run, pad_words, [&](const auto& starts) { return static_cast<double>(passes(starts, width)); });
}

double copied_wavefronts(int element_bytes, int run_bytes) {
    // In steps of 16 bytes: a pass takes eight, side by side in the eight places of the banks. A pad among them moves the last of them behind
    // the eighth place, where the first is: two passes. Groups of eight and runs meet alike after `run` groups.
    const int run = run_bytes / 16;
    int torn = 0;
    for (int group = 0; group < run; ++group) {
        torn += (8 * group + 7) / run > 8 * group / run ? 1 : 0;
    }
    return element_bytes / 128.0 * (run == 0 ? 1 : 1 + static_cast<double>(torn) / run);
}

double direct_load_wavefronts(const Access& access) {
    return components_per_thread(access) * per_element(access, 0, 0, [&](const auto& starts) {
        return std::max<double>(passes(starts, access.word_bytes), blocks_touched(starts, access.word_bytes, 128) / 4.0 + 0.75);
    });
}

double requested_sectors(const Access& access) {
    return components_per_thread(access) *
        per_element(access, 0, 0, [&](const auto& starts) { return static_cast<double>(blocks_touched(starts, access.word_bytes, 32)); });
}

double excess_store_sectors(const Access& access) {
    return std::max(0.0, requested_sectors(access) - access.shape.size() * access.word_bytes / 32.0);
}

double sector_bytes(int element_bytes, int word_bytes, const std::vector<int>& words) {
    constexpr int sector = 32;
    const int elements = sector / std::gcd(element_bytes, sector); // then the places of elements in sectors repeat
    std::int64_t last = -1, sectors = 0;
    for (int element = 0; element < elements; ++element) {
        for (const int word : words) {
            const std::int64_t at =
                (static_cast<std::int64_t>(element) * element_bytes + static_cast<std::int64_t>(word) * word_bytes) / sector;
            sectors += at != last ? 1 : 0;
            last = at;
        }
    }
    return static_cast<double>(sectors) * sector / elements;
}

int run_of_elements(int element_words, int word_bytes) {
    return std::lcm(element_words * word_bytes, 128) / word_bytes;
}

int run_of_rows(const Shape& shape, int word_bytes) {
    const bool rows = shape.form == Form::matrix && shape.rows > 1 && !shape.packed;
    return rows && shape.columns * word_bytes % 16 == 0 ? shape.columns : 0;
}

int tile_bytes(int elements, int element_words, int word_bytes, int run, int pad_words) {
    const int words = padded_word(elements * element_words - 1, run, pad_words) + 1;
    return (words * word_bytes + 15) / 16 * 16;
}

const AccessCost& AccessCosts::of(const Access& access) {
    const auto [entry, added] = costs_.try_emplace(access);
    if (added) {
        const int pad = 16 / access.word_bytes;
        const int row = run_of_rows(access.shape, access.word_bytes);
        entry->second = {components_per_thread(access), access.shape.columns, shared_accesses(access), shared_wavefronts(access, 0, 0),
            shared_wavefronts(access, run_of_elements(access.shape.size(), access.word_bytes), pad),
            shared_wavefronts(access, row, row == 0 ? 0 : pad), direct_load_wavefronts(access), excess_store_sectors(access),
            requested_sectors(access)};
    }
    return entry->second;
}

} // namespace fusec::fusion
