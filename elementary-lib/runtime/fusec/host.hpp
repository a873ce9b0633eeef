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

// [chunk leaves_lists needs prefetch vector_bytes]
// Processors for which lines are asked for into the second level follow few lists by themselves, as long as they are read in the order of memory. With vectors of
// half a line that was not measured, and lists that come in halves of a tile with whole ones come in strips.
constexpr bool leaves_lists = level_ahead < 3 && vector_bytes == line_bytes;

// [chunk followed needs whole_tile last_tile leaves_lists]
// The same tile, for a list that a processor with few misses under way at a time follows by itself: where lists are left to it, no line of it is asked for.
template <class T, bool Streaming, int Ahead>
FUSEC_DEVICE whole_tile<T, Streaming, (leaves_lists ? 0 : Ahead)> followed(whole_tile<T, Streaming, Ahead> tile) {
    return {tile.first};
}
template <class T>
FUSEC_DEVICE last_tile<T> followed(last_tile<T> tile) {
    return tile;
}

// [chunk in_bursts needs whole_tile last_tile leaves_lists prefetch]
// The same tile, for a scalar list beside longer ones, of which a tile takes a line, a half or two: where lists are left to a processor, four lines of it are
// asked for in a row, when the first of them is needed. Of lists that come a line at a time in turns with others, memory gives less.
template <class T, bool Streaming, int Ahead, class S>
FUSEC_DEVICE whole_tile<T, Streaming, Ahead> in_bursts(whole_tile<T, Streaming, Ahead> tile, const S* list) {
    if constexpr (leaves_lists) {
        constexpr int lines = 4, line = line_bytes / sizeof(S);
        if (tile.first % (lines * line) == 0)
#pragma GCC unroll 4
            for (int word = 0; word < lines * line; word += line)
                prefetch(list + tile.first, word);
    }
    return tile;
}
template <class T, class S>
FUSEC_DEVICE last_tile<T> in_bursts(last_tile<T> tile, const S*) {
    return tile;
}

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

// A thread's part of a loop: its tiles, one after the other, and what is left to do behind the last of them.
template <class T, bool Streaming, int Ahead>
struct tiles_of_thread {
    whole_tile<T, Streaming, Ahead> tile(size_t first) { return {first}; }
    void finish() {
        if constexpr (Streaming)
            stream_fence();
    }
};

// On all threads of OpenMP where it is enabled, each with a copy of the kernel: the addresses of lists, which it would otherwise read again for each tile.
template <class T, class Tiles, class Kernel>
void for_whole_tiles(size_t count, Kernel kernel) {
    constexpr size_t lanes = vector_bytes / sizeof(T);
#ifdef _OPENMP
#pragma omp parallel if (count > 64) firstprivate(kernel)
#endif
    {
        Tiles tiles;
#ifdef _OPENMP
#pragma omp for schedule(static) nowait
#endif
        for (size_t i = 0; i < count; ++i)
            kernel(tiles.tile(i * lanes));
        tiles.finish();
    }
}

// kernel(tile) for tiles that make up the elements 0 .. n - 1. Bytes: what the kernel loads of an element. Returns 0: nothing can fail.
template <class T, int Bytes, int Ahead = tiles_ahead<T, Bytes>, class Streamed = tiles_of_thread<T, true, Ahead>, class Kernel>
int for_tiles(size_t n, bool streaming, Kernel kernel) {
    constexpr size_t lanes = vector_bytes / sizeof(T);
    if (streaming)
        for_whole_tiles<T, Streamed>(n / lanes, kernel);
    else
        for_whole_tiles<T, tiles_of_thread<T, false, Ahead>>(n / lanes, kernel);
    if (n % lanes != 0)
        kernel(last_tile<T>{n / lanes * lanes, static_cast<int>(n % lanes)});
    return 0;
}

// [chunk for_light_tiles needs for_tiles leaves_lists]
// As for_tiles, of a kernel that does little for what it loads. A processor that lists are left to keeps up with such a kernel's lists by
// itself, and nobody asks for anything but scalars in bursts (in_bursts).
template <class T, int Bytes, class Kernel>
int for_light_tiles(size_t n, bool streaming, Kernel kernel) {
    return for_tiles<T, Bytes, (leaves_lists ? 0 : tiles_ahead<T, Bytes>)>(n, streaming, kernel);
}

