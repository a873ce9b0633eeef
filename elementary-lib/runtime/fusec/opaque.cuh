// SPDX-License-Identifier: Apache-2.0
// Values that a compiler must take for changed, in kernels that repeat a routine to time it (`fusec calibrate`): what is computed from them is
// computed again, and what was computed is kept.
#pragma once

#include "views.cuh"

namespace fusec {

// [chunk opaque needs device]
// A number, numbers in registers, or the address of those that a view reads in global memory.
#ifdef __CUDACC__
FUSEC_DEVICE void opaque(float& x) {
    asm volatile("" : "+f"(x));
}
FUSEC_DEVICE void opaque(double& x) {
    asm volatile("" : "+d"(x));
}
template <class T> FUSEC_DEVICE void opaque(T*& address) {
    asm volatile("" : "+l"(address));
}
template <class T, int Words> FUSEC_DEVICE void opaque(T (&words)[Words]) {
    FUSEC_UNROLL for (int k = 0; k < Words; ++k)
        opaque(words[k]);
}
template <class View> FUSEC_DEVICE void opaque(View& view) {
    opaque(view.data);
}
#else
template <class View> FUSEC_DEVICE void opaque(View&) {}
#endif

// [chunk opaque_memory needs device]
// Everything in memory.
#ifdef __CUDACC__
FUSEC_DEVICE void opaque_memory() {
    asm volatile("" ::: "memory");
}
#else
FUSEC_DEVICE void opaque_memory() {}
#endif

// [chunk stir needs device]
// The same for who makes machine code (ptxas), and sees nothing of an empty asm statement: a branch where the results of a pass change all that
// the next one reads, memory too. No launch takes it, as its grid has one row; but that, nobody knows before. The loop in it keeps it a branch,
// where a few instructions under a condition would take time in every pass.
#ifdef __CUDACC__
FUSEC_DEVICE void take_in(unsigned& sum, float x) {
    sum ^= __float_as_uint(x);
}
FUSEC_DEVICE void take_in(unsigned& sum, double x) {
    sum ^= static_cast<unsigned>(__double2loint(x) ^ __double2hiint(x));
}
template <class T> FUSEC_DEVICE void take_in(unsigned&, T* const&) {}
template <class T, int Words> FUSEC_DEVICE void take_in(unsigned& sum, const T (&words)[Words]) {
    FUSEC_UNROLL for (int k = 0; k < Words; ++k)
        take_in(sum, words[k]);
}
template <class View> FUSEC_DEVICE void take_in(unsigned& sum, const View& view) {
    take_in(sum, view.data);
}
FUSEC_DEVICE void change(float& x, unsigned sum) {
    x = __uint_as_float(__float_as_uint(x) ^ sum);
}
FUSEC_DEVICE void change(double& x, unsigned sum) {
    const int word = static_cast<int>(sum);
    x = __hiloint2double(__double2hiint(x) ^ word, __double2loint(x) ^ word);
}
template <class T> FUSEC_DEVICE void change(T*& address, unsigned sum) {
    address += sum;
}
template <class T, int Words> FUSEC_DEVICE void change(T (&words)[Words], unsigned sum) {
    FUSEC_UNROLL for (int k = 0; k < Words; ++k)
        change(words[k], sum);
}
template <class View> FUSEC_DEVICE void change(View& view, unsigned sum) {
    change(view.data, sum);
}
template <class... Values> FUSEC_DEVICE void stir(int pass, Values&... values) {
    if (pass == static_cast<int>(gridDim.y) - 2) {
        unsigned sum = static_cast<unsigned>(pass);
        (take_in(sum, values), ...);
        volatile unsigned* const anywhere = reinterpret_cast<volatile unsigned*>(static_cast<size_t>(sum) * sizeof(unsigned));
        do {
            sum ^= *anywhere;
            *anywhere = sum;
        } while ((sum & 1U) != 0);
        (change(values, sum), ...);
    }
}
#else
template <class... Values> FUSEC_DEVICE void stir(int, Values&...) {}
#endif

// [chunk end]
} // namespace fusec
