// SPDX-License-Identifier: Apache-2.0
// SIMD lanes of the host target: arithmetic and mathematical functions against scalar ones, the transposition between elements and
// lanes against its definition for every number of components, tails. Compiled at several widths.
#include "elementary-lib/runtime/fusec/half_lanes.hpp"
#include "elementary-lib/runtime/fusec/host.hpp"
#include "fusion/followed_lists.hpp"
#include "fusion/instruction_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fusec {

static_assert(fusion::most_words_transposed_at_once == most_words_at_once, "instructions are counted as the text has them");
static_assert(
    fusion::most_bytes_of_a_short_tile == short_tile_bytes, "the text asks twice for what is beside strips and else not asked for");
static_assert(fusion::bytes_of_line == line_bytes, "lines are counted as the text asks for them");

template <class T, int Width, int... Words>
constexpr bool counts_halves(std::integer_sequence<int, Words...>) {
    return ((stored_in_halves<T, Width, Words + 1> == fusion::is_stored_in_halves(Words + 1, Width, sizeof(T)) &&
                loaded_in_halves<T, Width, Words + 1> == fusion::is_loaded_in_halves(Words + 1, Width, sizeof(T))) &&
        ...);
}
static_assert(counts_halves<float, lanes_of<float>::width>(std::make_integer_sequence<int, 64>()) &&
        counts_halves<double, lanes_of<double>::width>(std::make_integer_sequence<int, 64>()) &&
        counts_halves<float, lanes_of<double>::width>(std::make_integer_sequence<int, 64>()),
    "halves are counted where the text has them");

namespace {

template <class T>
class Lanes : public ::testing::Test {
public:
    static constexpr int width = lanes_of<T>::width;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lanes, Precisions);

/// Lane i holds from + i * step.
template <class T>
lanes_of<T> ramp(double from, double step) {
    lanes_of<T> result;
    for (int i = 0; i < lanes_of<T>::width; ++i)
        result.lanes[i] = static_cast<T>(from + i * step);
    return result;
}

TYPED_TEST(Lanes, Arithmetic) {
    using T = TypeParam;
    const lanes_of<T> a = ramp<T>(-3.25, 1.5), b = ramp<T>(0.5, 0.75);
    lanes_of<T> sum = a;
    sum += b;
    sum -= T(1);
    sum *= a;
    sum /= b;
    const lanes_of<T> other = -(1 / b) + a * b - b;
    for (int i = 0; i < this->width; ++i) {
        const T x = a.lanes[i], y = b.lanes[i];
        EXPECT_NEAR(sum.lanes[i], (x + y - 1) * x / y, 64 * std::numeric_limits<T>::epsilon()) << i;
        EXPECT_NEAR(other.lanes[i], -(1 / y) + x * y - y, 256 * std::numeric_limits<T>::epsilon()) << i;
        EXPECT_EQ(select(a < b, a, b).lanes[i], x < y ? x : y) << i;
        EXPECT_EQ(select(a >= b, a, b).lanes[i], x >= y ? x : y) << i;
        EXPECT_EQ(min(a, b).lanes[i], x < y ? x : y) << i;
        EXPECT_EQ(max(a, b).lanes[i], x < y ? y : x) << i;
        EXPECT_EQ(abs(a).lanes[i], std::abs(x)) << i;
    }
    EXPECT_TRUE(std::signbit(lanes_of<T>(T(-0.0)).lanes[0])) << "a scalar keeps the sign of its zero in lanes";
    EXPECT_FALSE(std::signbit(abs(lanes_of<T>(T(-0.0))).lanes[0]));
}

/// Units in the last place between a lane and the correctly rounded value.
template <class T>
double ulps(T value, double exact) {
    const T rounded = static_cast<T>(exact);
    return std::abs(static_cast<double>(value) - exact) /
        static_cast<double>(std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity()) - std::abs(rounded));
}

