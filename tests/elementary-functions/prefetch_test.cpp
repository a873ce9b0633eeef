// SPDX-License-Identifier: Apache-2.0
// What host kernels ask for ahead of its use. The compiler's intrinsic is replaced by one that keeps the addresses, so nothing else may
// be linked that has these templates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h> // has intrinsics of that name
#endif

namespace {
std::vector<std::uintptr_t> asked, asked_near, asked_to_write; ///< near: into the first level where what is far goes into another
template <int Write, int Level>
std::vector<std::uintptr_t>& asked_of();
} // namespace
#define __builtin_prefetch(address, ...) asked_of<__VA_ARGS__>().push_back(reinterpret_cast<std::uintptr_t>(address))
#include "elementary-lib/runtime/fusec/half_lanes.hpp"

namespace {
template <int Write, int Level>
std::vector<std::uintptr_t>& asked_of() {
    static_assert(Level == 3 || (Write == 0 && Level == fusec::level_ahead));
    return Write != 0 ? asked_to_write : Level == fusec::level_ahead ? asked : asked_near;
}
} // namespace

namespace fusec {
namespace {

/// Loads a list of many tiles, one after the other, and looks at what is asked for meanwhile: how far ahead, and how often each line.
template <class T, int Words, int Ahead>
void expect_list_asked_for() {
    constexpr int width = lanes_of<T>::width;
    constexpr std::size_t line = 64, element = Words * sizeof(T), tile = width * element, tiles = 2 * Ahead + 6 + 40960 / tile;
    // Of strips, as many tiles as take 8 KiB; all strips ask for as many lines, the last one too where it overlaps the one before. What might be in
    // halves is in strips where lines are asked for into the second level.
    constexpr bool in_strips = Words > most_words_at_once && !(loaded_in_halves<T, width, Words> && level_ahead == 3),
                   overlapping = in_strips && Words % width != 0;
    constexpr std::size_t nearest = (in_strips ? (8191 + tile) / tile : Ahead) * tile;
    constexpr std::size_t beyond = nearest + tile + (overlapping ? width * line : 0);
    // Two strips on, in this tile or the next, or the next tile.
    constexpr bool twice = level_ahead < 3 && (in_strips || (Ahead > 1 && tile > 1024));
    constexpr std::size_t near_nearest = in_strips ? 2 * width * sizeof(T) : tile, near_beyond = 2 * tile;
    alignas(64) static T list[tiles * tile / sizeof(T)];
    const auto start = reinterpret_cast<std::uintptr_t>(list);
    std::map<std::size_t, int> times, times_near;
    std::size_t furthest = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
        lanes_of<T> lanes[Words];
        asked.clear();
        asked_near.clear();
        load_transposed<Ahead>(list + t * tile / sizeof(T), lanes);
        for (const std::uintptr_t address : asked_near) {
            const std::size_t ahead = address - start - t * tile;
            EXPECT_GE(ahead, near_nearest) << Words;
            EXPECT_LT(ahead, near_beyond) << Words;
            ++times_near[(address - start) / line];
        }
        EXPECT_EQ(asked_near.empty(), !twice) << Words;
        for (const std::uintptr_t address : asked) {
            const std::size_t ahead = address - start - t * tile;
            EXPECT_GE(ahead, nearest) << Words;
            furthest = std::max(furthest, ahead);
            ++times[(address - start) / line];
        }
    }
    EXPECT_LT(furthest, beyond) << Words;
    // Every line that lies beyond the reach of the first tile and before the end. Elements, or tiles, that are no multiples of a line share lines
    // with their neighbours, and each asks for them.
    const auto times_of = [](std::size_t unit) { return unit % line == 0 ? 1 : static_cast<int>(line / unit) + 2; };
    const int most = times_of(tile) + (overlapping ? 1 : 0), most_near = times_of(in_strips ? element : tile);
    for (std::size_t at = furthest / line + 1; at < tiles * tile / line; ++at) {
        const int of_line = times.contains(at) ? times.at(at) : 0;
        EXPECT_GE(of_line, 1) << Words << " words, line " << at;
        EXPECT_LE(of_line, most) << Words << " words, line " << at;
        const int near = times_near.contains(at) ? times_near.at(at) : 0;
        EXPECT_EQ(near > 0, twice) << Words << " words, line " << at;
        EXPECT_LE(near, most_near) << Words << " words, line " << at;
    }
}

template <class T>
class Prefetch : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Prefetch, Precisions);

