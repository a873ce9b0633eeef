// SPDX-License-Identifier: Apache-2.0
// Results that wait in the first level until the next tile has loaded, or until whole lines of them are made: every element reaches its list, of any
// kind, and nothing beside, in the order that the loop promises: loads of a tile, then the results of tiles before, then its own. Compiled at several widths.
#include "elementary-lib/runtime/fusec/half_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace fusec {
namespace {

/// A list that starts at a register's bounds, or a component behind them, between guards.
template <class S>
struct Guarded {
    static constexpr std::size_t guard = 4 * vector_bytes / sizeof(S);
    Guarded(std::size_t words, std::size_t shift) : count(words), memory(words + 3 * guard, S(-1)) {
        const auto misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % vector_bytes / sizeof(S);
        list = memory.data() + guard + (guard - misaligned) % (vector_bytes / sizeof(S)) + shift;
    }
    /// What lies outside of the list is as it was.
    bool intact() const { return std::count(memory.begin(), memory.end(), S(-1)) == static_cast<std::ptrdiff_t>(memory.size() - count); }
    std::size_t count;
    std::vector<S> memory;
    S* list;
};

template <class T, int Bytes, int... Written, class Kernel>
int in_loop(bool in_lines, std::size_t n, bool streaming, Kernel kernel) {
    return in_lines ? for_tiles_in_lines<T, Bytes, Written...>(n, streaming, kernel)
                    : for_tiles_later<T, Bytes, Written...>(n, streaming, kernel);
}

/// Three results of T's loop, as lists of S: of three components, of one, and of 29, which goes in strips.
template <class T, class S, class Load, class Store>
void expect_all_stored(Load load, Store store) {
    constexpr int lanes = lanes_of<T>::width, a = 3, b = 1, c = 29;
    for (const std::size_t n : {0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes + 2, 200 * lanes + 1}) {
        for (const auto& [shift, in_lines] : {std::pair<std::size_t, bool>(0, false), {1, false}, {0, true}, {1, true}}) {
            Guarded<S> from(n * c, 0), to_a(n * a, 0), to_b(n * b, 0), to_c(n * c, shift);
            for (std::size_t i = 0; i < n * c; ++i) {
                from.list[i] = static_cast<S>(i % 1000);
            }
            const bool streaming = can_stream(to_a.list) && can_stream(to_b.list) && can_stream(to_c.list);
            EXPECT_EQ(streaming, shift == 0);
            const auto kernel = [&](auto tile) {
                const auto value = load(tile, from.list);
                send_results(tile);
                std::remove_const_t<decltype(load.template operator()<a>(tile, from.list))> first;
                for (int i = 0; i < a; ++i) {
                    first.data[i] = value.data[i];
                }
                std::remove_const_t<decltype(load.template operator()<b>(tile, from.list))> last;
                last.data[0] = value.data[c - 1];
                const auto [a_tile, a_list] = later<0, a>(tile, to_a.list);
                store(a_tile, a_list, first);
                const auto [b_tile, b_list] = later<1, b>(tile, to_b.list);
                store(b_tile, b_list, last);
                const auto [c_tile, c_list] = later<2, c>(tile, to_c.list);
                store(c_tile, c_list, value);
            };
            const int failed = in_loop<T, c * sizeof(S), a * sizeof(S), b * sizeof(S), c * sizeof(S)>(in_lines, n, streaming, kernel);
            EXPECT_EQ(failed, 0);
            std::size_t wrong = 0;
            for (std::size_t e = 0; e < n; ++e) {
                for (int i = 0; i < a; ++i) {
                    wrong += to_a.list[e * a + static_cast<std::size_t>(i)] != from.list[e * c + static_cast<std::size_t>(i)];
                }
                wrong += to_b.list[e] != from.list[e * c + c - 1];
            }
            EXPECT_EQ(wrong, 0U) << n << " elements, shift " << shift << (in_lines ? ", in lines" : "");
            EXPECT_TRUE(std::equal(from.list, from.list + n * c, to_c.list))
                << n << " elements, shift " << shift << (in_lines ? ", in lines" : "");
            EXPECT_TRUE(to_a.intact() && to_b.intact() && to_c.intact())
                << n << " elements, shift " << shift << (in_lines ? ", in lines" : "");
        }
    }
}

// A tile whose results wait is read as the whole tile that it is.
// NOLINTBEGIN(cppcoreguidelines-slicing)
TEST(Later, WordsOfEitherPrecision) {
    const auto load = []<int Words = 29>(auto tile, const auto* list) { return load_tile<Words, 1>(tile, list); };
    const auto store = [](auto tile, auto* list, const auto& value) { store_tile(tile, list, value); };
    expect_all_stored<float, float>(load, store);
    expect_all_stored<double, double>(load, store);
}

TEST(Later, HalvesOfRegisters) {
    expect_all_stored<double, float>([]<int Words = 29>(auto tile, const float* list) { return load_half_tile<Words, 1>(tile, list); },
        [](auto tile, float* list, const auto& value) { store_half_tile(tile, list, value); });
}

TEST(Later, WordsThatAreConverted) {
    const auto load = []<int Words = 29>(auto tile, const auto* list) { return load_converted_tile<Words, 1>(tile, list); };
    const auto store = [](auto tile, auto* list, const auto& value) { store_converted_tile(tile, list, value); };
    expect_all_stored<double, float>(load, store);
    expect_all_stored<float, double>(load, store);
    expect_all_stored<double, double>(
        []<int Words = 29>(auto tile, const double* list) { return load_converted_half_tile<Words, 1>(tile, list); },
        [](auto tile, double* list, const auto& value) { store_converted_half_tile(tile, list, value); });
}

/// What a tile makes is not in its list before the next tile has loaded, and is there when that one stores.
TEST(Later, ResultsAreSentBehindTheLoadsOfTheNextTile) {
    constexpr int lanes = lanes_of<float>::width;
    Guarded<float> from(3 * lanes, 0), to(3 * lanes, 0);
    std::fill(from.list, from.list + 3 * lanes, 5.0F);
    const auto sent = [&] { return std::count(to.list, to.list + 3 * lanes, 5.0F); };
    std::vector<std::ptrdiff_t> before, behind;
    for_tiles_later<float, 4, 4>(3 * lanes, true, [&](auto tile) {
        const auto value = load_tile<1, 1>(tile, from.list);
        before.push_back(sent());
        send_results(tile);
        behind.push_back(sent());
        const auto [at, list] = later<0, 1>(tile, to.list);
        store_tile(at, list, value);
    });
    EXPECT_EQ(before, (std::vector<std::ptrdiff_t>{0, 0, lanes}));
    EXPECT_EQ(behind, (std::vector<std::ptrdiff_t>{0, lanes, 2 * lanes}));
    EXPECT_EQ(sent(), 3 * lanes);
}

/// As many tiles as fill a line are made before any of them is in its list.
TEST(Later, ResultsInLinesAreSentOnceWholeLinesAreMade) {
    constexpr int lanes = lanes_of<float>::width, tiles = tiles_in_lines<lanes * 4>;
    static_assert(tiles * lanes * 4 >= line_bytes);
    constexpr int all = 3 * tiles + (tiles > 1 ? 1 : 0); // of the last line a part
    Guarded<float> from(all * lanes, 0), to(all * lanes, 0);
    std::fill(from.list, from.list + all * lanes, 5.0F);
    const auto sent = [&] { return std::count(to.list, to.list + all * lanes, 5.0F); };
    std::vector<std::ptrdiff_t> before, behind, expected;
    for_tiles_in_lines<float, 4, 4>(all * lanes, true, [&](auto tile) {
        const auto value = load_tile<1, 1>(tile, from.list);
        before.push_back(sent());
        send_results(tile);
        behind.push_back(sent());
        const auto [at, list] = later<0, 1>(tile, to.list);
        stream_tile(at, list, value); // to where it waits, if it does
    });
    for (int tile = 0; tile < all; ++tile) {
        expected.push_back(tile / tiles * tiles * lanes);
    }
    EXPECT_EQ(behind, expected);
    if (tiles > 1) {
        EXPECT_EQ(before[tiles], 0) << "behind the loads of the next tile";
    }
    EXPECT_EQ(sent(), all * lanes);
}
// NOLINTEND(cppcoreguidelines-slicing)

} // namespace
} // namespace fusec
