// SPDX-License-Identifier: Apache-2.0
// Stands in for <math.h> in device code that is compiled for analysis: the functions that device sources may call. Those without an
// instruction of their own are declared only, so that a call of one stays one call to count.
#pragma once

#define FUSEC_TOOLKIT_INLINE static __device__ __attribute__((always_inline)) inline
#define FUSEC_TOOLKIT_EXTERNAL extern "C" __device__ __attribute__((const, nothrow))

FUSEC_TOOLKIT_INLINE float sqrtf(float x) {
    return __nvvm_sqrt_rn_f(x);
}
FUSEC_TOOLKIT_INLINE float sqrt(float x) {
    return __nvvm_sqrt_rn_f(x);
}
FUSEC_TOOLKIT_INLINE double sqrt(double x) {
    return __nvvm_sqrt_rn_d(x);
}
FUSEC_TOOLKIT_INLINE float rsqrtf(float x) {
    return __nvvm_rsqrt_approx_f(x);
}
FUSEC_TOOLKIT_INLINE double rsqrt(double x) {
    return __nvvm_rsqrt_approx_d(x);
}
FUSEC_TOOLKIT_INLINE float fabsf(float x) {
    return __builtin_fabsf(x);
}
FUSEC_TOOLKIT_INLINE float fabs(float x) {
    return __builtin_fabsf(x);
}
FUSEC_TOOLKIT_INLINE double fabs(double x) {
    return __builtin_fabs(x);
}
FUSEC_TOOLKIT_INLINE float fmaf(float a, float b, float c) {
    return __nvvm_fma_rn_f(a, b, c);
}
FUSEC_TOOLKIT_INLINE float fma(float a, float b, float c) {
    return __nvvm_fma_rn_f(a, b, c);
}
FUSEC_TOOLKIT_INLINE double fma(double a, double b, double c) {
    return __nvvm_fma_rn_d(a, b, c);
}

#define FUSEC_TOOLKIT_FUNCTION(name)                                                                                                       \
    FUSEC_TOOLKIT_EXTERNAL float name##f(float);                                                                                           \
    FUSEC_TOOLKIT_EXTERNAL double name(double);                                                                                            \
    FUSEC_TOOLKIT_INLINE float name(float x) {                                                                                             \
        return name##f(x);                                                                                                                 \
    }
FUSEC_TOOLKIT_FUNCTION(exp)
FUSEC_TOOLKIT_FUNCTION(log)
FUSEC_TOOLKIT_FUNCTION(sin)
FUSEC_TOOLKIT_FUNCTION(cos)
#undef FUSEC_TOOLKIT_FUNCTION
FUSEC_TOOLKIT_EXTERNAL float powf(float, float);
FUSEC_TOOLKIT_EXTERNAL double pow(double, double);
FUSEC_TOOLKIT_INLINE float pow(float x, float y) {
    return powf(x, y);
}