template <class T, int... Words>
void expect_lists_asked_for(std::integer_sequence<int, Words...>) {
    (expect_list_asked_for<T, Words, 1>(), ...);
    (expect_list_asked_for<T, Words, 5>(), ...);
}

TYPED_TEST(Prefetch, AsksForEveryLineOfAListInTime) {
    expect_lists_asked_for<TypeParam>(std::integer_sequence<int, 1, 3, 9, 16, 27, 28, 29, 33, 36, 40, 56, 64, 144, 256>());
}

/// By hand: tiles that together take 8 KiB or a little more, and at least one.
TEST(PrefetchDistance, IsEightKibibytesOfAllLists) {
    constexpr int lanes = lanes_of<double>::width;
    EXPECT_EQ((tiles_ahead<double, 8192 / lanes>), 1);
    EXPECT_EQ((tiles_ahead<double, 8192 / lanes - 1>), 2);
    EXPECT_EQ((tiles_ahead<double, 8192 / lanes + 1>), 1);
    EXPECT_EQ((tiles_ahead<double, 8>), 1024 / lanes);
    EXPECT_EQ((tiles_ahead<float, 8>), 512 / lanes);
    EXPECT_EQ((tiles_ahead<double, 1 << 20>), 1);
    EXPECT_EQ((tiles_ahead<double, 0>), 1);
}

/// What is asked for of a tile that lies `ahead` tiles on from `list`, by lines: every 64 bytes of each part that goes into registers at once.
/// What a part ends in, the next one asks for.
template <class S>
std::set<std::uintptr_t> lines_ahead(const S* list, std::size_t bytes, std::size_t part, int ahead) {
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(list) + static_cast<std::size_t>(ahead) * bytes;
    std::set<std::uintptr_t> lines;
    for (std::uintptr_t from = start; from < start + bytes; from += part) {
        for (std::uintptr_t at = from; at < from + part; at += 64) {
            lines.insert(at / 64);
        }
    }
    return lines;
}
std::set<std::uintptr_t> lines_of(const std::vector<std::uintptr_t>& addresses) {
    std::set<std::uintptr_t> lines;
    for (const std::uintptr_t address : addresses) {
        lines.insert(address / 64);
    }
    return lines;
}

/// One tile of a loop that loads a list of S into lanes of T, by `load`, and stores it from there, by `store`, past the caches only where `streams`.
template <class T, class S, class Load, class Store>
void expect_tile_asked_for(Load load, Store store, bool streams) {
    constexpr int words = 3, lanes = lanes_of<T>::width, ahead = tiles_ahead<T, 100>;
    constexpr std::size_t bytes = lanes * words * sizeof(S), part = bytes <= vector_bytes * words ? bytes : bytes / 2;
    alignas(64) static S list[lanes * words], result[lanes * words];
    for (const bool streaming : {false, true}) {
        asked.clear();
        asked_to_write.clear();
        for_tiles<T, 100>(lanes, streaming, [&](auto tile) { store(tile, result, load(tile, list)); });
        EXPECT_EQ(lines_of(asked), lines_ahead(list, bytes, part, ahead));
        EXPECT_EQ(lines_of(asked_to_write), streams && streaming ? std::set<std::uintptr_t>() : lines_ahead(result, bytes, part, ahead));
    }
}

