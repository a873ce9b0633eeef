// SPDX-License-Identifier: Apache-2.0
// Cooperative copies of a tile between a list in global memory and shared memory: the `Words` components of `count` elements, of
// `Elements` that the tile holds, by the `Threads` threads of a block. A full tile has constant loop bounds. Neighbouring threads
// access neighbouring addresses of the list. Aligned: both addresses are multiples of 16.
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

// [chunk copy_tile needs device vector_pointer]
// Between the list and shared memory, in either direction: 16 bytes per access when aligned (the last few components of a partial
// tile singly), else one component. Four accesses are under way before the first is written.
template <bool Aligned, unsigned Threads, unsigned Elements, unsigned Words, class T, class To, class From>
FUSEC_DEVICE void copy_tile(To to, From from, unsigned count) {
    using vector = std::conditional_t<Aligned, std::conditional_t<std::is_same_v<T, double>, double2, float4>, T>;
    constexpr unsigned width = sizeof(vector) / sizeof(T);
    const auto copy = [=](unsigned words) {
        for (unsigned round = threadIdx.x; round < words / width; round += 4 * Threads) {
            vector batch[4] = {};
            for (unsigned k = 0; k < 4; ++k) {
                if (round + k * Threads < words / width) {
                    batch[k] = *vector_pointer<vector>(from + (round + k * Threads) * width);
                }
            }
            for (unsigned k = 0; k < 4; ++k) {
                if (round + k * Threads < words / width) {
                    *vector_pointer<vector>(to + (round + k * Threads) * width) = batch[k];
                }
            }
        }
        const unsigned rest = words - words % width + threadIdx.x;
        if (rest < words) {
            *(to + rest) = *(from + rest);
        }
    };
    count == Elements ? copy(Elements * Words) : copy(count * Words);
}

// [chunk copy_async needs device async_copy]
// Starts the copies: 16 bytes each when aligned, else one component.
template <bool Aligned, unsigned Threads, unsigned Elements, unsigned Words, class To, class T>
FUSEC_DEVICE void copy_async(To to, const T* from, unsigned count) {
    constexpr unsigned width = Aligned ? 16 / sizeof(T) : 1;
    const auto copy = [=](unsigned words) {
        for (unsigned i = threadIdx.x; i < words / width; i += Threads) {
            async_copy<width * sizeof(T)>(to + i * width, from + i * width);
        }
        const unsigned rest = words - words % width + threadIdx.x;
        if (rest < words) {
            async_copy<sizeof(T)>(to + rest, from + rest);
        }
    };
    count == Elements ? copy(Elements * Words) : copy(count * Words);
}

// [chunk end]
} // namespace fusec
