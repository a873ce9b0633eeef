// SPDX-License-Identifier: Apache-2.0
// The conversions between the precisions, which `double(x)` and `float(x)` of a program are made of; half_lanes.hpp has those of SIMD lanes.
#pragma once

#include "views.cuh"

namespace fusec {

// [chunk to_float needs device]
FUSEC_DEVICE float to_float(double x) {
    return static_cast<float>(x);
}

// [chunk to_double needs device]
FUSEC_DEVICE double to_double(float x) {
    return static_cast<double>(x);
}

// [chunk end]
} // namespace fusec
