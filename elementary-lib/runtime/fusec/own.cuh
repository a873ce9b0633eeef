// SPDX-License-Identifier: Apache-2.0
// Direct accesses: each thread reads or writes the components it owns of one element, straight between the list and its registers.
// `from` and `to` point at the element, in a list of the same precision or in one that is converted (convert.cuh).
#pragma once

#include "memory.cuh"
#include "views.cuh"

#include <type_traits>

namespace fusec {

// [chunk load_all needs device registers]
template <class T, int Rows, int Columns, class From>
FUSEC_DEVICE registers<T, Rows, Columns> load_all(From from) {
    registers<T, Rows, Columns> value;
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows * Columns; ++k)
        value.data[k] = from[k];
    return value;
}

// [chunk load_vectors needs device registers vector_pointer]
// 16 or 8 bytes per access, or one component. Pre: the element's size and `from` are multiples of Bytes.
template <int Bytes, class T, int Rows, int Columns>
FUSEC_DEVICE registers<T, Rows, Columns> load_vectors(const T* from) {
    using vector = std::conditional_t<Bytes == sizeof(T), T, std::conditional_t<std::is_same_v<T, double>, double2, std::conditional_t<Bytes == 16, float4, float2>>>;
    registers<T, Rows, Columns> value;
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows * Columns * static_cast<int>(sizeof(T)) / Bytes; ++k) {
        const vector loaded = vector_pointer<const vector>(from)[k];
        const T* const components = reinterpret_cast<const T*>(&loaded);
        FUSEC_UNROLL_SHORT for (int j = 0; j < Bytes / static_cast<int>(sizeof(T)); ++j)
            value.data[k * Bytes / static_cast<int>(sizeof(T)) + j] = components[j];
    }
    return value;
}

// [chunk load_row needs device row_registers]
template <class T, int Rows, int Columns, class From>
FUSEC_DEVICE row_registers<T, Rows, Columns> load_row(From from, int lane) {
    row_registers<T, Rows, Columns> value;
    FUSEC_UNROLL_SHORT for (int j = 0; j < Columns; ++j)
        value.data[j] = from[lane * Columns + j];
    return value;
}

// [chunk load_column needs device column_registers]
template <class T, int Rows, int Columns, class From>
FUSEC_DEVICE column_registers<T, Rows, Columns> load_column(From from, int lane) {
    column_registers<T, Rows, Columns> value;
    FUSEC_UNROLL_SHORT for (int i = 0; i < Rows; ++i)
        value.data[i] = from[i * Columns + lane];
    return value;
}

// [chunk load_entry needs device entry_registers]
template <class T, int Rows, int Columns, class From>
FUSEC_DEVICE entry_registers<T, Rows, Columns> load_entry(From from, int lane) {
    return {from[lane]};
}

// [chunk load_rows needs device rows_registers]
template <class T, int Rows, int Columns, int Threads, class From>
FUSEC_DEVICE rows_registers<T, Rows, Columns, Threads> load_rows(From from, int lane) {
    rows_registers<T, Rows, Columns, Threads> value;
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows / Threads * Columns; ++k)
        value.data[k] = from[lane * (Rows / Threads) * Columns + k];
    return value;
}

// [chunk store_all needs device registers]
template <class To, class T, int Rows, int Columns>
FUSEC_DEVICE void store_all(To to, const registers<T, Rows, Columns>& value) {
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows * Columns; ++k)
        to[k] = value.data[k];
}

// [chunk store_vectors needs device registers vector_pointer]
// As load_vectors.
template <int Bytes, class T, int Rows, int Columns>
FUSEC_DEVICE void store_vectors(T* to, const registers<T, Rows, Columns>& value) {
    using vector = std::conditional_t<Bytes == sizeof(T), T, std::conditional_t<std::is_same_v<T, double>, double2, std::conditional_t<Bytes == 16, float4, float2>>>;
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows * Columns * static_cast<int>(sizeof(T)) / Bytes; ++k) {
        vector stored;
        T* const components = reinterpret_cast<T*>(&stored);
        FUSEC_UNROLL_SHORT for (int j = 0; j < Bytes / static_cast<int>(sizeof(T)); ++j)
            components[j] = value.data[k * Bytes / static_cast<int>(sizeof(T)) + j];
        vector_pointer<vector>(to)[k] = stored;
    }
}

// [chunk store_row needs device row_registers]
template <class To, class T, int Rows, int Columns>
FUSEC_DEVICE void store_row(To to, const row_registers<T, Rows, Columns>& value, int lane) {
    FUSEC_UNROLL_SHORT for (int j = 0; j < Columns; ++j)
        to[lane * Columns + j] = value.data[j];
}

// [chunk store_column needs device column_registers]
template <class To, class T, int Rows, int Columns>
FUSEC_DEVICE void store_column(To to, const column_registers<T, Rows, Columns>& value, int lane) {
    FUSEC_UNROLL_SHORT for (int i = 0; i < Rows; ++i)
        to[i * Columns + lane] = value.data[i];
}

// [chunk store_entry needs device entry_registers]
template <class To, class T, int Rows, int Columns>
FUSEC_DEVICE void store_entry(To to, const entry_registers<T, Rows, Columns>& value, int lane) {
    to[lane] = value.data;
}

// [chunk store_rows needs device rows_registers]
template <class To, class T, int Rows, int Columns, int Threads>
FUSEC_DEVICE void store_rows(To to, const rows_registers<T, Rows, Columns, Threads>& value, int lane) {
    FUSEC_UNROLL_SHORT for (int k = 0; k < Rows / Threads * Columns; ++k)
        to[lane * (Rows / Threads) * Columns + k] = value.data[k];
}

// [chunk end]
} // namespace fusec
