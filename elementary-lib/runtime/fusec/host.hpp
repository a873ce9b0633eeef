// SPDX-License-Identifier: Apache-2.0
// What generated host code runs on: SIMD lanes over elements, and the way of array-of-structures lists into lanes and back.
// `simd<T, Width>` holds one component of Width elements; device sources see it as an ordinary number. The width follows the -march
// of the compile (no target attributes: they stop inlining), so each compile of a generated file has its own.
//
// Embedded text needs <math.h>, <stddef.h>, <stdint.h>, <string.h>, <utility>, and <immintrin.h> where __x86_64__ is defined; link with -lm (libmvec comes with it).
#pragma once

#include "math.cuh"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <utility>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace fusec {

// [chunk vector_bytes]
// Bytes of one SIMD register of the compile.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// [chunk simd needs device]
template <class T, int Width>
struct vector_of {
    typedef T type __attribute__((vector_size(Width * sizeof(T))));
};

// One component of Width elements, one per lane. Width is a power of two.
template <class T, int Width>
struct simd {
    using value_type = T;
    using vector = typename vector_of<T, Width>::type;
    using mask = decltype(vector{} < vector{}); // all bits of a lane set: true
    static constexpr int width = Width;

    vector lanes;

    simd() = default;
    FUSEC_DEVICE simd(vector all)
        : lanes(all) {}
    FUSEC_DEVICE simd(T value)
        : lanes(value - vector{}) {} // x - 0 is x for every x, -0 included

    FUSEC_DEVICE simd operator-() const { return -lanes; }
    FUSEC_DEVICE simd& operator+=(simd b) { return lanes += b.lanes, *this; }
    FUSEC_DEVICE simd& operator-=(simd b) { return lanes -= b.lanes, *this; }
    FUSEC_DEVICE simd& operator*=(simd b) { return lanes *= b.lanes, *this; }
    FUSEC_DEVICE simd& operator/=(simd b) { return lanes /= b.lanes, *this; }

    friend FUSEC_DEVICE simd operator+(simd a, simd b) { return a.lanes + b.lanes; }
    friend FUSEC_DEVICE simd operator-(simd a, simd b) { return a.lanes - b.lanes; }
    friend FUSEC_DEVICE simd operator*(simd a, simd b) { return a.lanes * b.lanes; }
    friend FUSEC_DEVICE simd operator/(simd a, simd b) { return a.lanes / b.lanes; }
    friend FUSEC_DEVICE mask operator<(simd a, simd b) { return a.lanes < b.lanes; }
    friend FUSEC_DEVICE mask operator<=(simd a, simd b) { return a.lanes <= b.lanes; }
    friend FUSEC_DEVICE mask operator>(simd a, simd b) { return a.lanes > b.lanes; }
    friend FUSEC_DEVICE mask operator>=(simd a, simd b) { return a.lanes >= b.lanes; }
};

// [chunk simd_select needs simd]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> select(typename simd<T, Width>::mask condition, simd<T, Width> a, simd<T, Width> b) {
    return condition ? a.lanes : b.lanes;
}

// [chunk simd_abs needs simd]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> abs(simd<T, Width> x) {
    using mask = typename simd<T, Width>::mask;
    return (typename simd<T, Width>::vector)((mask)x.lanes & ~(mask)simd<T, Width>(T(-0.0)).lanes);
}

// [chunk simd_min needs simd_select]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> min(simd<T, Width> a, simd<T, Width> b) {
    return select(b < a, b, a);
}

// [chunk simd_max needs simd_select]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> max(simd<T, Width> a, simd<T, Width> b) {
    return select(a < b, b, a);
}

// [chunk lane_by_lane needs simd]
// A scalar function on each lane: where the compile has no vector version.
template <class T, int Width, class Function>
FUSEC_DEVICE simd<T, Width> lane_by_lane(Function function, simd<T, Width> x) {
    for (int i = 0; i < Width; ++i)
        x.lanes[i] = function(x.lanes[i]);
    return x;
}