/// Loads a scalar list of S in a light kernel of T, by `load`, in bursts and without: every line of it is asked for once, four at a time in the tile that
/// needs the first of them, nothing for the elements that are no whole tile. Where lists are not left to the processor, it is asked for as any other list.
template <class T, class S, class Load>
void expect_bursts(Load load) {
    constexpr std::size_t line = 64, bursts = 3, elements = bursts * 4 * line / sizeof(S);
    alignas(64) static S list[elements + 3];
    for (const std::size_t start : {0, 1}) { // on a line or behind the begin of one
        const S* const from = list + start;
        std::map<std::size_t, std::size_t> asked_until; // how many lines, when the tile that starts there was loaded
        const auto asked_by = [&](auto tile_for) {
            asked_until.clear();
            asked.clear();
            asked_near.clear();
            for_light_tiles<T, sizeof(S)>(elements + 2, false, [&](auto tile) {
                [[maybe_unused]] const auto value = load(tile_for(tile), from);
                asked_until[tile.first] = asked_near.size();
            });
            return std::pair(asked, asked_near);
        };
        const auto plain = asked_by([](auto tile) { return tile; });
        const auto in_a_row = asked_by([&](auto tile) { return in_bursts(tile, from); });
        if (!leaves_lists) {
            EXPECT_FALSE(plain.first.empty());
            EXPECT_EQ(in_a_row, plain);
            continue;
        }
        EXPECT_TRUE(plain.first.empty() && plain.second.empty());
        EXPECT_TRUE(in_a_row.first.empty());
        std::vector<std::uintptr_t> expected;
        for (std::size_t i = 0; i < bursts * 4; ++i) {
            expected.push_back(reinterpret_cast<std::uintptr_t>(from) + i * line);
        }
        EXPECT_EQ(in_a_row.second, expected);
        for (const auto& [first, lines] : asked_until) {
            EXPECT_EQ(lines, std::min(bursts, first * sizeof(S) / (4 * line) + 1) * 4) << first;
        }
        EXPECT_EQ(asked_until.size(), elements / lanes_of<T>::width + 1);
    }
}

TEST(Bursts, AskForFourLinesAtATime) {
    const auto plain = [](auto tile, const auto* list) { return load_tile<1, 1>(tile, list); };
    const auto converted = [](auto tile, const auto* list) { return load_converted_tile<1, 1>(tile, list); };
    expect_bursts<float, float>(plain);
    expect_bursts<double, double>(plain);
    expect_bursts<double, float>([](auto tile, const float* list) { return load_half_tile<1, 1>(tile, list); });
    expect_bursts<double, float>(converted);
    expect_bursts<float, double>(converted);
    expect_bursts<double, double>([](auto tile, const double* list) { return load_converted_half_tile<1, 1>(tile, list); });
}

/// The loop hands the distance to whatever loads or stores, of lists of any precision.
TEST(PrefetchDistance, ReachesLoadsAndStores) {
    const auto plain = [](auto tile, const auto* list) { return load_tile<3, 1>(tile, list); };
    const auto half = [](auto tile, const float* list) { return load_half_tile<3, 1>(tile, list); };
    const auto converted = [](auto tile, const auto* list) { return load_converted_tile<3, 1>(tile, list); };
    const auto converted_half = [](auto tile, const double* list) { return load_converted_half_tile<3, 1>(tile, list); };
    const auto store = [](auto tile, auto* list, const auto& value) { store_tile(tile, list, value); };
    const auto stream = [](auto tile, auto* list, const auto& value) { stream_tile(tile, list, value); };
    expect_tile_asked_for<float, float>(plain, store, false);
    expect_tile_asked_for<double, double>(plain, stream, true);
    expect_tile_asked_for<double, float>(
        half, [](auto tile, float* list, const auto& value) { store_half_tile(tile, list, value); }, false);
    expect_tile_asked_for<double, float>(
        half, [](auto tile, float* list, const auto& value) { stream_half_tile(tile, list, value); }, true);
    const auto stores = [](auto tile, auto* list, const auto& value) { store_converted_tile(tile, list, value); };
    const auto streams = [](auto tile, auto* list, const auto& value) { stream_converted_tile(tile, list, value); };
    expect_tile_asked_for<double, float>(converted, stores, false);
    expect_tile_asked_for<double, float>(converted, streams, true);
    expect_tile_asked_for<float, double>(converted, stores, false);
    expect_tile_asked_for<float, double>(converted, streams, true);
    expect_tile_asked_for<double, double>(
        converted_half, [](auto tile, double* list, const auto& value) { store_converted_half_tile(tile, list, value); }, false);
    expect_tile_asked_for<double, double>(
        converted_half, [](auto tile, double* list, const auto& value) { stream_converted_half_tile(tile, list, value); }, true);
}