TYPED_TEST(Lanes, FunctionsAreAccurate) {
    using T = TypeParam;
    // libmvec documents 4 units; exact values come from the scalar double functions (half a unit of double, or more, is in both).
    for (double from = 0.01; from < 30; from *= 1.37) {
        const lanes_of<T> x = ramp<T>(from, from / 7), y = ramp<T>(-1.5, 0.3);
        for (int i = 0; i < this->width; ++i) {
            const double a = static_cast<double>(x.lanes[i]), b = static_cast<double>(y.lanes[i]);
            EXPECT_LE(ulps(sqrt(x).lanes[i], std::sqrt(a)), 0.51) << a;
            EXPECT_LE(ulps(rsqrt(x).lanes[i], 1 / std::sqrt(a)), 2) << a;
            EXPECT_LE(ulps(exp(x).lanes[i], std::exp(a)), 4.5) << a;
            EXPECT_LE(ulps(exp(-x).lanes[i], std::exp(-a)), 4.5) << a;
            EXPECT_LE(ulps(log(x).lanes[i], std::log(a)), 4.5) << a;
            EXPECT_LE(ulps(sin(x).lanes[i], std::sin(a)), 4.5) << a;
            EXPECT_LE(ulps(cos(x).lanes[i], std::cos(a)), 4.5) << a;
            EXPECT_LE(ulps(pow(x, y).lanes[i], std::pow(a, b)), 4.5) << a << ", " << b;
        }
    }
}

/// Lanes of `count` elements as they would lie in memory, the first `count` of them.
template <class T, int Width>
std::vector<double> in_memory_order(const simd<T, Width>* components, int words, int count) {
    std::vector<double> values;
    for (int e = 0; e < count; ++e)
        for (int w = 0; w < words; ++w)
            values.push_back(static_cast<double>(components[w].lanes[e]));
    return values;
}

/// first, first + 1, ...
std::vector<double> counting(int first, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(first + i);
    return values;
}

/// `count` numbers from 0 on, `shift` words after the start of memory that is otherwise -1.
std::vector<double> between_guards(int shift, int count, int size) {
    std::vector<double> values(static_cast<std::size_t>(size), -1);
    for (int i = 0; i < count; ++i)
        values[static_cast<std::size_t>(shift + i)] = i;
    return values;
}

/// Elements of `Words` components: component w of element e is e * Words + w.
template <class T, int Words>
void check_transposition() {
    SCOPED_TRACE(std::to_string(Words) + " components");
    constexpr int width = lanes_of<T>::width, words = width * Words, size = words + 3;
    constexpr int count = 1 + Words % (width - 1); // some number of elements short of a tile
    for (const int shift : {0, 1}) {               // aligned to a component, and not to a vector
        alignas(64) T memory[size], written[size];
        const auto content = [&] { return std::vector<double>(written, written + size); };
        const auto clear = [&] { std::fill(written, written + size, T(-1)); };
        for (int i = 0; i < size; ++i)
            memory[i] = static_cast<T>(i - shift);
        registers<lanes_of<T>, Words, 1> value;
        load_transposed<2>(memory + shift, value.data);
        EXPECT_EQ(in_memory_order(value.data, Words, width), counting(0, words));
        clear();
        store_transposed<false, 2>(written + shift, value.data);
        EXPECT_EQ(content(), between_guards(shift, words, size)) << "ordinary stores";
        clear();
        store_some(written + shift, value.data, count);
        EXPECT_EQ(content(), between_guards(shift, count * Words, size)) << "a tail";
        EXPECT_EQ(can_stream(written + shift), shift == 0);
        if (shift == 0) {
            clear();
            store_transposed<true, 2>(written, value.data);
            stream_fence();
            EXPECT_EQ(content(), between_guards(shift, words, size)) << "streaming stores";
        }
        // A tail reads its own elements only, and repeats the last of them.
        const std::vector<T> short_list(memory + shift, memory + shift + count * Words);
        load_some(short_list.data(), value.data, count);
        std::vector<double> expected = counting(0, count * Words);
        for (int e = count; e < width; ++e)
            for (const double component : counting((count - 1) * Words, Words))
                expected.push_back(component);
        EXPECT_EQ(in_memory_order(value.data, Words, width), expected) << "a tail";
    }
}

