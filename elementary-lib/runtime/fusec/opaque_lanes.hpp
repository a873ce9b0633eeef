// SPDX-License-Identifier: Apache-2.0
// Values in lanes that a compiler must take for changed, in kernels that repeat a routine to time it (`fusec calibrate`).
#pragma once

#include "simd.hpp"

namespace fusec {

// [chunk opaque_lanes needs device]
// A variable as a kernel of many finds it, in memory: who reads it reads again, who wrote it has written.
template <class Value>
FUSEC_DEVICE void opaque_lanes(const Value& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

// [chunk opaque_lists needs device]
// What pointers lead to: uniforms.
FUSEC_DEVICE void opaque_lists() {
    asm volatile("" ::: "memory");
}

// [chunk end]
} // namespace fusec
