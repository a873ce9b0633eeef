// SPDX-License-Identifier: Apache-2.0
// Cooperative copies of a tile between a list in global memory and shared memory: the `Words` components of each of `count` elements, by
// the `Threads` threads of a block. Neighbouring threads access neighbouring addresses of the list. Vector is what one access moves: a
// component, or 16 bytes where both addresses are multiples of 16; then the last few components of a partial tile go singly. The copies
// to shared memory return where they copy to.
//
// The loops are left to the compiler to unroll: whole, they took 114 registers instead of 80 in the demo (nvcc 13, sm_90).
#pragma once

#include "memory.cuh"
#include "views.cuh"

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
// Starts the copies, list to tile.
template <class Vector, unsigned Threads, unsigned Words, class To, class T>
FUSEC_DEVICE To copy_async(To to, const T* from, unsigned count) {
    constexpr unsigned width = sizeof(Vector) / sizeof(T);
    for (unsigned i = threadIdx.x * width; i + width <= count * Words; i += Threads * width)
        __pipeline_memcpy_async(to + i, from + i, sizeof(Vector));
    if (const unsigned i = count * Words / width * width + threadIdx.x; i < count * Words)
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    return to;
}

// [chunk copy_tile needs device vector_pointer]
// Tile to list.
template <class Vector, unsigned Threads, unsigned Words, class From, class T>
FUSEC_DEVICE void copy_tile(T* to, From from, unsigned count) {
    constexpr unsigned width = sizeof(Vector) / sizeof(T);
    for (unsigned i = threadIdx.x * width; i + width <= count * Words; i += Threads * width)
        *vector_pointer<Vector>(to + i) = *vector_pointer<Vector>(from + i);
    if (const unsigned i = count * Words / width * width + threadIdx.x; i < count * Words)
        to[i] = *(from + i);
}

// [chunk load_tile_words needs device vector_pointer]
// List to tile, at once. Four accesses are under way before the first is written.
template <class Vector, unsigned Threads, unsigned Words, class To, class T>
FUSEC_DEVICE To load_tile_words(To to, const T* from, unsigned count) {
    constexpr unsigned width = sizeof(Vector) / sizeof(T);
    for (unsigned start = threadIdx.x * width; start + width <= count * Words; start += 4 * Threads * width) {
        Vector batch[4] = {};
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads * width; i + width <= count * Words)
                batch[k] = *vector_pointer<const Vector>(from + i);
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads * width; i + width <= count * Words)
                *vector_pointer<Vector>(to + i) = batch[k];
    }
    if (const unsigned i = count * Words / width * width + threadIdx.x; i < count * Words)
        *(to + i) = from[i];
    return to;
}

// [chunk end]
} // namespace fusec