template <class T, int... Words>
void check_transpositions(std::integer_sequence<int, Words...>) {
    (check_transposition<T, Words>(), ...);
}

// Odd, even and multiples of every power of two up to the width, fewer and more components than lanes, and more than one transposition
// takes: halves of every kind, strips with and without an overlap.
TYPED_TEST(Lanes, Transposition) {
    check_transpositions<TypeParam>(
        std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 24, 25, 28, 30, 32, 36, 40, 44, 48, 52, 56, 60, 64, 81, 144>());
}

/// Elements of Words components each in lanes and in memory, by plain loops and by the runtime, for every way to call it.
template <class Lane, int Words>
void check_against_loop() {
    using T = typename Lane::value_type;
    constexpr int width = Lane::width, words = width * Words, guard = 4 * vector_bytes / sizeof(T);
    SCOPED_TRACE(std::to_string(Words) + " components, " + std::to_string(width) + " lanes of " + std::to_string(sizeof(T)) + " bytes");
    for (const int shift : {0, 1}) { // aligned to a vector, and to a component
        alignas(64) T memory[guard + words + guard];
        T* const list = memory + guard + shift;
        const auto clear = [&] { std::fill(std::begin(memory), std::end(memory), T(-1)); };
        const auto count_unlike_loop = [&](const Lane* lanes) { // lane e of component w: element e, component w
            int wrong = 0;
            for (int e = 0; e < width; ++e)
                for (int w = 0; w < Words; ++w)
                    wrong += lanes[w].lanes[e] != T(1 + e * Words + w);
            return wrong;
        };
        const auto count_written_wrong = [&] { // guards too
            int wrong = 0;
            for (int i = -(guard + shift); i < words + guard - shift; ++i)
                wrong += list[i] != (i >= 0 && i < words ? T(1 + i) : T(-1));
            return wrong;
        };
        clear();
        for (int i = 0; i < words; ++i)
            list[i] = T(1 + i);
        registers<Lane, Words, 1> asking, plain, made;
        load_transposed<2>(list, asking.data);
        load_transposed<0>(list, plain.data);
        EXPECT_EQ(count_unlike_loop(asking.data), 0) << "what comes later is asked for, shift " << shift;
        EXPECT_EQ(count_unlike_loop(plain.data), 0) << "nothing else is asked for, shift " << shift;
        EXPECT_EQ(count_written_wrong(), 0) << "loads write nothing";
        for (int e = 0; e < width; ++e)
            for (int w = 0; w < Words; ++w)
                made.data[w].lanes[e] = T(1 + e * Words + w);
        clear();
        store_transposed<false, 2>(list, made.data);
        EXPECT_EQ(count_written_wrong(), 0) << "ordinary stores, shift " << shift;
        if (can_stream(list)) {
            clear();
            store_transposed<true, 2>(list, made.data);
            stream_fence();
            EXPECT_EQ(count_written_wrong(), 0) << "streaming stores";
        }
        EXPECT_EQ(can_stream(list), shift == 0);
    }
}

template <class Lane>
class LanesOfLongElements : public ::testing::Test {};
using WholeAndHalf = ::testing::Types<lanes_of<float>, lanes_of<double>, half_lanes>;
TYPED_TEST_SUITE(LanesOfLongElements, WholeAndHalf);

// Around the number of words from which elements are transposed in strips, and around multiples of every width.
TYPED_TEST(LanesOfLongElements, AreTransposedAsALoopDoes) {
    [&]<int... Words>(std::integer_sequence<int, Words...>) { (check_against_loop<TypeParam, Words>(), ...); }(
        std::integer_sequence<int, 27, 28, 29, 31, 32, 33>());
}

} // namespace

} // namespace fusec
