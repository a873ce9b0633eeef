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

// [chunk end]
} // namespace fusec
