// SPDX-License-Identifier: Apache-2.0
// Cooperative copies of a tile between a list in global memory and shared memory: the `Words` components of each of `count` elements, by
// the `Threads` threads of a block. Neighbouring threads access neighbouring addresses of the list. Aligned: both addresses are multiples
// of 16.
//
// The loops are left to the compiler to unroll: whole, they took 114 registers instead of 80 in the demo (nvcc 13, sm_90).
#pragma once

#include "memory.cuh"
#include "views.cuh"

#include <type_traits>

namespace fusec {

// [chunk padded needs device]
// A tile with Pad words after every Run words: index i of the list is at i + i / Run * Pad.
template <unsigned Run, unsigned Pad, class P>
struct padded_pointer {
    P data;
    FUSEC_DEVICE P operator+(unsigned i) const { return data + (i + i / Run * Pad); }
};
template <unsigned Run, unsigned Pad, class P>
FUSEC_DEVICE padded_pointer<Run, Pad, P> padded(P data) {
    return {data};
}

// [chunk copy_async needs device]
// Starts the copies, list to tile: 16 bytes each when aligned (the last few components of a partial tile singly), else one component.
template <bool Aligned, unsigned Threads, unsigned Words, class To, class T>
FUSEC_DEVICE void copy_async(To to, const T* from, unsigned count) {
    constexpr unsigned width = Aligned ? 16 / sizeof(T) : 1;
    const unsigned words = count * Words, rest = words - words % width + threadIdx.x;
    for (unsigned i = threadIdx.x * width; i + width <= words; i += Threads * width)
        __pipeline_memcpy_async(to + i, from + i, sizeof(T) * width);
    if (rest < words)
        __pipeline_memcpy_async(to + rest, from + rest, sizeof(T));
}

// [chunk copy_tile needs device vector_pointer]
// The same, tile to list, at once.
template <bool Aligned, unsigned Threads, unsigned Words, class From, class T>
FUSEC_DEVICE void copy_tile(T* to, From from, unsigned count) {
    using vector = std::conditional_t<Aligned, std::conditional_t<sizeof(T) == 8, double2, float4>, T>;
    constexpr unsigned width = sizeof(vector) / sizeof(T);
    const unsigned words = count * Words, rest = words - words % width + threadIdx.x;
    for (unsigned i = threadIdx.x * width; i + width <= words; i += Threads * width)
        *vector_pointer<vector>(to + i) = *vector_pointer<vector>(from + i);
    if (rest < words)
        to[rest] = *(from + rest);
}

// [chunk load_tile_words needs device vector_pointer]
// The same, list to tile, at once. Four accesses are under way before the first is written.
template <bool Aligned, unsigned Threads, unsigned Words, class To, class T>
FUSEC_DEVICE void load_tile_words(To to, const T* from, unsigned count) {
    using vector = std::conditional_t<Aligned, std::conditional_t<sizeof(T) == 8, double2, float4>, T>;
    constexpr unsigned width = sizeof(vector) / sizeof(T);
    const unsigned words = count * Words, rest = words - words % width + threadIdx.x;
    for (unsigned start = threadIdx.x * width; start + width <= words; start += 4 * Threads * width) {
        vector batch[4] = {};
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads * width; i + width <= words)
                batch[k] = *vector_pointer<const vector>(from + i);
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads * width; i + width <= words)
                *vector_pointer<vector>(to + i) = batch[k];
    }
    if (rest < words)
        *(to + rest) = from[rest];
}

// [chunk end]
} // namespace fusec
