// SPDX-License-Identifier: Apache-2.0
// Lists that are stored in another precision than their values have, on the host: a tile's words are converted between the list and a
// tile of the values' type, which goes into lanes and comes from them as any other. T is the type of the values, S that of the list.
#pragma once

#include "host.hpp"

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fusec {

// [chunk convert_words needs device]
template <class T, class S>
FUSEC_DEVICE void convert_words(T* to, const S* from, size_t words) {
    for (size_t i = 0; i < words; ++i)
        to[i] = static_cast<T>(from[i]);
}

// [chunk load_converted_tile needs registers lanes_of whole_tile last_tile load_some convert_words]
template <int Rows, int Columns, class T, bool Streaming, class S>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_converted_tile(whole_tile<T, Streaming> tile, const S* list) {
    T words[lanes_of<T>::width * Rows * Columns];
    convert_words(words, list + tile.first * (Rows * Columns), (size_t)lanes_of<T>::width * (Rows * Columns));
    registers<lanes_of<T>, Rows, Columns> value;
    load_transposed<false>(words, value.data);
    return value;
}
template <int Rows, int Columns, class T, class S>
FUSEC_DEVICE registers<lanes_of<T>, Rows, Columns> load_converted_tile(last_tile<T> tile, const S* list) {
    T words[lanes_of<T>::width * Rows * Columns];
    convert_words(words, list + tile.first * (Rows * Columns), (size_t)tile.count * (Rows * Columns));
    registers<lanes_of<T>, Rows, Columns> value;
    load_some(words, value.data, tile.count);
    return value;
}

// [chunk store_converted_tile needs registers lanes_of whole_tile last_tile store_some convert_words]
template <class T, bool Streaming, class S, int Rows, int Columns>
FUSEC_DEVICE void store_converted_tile(whole_tile<T, Streaming> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    T words[lanes_of<T>::width * Rows * Columns];
    store_transposed<false>(words, value.data);
    convert_words(list + tile.first * (Rows * Columns), words, (size_t)lanes_of<T>::width * (Rows * Columns));
}
template <class T, class S, int Rows, int Columns>
FUSEC_DEVICE void store_converted_tile(last_tile<T> tile, S* list, const registers<lanes_of<T>, Rows, Columns>& value) {
    T words[lanes_of<T>::width * Rows * Columns];
    store_transposed<false>(words, value.data);
    convert_words(list + tile.first * (Rows * Columns), words, (size_t)tile.count * (Rows * Columns));
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