// [chunk simd_sqrt needs lane_by_lane sqrt]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> sqrt(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::sqrt(lane); }, x);
}
#ifdef __x86_64__
FUSEC_DEVICE simd<float, 4> sqrt(simd<float, 4> x) {
    return {_mm_sqrt_ps(x.lanes)};
}
FUSEC_DEVICE simd<double, 2> sqrt(simd<double, 2> x) {
    return {_mm_sqrt_pd(x.lanes)};
}
#endif
#ifdef __AVX__
FUSEC_DEVICE simd<float, 8> sqrt(simd<float, 8> x) {
    return {_mm256_sqrt_ps(x.lanes)};
}
FUSEC_DEVICE simd<double, 4> sqrt(simd<double, 4> x) {
    return {_mm256_sqrt_pd(x.lanes)};
}
#endif
#ifdef __AVX512F__
FUSEC_DEVICE simd<float, 16> sqrt(simd<float, 16> x) {
    return {_mm512_sqrt_ps(x.lanes)};
}
FUSEC_DEVICE simd<double, 8> sqrt(simd<double, 8> x) {
    return {_mm512_sqrt_pd(x.lanes)};
}
#endif

// [chunk simd_rsqrt needs simd_sqrt]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> rsqrt(simd<T, Width> x) {
    return T(1) / sqrt(x);
}

// [chunk libmvec needs simd]
// The vector functions of glibc (x86-64): 4 units in the last place at most. FUSEC_LIBMVEC(exp) defines fusec::exp for the lanes of the
// compile; other widths and other machines call the scalar function on each lane.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__AVX512F__)
#define FUSEC_MVEC_FLOAT(function, operands) _ZGVeN16##operands##_##function##f
#define FUSEC_MVEC_DOUBLE(function, operands) _ZGVeN8##operands##_##function
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__AVX2__)
#define FUSEC_MVEC_FLOAT(function, operands) _ZGVdN8##operands##_##function##f
#define FUSEC_MVEC_DOUBLE(function, operands) _ZGVdN4##operands##_##function
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__AVX__)
#define FUSEC_MVEC_FLOAT(function, operands) _ZGVcN8##operands##_##function##f
#define FUSEC_MVEC_DOUBLE(function, operands) _ZGVcN4##operands##_##function
#elif defined(__x86_64__) && defined(__GLIBC__)
#define FUSEC_MVEC_FLOAT(function, operands) _ZGVbN4##operands##_##function##f
#define FUSEC_MVEC_DOUBLE(function, operands) _ZGVbN2##operands##_##function
#endif
#ifdef FUSEC_MVEC_FLOAT
using float_lanes = simd<float, vector_bytes / 4>;
using double_lanes = simd<double, vector_bytes / 8>;
#define FUSEC_LIBMVEC(function)                                                           \
    extern "C" float_lanes::vector FUSEC_MVEC_FLOAT(function, v)(float_lanes::vector);    \
    extern "C" double_lanes::vector FUSEC_MVEC_DOUBLE(function, v)(double_lanes::vector); \
    FUSEC_DEVICE float_lanes function(float_lanes x) {                                    \
        return FUSEC_MVEC_FLOAT(function, v)(x.lanes);                                    \
    }                                                                                     \
    FUSEC_DEVICE double_lanes function(double_lanes x) {                                  \
        return FUSEC_MVEC_DOUBLE(function, v)(x.lanes);                                   \
    }
#else
#define FUSEC_LIBMVEC(function)
#endif

// [chunk simd_exp needs libmvec lane_by_lane exp]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> exp(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::exp(lane); }, x);
}
FUSEC_LIBMVEC(exp)

// [chunk simd_log needs libmvec lane_by_lane log]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> log(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::log(lane); }, x);
}
FUSEC_LIBMVEC(log)

// [chunk simd_sin needs libmvec lane_by_lane sin]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> sin(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::sin(lane); }, x);
}
FUSEC_LIBMVEC(sin)

// [chunk simd_cos needs libmvec lane_by_lane cos]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> cos(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::cos(lane); }, x);
}
FUSEC_LIBMVEC(cos)

// [chunk simd_pow needs libmvec pow]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> pow(simd<T, Width> x, simd<T, Width> y) {
    for (int i = 0; i < Width; ++i)
        x.lanes[i] = fusec::pow(x.lanes[i], y.lanes[i]);
    return x;
}
#ifdef FUSEC_MVEC_FLOAT
extern "C" float_lanes::vector FUSEC_MVEC_FLOAT(pow, vv)(float_lanes::vector, float_lanes::vector);
extern "C" double_lanes::vector FUSEC_MVEC_DOUBLE(pow, vv)(double_lanes::vector, double_lanes::vector);
FUSEC_DEVICE float_lanes pow(float_lanes x, float_lanes y) {
    return FUSEC_MVEC_FLOAT(pow, vv)(x.lanes, y.lanes);
}
FUSEC_DEVICE double_lanes pow(double_lanes x, double_lanes y) {
    return FUSEC_MVEC_DOUBLE(pow, vv)(x.lanes, y.lanes);
}
#endif

