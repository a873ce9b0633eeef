// SPDX-License-Identifier: Apache-2.0
// The mathematical functions that device sources may call: fusec::select, sqrt, rsqrt, abs, min, max, exp, log, sin, cos, pow, for float
// and double, on the device and on the host; host.hpp overloads them for SIMD lanes. None branches on a value.
//
// Embedded text needs the C functions of <math.h> in the global namespace; <cuda_runtime.h> declares them as well.
#pragma once

#include "views.cuh"

#include <math.h>

namespace fusec {

// [chunk select needs device]
FUSEC_DEVICE float select(bool condition, float a, float b) {
    return condition ? a : b;
}
FUSEC_DEVICE double select(bool condition, double a, double b) {
    return condition ? a : b;
}

// [chunk sqrt]
using ::sqrt;

// [chunk rsqrt needs device]
#ifdef __CUDACC__
FUSEC_DEVICE float rsqrt(float x) {
    return ::rsqrtf(x);
}
FUSEC_DEVICE double rsqrt(double x) {
    return ::rsqrt(x);
}
#else
FUSEC_DEVICE float rsqrt(float x) {
    return 1 / ::sqrtf(x);
}
FUSEC_DEVICE double rsqrt(double x) {
    return 1 / ::sqrt(x);
}
#endif

// [chunk abs needs device]
// Not ::abs: where only <cmath> is included, that is the integer function.
FUSEC_DEVICE float abs(float x) {
    return ::fabsf(x);
}
FUSEC_DEVICE double abs(double x) {
    return ::fabs(x);
}

// [chunk min needs device]
// The first operand when they compare equal or unordered, on every target (fmin would be a library call on the host).
FUSEC_DEVICE float min(float a, float b) {
    return b < a ? b : a;
}
FUSEC_DEVICE double min(double a, double b) {
    return b < a ? b : a;
}

// [chunk max needs device]
FUSEC_DEVICE float max(float a, float b) {
    return a < b ? b : a;
}
FUSEC_DEVICE double max(double a, double b) {
    return a < b ? b : a;
}

// [chunk exp]
using ::exp;

// [chunk log]
using ::log;

// [chunk sin]
using ::sin;

// [chunk cos]
using ::cos;

// [chunk pow]
using ::pow;

// [chunk end]
} // namespace fusec
