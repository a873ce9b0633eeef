// SPDX-License-Identifier: Apache-2.0
// What host kernels ask for ahead of its use. The compiler's intrinsic is replaced by one that keeps the addresses, so nothing else may
// be linked that has these templates.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h> // has intrinsics of that name
#endif

namespace {
std::vector<std::uintptr_t> asked;
}
#define __builtin_prefetch(address) asked.push_back(reinterpret_cast<std::uintptr_t>(address))
#include "elementary-lib/runtime/fusec/host.hpp"

namespace fusec {
namespace {

/// Loads a list of many tiles, one after the other, and looks at what is asked for meanwhile: how far ahead, and how often each line.
template <class T, int Words>
void expect_list_asked_for() {
    constexpr int width = lanes_of<T>::width;
    constexpr std::size_t line = 64, element = Words * sizeof(T), tile = width * element, tiles = 6 + 40960 / tile;
    // 8 KiB of strips are so many bytes of each element of the tile, or reach beyond it.
    constexpr std::size_t nearest = Words <= most_words_at_once ? 4096 : tile < 8192 ? tile : 8192 / width;
    alignas(64) static T list[tiles * tile / sizeof(T)];
    const auto start = reinterpret_cast<std::uintptr_t>(list);
    std::map<std::size_t, int> times;
    std::size_t furthest = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
        lanes_of<T> lanes[Words];
        asked.clear();
        load_transposed<true>(list + t * tile / sizeof(T), lanes);
        for (const std::uintptr_t address : asked) {
            const std::size_t ahead = address - start - t * tile;
            EXPECT_GE(ahead, nearest) << Words;
            furthest = std::max(furthest, ahead);
            ++times[(address - start) / line];
        }
    }
    EXPECT_LT(furthest, 16384 + 2 * tile) << Words;
    // Every line that lies beyond the reach of the first tile and before the end. Elements, or tiles, that are no multiples of a line share lines
    // with their neighbours, and each asks for them.
    const std::size_t unit = Words > most_words_at_once ? element : tile;
    const int most = unit % line == 0 ? 1 : static_cast<int>(line / unit) + 2;
    for (std::size_t at = furthest / line + 1; at < tiles * tile / line; ++at) {
        const int of_line = times.contains(at) ? times.at(at) : 0;
        EXPECT_GE(of_line, 1) << Words << " words, line " << at;
        EXPECT_LE(of_line, most) << Words << " words, line " << at;
    }
}

template <class T>
class Prefetch : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Prefetch, Precisions);

template <class T, int... Words>
void expect_lists_asked_for(std::integer_sequence<int, Words...>) {
    (expect_list_asked_for<T, Words>(), ...);
}

TYPED_TEST(Prefetch, AsksForEveryLineOfAListInTime) {
    expect_lists_asked_for<TypeParam>(std::integer_sequence<int, 1, 3, 9, 16, 27, 28, 29, 33, 36, 64, 144, 256>());
}

TEST(PrefetchOfNothing, IsNotAsked) {
    alignas(64) static float list[lanes_of<float>::width * 9];
    lanes_of<float> lanes[9];
    asked.clear();
    load_transposed<false>(list, lanes);
    EXPECT_TRUE(asked.empty());
}

} // namespace
} // namespace fusec