// [chunk broadcast_view needs simd]
// A uniform or a table for the SIMD host: every lane sees the same components, row-major from `data`.
template <class T, int Width, int Rows, int Columns>
struct broadcast_view {
    using value_type = simd<T, Width>;
    static constexpr int rows = Rows, columns = Columns;
    const T* data;
    FUSEC_DEVICE value_type operator()(int i, int j) const { return data[i * Columns + j]; }
    FUSEC_DEVICE value_type operator()(int i) const { return data[i]; }
    FUSEC_DEVICE value_type operator()() const { return data[0]; }
};

// [chunk vector_memory needs simd]
// Consecutive words of memory and a vector; `stream` goes past the caches and needs memory aligned to the vector.
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> load(const T* memory) {
    simd<T, Width> words;
    memcpy(&words, memory, sizeof words);
    return words;
}
template <class T, int Width>
FUSEC_DEVICE void store(T* memory, simd<T, Width> words) {
    memcpy(memory, &words, sizeof words);
}
template <class T, int Width>
FUSEC_DEVICE void stream(T* memory, simd<T, Width> words) {
    constexpr size_t bytes = sizeof words;
#ifdef __AVX512F__
    if constexpr (bytes == 64)
        return _mm512_stream_si512((__m512i*)memory, (__m512i)words.lanes);
#endif
#ifdef __AVX__
    if constexpr (bytes == 32)
        return _mm256_stream_si256((__m256i*)memory, (__m256i)words.lanes);
#endif
#ifdef __x86_64__
    if constexpr (bytes == 16)
        return _mm_stream_si128((__m128i*)memory, (__m128i)words.lanes);
#endif
    store(memory, words);
}
FUSEC_DEVICE bool can_stream(const void* memory) {
    return (uintptr_t)memory % vector_bytes == 0;
}
// After the last streaming store of a thread.
FUSEC_DEVICE void stream_fence() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

// [chunk transposition needs simd]
// Between Width consecutive elements of Words components each, as they lie in memory (vector i = words i*Width .. i*Width+Width-1),
// and lanes (vector w = component w of every element), in registers, for every Words: three sweeps over the vectors, after Catanzaro,
// Keller and Garland, "A decomposition for in-place matrix transposition" (PPoPP 2014). A sweep is either a rotation of each lane
// through the vectors by an amount of its own, done bit by bit of the amount with blends, or one permutation within each vector:
// (log2 gcd(Words, Width) + 1 + log2 min(Words, Width)) * Words instructions, rounded up.
template <class T, int Width, int Words, class Rows = std::make_integer_sequence<int, Words>, class Lanes = std::make_integer_sequence<int, Width>>
struct transposition;

template <class T, int Width, int Words, int... Row, int... Lane>
struct transposition<T, Width, Words, std::integer_sequence<int, Row...>, std::integer_sequence<int, Lane...>> {
    using vector = simd<T, Width>;

    // gcd(Words, Width)
    static constexpr int common = [] {
        int divisor = Width;
        while (Words % divisor != 0)
            divisor /= 2;
        return divisor;
    }();
    // By how much a lane is rotated before and after the permutation, on the way to memory.
    static constexpr int before(int lane) { return lane / (Width / common); }
    static constexpr int after(int lane) { return lane % Words; }
    // Where the permutation takes a lane of a row on the way to memory, and where it takes it from.
    static constexpr int target(int row, int lane) { return (lane * Words + (row + before(lane)) % Words) % Width; }
    static constexpr int source(int row, int lane) {
        int from = 0;
        while (target(row, from) != lane)
            ++from;
        return from;
    }
    // The row that is vector i of memory in the end.
    static constexpr int row_of(int i) { return (i * Width + Words - i / (Words / common)) % Words; }

    template <int... Source>
    FUSEC_DEVICE static vector shuffled(vector a, vector b) { return {__builtin_shufflevector(a.lanes, b.lanes, Source...)}; }

    // Each lane of row r comes from row r + Amount (Up) or r - Amount; one step for each bit of the amounts, which are below Limit.
    template <bool Up, int Limit, int Distance, int... Amount>
    FUSEC_DEVICE static void rotate(vector (&rows)[Words]) {
        if constexpr (Distance < Limit) {
            constexpr int step = Up ? Distance : Words - Distance;
            const vector old[] = {rows[Row]...};
            ((rows[Row] = shuffled<(Amount & Distance ? Width + Lane : Lane)...>(old[Row], old[(Row + step) % Words])), ...);
            rotate<Up, Limit, 2 * Distance, Amount...>(rows);
        }
    }
    template <bool ToMemory, int Of>
    FUSEC_DEVICE static vector permuted(vector row) { return shuffled<(ToMemory ? source(Of, Lane) : target(Of, Lane))...>(row, row); }

