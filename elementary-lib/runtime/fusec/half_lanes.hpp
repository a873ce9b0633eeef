// SPDX-License-Identifier: Apache-2.0
// Floats in a kernel that has doubles too, on the host: a tile has as many elements as a SIMD register has doubles, and floats of them lie
// in half a register, so that an element is the same lane of everything. Beside what host.hpp and convert_lanes.hpp have for whole registers.
//
// Embedded text needs <stddef.h>.
#pragma once

#include "checks.hpp"
#include "convert_lanes.hpp"
#include "precision.cuh"

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fusec {

// [chunk half_lanes needs lanes_of]
// One component of the elements of a tile.
using half_lanes = simd<float, lanes_of<double>::width>;

// [chunk simd_to_float needs half_lanes]
FUSEC_DEVICE half_lanes to_float(lanes_of<double> x) {
    return {__builtin_convertvector(x.lanes, half_lanes::vector)};
}

// [chunk simd_to_double needs half_lanes]
FUSEC_DEVICE lanes_of<double> to_double(half_lanes x) {
    return {__builtin_convertvector(x.lanes, lanes_of<double>::vector)};
}

// [chunk broadcast_half needs half_lanes]
// A uniform or a table: every lane sees the same components, row-major from `data`.
template <int Rows, int Columns>
struct broadcast_half_view {
    using value_type = half_lanes;
    static constexpr int rows = Rows, columns = Columns;
    const float* data;
    FUSEC_DEVICE value_type operator()(int i, int j) const { return data[i * Columns + j]; }
    FUSEC_DEVICE value_type operator()(int i) const { return data[i]; }
    FUSEC_DEVICE value_type operator()() const { return data[0]; }
};
template <int Rows, int Columns>
FUSEC_DEVICE broadcast_half_view<Rows, Columns> broadcast_half(const float* data) {
    return {data};
}

// [chunk load_half_tile needs registers half_lanes whole_tile last_tile load_some]
// The tile's elements of a list, in half registers.
template <int Rows, int Columns, bool Streaming, int Ahead>
FUSEC_DEVICE registers<half_lanes, Rows, Columns> load_half_tile(whole_tile<double, Streaming, Ahead> tile, const float* list) {
    registers<half_lanes, Rows, Columns> value;
    load_transposed<Ahead>(list + tile.first * (Rows * Columns), value.data);
    return value;
}
template <int Rows, int Columns>
FUSEC_DEVICE registers<half_lanes, Rows, Columns> load_half_tile(last_tile<double> tile, const float* list) {
    registers<half_lanes, Rows, Columns> value;
    load_some(list + tile.first * (Rows * Columns), value.data, tile.count);
    return value;
}

// [chunk store_half_tile needs registers half_lanes whole_tile last_tile store_some]
template <bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void store_half_tile(whole_tile<double, Streaming, Ahead> tile, float* list, const registers<half_lanes, Rows, Columns>& value) {
    store_transposed<false, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <int Rows, int Columns>
FUSEC_DEVICE void store_half_tile(last_tile<double> tile, float* list, const registers<half_lanes, Rows, Columns>& value) {
    store_some(list + tile.first * (Rows * Columns), value.data, tile.count);
}

// [chunk stream_half_tile needs store_half_tile]
// Past the caches where the tile says so.
template <bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void stream_half_tile(whole_tile<double, Streaming, Ahead> tile, float* list, const registers<half_lanes, Rows, Columns>& value) {
    store_transposed<Streaming, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <int Rows, int Columns>
FUSEC_DEVICE void stream_half_tile(last_tile<double> tile, float* list, const registers<half_lanes, Rows, Columns>& value) {
    store_half_tile(tile, list, value);
}

// [chunk load_converted_half_tile needs registers half_lanes whole_tile last_tile load_some load_and_convert]
// Of a list of doubles whose values are floats.
template <int Rows, int Columns, bool Streaming, int Ahead>
FUSEC_DEVICE registers<half_lanes, Rows, Columns> load_converted_half_tile(whole_tile<double, Streaming, Ahead> tile, const double* list) {
    registers<half_lanes, Rows, Columns> value;
    load_and_convert<Ahead>(list + tile.first * (Rows * Columns), value.data);
    return value;
}
template <int Rows, int Columns>
FUSEC_DEVICE registers<half_lanes, Rows, Columns> load_converted_half_tile(last_tile<double> tile, const double* list) {
    double words[half_lanes::width * Rows * Columns];
    registers<half_lanes, Rows, Columns> value;
    pad_some<half_lanes::width, Rows * Columns>(words, list + tile.first * (Rows * Columns), tile.count);
    load_and_convert<0>(words, value.data);
    return value;
}

// [chunk store_converted_half_tile needs registers half_lanes whole_tile last_tile convert_and_store]
template <bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void store_converted_half_tile(
    whole_tile<double, Streaming, Ahead> tile, double* list, const registers<half_lanes, Rows, Columns>& value) {
    convert_and_store<false, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <int Rows, int Columns>
FUSEC_DEVICE void store_converted_half_tile(last_tile<double> tile, double* list, const registers<half_lanes, Rows, Columns>& value) {
    double words[half_lanes::width * Rows * Columns];
    convert_and_store<false, 0>(words, value.data);
    memcpy(list + tile.first * (Rows * Columns), words, (size_t)tile.count * (Rows * Columns) * sizeof(double));
}

// [chunk stream_converted_half_tile needs store_converted_half_tile]
// Past the caches where the tile says so.
template <bool Streaming, int Ahead, int Rows, int Columns>
FUSEC_DEVICE void stream_converted_half_tile(
    whole_tile<double, Streaming, Ahead> tile, double* list, const registers<half_lanes, Rows, Columns>& value) {
    convert_and_store<Streaming, Ahead>(list + tile.first * (Rows * Columns), value.data);
}
template <int Rows, int Columns>
FUSEC_DEVICE void stream_converted_half_tile(last_tile<double> tile, double* list, const registers<half_lanes, Rows, Columns>& value) {
    store_converted_half_tile(tile, list, value);
}

// [chunk report_half_tile needs registers half_lanes whole_tile last_tile report_lanes]
// The flag is 0 in the elements of the tile in which the check holds, else 1.
template <bool Streaming, int Ahead>
FUSEC_DEVICE void report_half_tile(
    whole_tile<double, Streaming, Ahead> tile, unsigned long long* failure, const registers<half_lanes, 1, 1>& flag, unsigned check) {
    report_lanes(failure, flag.data[0], tile.first, half_lanes::width, check);
}
FUSEC_DEVICE void report_half_tile(
    last_tile<double> tile, unsigned long long* failure, const registers<half_lanes, 1, 1>& flag, unsigned check) {
    report_lanes(failure, flag.data[0], tile.first, tile.count, check);
}

// [chunk end]
} // namespace fusec

#pragma GCC diagnostic pop
