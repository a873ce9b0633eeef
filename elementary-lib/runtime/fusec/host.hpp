// SPDX-License-Identifier: Apache-2.0
// What the kernels of generated host code are written with: tiles of as many elements as a SIMD register has lanes, their way from lists
// into lanes and back, and the loop over tiles (OpenMP where the compile enables it).
//
// Embedded text needs <stddef.h> and <stdint.h>.
#pragma once

#include "transposition.hpp"

#include <stddef.h>
#include <stdint.h>

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fusec {

// [chunk broadcast needs lanes_of]
// A uniform or a table: every lane sees the same components, row-major from `data`.
template <class T, int Rows, int Columns>
struct broadcast_view {
    using value_type = lanes_of<T>;
    static constexpr int rows = Rows, columns = Columns;
    const T* data;
    FUSEC_DEVICE value_type operator()(int i, int j) const { return data[i * Columns + j]; }
    FUSEC_DEVICE value_type operator()(int i) const { return data[i]; }
    FUSEC_DEVICE value_type operator()() const { return data[0]; }
};
template <int Rows, int Columns, class T>
FUSEC_DEVICE broadcast_view<T, Rows, Columns> broadcast(const T* data) {
    return {data};
}

// [chunk load_some needs load_transposed]
// The first `count` < Width elements and, after them, the last of them again: lanes without an element compute nothing exceptional. count > 0.
template <int Width, int Words, class T>
FUSEC_DEVICE void pad_some(T* tile, const T* memory, int count) {
    for (int e = 0; e < Width; ++e)
        memcpy(tile + e * Words, memory + (e < count ? e : count - 1) * Words, Words * sizeof(T));
}
template <class T, int Width, int Words>
FUSEC_DEVICE void load_some(const T* memory, simd<T, Width> (&lanes)[Words], int count) {
    T tile[Width * Words];
    pad_some<Width, Words>(tile, memory, count);
    load_transposed<0>(tile, lanes);
}

// [chunk store_some needs store_transposed]
template <class T, int Width, int Words>
FUSEC_DEVICE void store_some(T* memory, const simd<T, Width> (&lanes)[Words], int count) {
    T tile[Width * Words];
    store_transposed<false, 0>(tile, lanes);
    memcpy(memory, tile, (size_t)count * Words * sizeof(T));
}

// [chunk can_stream needs vector_bytes]
// True when streaming stores may write the list.
inline bool can_stream(const void* list) {
    return reinterpret_cast<uintptr_t>(list) % vector_bytes == 0;
}

// [chunk stream_fence]
// After the last streaming store of a thread.
inline void stream_fence() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

// [chunk whole_tile]
// As many elements as there are lanes, from `first` on. What is loaded, or written by ordinary stores, is asked for `Ahead` tiles before.
template <class T, bool Streaming, int Ahead>
struct whole_tile {
    size_t first;
};

// [chunk last_tile]
// The elements that are left: fewer.
template <class T>
struct last_tile {
    size_t first;
    int count;
};

// [chunk load_tile needs registers lanes_of whole_tile last_tile load_some]
// The tile's elements of a list, in lanes.
template <int Rows, int Columns, class T, bool Streaming, int Ahead>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_tile(whole_tile<T, Streaming, Ahead> tile, const T* list) {
    registers<lanes_of<T>, Rows, Columns> value;
    load_transposed<Ahead>(list + tile.first * (Rows * Columns), value.data);
    return value;
}
template <int Rows, int Columns, class T>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_tile(last_tile<T> tile, const T* list) {
    registers<lanes_of<T>, Rows, Columns> value;
    load_some(list + tile.first * (Rows * Columns), value.data, tile.count);
    return value;
}

// [chunk store_tile needs registers lanes_of whole_tile last_tile store_some]
template <class T, bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void store_tile(whole_tile<T, Streaming, Ahead> tile, T* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    store_transposed<false, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <class T, int Rows, int Columns>
FUSEC_DEVICE void store_tile(last_tile<T> tile, T* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    store_some(list + tile.first * (Rows * Columns), value.data, tile.count);
}

// [chunk stream_tile needs store_tile]
// Past the caches where the tile says so.
template <class T, bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void stream_tile(whole_tile<T, Streaming, Ahead> tile, T* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    store_transposed<Streaming, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <class T, int Rows, int Columns>
FUSEC_DEVICE void stream_tile(last_tile<T> tile, T* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    store_tile(tile, list, value);
}

// [chunk for_tiles needs vector_bytes stream_fence whole_tile last_tile]
// The fewest tiles whose lists take 8 KiB, which is what is on its way to a core while memory answers (80 GB/s for 100 ns), at `Bytes` per
// element. With less, the core waits; of much more, lists push each other out of its first level before they are used.
template <class T, int Bytes>
constexpr int tiles_ahead = 1 + 8191 / (Bytes == 0 ? 8192 : Bytes * (int)(vector_bytes / sizeof(T)));

// kernel(tile) for tiles that make up the elements 0 .. n - 1, on all threads of OpenMP where it is enabled. Bytes: what the kernel loads of
// an element. Returns 0: nothing can fail.
template <class T, int Ahead, bool Streaming, class Kernel>
void for_whole_tiles(size_t tiles, Kernel kernel) {
    constexpr size_t lanes = vector_bytes / sizeof(T);
#ifdef _OPENMP
#pragma omp parallel if (tiles > 64)
#endif
    {
#ifdef _OPENMP
#pragma omp for schedule(static) nowait
#endif
        for (size_t tile = 0; tile < tiles; ++tile)
            kernel(whole_tile<T, Streaming, Ahead>{tile * lanes});
        if constexpr (Streaming)
            stream_fence();
    }
}
template <class T, int Bytes, class Kernel>
int for_tiles(size_t n, bool streaming, Kernel kernel) {
    constexpr size_t lanes = vector_bytes / sizeof(T);
    if (streaming)
        for_whole_tiles<T, tiles_ahead<T, Bytes>, true>(n / lanes, kernel);
    else
        for_whole_tiles<T, tiles_ahead<T, Bytes>, false>(n / lanes, kernel);
    if (n % lanes != 0)
        kernel(last_tile<T>{n / lanes * lanes, static_cast<int>(n % lanes)});
    return 0;
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
