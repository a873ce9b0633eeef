// SPDX-License-Identifier: Apache-2.0
// Lists that are stored in another precision than their values have (`store float`): what reads and writes them a component at a time
// converts. T is the type of the values, S that of the list.
#pragma once

#include "memory.cuh"
#include "views.cuh"

namespace fusec {

// [chunk converted needs device]
// The components of a list that is read.
template <class T, class S>
struct converted_list {
    const S* data;
    template <class Index>
    FUSEC_DEVICE T operator[](Index i) const { return static_cast<T>(data[i]); }
};
template <class T, class S>
FUSEC_DEVICE converted_list<T, S> converted(const S* data) {
    return {data};
}

// [chunk converting needs device]
// The components of a list that is written.
template <class T, class S>
struct converting_word {
    S& word;
    FUSEC_DEVICE void operator=(T value) const { word = static_cast<S>(value); }
};
template <class T, class S>
struct converting_list {
    S* data;
    template <class Index>
    FUSEC_DEVICE converting_word<T, S> operator[](Index i) const { return {data[i]}; }
};
template <class T, class S>
FUSEC_DEVICE converting_list<T, S> converting(S* data) {
    return {data};
}

// [chunk load_converted needs device converted]
// List to tile, as load_tile_words.
template <unsigned Threads, unsigned Words, class To, class T, class S>
FUSEC_DEVICE To load_converted(To to, converted_list<T, S> from, unsigned count) {
    for (unsigned start = threadIdx.x; start < count * Words; start += 4 * Threads) {
        S batch[4] = {};
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads; i < count * Words)
                batch[k] = from.data[i];
        for (unsigned k = 0; k < 4; ++k)
            if (const unsigned i = start + k * Threads; i < count * Words)
                *(to + i) = static_cast<T>(batch[k]);
    }
    return to;
}

// [chunk store_converted needs device converting]
// Tile to list.
template <unsigned Threads, unsigned Words, class From, class T, class S>
FUSEC_DEVICE void store_converted(converting_list<T, S> to, From from, unsigned count) {
    for (unsigned i = threadIdx.x; i < count * Words; i += Threads)
        to[i] = *(from + i);
}

// [chunk end]
} // namespace fusec
