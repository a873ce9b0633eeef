// SPDX-License-Identifier: Apache-2.0
// Lists that are stored in another precision than their values have, on the host: their words go into lanes, and come from them, as those of
// any other list, in lanes of the list's precision; the values are converted in registers. T is the type of the values, S that of the list.
#pragma once

#include "host.hpp"

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fusec {

// [chunk converted_lanes needs simd vector_bytes]
// A register of doubles in one instruction: g++ converts halves of the floats, and joins them.
#ifdef __AVX__
FUSEC_DEVICE simd<double, 4> doubles_of(simd<float, 4> x) {
    return {_mm256_cvtps_pd(x.lanes)};
}
#endif
#ifdef __AVX512F__
FUSEC_DEVICE simd<double, 8> doubles_of(simd<float, 8> x) {
    return {_mm512_maskz_cvtps_pd(static_cast<__mmask8>(-1), x.lanes)};
}
#endif
// The lanes of a vector as those of another precision, rounded to nearest.
template <class T, class S, int Width>
FUSEC_DEVICE simd<T, Width> converted_lanes(simd<S, Width> x) {
    if constexpr (vector_bytes > 16 && sizeof(T) > sizeof(S) && Width * sizeof(T) == vector_bytes)
        return doubles_of(x);
    else
        return {__builtin_convertvector(x.lanes, typename simd<T, Width>::vector)};
}

// Half of the lanes at a time, where all of them would be two registers of the list's precision.
template <class S, int Width>
constexpr int lanes_at_once = Width * (int)sizeof(S) <= vector_bytes ? Width : vector_bytes / (int)sizeof(S);

template <class T, int Half, int... Lane>
FUSEC_DEVICE simd<T, 2 * Half> joined(simd<T, Half> low, simd<T, Half> high, std::integer_sequence<int, Lane...>) {
    return {__builtin_shufflevector(low.lanes, high.lanes, Lane...)};
}
template <bool High, class T, int Width, int... Lane>
FUSEC_DEVICE simd<T, Width / 2> half_of(simd<T, Width> x, std::integer_sequence<int, Lane...>) {
    return {__builtin_shufflevector(x.lanes, x.lanes, (High ? Width / 2 + Lane : Lane)...)};
}

// [chunk load_and_convert needs converted_lanes load_transposed]
// As load_transposed.
template <int Ahead, class S, class T, int Width, int Words>
FUSEC_DEVICE void load_and_convert(const S* memory, simd<T, Width> (&lanes)[Words]) {
    constexpr int some = lanes_at_once<S, Width>, parts = Width / some, ahead = parts * Ahead;
    simd<S, some> stored[parts][Words];
    for (int part = 0; part < parts; ++part)
        load_transposed<ahead>(memory + part * some * Words, stored[part]);
    for (int w = 0; w < Words; ++w) {
        if constexpr (some == Width)
            lanes[w] = converted_lanes<T>(stored[0][w]);
        else
            lanes[w] = joined(converted_lanes<T>(stored[0][w]), converted_lanes<T>(stored[1][w]), std::make_integer_sequence<int, Width>());
    }
}

// [chunk convert_and_store needs converted_lanes store_transposed]
// As store_transposed.
template <bool Streaming, int Ahead, class S, class T, int Width, int Words>
FUSEC_DEVICE void convert_and_store(S* memory, const simd<T, Width> (&lanes)[Words]) {
    constexpr int some = lanes_at_once<S, Width>, parts = Width / some, ahead = parts * Ahead;
    simd<S, some> stored[parts][Words];
    for (int w = 0; w < Words; ++w) {
        if constexpr (some == Width) {
            stored[0][w] = converted_lanes<S>(lanes[w]);
        } else {
            stored[0][w] = converted_lanes<S>(half_of<false>(lanes[w], std::make_integer_sequence<int, some>()));
            stored[1][w] = converted_lanes<S>(half_of<true>(lanes[w], std::make_integer_sequence<int, some>()));
        }
    }
    for (int part = 0; part < parts; ++part)
        store_transposed<Streaming, ahead>(memory + part * some * Words, stored[part]);
}

// [chunk load_converted_tile needs registers lanes_of whole_tile last_tile load_some load_and_convert]
template <int Rows, int Columns, class T, bool Streaming, int Ahead, class S>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_converted_tile(whole_tile<T, Streaming, Ahead> tile, const S* list) {
    registers<lanes_of<T>, Rows, Columns> value;
    load_and_convert<Ahead>(list + tile.first * (Rows * Columns), value.data);
    return value;
}
template <int Rows, int Columns, class T, class S>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_converted_tile(last_tile<T> tile, const S* list) {
    S words[lanes_of<T>::width * Rows * Columns];
    registers<lanes_of<T>, Rows, Columns> value;
    pad_some<lanes_of<T>::width, Rows * Columns>(words, list + tile.first * (Rows * Columns), tile.count);
    load_and_convert<0>(words, value.data);
    return value;
}

// [chunk store_converted_tile needs registers lanes_of whole_tile last_tile convert_and_store]
template <class T, bool Streaming, int Ahead, class S, int Rows, int Columns>
FUSEC_DEVICE void store_converted_tile(whole_tile<T, Streaming, Ahead> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    convert_and_store<false, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <class T, class S, int Rows, int Columns>
FUSEC_DEVICE void store_converted_tile(last_tile<T> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    S words[lanes_of<T>::width * Rows * Columns];
    convert_and_store<false, 0>(words, value.data);
    memcpy(list + tile.first * (Rows * Columns), words, (size_t)tile.count * (Rows * Columns) * sizeof(S));
}

// [chunk stream_converted_tile needs store_converted_tile]
// Past the caches where the tile says so.
template <class T, bool Streaming, int Ahead, class S, int Rows, int Columns>
FUSEC_DEVICE void stream_converted_tile(whole_tile<T, Streaming, Ahead> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    convert_and_store<Streaming, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <class T, class S, int Rows, int Columns>
FUSEC_DEVICE void stream_converted_tile(last_tile<T> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    store_converted_tile(tile, list, value);
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
