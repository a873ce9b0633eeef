// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA toolkit's cuda_runtime.h where clang compiles device code for analysis, without a toolkit. Holds what
// generated text may use and nothing else: any other CUDA name is a compile error. Host code is parsed and not compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdlib.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
};
// clang's own: threadIdx, blockIdx, blockDim, gridDim.
#include <__clang_cuda_builtin_vars.h>

#include "math.h"

// Vectors of the compiler: a copy of one is one access, as with the toolkit's.
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef unsigned uint2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
__device__ inline float2 make_float2(float x, float y) {
    return float2{x, y};
}
__device__ inline float4 make_float4(float x, float y, float z, float w) {
    return float4{x, y, z, w};
}
__device__ inline double2 make_double2(double x, double y) {
    return double2{x, y};
}
__device__ inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return uint4{x, y, z, w};
}

/// Additions that are never contracted with a product.
FUSEC_TOOLKIT_INLINE float __fadd_rn(float a, float b) {
    return __nvvm_add_rn_f(a, b);
}
FUSEC_TOOLKIT_INLINE double __dadd_rn(double a, double b) {
    return __nvvm_add_rn_d(a, b);
}

// __syncthreads() is a function of clang.
FUSEC_TOOLKIT_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
    __nvvm_bar_warp_sync(mask);
}

/// Within subsections of `width` lanes; a double takes two exchanges.
FUSEC_TOOLKIT_INLINE float __shfl_sync(unsigned mask, float value, int source, int width = 32) {
    return __nvvm_shfl_sync_idx_f32(mask, value, source, ((32 - width) << 8) | 0x1f);
}
FUSEC_TOOLKIT_INLINE float __shfl_xor_sync(unsigned mask, float value, int distance, int width = 32) {
    return __nvvm_shfl_sync_bfly_f32(mask, value, distance, ((32 - width) << 8) | 0x1f);
}
FUSEC_TOOLKIT_INLINE double __shfl_sync(unsigned mask, double value, int source, int width = 32) {
    const int c = ((32 - width) << 8) | 0x1f;
    const int low = __nvvm_shfl_sync_idx_i32(mask, __nvvm_d2i_lo(value), source, c);
    return __nvvm_lohi_i2d(low, __nvvm_shfl_sync_idx_i32(mask, __nvvm_d2i_hi(value), source, c));
}
FUSEC_TOOLKIT_INLINE double __shfl_xor_sync(unsigned mask, double value, int distance, int width = 32) {
    const int c = ((32 - width) << 8) | 0x1f;
    const int low = __nvvm_shfl_sync_bfly_i32(mask, __nvvm_d2i_lo(value), distance, c);
    return __nvvm_lohi_i2d(low, __nvvm_shfl_sync_bfly_i32(mask, __nvvm_d2i_hi(value), distance, c));
}

FUSEC_TOOLKIT_INLINE unsigned long long atomicMin(unsigned long long* address, unsigned long long value) {
    return __nvvm_atom_min_gen_ull(address, value);
}

// Host side.
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999,
};
typedef struct CUstream_st* cudaStream_t;
struct cudaLaunchAttribute {
    int id;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
    cudaLaunchAttribute* attrs = nullptr;
    unsigned numAttrs = 0;
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaMemcpyKind {
    cudaMemcpyDeviceToHost = 2,
};
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value);
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaGetLastError();