// [chunk results needs vector_bytes stream]
// What a tile writes past the caches, `Bytes` to each list, until it is sent.
template <int... Bytes>
struct results {
    static constexpr int bytes[sizeof...(Bytes)] = {Bytes...};
    static constexpr int place(int list) {
        int at = 0;
        for (int before = 0; before < list; ++before)
            at += (bytes[before] + vector_bytes - 1) / vector_bytes * vector_bytes;
        return at;
    }
    alignas(vector_bytes) char waiting[(((Bytes + vector_bytes - 1) / vector_bytes * vector_bytes) + ...)];
    char* to[sizeof...(Bytes)] = {};

    // Where to write what is for `memory`.
    template <int List, class T>
    FUSEC_DEVICE T* wait(T* memory) {
        to[List] = (char*)memory;
        return (T*)(waiting + place(List));
    }
    template <int List>
    FUSEC_DEVICE void send_list() const {
        // Floats of a tile of doubles may end within a register.
        constexpr int step = bytes[List] % vector_bytes == 0 ? vector_bytes : vector_bytes / 2, words = step / (int)sizeof(float);
        for (int at = 0; at < bytes[List]; at += step)
            stream((float*)(to[List] + at), load<float, words>((const float*)(waiting + place(List) + at)));
    }
    template <int... List>
    FUSEC_DEVICE void send_lists(std::integer_sequence<int, List...>) const {
        (send_list<List>(), ...);
    }
    FUSEC_DEVICE void send() const {
        if (to[0] != nullptr)
            send_lists(std::make_integer_sequence<int, sizeof...(Bytes)>());
    }
};

// [chunk later_tile needs results whole_tile]
// A tile whose results wait in the first level until the next one has loaded. For a store past the caches that is on its way, a load waits about
// as long as memory takes if their addresses agree in the last twelve bits; where a tile is longer than what a processor executes out of
// order, nothing else is done meanwhile.
template <class T, int Ahead, class Results>
struct later_tile : whole_tile<T, true, Ahead> {
    Results* made;
};

// [chunk later needs later_tile last_tile]
// As which tile, and where, to store what is for the loop's `List`-th list past the caches, `Words` of an element.
template <class Tile, class S>
struct stored_at {
    Tile tile;
    S* list;
};
template <int List, int Words, class T, int Ahead, class Results, class S>
FUSEC_DEVICE stored_at<whole_tile<T, false, 0>, S> later(later_tile<T, Ahead, Results> tile, S* list) {
    return {{0}, tile.made->template wait<List>(list + tile.first * Words)};
}
template <int List, int Words, class T, bool Streaming, int Ahead, class S>
FUSEC_DEVICE stored_at<whole_tile<T, Streaming, Ahead>, S> later(whole_tile<T, Streaming, Ahead> tile, S* list) {
    return {tile, list};
}
template <int List, int Words, class T, class S>
FUSEC_DEVICE stored_at<last_tile<T>, S> later(last_tile<T> tile, S* list) {
    return {tile, list};
}

// [chunk send_results needs later_tile last_tile]
// What the tile before has made, past the caches. Behind the loads of a tile and before its stores.
template <class T, int Ahead, class Results>
FUSEC_DEVICE void send_results(later_tile<T, Ahead, Results> tile) {
    tile.made->send();
}
template <class T, bool Streaming, int Ahead>
FUSEC_DEVICE void send_results(whole_tile<T, Streaming, Ahead>) {}
template <class T>
FUSEC_DEVICE void send_results(last_tile<T>) {}

// [chunk for_tiles_later needs for_tiles later_tile]
template <class T, int Ahead, int... Bytes>
struct later_tiles_of_thread {
    results<Bytes...> made;
    later_tile<T, Ahead, results<Bytes...>> tile(size_t first) { return {{first}, &made}; }
    void finish() {
        made.send();
        stream_fence();
    }
};
// As for_tiles. Written: bytes of an element that go to each list past the caches.
template <class T, int Bytes, int... Written, class Kernel>
int for_tiles_later(size_t n, bool streaming, Kernel kernel) {
    constexpr int lanes = vector_bytes / (int)sizeof(T), ahead = tiles_ahead<T, Bytes>;
    return for_tiles<T, Bytes, ahead, later_tiles_of_thread<T, ahead, Written * lanes...>>(n, streaming, kernel);
}

// [chunk results_in_lines needs vector_bytes stream prefetch]
// How many tiles in a row fill whole cache lines of every list, of which one takes so many bytes.
template <int... Bytes>
constexpr int tiles_in_lines = line_bytes / ((Bytes | ... | line_bytes) & -(Bytes | ... | line_bytes));