    static constexpr int after_limit = Words < Width ? Words : Width;

    FUSEC_DEVICE static void to_memory(vector (&rows)[Words]) {
        rotate<true, common, 1, before(Lane)...>(rows);
        ((rows[Row] = permuted<true, Row>(rows[Row])), ...);
        rotate<true, after_limit, 1, after(Lane)...>(rows);
        const vector old[] = {rows[Row]...};
        ((rows[Row] = old[row_of(Row)]), ...);
    }
    FUSEC_DEVICE static void to_lanes(vector (&rows)[Words]) {
        const vector old[] = {rows[Row]...};
        ((rows[row_of(Row)] = old[Row]), ...);
        rotate<false, after_limit, 1, after(Lane)...>(rows);
        ((rows[Row] = permuted<false, Row>(rows[Row])), ...);
        rotate<false, common, 1, before(Lane)...>(rows);
    }
};

// [chunk load_transposed needs transposition vector_memory]
// Beyond this, elements are transposed in strips of Width components, so that the text of one transposition stays small.
constexpr int most_words_at_once = 64;

// Component w of Width elements into lanes[w]; element e starts at memory + e * Words.
template <class T, int Width, int Words>
FUSEC_DEVICE void load_transposed(const T* memory, simd<T, Width> (&lanes)[Words]) {
    if constexpr (Words <= most_words_at_once) {
        for (int i = 0; i < Words; ++i)
            lanes[i] = load<T, Width>(memory + i * Width);
        transposition<T, Width, Words>::to_lanes(lanes);
    } else {
        for (int first = 0; first < Words; first += Width) {
            const int strip = first < Words - Width ? first : Words - Width; // the last one overlaps the one before
            simd<T, Width> block[Width];
            for (int e = 0; e < Width; ++e)
                block[e] = load<T, Width>(memory + e * Words + strip);
            transposition<T, Width, Width>::to_lanes(block);
            for (int i = 0; i < Width; ++i)
                lanes[strip + i] = block[i];
        }
    }
}

// [chunk store_transposed needs transposition vector_memory load_transposed]
// The inverse of load_transposed. Streaming needs can_stream(memory).
template <bool Streaming, class T, int Width, int Words>
FUSEC_DEVICE void store_transposed(T* memory, const simd<T, Width> (&lanes)[Words]) {
    if constexpr (Words <= most_words_at_once) {
        simd<T, Width> rows[Words];
        for (int i = 0; i < Words; ++i)
            rows[i] = lanes[i];
        transposition<T, Width, Words>::to_memory(rows);
        for (int i = 0; i < Words; ++i) {
            if constexpr (Streaming)
                stream(memory + i * Width, rows[i]);
            else
                store(memory + i * Width, rows[i]);
        }
    } else if constexpr (Streaming) {
        alignas(vector_bytes) T staged[Width * Words];
        store_transposed<false>(staged, lanes);
        for (int i = 0; i < Words; ++i)
            stream(memory + i * Width, load<T, Width>(staged + i * Width));
    } else {
        for (int first = 0; first < Words; first += Width) {
            const int strip = first < Words - Width ? first : Words - Width;
            simd<T, Width> block[Width];
            for (int i = 0; i < Width; ++i)
                block[i] = lanes[strip + i];
            transposition<T, Width, Width>::to_memory(block);
            for (int e = 0; e < Width; ++e)
                store(memory + e * Words + strip, block[e]);
        }
    }
}

// [chunk load_some needs load_transposed]
// The first `count` < Width elements; the other lanes repeat the last of them, so that they compute nothing exceptional. count > 0.
template <class T, int Width, int Words>
FUSEC_DEVICE void load_some(const T* memory, simd<T, Width> (&lanes)[Words], int count) {
    T tile[Width * Words];
    for (int e = 0; e < Width; ++e)
        memcpy(tile + e * Words, memory + (e < count ? e : count - 1) * Words, Words * sizeof(T));
    load_transposed(tile, lanes);
}

// [chunk store_some needs store_transposed]
template <class T, int Width, int Words>
FUSEC_DEVICE void store_some(T* memory, const simd<T, Width> (&lanes)[Words], int count) {
    T tile[Width * Words];
    store_transposed<false>(tile, lanes);
    memcpy(memory, tile, (size_t)count * Words * sizeof(T));
}

// [chunk end]
} // namespace fusec
