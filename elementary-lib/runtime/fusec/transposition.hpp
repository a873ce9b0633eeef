// SPDX-License-Identifier: Apache-2.0
// Between memory, where the components of an element are neighbours, and SIMD lanes, where the elements are: in registers, by blends
// and permutations, with whole-vector accesses only.
//
// Embedded text needs <stddef.h>, <stdint.h>, <string.h>, <utility>, and <immintrin.h> where __x86_64__ is defined.
#pragma once

#include "simd.hpp"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <utility>

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fusec {

// [chunk stream needs simd]
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

// [chunk load_in_order needs stream]
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int most_in_order = 28;
#else
constexpr int most_in_order = 8;
#endif

// One of Vectors loads that compilers keep in the order of the text. In the order of the shuffles that need them, lines are not read one behind the
// other, and a processor that follows a list by itself loses it (Zen 4: a trace took 2.8 times as long, a sum of two lists of 18 floats 2.2 times). More
// vectors than there are registers, but for a few, would go through the stack.
template <class T, int Width, int Vectors>
FUSEC_DEVICE simd<T, Width> load_in_order(const T* memory) {
    simd<T, Width> words = load<T, Width>(memory);
    if constexpr (Vectors <= most_in_order && sizeof words >= 16) {
#if defined(__x86_64__)
        asm volatile("" : "+v"(words.lanes));
#elif defined(__aarch64__)
        asm volatile("" : "+w"(words.lanes));
#endif
    }
    return words;
}

// [chunk level_ahead]
constexpr int line_bytes = 64;

// Where what lies far ahead is asked for: 3 is the first level, 2 the second. AMD's Zen 4, which g++ 12 knows as a Zen 3 with AVX-512, has
// too few misses of its first level under way at a time for all these lines, and then waits for them where it would not have to. Zen 5, which
// compilers that do not know it take for a Zen 4 with AVX-VNNI, has enough.
#if (defined(__znver4__) || (defined(__znver3__) && defined(__AVX512F__))) && !defined(__AVXVNNI__)
constexpr int level_ahead = 2;
#else
constexpr int level_ahead = 3;
#endif

// [chunk transposition needs simd stream load_in_order level_ahead]
// Between Width consecutive elements of Words components each, as they lie in memory (vector i = words i*Width .. i*Width+Width-1),
// and lanes (vector w = component w of every element), in registers, for every Words. Even ones: in log2 Width stages, each of which exchanges
// halves of runs of lanes between vectors that are half of all apart (a perfect shuffle; Stone, "Parallel processing with the perfect
// shuffle", IEEE Transactions on Computers 1971): log2 Width * Words instructions. Odd ones: two sweeps over the vectors, after Catanzaro, Keller
// and Garland, "A decomposition for in-place matrix transposition" (PPoPP 2014): a rotation of each lane through the vectors by an
// amount of its own, done bit by bit of the amount with blends, and one permutation within each vector: (1 + log2 min(Words, Width)) * Words
// instructions, rounded up.
template <class T, int Width, int Words, class Rows = std::make_integer_sequence<int, Words>, class Lanes = std::make_integer_sequence<int, Width>>
struct transposition;

template <class T, int Width, int Words, int... Row, int... Lane>
struct transposition<T, Width, Words, std::integer_sequence<int, Row...>, std::integer_sequence<int, Lane...>> {
    using vector = simd<T, Width>;

    template <int... Source>
    FUSEC_DEVICE static vector shuffled(vector a, vector b) { return {__builtin_shufflevector(a.lanes, b.lanes, Source...)}; }

    // Even: runs of 2 * Half lanes, the first or the second half of one of a and then that of one of b.
    template <int Half, bool Second>
    FUSEC_DEVICE static vector halves(vector a, vector b) {
        return shuffled<(Lane / Half % 2 * Width + Lane / (2 * Half) * (2 * Half) + (Second ? Half : 0) + Lane % Half)...>(a, b);
    }
    // A run of 2 * Half lanes has consecutive words of an element and becomes one of two elements, which are Words / 2 vectors apart. Runs of 2 * Least
    // stay as they are.
    template <int Half, int Least = 0>
    FUSEC_DEVICE static void gather_elements(vector (&rows)[Words]) {
        if constexpr (Half > Least) {
            const vector old[] = {rows[Row]...};
            ((rows[Row] = halves<Half, Row % 2>(old[Row / 2], old[Row / 2 + Words / 2])), ...);
            gather_elements<Half / 2, Least>(rows);
        }
    }
    template <int Half>
    FUSEC_DEVICE static void scatter_elements(vector (&rows)[Words]) {
        if constexpr (Half < Width) {
            const vector old[] = {rows[Row]...};
            ((rows[Row] = halves<Half, (Row >= Words / 2)>(old[Row % (Words / 2) * 2], old[Row % (Words / 2) * 2 + 1])), ...);
            scatter_elements<2 * Half>(rows);
        }
    }

    // Odd: where the permutation takes a lane of a row on the way to memory, and where it takes it from.
    static constexpr int target(int row, int lane) { return (lane * Words + row) % Width; }
    static constexpr int source(int row, int lane) {
        int from = 0;
        while (target(row, from) != lane)
            ++from;
        return from;
    }
    // The row that is vector i of memory in the end.
    static constexpr int row_of(int i) { return i * Width % Words; }

    // Each lane of row r comes from row r + Lane (Up) or r - Lane; one step for each bit of what is left of that modulo Words.
    template <bool Up, int Distance = 1>
    FUSEC_DEVICE static void rotate(vector (&rows)[Words]) {
        if constexpr (Distance < Words && Distance < Width) {
            constexpr int step = Up ? Distance : Words - Distance;
            const vector old[] = {rows[Row]...};
            ((rows[Row] = shuffled<(Lane % Words & Distance ? Width + Lane : Lane)...>(old[Row], old[(Row + step) % Words])), ...);
            rotate<Up, 2 * Distance>(rows);
        }
    }
    template <bool ToMemory, int Of>
    FUSEC_DEVICE static vector permuted(vector row) { return shuffled<(ToMemory ? source(Of, Lane) : target(Of, Lane))...>(row, row); }

    FUSEC_DEVICE static void to_memory(vector (&rows)[Words]) {
        if constexpr (Words % 2 == 0) {
            scatter_elements<1>(rows);
        } else {
            ((rows[Row] = permuted<true, Row>(rows[Row])), ...);
            rotate<true>(rows);
            const vector old[] = {rows[Row]...};
            ((rows[Row] = old[row_of(Row)]), ...);
        }
    }
    FUSEC_DEVICE static void to_lanes(vector (&rows)[Words]) {
        if constexpr (Words % 2 == 0) {
            gather_elements<Width / 2>(rows);
        } else {
            const vector old[] = {rows[Row]...};
            ((rows[row_of(Row)] = old[Row]), ...);
            rotate<false>(rows);
            ((rows[Row] = permuted<false, Row>(rows[Row])), ...);
        }
    }

    // The vectors of memory, Stride words apart, and lanes; no loop over them, for compilers decide what lives in registers before they unroll
    // loops of more than a few passes, and leave the arrays of those in memory. Before each load ask(its number).
    template <int Stride, class Ask>
    FUSEC_DEVICE static void load_lanes(const T* memory, vector* lanes, Ask ask) {
        vector rows[] = {(ask(Row), load_in_order<T, Width, Words>(memory + Row * Stride))...};
        to_lanes(rows);
        ((lanes[Row] = rows[Row]), ...);
    }
    // Past the caches Zen 4 is sent the last line of a tile first: plans of ten examples take 0.976 to 0.997 of the time, and it depends less on where
    // lists start in their pages (why is not known; other processors have not been measured so).
    static constexpr bool last_line_first = level_ahead < 3 && Width * sizeof(T) == line_bytes;
    template <bool Streaming, int Stride>
    FUSEC_DEVICE static void store_lanes(T* memory, const vector* lanes) {
        vector rows[] = {lanes[Row]...};
        to_memory(rows);
        if constexpr (Streaming && last_line_first)
            (stream(memory + (Words - 1 - Row) * Stride, rows[Words - 1 - Row]), ...);
        else if constexpr (Streaming)
            (stream(memory + Row * Stride, rows[Row]), ...);
        else
            (store(memory + Row * Stride, rows[Row]), ...);
    }
};

// [chunk prefetch needs device level_ahead]
// Asks for what lies so many words behind `memory`, to read or to write it. There need not be anything: the address is no pointer until
// something is there.
// Compilers move the intrinsic behind the load that it stands before, and asm volatile not behind another one, as load_in_order ends in; its operand
// is an address, of which nothing is read. A test that defines the intrinsic as a macro gets to see what is asked for.
template <int Level = 3, class T>
FUSEC_DEVICE void prefetch(const T* memory, size_t words) {
    const char* ahead = (const char*)((uintptr_t)memory + words * sizeof(T));
#if !defined(__x86_64__) || defined(__builtin_prefetch)
    __builtin_prefetch(ahead, 0, Level);
#else
    if constexpr (Level == 3)
        asm volatile("prefetcht0 %0" : : "m"(*ahead));
    else
        asm volatile("prefetcht1 %0" : : "m"(*ahead));
#endif
}
template <class T>
FUSEC_DEVICE void prefetch_to_write(const T* memory, size_t words) {
    __builtin_prefetch((const void*)((uintptr_t)memory + words * sizeof(T)), 1, 3);
}

// [chunk tile_in_halves needs transposition load_in_order stream prefetch]
// Beyond this, elements are transposed in halves of a tile or in strips of Width components: more vectors than that go through the stack, with
// thirty-two registers as with sixteen.
constexpr int most_words_at_once = 28;

// Elements of up to twice as many components, where a vector is a line: half of the tile's vectors fit the registers. Loads read one half behind the
// other, in the order of memory, and exchange words between them in the last of the shuffle's stages; stores begin with that. The other stages are those
// of a transposition of half as many vectors, whose number has to be even. Of strips the last overlaps the one before, and rows end within lines, but
// where words are a multiple of lanes: rows are lines then, and are stored as they are, with as many instructions.
template <class T, int Width, int Words>
constexpr bool in_halves =
    (Words > most_words_at_once) && (Words <= 2 * most_words_at_once) && Words % 4 == 0 && Width * sizeof(T) == line_bytes;
template <class T, int Width, int Words>
constexpr bool stored_in_halves = in_halves<T, Width, Words> && Words % Width != 0;
// The first half is kept on the stack until the second has come: of doubles that costs more than a strip that overlaps another.
template <class T, int Width, int Words>
constexpr bool loaded_in_halves = in_halves<T, Width, Words> && (sizeof(T) < 8 || Words % Width == 0);

template <class T, int Width, int Words, class Rows = std::make_integer_sequence<int, Words / 2>, class Lanes = std::make_integer_sequence<int, Width>>
struct tile_in_halves;

template <class T, int Width, int Words, int... Row, int... Lane>
struct tile_in_halves<T, Width, Words, std::integer_sequence<int, Row...>, std::integer_sequence<int, Lane...>> {
    using vector = simd<T, Width>;
    static constexpr int rows_of_half = Words / 2;
    using stages = transposition<T, Width, rows_of_half>;

    // Rows of one half have words 2 * Row and 2 * Row + 1 of its elements in turns.
    template <bool Second>
    FUSEC_DEVICE static vector word_of_both(vector first, vector second) {
        return stages::template shuffled<(Lane / (Width / 2) * Width + Lane % (Width / 2) * 2 + Second)...>(first, second);
    }
    template <bool Second>
    FUSEC_DEVICE static vector half_of_words(vector even, vector odd) {
        return stages::template shuffled<(Lane % 2 * Width + Second * (Width / 2) + Lane / 2)...>(even, odd);
    }

    template <class Ask>
    FUSEC_DEVICE static void load_lanes(const T* memory, vector* lanes, Ask ask) {
        vector first[] = {(ask(Row), load_in_order<T, Width, rows_of_half>(memory + Row * Width))...};
        stages::template gather_elements<Width / 2, 1>(first);
        vector second[] = {
            (ask(rows_of_half + Row), load_in_order<T, Width, rows_of_half>(memory + (rows_of_half + Row) * Width))...};
        stages::template gather_elements<Width / 2, 1>(second);
        ((lanes[2 * Row] = word_of_both<0>(first[Row], second[Row]), lanes[2 * Row + 1] = word_of_both<1>(first[Row], second[Row])), ...);
    }
    // Past the caches the last row first: kernels that write 36 doubles take 0.87 of the time so, of 36 floats 0.94 (Zen 4; why is not known).
    template <bool Streaming, bool Second>
    FUSEC_DEVICE static void store_half(T* memory, const vector* lanes) {
        vector rows[] = {half_of_words<Second>(lanes[2 * Row], lanes[2 * Row + 1])...};
        stages::template scatter_elements<2>(rows);
        if constexpr (Streaming)
            (stream(memory + (rows_of_half - 1 - Row) * Width, rows[rows_of_half - 1 - Row]), ...);
        else
            (store(memory + Row * Width, rows[Row]), ...);
    }
    template <bool Streaming>
    FUSEC_DEVICE static void store_lanes(T* memory, const vector* lanes) {
        store_half<Streaming, 0>(memory, lanes);
        store_half<Streaming, 1>(memory + rows_of_half * Width, lanes);
    }
};

// [chunk load_transposed needs transposition tile_in_halves stream prefetch]
// Of tiles that take more than this, where lines are asked for into the second level, what is near is asked for into the first.
constexpr size_t short_tile_bytes = 1024;

// Asks for nothing, or before the load of a line for the line in its place so many tiles ahead of `memory`. In one burst before all loads, or each
// after the load, lines that are asked for hold up the loads (Zen 5: kernels took 1.1 times as long in the mean, up to 1.6 times). Where loads are not in
// order (load_in_order), what is asked for is all the same.
template <class T, int Width, int Words, int Ahead>
struct tile_ahead {
    const T* memory;
    FUSEC_DEVICE void operator()(int row) const {
        constexpr int tile = Width * Words, line = line_bytes / sizeof(T);
        if (Ahead > 0 && row * Width % line == 0) {
            prefetch<level_ahead>(memory, Ahead * tile + row * Width);
            if constexpr (level_ahead < 3 && Ahead > 1 && tile * sizeof(T) > short_tile_bytes)
                prefetch(memory, tile + row * Width);
        }
    }
};

// The same of strips of Width components, numbered from `memory` on, which starts a tile: lines of the tile some 8 KiB ahead, one behind the other,
// as many before the loads of each strip, and where the last strip overlaps the one before, some of the tile behind. In the order of the strips,
// which take a line of each element in turn, memory was a fifth slower (Zen 5; sums of 12x12 doubles a tenth faster). What is near is the next strip but one, of strips narrower than a line the first in each.
template <class T, int Width, int Words, bool Asks>
struct strip_ahead {
    const T* memory;
    int number;
    static constexpr int tile = Width * Words, line = line_bytes / sizeof(T), strips = (Words + Width - 1) / Width;
    FUSEC_DEVICE void ask_for_line(int element) const {
        constexpr int bytes = tile * sizeof(T), ahead = (8192 + bytes - 1) / bytes, each = line > Width ? line / Width : 1; // one of so many loads asks
        if ((number * Width + element) % each == 0)
            prefetch<level_ahead>(memory, ahead * tile + (number * Width + element) / each * line);
    }
    FUSEC_DEVICE void ask_for_strip(int element) const {
        const int later = number + 2, strip = later % strips * Width;
        if (Width >= line || strip % line == 0)
            prefetch(memory, (later / strips * Width + element) * Words + strip);
    }
    FUSEC_DEVICE void operator()(int element) const {
        if constexpr (Asks)
            ask_for_line(element);
        if constexpr (Asks && level_ahead < 3)
            ask_for_strip(element);
    }
};

// Component w of Width elements into lanes[w]; element e starts at memory + e * Words. What lies `Ahead` tiles of the list behind them is asked
// for, or of long elements those that begin 8 KiB on or a little more; 0: nothing. Processors follow a list by themselves only as long as
// they get to its loads early enough, and the arithmetic of a tile is in the way. What was asked for into the second level is asked for into the
// first when it is near: a strip when it is the next but one, the next tile where it is more than 1 KiB. Halves of tiles that are asked for so take
// longer than strips (Zen 4: a negation of 36 floats 10.2 ns and 8.3). The list may end before; asking for what is not there
// does no harm.
template <int Ahead, class T, int Width, int Words>
FUSEC_DEVICE void load_transposed(const T* memory, simd<T, Width> (&lanes)[Words]) {
    if constexpr (Words <= most_words_at_once) {
        transposition<T, Width, Words>::template load_lanes<Width>(memory, lanes, tile_ahead<T, Width, Words, Ahead>{memory});
    } else if constexpr (loaded_in_halves<T, Width, Words> && (Ahead == 0 || level_ahead == 3)) {
        tile_in_halves<T, Width, Words>::load_lanes(memory, lanes, tile_ahead<T, Width, Words, Ahead>{memory});
    } else {
        constexpr int strips = (Words + Width - 1) / Width;
        for (int s = 0; s < strips; ++s) {
            const int strip = s < strips - 1 ? s * Width : Words - Width; // the last one overlaps the one before
            const strip_ahead<T, Width, Words, (Ahead > 0)> ask{memory, s};
            transposition<T, Width, Width>::template load_lanes<Words>(memory + strip, lanes + strip, ask);
        }
    }
}

// [chunk store_transposed needs transposition stream load_transposed]
// Rows of strips start anywhere, and one that is stored across the end of a page holds up a processor for some hundred clocks: kernels that wrote 36
// floats in strips took 9.5 ns an element or up to 12.9, by where their stack was (Zen 4).
constexpr int page_bytes = 4096;

// The inverse of load_transposed. Streaming needs can_stream(memory). An ordinary store reads its line first: what will be written `Ahead` tiles
// on is asked for.
template <bool Streaming, int Ahead, class T, int Width, int Words>
FUSEC_DEVICE void store_transposed(T* memory, const simd<T, Width> (&lanes)[Words]) {
    constexpr int tile = Width * Words;
    constexpr bool rows_are_lines = Words % Width == 0 && Width * sizeof(T) == line_bytes; // of strips
    if constexpr (!Streaming && Ahead > 0) {
        constexpr int line = line_bytes / sizeof(T);
#pragma GCC unroll 32
        for (int word = 0; word < tile; word += line)
            prefetch_to_write(memory, Ahead * tile + word);
    }
    if constexpr (Words <= most_words_at_once) {
        transposition<T, Width, Words>::template store_lanes<Streaming, Width>(memory, lanes);
    } else if constexpr (stored_in_halves<T, Width, Words>) {
        tile_in_halves<T, Width, Words>::template store_lanes<Streaming>(memory, lanes);
    } else if constexpr (Streaming && !rows_are_lines) {
        constexpr int all = vector_bytes / sizeof(T),
                      whole = tile % all == 0 ? all : Width; // words of a register, if lanes fill half of one
        alignas(page_bytes) T staged[tile];
        store_transposed<false, 0>(staged, lanes);
        for (int word = 0; word < tile; word += whole)
            stream(memory + word, load<T, whole>(staged + word));
    } else {
        for (int first = 0; first < Words; first += Width) {
            const int strip = first < Words - Width ? first : Words - Width;
            transposition<T, Width, Width>::template store_lanes<Streaming, Words>(memory + strip, lanes + strip);
        }
    }
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
