// SPDX-License-Identifier: Apache-2.0
// SIMD lanes over elements: `simd<T, Width>` holds one component of Width elements; device sources see it as an ordinary number. The
// width follows the -march of the compile (no target attributes: they stop inlining), so each compile of a generated file has its own.
//
// Embedded text needs <math.h>, and <immintrin.h> where __x86_64__ is defined; link with -lm (libmvec comes with it).
#pragma once

#include "math.cuh"

#ifdef __x86_64__
#include <immintrin.h>
#endif

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

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
    friend FUSEC_DEVICE mask operator==(simd a, simd b) { return a.lanes == b.lanes; }
};

// [chunk lanes_of needs vector_bytes simd]
template <class T>
using lanes_of = simd<T, vector_bytes / sizeof(T)>;

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
// The masked forms of AVX-512 compile to the same instruction; g++ 12 warns about its own header in the others (GCC bug 105593).
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
    return {_mm512_maskz_sqrt_ps(static_cast<__mmask16>(-1), x.lanes)};
}
FUSEC_DEVICE simd<double, 8> sqrt(simd<double, 8> x) {
    return {_mm512_maskz_sqrt_pd(static_cast<__mmask8>(-1), x.lanes)};
}
#endif

// [chunk simd_rsqrt needs simd_sqrt]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> rsqrt(simd<T, Width> x) {
    return T(1) / sqrt(x);
}

// [chunk FUSEC_LIBMVEC needs lanes_of]
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
#define FUSEC_LIBMVEC(function)                                                                   \
    extern "C" lanes_of<float>::vector FUSEC_MVEC_FLOAT(function, v)(lanes_of<float>::vector);    \
    extern "C" lanes_of<double>::vector FUSEC_MVEC_DOUBLE(function, v)(lanes_of<double>::vector); \
    FUSEC_DEVICE lanes_of<float> function(lanes_of<float> x) {                                    \
        return FUSEC_MVEC_FLOAT(function, v)(x.lanes);                                            \
    }                                                                                             \
    FUSEC_DEVICE lanes_of<double> function(lanes_of<double> x) {                                  \
        return FUSEC_MVEC_DOUBLE(function, v)(x.lanes);                                           \
    }
#else
#define FUSEC_LIBMVEC(function)
#endif

// [chunk simd_exp needs FUSEC_LIBMVEC lane_by_lane exp]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> exp(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::exp(lane); }, x);
}
FUSEC_LIBMVEC(exp)

// [chunk simd_log needs FUSEC_LIBMVEC lane_by_lane log]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> log(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::log(lane); }, x);
}
FUSEC_LIBMVEC(log)

// [chunk simd_sin needs FUSEC_LIBMVEC lane_by_lane sin]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> sin(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::sin(lane); }, x);
}
FUSEC_LIBMVEC(sin)

// [chunk simd_cos needs FUSEC_LIBMVEC lane_by_lane cos]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> cos(simd<T, Width> x) {
    return lane_by_lane([](T lane) { return fusec::cos(lane); }, x);
}
FUSEC_LIBMVEC(cos)

// [chunk simd_pow needs FUSEC_LIBMVEC pow]
template <class T, int Width>
FUSEC_DEVICE simd<T, Width> pow(simd<T, Width> x, simd<T, Width> y) {
    for (int i = 0; i < Width; ++i)
        x.lanes[i] = fusec::pow(x.lanes[i], y.lanes[i]);
    return x;
}
#ifdef FUSEC_MVEC_FLOAT
extern "C" lanes_of<float>::vector FUSEC_MVEC_FLOAT(pow, vv)(lanes_of<float>::vector, lanes_of<float>::vector);
extern "C" lanes_of<double>::vector FUSEC_MVEC_DOUBLE(pow, vv)(lanes_of<double>::vector, lanes_of<double>::vector);
FUSEC_DEVICE lanes_of<float> pow(lanes_of<float> x, lanes_of<float> y) {
    return FUSEC_MVEC_FLOAT(pow, vv)(x.lanes, y.lanes);
}
FUSEC_DEVICE lanes_of<double> pow(lanes_of<double> x, lanes_of<double> y) {
    return FUSEC_MVEC_DOUBLE(pow, vv)(x.lanes, y.lanes);
}
#endif

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