/// Ordinary stores ask for every line of the tile that they are so many tiles ahead of, to write it, and streaming ones for none.
template <class T, int... Words>
void expect_asked_for_to_write(std::integer_sequence<int, Words...>) {
    const auto of_one = []<int One>(std::integral_constant<int, One>) {
        constexpr std::size_t bytes = lanes_of<T>::width * One * sizeof(T);
        alignas(64) static T list[bytes / sizeof(T)];
        const lanes_of<T> lanes[One] = {};
        asked.clear();
        asked_to_write.clear();
        store_transposed<false, 3>(list, lanes);
        std::vector<std::uintptr_t> lines;
        for (std::size_t at = 0; at < bytes; at += 64) {
            lines.push_back(reinterpret_cast<std::uintptr_t>(list) + 3 * bytes + at);
        }
        EXPECT_EQ(asked_to_write, lines) << One;
        asked_to_write.clear();
        store_transposed<true, 3>(list, lanes);
        store_transposed<false, 0>(list, lanes);
        EXPECT_TRUE(asked_to_write.empty()) << One;
        EXPECT_TRUE(asked.empty()) << One;
    };
    (of_one(std::integral_constant<int, Words>()), ...);
}

TYPED_TEST(Prefetch, AsksForLinesThatWillBeWritten) {
    expect_asked_for_to_write<TypeParam>(std::integer_sequence<int, 1, 3, 9, 28, 29, 36, 64>());
}

/// A loop of a kernel that does little asks for nothing where processors keep up with it, else as any other.
TEST(PrefetchOfLightTiles, IsLeftToTheProcessorOfTwoLevels) {
    constexpr int words = 3, lanes = lanes_of<double>::width, ahead = tiles_ahead<double, 24>;
    constexpr std::size_t bytes = lanes * words * sizeof(double);
    alignas(64) static double list[lanes * words];
    [[maybe_unused]] alignas(64) static double result[lanes * words];
    for (const bool streaming : {false, true}) {
        asked.clear();
        asked_near.clear();
        asked_to_write.clear();
        for_light_tiles<double, 24>(lanes, streaming, [&](auto tile) { stream_tile(tile, result, load_tile<3, 1>(tile, list)); });
        EXPECT_TRUE(asked_near.empty());
        if (leaves_lists) {
            EXPECT_TRUE(asked.empty());
            EXPECT_TRUE(asked_to_write.empty());
        } else {
            EXPECT_EQ(lines_of(asked), lines_ahead(list, bytes, bytes, ahead));
            EXPECT_EQ(asked_to_write.empty(), streaming);
        }
    }
}

/// A list that processors of two levels follow by themselves is asked for as any other by the rest, and the loop goes on asking for its other lists.
TEST(PrefetchOfFollowedLists, IsLeftToTheProcessorOfTwoLevels) {
    constexpr int words = 3, lanes = lanes_of<double>::width, ahead = tiles_ahead<double, 24>;
    constexpr std::size_t bytes = lanes * words * sizeof(double);
    alignas(64) static double list[lanes * words], other[lanes * words];
    [[maybe_unused]] alignas(64) static double result[2 * lanes * words];
    asked.clear();
    const auto load_both = [&](auto tile) {
        store_tile(tile, result, load_tile<3, 1>(followed(tile), list));
        store_tile(tile, result + lanes * words, load_tile<3, 1>(tile, other));
    };
    for_tiles<double, 24>(lanes, true, load_both);
    std::set<std::uintptr_t> lines = lines_ahead(other, bytes, bytes, ahead);
    if (!leaves_lists) {
        lines.merge(lines_ahead(list, bytes, bytes, ahead));
    }
    EXPECT_EQ(lines_of(asked), lines);
    for (int i = 0; i < lanes * words; ++i) {
        list[i] = i;
    }
    for_tiles<double, 24>(lanes - 1, true, load_both); // the last tile
    EXPECT_EQ(result[(lanes - 1) * words - 1], (lanes - 1) * words - 1);
}

TEST(PrefetchOfNothing, IsNotAsked) {
    alignas(64) static float list[lanes_of<float>::width * 9];
    lanes_of<float> lanes[9];
    asked.clear();
    load_transposed<0>(list, lanes);
    EXPECT_TRUE(asked.empty());
}

} // namespace
} // namespace fusec
