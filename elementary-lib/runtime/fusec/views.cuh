// SPDX-License-Identifier: Apache-2.0
// Views: where the components of an operand live. Device sources are written over views only, so one text serves every placement,
// precision and the SIMD host. Every view has value_type, rows, columns, and a(i, k) for matrices, v(i) for vectors, s() for scalars:
// a vector is a matrix of one column.
//
// A `// [chunk NAME needs A B]` line starts a piece that the compiler embeds into generated files together with what it needs.
#pragma once

// g++ takes the bounds of arrays in templates, which are of type int, for conversions at run time.
#ifndef __CUDACC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

namespace fusec {

// [chunk device]
// FUSEC_UNROLL: the loop must be unrolled, or the registers that it indexes would become local memory. FUSEC_UNROLL_SHORT, of a loop over
// all components of an operand: only where they can be in registers. 255 is the most that a thread has; nvcc takes seconds for thousands.
#ifdef __CUDACC__
#define FUSEC_DEVICE __device__ __forceinline__
#define FUSEC_UNROLL _Pragma("unroll")
#define FUSEC_UNROLL_SHORT _Pragma("unroll 256")
#else
#define FUSEC_DEVICE __attribute__((always_inline)) inline
#define FUSEC_UNROLL
#define FUSEC_UNROLL_SHORT
#endif

// [chunk lane]
// One of the Threads threads that share an instance.
template <int Threads>
struct lane {
    static constexpr int count = Threads;
    int index;
};

// [chunk memory_view needs device]
// All components, row-major in `data`: a pointer to global memory, to a shared tile (emulated: not a T*) or to a table, or an array.
template <class T, int Rows, int Columns, class Data>
struct memory_view {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    Data data;
    FUSEC_DEVICE T operator()(int i = 0, int j = 0) const { return data[i * Columns + j]; }
    FUSEC_DEVICE decltype(auto) operator()(int i = 0, int j = 0) { return data[i * Columns + j]; }
};

// [chunk view needs memory_view]
template <class T, int Rows, int Columns, class Pointer>
FUSEC_DEVICE memory_view<T, Rows, Columns, Pointer> view(Pointer data) {
    return {data};
}

// [chunk pitched needs device]
// All components in a tile whose rows start Pitch words apart.
template <class T, int Rows, int Columns, int Pitch, class Data>
struct pitched_view {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    Data data;
    FUSEC_DEVICE T operator()(int i, int j) const { return data[i * Pitch + j]; }
    FUSEC_DEVICE decltype(auto) operator()(int i, int j) { return data[i * Pitch + j]; }
};
template <class T, int Rows, int Columns, int Pitch, class Pointer>
FUSEC_DEVICE pitched_view<T, Rows, Columns, Pitch, Pointer> pitched(Pointer data) {
    return {data};
}

// [chunk registers needs memory_view]
// All components in the registers of one thread (or in the SIMD lanes of one).
template <class T, int Rows, int Columns>
using registers = memory_view<T, Rows, Columns, T[Rows * Columns]>;

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
    FUSEC_DEVICE T operator()(int, int = 0) const { return data; }
    FUSEC_DEVICE T& operator()(int, int = 0) { return data; }
};

// [chunk rows_registers needs device]
// Thread i holds the block of rows i*R .. i*R+R-1, R = Rows / Threads.
template <class T, int Rows, int Columns, int Threads>
struct rows_registers {
    T data[Rows / Threads * Columns];
};

// [chunk own_row needs device]
// Row first + r of a thread whose rows start at `first`. Registers are indexed by r, which is constant in unrolled loops: that first + r - first
// is r, compilers may see too late to keep an array in registers.
struct own_row {
    int first, r;
    FUSEC_DEVICE operator int() const { return first + r; }
    FUSEC_DEVICE own_row operator+(int rows) const { return {first, r + rows}; }
};

// [chunk rows_of needs device rows_registers own_row]
// Their view, beside them: were `first` among the words, compilers would read it from memory in long routines (what lies between might write
// it, for all they know).
template <class T, int Rows, int Columns>
struct rows_view {
    using value_type = T;
    static constexpr int rows = Rows, columns = Columns;
    int first;
    T* data;
    FUSEC_DEVICE T operator()(own_row i, int j = 0) const { return data[i.r * Columns + j]; }
    FUSEC_DEVICE T& operator()(own_row i, int j = 0) { return data[i.r * Columns + j]; }
    FUSEC_DEVICE T operator()(int i, int j = 0) const { return data[(i - first) * Columns + j]; }
    FUSEC_DEVICE T& operator()(int i, int j = 0) { return data[(i - first) * Columns + j]; }
};
template <class T, int Rows, int Columns, int Threads>
FUSEC_DEVICE rows_view<T, Rows, Columns> rows_of(rows_registers<T, Rows, Columns, Threads>& value, int lane) {
    return {lane * (Rows / Threads), value.data};
}

// [chunk symmetric needs device]
// A symmetric matrix stored packed: `data` has the rows of its lower triangle, one behind the other. (i, j) and (j, i) are one component;
// what is written above the diagonal is dropped, since the same is written below.
template <class T, class Data>
struct symmetric_entry {
    Data data;
    int word;
    bool stored;
    FUSEC_DEVICE operator T() const { return data[word]; }
    FUSEC_DEVICE void operator=(T value) const {
        if (stored)
            data[word] = value;
    }
    FUSEC_DEVICE void operator=(const symmetric_entry& other) const { *this = T(other); }
};
template <class T, int N, class Data>
struct symmetric_view {
    using value_type = T;
    static constexpr int rows = N, columns = N;
    Data data;
    FUSEC_DEVICE static constexpr int word(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }
    FUSEC_DEVICE T operator()(int i, int j) const { return data[word(i, j)]; }
    FUSEC_DEVICE symmetric_entry<T, Data> operator()(int i, int j) { return {data, word(i, j), i >= j}; }
};
template <class T, int N, class Data>
FUSEC_DEVICE symmetric_view<T, N, Data> symmetric(Data data) {
    return {data};
}

// [chunk end]
} // namespace fusec

#ifndef __CUDACC__
#pragma GCC diagnostic pop
#endif