// What those tiles write past the caches, `Bytes` of each to each list, until it is sent.
template <int... Bytes>
struct results_in_lines {
    static constexpr int tiles = tiles_in_lines<Bytes...>;
    static constexpr int bytes[sizeof...(Bytes)] = {Bytes...};
    static constexpr int place(int list) {
        int at = 0;
        for (int before = 0; before < list; ++before)
            at += (tiles * bytes[before] + vector_bytes - 1) / vector_bytes * vector_bytes;
        return at;
    }
    alignas(vector_bytes) char waiting[(((tiles * Bytes + vector_bytes - 1) / vector_bytes * vector_bytes) + ...)];
    char* to[sizeof...(Bytes)] = {}; // where the first of the tiles goes, whether it is this thread's or not
    int begin = 0, end = 0;          // which of the tiles are made

    // Where the tile at `position` among those in a row writes what is for `memory`.
    template <int List, class T>
    FUSEC_DEVICE T* wait(T* memory, int position) {
        to[List] = (char*)memory - position * bytes[List];
        return (T*)(waiting + place(List) + position * bytes[List]);
    }
    template <int List>
    FUSEC_DEVICE void send_list(int first, int last) const {
        constexpr int step = bytes[List] % vector_bytes == 0 ? vector_bytes : vector_bytes / 2, words = step / (int)sizeof(float);
        for (int at = first * bytes[List]; at < last * bytes[List]; at += step)
            stream((float*)(to[List] + at), load<float, words>((const float*)(waiting + place(List) + at)));
    }
    template <int... List>
    FUSEC_DEVICE void send_lists(std::integer_sequence<int, List...>) const {
        if (begin == 0 && end == tiles) // the compiler unrolls these
            (send_list<List>(0, tiles), ...);
        else
            (send_list<List>(begin, end), ...);
    }
    FUSEC_DEVICE void send() {
        if (begin < end)
            send_lists(std::make_integer_sequence<int, sizeof...(Bytes)>());
        begin = end = 0;
    }
    // Before the tile at that position is stored.
    FUSEC_DEVICE void make_room(int position) {
        if (position == 0)
            send();
        begin = begin < end ? begin : position;
        end = position + 1;
    }
};

// [chunk line_tile needs results_in_lines whole_tile]
// A tile whose results wait in the first level until whole lines are made. A processor gathers what is written past the caches in few places, some eight lines;
// a kernel that writes parts of more lines than that in turns writes each part to memory by itself, several times slower.
template <class T, int Ahead, class Results>
struct line_tile : whole_tile<T, true, Ahead> {
    Results* made;
    int position;
};

// [chunk for_tiles_in_lines needs for_tiles line_tile later send_results]
template <int List, int Words, class T, int Ahead, class Results, class S>
FUSEC_DEVICE stored_at<whole_tile<T, false, 0>, S> later(line_tile<T, Ahead, Results> tile, S* list) {
    return {{0}, tile.made->template wait<List>(list + tile.first * Words, tile.position)};
}
template <class T, int Ahead, class Results>
FUSEC_DEVICE void send_results(line_tile<T, Ahead, Results> tile) {
    tile.made->make_room(tile.position);
}
template <class T, int Ahead, int... Bytes>
struct line_tiles_of_thread {
    results_in_lines<Bytes...> made;
    line_tile<T, Ahead, results_in_lines<Bytes...>> tile(size_t first) {
        return {{first}, &made, (int)(first / (vector_bytes / sizeof(T)) % tiles_in_lines<Bytes...>)};
    }
    void finish() {
        made.send();
        stream_fence();
    }
};
// As for_tiles. Written: bytes of an element that go to each list past the caches. Where each tile fills whole lines nothing waits.
template <class T, int Bytes, int... Written, class Kernel>
int for_tiles_in_lines(size_t n, bool streaming, Kernel kernel) {
    constexpr int lanes = vector_bytes / (int)sizeof(T), ahead = tiles_ahead<T, Bytes>;
    if constexpr (tiles_in_lines<Written * lanes...> == 1)
        return for_tiles<T, Bytes>(n, streaming, kernel);
    else
        return for_tiles<T, Bytes, ahead, line_tiles_of_thread<T, ahead, Written * lanes...>>(n, streaming, kernel);
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
