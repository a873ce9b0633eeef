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

/// Accesses of one kind: `times` of so many bytes, of which every thread's first starts at its word. -1: the thread has none.
struct Accesses {
    std::vector<int> words; ///< within an element, by thread
    int bytes = 4;
    double times = 1;
};

/// First word, within an element, of the part that a thread of the element touches.
int first_word(const Access& access, int thread) {
    const Shape& shape = access.shape;
    if (shape.packed && access.touch != library::Touch::all) { // a result: parts of the lower triangle
        const int row = access.touch == library::Touch::rows ? thread * shape.rows / access.threads
            : access.touch == library::Touch::entry          ? thread / shape.columns % shape.rows
                                                             : thread % shape.rows;
        return packed_word(row, access.touch == library::Touch::column ? row : 0);
    }
    switch (access.touch) {
    case library::Touch::all:
        return 0;
    case library::Touch::row:
    case library::Touch::rows:
        return thread * shape.rows / access.threads * shape.columns;
    case library::Touch::column:
        return thread % shape.columns;
    case library::Touch::entry:
        return thread % shape.size();
    }
    return 0;
}

/// Bytes of one access of a part: parts that are contiguous are taken in 4, 8 or 16 bytes.
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

/// Whether loads [first, first + words) are one of a wide word for every thread.
bool follow_each_other(const Access& access, std::size_t first, int words) {
    const library::ThreadLoads& loads = *access.loads;
    if (first + static_cast<std::size_t>(words) > loads.size() || access.shape.size() % words != 0) {
        return false;
    }
    for (std::size_t thread = 0; thread < loads[first].size(); ++thread) {
        const int start = loads[first][thread];
        bool follow = start % words == 0 || start < 0;
        for (int i = 1; i < words; ++i) {
            follow = follow && loads[first + static_cast<std::size_t>(i)][thread] == (start < 0 ? -1 : start + i);
        }
        if (!follow) {
            return false;
        }
    }
    return true;
}

std::vector<Accesses> accesses_of(const Access& access, bool wide) {
    std::vector<Accesses> result;
    if (!access.loads) {
        Accesses& part = result.emplace_back();
        for (int thread = 0; thread < access.threads; ++thread) {
            part.words.push_back(first_word(access, thread));
        }
        part.bytes = wide ? access_bytes(access) : access.word_bytes;
        part.times = static_cast<double>(components_per_thread(access)) * access.word_bytes / part.bytes;
        return result;
    }
    for (std::size_t load = 0; load < access.loads->size();) {
        int words = wide ? 16 / access.word_bytes : 1;
        while (words > 1 && !follow_each_other(access, load, words)) {
            words /= 2;
        }
        result.push_back({(*access.loads)[load], words * access.word_bytes, 1});
        load += static_cast<std::size_t>(words);
    }
    return result;
}

constexpr int nowhere = -1;

/// Start addresses of the accesses of one warp, by lane.
std::array<int, warp> addresses(const Access& access, const Accesses& accesses, int number, int run, int pad_words) {
    std::array<int, warp> result{};
    for (int lane = 0; lane < warp; ++lane) {
        const int item = number * warp + lane;
        const int word = accesses.words[static_cast<std::size_t>(item % access.threads)];
        result[static_cast<std::size_t>(lane)] =
            word < 0 ? nowhere : padded_word(item / access.threads * access.shape.size() + word, run, pad_words) * access.word_bytes;
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
        int most = 0;
        for (int lane = first; lane < first + lanes; ++lane) {
            for (int byte = 0; starts[static_cast<std::size_t>(lane)] != nowhere && byte < width; byte += 4) {
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
        if (start == nowhere) {
            continue;
        }
        for (int block : {start / size, (start + width - 1) / size}) {
            if (std::find(blocks.begin(), end, block) == end) {
                *end++ = block;
            }
        }
    }
    return static_cast<int>(end - blocks.begin());
}

/// Sum over all accesses of the mean of `measure(addresses of a warp, bytes)` over the simulated warps, per element.
template <class Measure>
double per_element(const Access& access, bool wide, int run, int pad_words, Measure measure) {
    double sum = 0;
    for (const Accesses& accesses : accesses_of(access, wide)) {
        for (int number = 0; number < simulated_warps; ++number) {
            sum += accesses.times * measure(addresses(access, accesses, number, run, pad_words), accesses.bytes);
        }
    }
    return sum / simulated_warps * access.threads / warp;
}

} // namespace

int components_per_thread(const Access& access) {
    if (access.loads) {
        return static_cast<int>(access.loads->size());
    }
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

double components_per_element(const Access& access) {
    if (!access.loads) {
        return static_cast<double>(components_per_thread(access)) * access.threads;
    }
    double words = 0;
    for (const std::vector<int>& load : *access.loads) {
        words += static_cast<double>(std::count_if(load.begin(), load.end(), [](int word) { return word >= 0; }));
    }
    return words;
}

double shared_accesses(const Access& access) {
    double accesses = 0;
    for (const Accesses& each : accesses_of(access, true)) {
        accesses +=
            each.times * static_cast<double>(std::count_if(each.words.begin(), each.words.end(), [](int word) { return word >= 0; }));
    }
    return accesses;
}

double shared_wavefronts(const Access& access, int run, int pad_words) {
    return per_element(
        access, true, run, pad_words, [&](const auto& starts, int bytes) { return static_cast<double>(passes(starts, bytes)); });
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
    return per_element(access, false, 0, 0, [&](const auto& starts, int bytes) {
        const int blocks = blocks_touched(starts, bytes, 128);
        return blocks == 0 ? 0 : std::max<double>(passes(starts, bytes), blocks / 4.0 + 0.75);
    });
}

double requested_sectors(const Access& access) {
    return per_element(
        access, false, 0, 0, [&](const auto& starts, int bytes) { return static_cast<double>(blocks_touched(starts, bytes, 32)); });
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
        entry->second = {components_per_thread(access), components_per_element(access),
            access.touch == library::Touch::all && access.reads == 0 && !access.loads, access.shape.columns, shared_accesses(access),
            shared_wavefronts(access, 0, 0), shared_wavefronts(access, run_of_elements(access.shape.size(), access.word_bytes), pad),
            shared_wavefronts(access, row, row == 0 ? 0 : pad), direct_load_wavefronts(access), excess_store_sectors(access),
            requested_sectors(access)};
    }
    return entry->second;
}

} // namespace fusec::fusion
