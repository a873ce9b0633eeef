// SPDX-License-Identifier: Apache-2.0
// Lists stored in another precision than their values: between memory and lanes as a loop over components has it, rounded to nearest, with
// nothing read or written beside. Compiled at several widths.
#include "elementary-lib/runtime/fusec/half_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fusec {
namespace {

/// Lanes of values, and the type that their lists are stored as.
template <class Lane, class Stored>
struct Kind {
    using lane = Lane;
    using stored = Stored;
};
using Kinds = ::testing::Types<Kind<lanes_of<double>, float>, Kind<lanes_of<float>, double>, Kind<half_lanes, double>>;

template <class>
class ConvertedLanes : public ::testing::Test {};
TYPED_TEST_SUITE(ConvertedLanes, Kinds);

/// In doubles no float; every third from 1024 to 2047 lies half between two of them, where rounding is to even.
template <class S>
S component(int i) {
    return static_cast<S>(1 + i + (i % 3 == 0 ? 0x1p-24 * (1 << 10) : 1e-9));
}

template <class K, int Words>
void check() {
    using Lane = typename K::lane;
    using T = typename Lane::value_type;
    using S = typename K::stored;
    constexpr int width = Lane::width, words = width * Words, guard = 4 * vector_bytes / sizeof(S);
    SCOPED_TRACE(std::to_string(Words) + " components, " + std::to_string(width) + " lanes");
    for (const int shift : {0, 1}) { // aligned to a vector, and to a component
        alignas(64) S memory[guard + words + guard];
        S* const list = memory + guard + shift;
        const auto clear = [&] { std::fill(std::begin(memory), std::end(memory), S(-1)); };
        clear();
        for (int i = 0; i < words; ++i)
            list[i] = component<S>(i);
        simd<T, width> asking[Words], plain[Words], made[Words];
        load_and_convert<2>(list, asking);
        load_and_convert<0>(list, plain);
        int wrong = 0;
        for (int e = 0; e < width; ++e) {
            for (int w = 0; w < Words; ++w) {
                const T value = static_cast<T>(component<S>(e * Words + w));
                wrong += asking[w].lanes[e] != value || plain[w].lanes[e] != value;
                made[w].lanes[e] = component<T>(e * Words + w);
            }
        }
        EXPECT_EQ(wrong, 0) << "loads, shift " << shift;
        const auto written_wrong = [&] { // guards too
            int count = 0;
            for (int i = -(guard + shift); i < words + guard - shift; ++i)
                count += list[i] != (i >= 0 && i < words ? static_cast<S>(component<T>(i)) : S(-1));
            return count;
        };
        clear();
        convert_and_store<false, 2>(list, made);
        EXPECT_EQ(written_wrong(), 0) << "ordinary stores, shift " << shift;
        if (can_stream(list)) {
            clear();
            convert_and_store<true, 2>(list, made);
            stream_fence();
            EXPECT_EQ(written_wrong(), 0) << "streaming stores";
        }
    }
}

// Fewer and more components than lanes, and around the number from which elements are transposed in halves of a tile or in strips.
TYPED_TEST(ConvertedLanes, AreWhatALoopMakesOfThem) {
    [&]<int... Words>(std::integer_sequence<int, Words...>) { (check<TypeParam, Words>(), ...); }(
        std::integer_sequence<int, 1, 2, 3, 6, 12, 27, 28, 29, 33, 36, 40, 64>());
}

/// Of the last tile, which is short: what there is of the list, and the last element again in lanes that have none.
template <class K, int Words>
void check_tail() {
    using Lane = typename K::lane;
    using T = typename Lane::value_type;
    using S = typename K::stored;
    using Tile = last_tile<std::conditional_t<std::is_same_v<Lane, half_lanes>, double, T>>;
    SCOPED_TRACE(std::to_string(Words) + " components");
    for (int count = 1; count < Lane::width; ++count) {
        const std::size_t first = 3, size = (first + static_cast<std::size_t>(count)) * Words;
        std::vector<S> list(size), written(size + 1, S(-1));
        for (std::size_t i = 0; i < size; ++i)
            list[i] = component<S>(static_cast<int>(i));
        const Tile tile{first, count};
        registers<Lane, Words, 1> value;
        if constexpr (std::is_same_v<Lane, half_lanes>) {
            value = load_converted_half_tile<Words, 1>(tile, list.data());
            store_converted_half_tile(tile, written.data(), value);
        } else {
            value = load_converted_tile<Words, 1>(tile, list.data());
            store_converted_tile(tile, written.data(), value);
        }
        for (int e = 0; e < Lane::width; ++e) {
            for (int w = 0; w < Words; ++w) {
                const std::size_t at = (first + static_cast<std::size_t>(std::min(e, count - 1))) * Words + static_cast<std::size_t>(w);
                EXPECT_EQ(value.data[w].lanes[e], static_cast<T>(list[at])) << "element " << e << " of " << count;
            }
        }
        for (std::size_t i = 0; i < written.size(); ++i)
            EXPECT_EQ(written[i], i < first * Words || i >= size ? S(-1) : static_cast<S>(static_cast<T>(list[i]))) << "word " << i;
    }
}

TYPED_TEST(ConvertedLanes, TailsTouchNothingElse) {
    check_tail<TypeParam, 1>();
    check_tail<TypeParam, 6>();
    check_tail<TypeParam, 30>();
}

} // namespace
} // namespace fusec
