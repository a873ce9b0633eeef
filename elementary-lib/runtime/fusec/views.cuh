// SPDX-License-Identifier: Apache-2.0
// Views: where the components of an operand live. Device sources are written over views only, so one text serves every placement,
// precision and the SIMD host. Every view has value_type, rows, columns, and a(i, k) for matrices, v(i) for vectors, s() for scalars.
//
// A `// [chunk NAME needs A B]` line starts a piece that the compiler embeds into generated files together with what it needs.
#pragma once

namespace fusec {

// [chunk device]
// FUSEC_UNROLL: the loop must be unrolled, or the registers that it indexes would become local memory.
#ifdef __CUDACC__
#define FUSEC_DEVICE __device__ __forceinline__
#define FUSEC_UNROLL _Pragma("unroll")
#else
#define FUSEC_DEVICE inline
#define FUSEC_UNROLL
#endif

// [chunk lane]
// One of the Threads threads that share an instance.
template <int Threads>
struct lane {
    static constexpr int count = Threads;
    int index;
};

// [chunk registers needs device]
// All components in the registers of one thread (or in the SIMD lanes of one).
template <class T, int Rows, int Columns>
struct registers {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    T data[Rows * Columns];
    FUSEC_DEVICE T operator()(int i, int j) const { return data[i * Columns + j]; }
    FUSEC_DEVICE T& operator()(int i, int j) { return data[i * Columns + j]; }
    FUSEC_DEVICE T operator()(int i) const { return data[i]; }
    FUSEC_DEVICE T& operator()(int i) { return data[i]; }
    FUSEC_DEVICE T operator()() const { return data[0]; }
    FUSEC_DEVICE T& operator()() { return data[0]; }
};

// [chunk row_registers needs device]
// Thread i holds row i of a matrix.
template <class T, int Rows, int Columns>
struct row_registers {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    T data[Columns];
    FUSEC_DEVICE T operator()(int, int j) const { return data[j]; }
    FUSEC_DEVICE T& operator()(int, int j) { return data[j]; }
};

// [chunk column_registers needs device]
// Thread j holds column j of a matrix.
template <class T, int Rows, int Columns>
struct column_registers {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    T data[Rows];
    FUSEC_DEVICE T operator()(int i, int) const { return data[i]; }
    FUSEC_DEVICE T& operator()(int i, int) { return data[i]; }
};

// [chunk entry_registers needs device]
// Thread t holds component t, row-major.
template <class T, int Rows, int Columns>
struct entry_registers {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    T data;
    FUSEC_DEVICE T operator()(int, int) const { return data; }
    FUSEC_DEVICE T& operator()(int, int) { return data; }
    FUSEC_DEVICE T operator()(int) const { return data; }
    FUSEC_DEVICE T& operator()(int) { return data; }
};

// [chunk rows_registers needs device]
// Thread i holds the block of rows i*R .. i*R+R-1, R = Rows / Threads; `first` is the first of them.
template <class T, int Rows, int Columns, int Threads>
struct rows_registers {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    int first;
    T data[Rows / Threads * Columns];
    FUSEC_DEVICE T operator()(int i, int j) const { return data[(i - first) * Columns + j]; }
    FUSEC_DEVICE T& operator()(int i, int j) { return data[(i - first) * Columns + j]; }
    FUSEC_DEVICE T operator()(int i) const { return data[i - first]; }
    FUSEC_DEVICE T& operator()(int i) { return data[i - first]; }
};

// [chunk memory_view needs device]
// Components in memory, row-major from `data`: global memory, a shared tile (Pointer may be an emulated shared pointer), a table.
template <class T, int Rows, int Columns, class Pointer>
struct memory_view {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    Pointer data;
    FUSEC_DEVICE T operator()(int i, int j) const { return data[i * Columns + j]; }
    FUSEC_DEVICE decltype(auto) operator()(int i, int j) { return data[i * Columns + j]; }
    FUSEC_DEVICE T operator()(int i) const { return data[i]; }
    FUSEC_DEVICE decltype(auto) operator()(int i) { return data[i]; }
    FUSEC_DEVICE T operator()() const { return data[0]; }
    FUSEC_DEVICE decltype(auto) operator()() { return data[0]; }
};

// [chunk view needs memory_view]
template <class T, int Rows, int Columns, class Pointer>
FUSEC_DEVICE memory_view<T, Rows, Columns, Pointer> view(Pointer data) {
    return {data};
}

// [chunk end]
} // namespace fusec
