// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA toolkit's cuda_runtime.h, so that a host compiler builds generated `.cu` text as it is and the emulated
// machine runs it. Holds what generated text may use and nothing else: any other CUDA name is a compile error.
#pragma once

#include "shared_pointer.h"

#include <cstring>
#include <math.h> // the overloads for float in the global namespace too, as the toolkit's header has them
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

namespace fusec_emulation {

/// One axis of a built-in variable: reads as the number it has for the running thread.
template <auto Vector, auto Axis>
struct built_in_axis {
    operator unsigned() const { return (coordinates->*Vector).*Axis; }
};
template <auto Vector, class Type>
struct built_in {
    built_in_axis<Vector, &Type::x> x;
    built_in_axis<Vector, &Type::y> y;
    built_in_axis<Vector, &Type::z> z;
};

/// Of the running thread, in its warp.
inline unsigned warp_lane() {
    return (coordinates->thread.x +
               coordinates->block_size.x * (coordinates->thread.y + coordinates->block_size.y * coordinates->thread.z)) %
        32;
}
/// First lane of its subsection.
inline unsigned subsection(int width) {
    return warp_lane() / static_cast<unsigned>(width) * static_cast<unsigned>(width);
}
template <class T>
void shuffle(unsigned mask, T* value, unsigned source, Site site) {
    machine->shuffle(mask, source, value, sizeof(T), site);
}

} // namespace fusec_emulation

inline constexpr fusec_emulation::built_in<&fusec_emulation::Coordinates::thread, uint3> threadIdx{};
inline constexpr fusec_emulation::built_in<&fusec_emulation::Coordinates::block, uint3> blockIdx{};
inline constexpr fusec_emulation::built_in<&fusec_emulation::Coordinates::block_size, dim3> blockDim{};
inline constexpr fusec_emulation::built_in<&fusec_emulation::Coordinates::grid_size, dim3> gridDim{};

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
    return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

inline float rsqrtf(float x) {
    return 1.0f / std::sqrt(x);
}
inline double rsqrt(double x) {
    return 1.0 / std::sqrt(x);
}

/// The codes that generated text returns or the emulated launch can give, with the toolkit's values.
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

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    fusec_emulation::machine->block_barrier({file, line});
}
inline void __syncwarp(unsigned mask = 0xffffffffu, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    fusec_emulation::machine->warp_barrier(mask, {file, line});
}

/// Of float and double, within subsections of `width` lanes.
#define FUSEC_EMULATED_SHUFFLES(type)                                                                                                      \
    inline type __shfl_sync(                                                                                                               \
        unsigned mask, type value, int source, int width = 32, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {         \
        fusec_emulation::shuffle(mask, &value, fusec_emulation::subsection(width) + static_cast<unsigned>(source % width), {file, line});  \
        return value;                                                                                                                      \
    }                                                                                                                                      \
    inline type __shfl_xor_sync(                                                                                                           \
        unsigned mask, type value, int distance, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {                       \
        fusec_emulation::shuffle(mask, &value, fusec_emulation::warp_lane() ^ static_cast<unsigned>(distance), {file, line});              \
        return value;                                                                                                                      \
    }
FUSEC_EMULATED_SHUFFLES(float)
FUSEC_EMULATED_SHUFFLES(double)
#undef FUSEC_EMULATED_SHUFFLES

/// Additions that are never contracted with a product.
__attribute__((noinline)) inline float __fadd_rn(float a, float b) {
    return a + b;
}
__attribute__((noinline)) inline double __dadd_rn(double a, double b) {
    return a + b;
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        return cudaSuccess; // the carve-out is a hint
    }
    return static_cast<cudaError_t>(fusec_emulation::machine->allow_shared_bytes(reinterpret_cast<const void*>(kernel), value));
}

/// Runs the kernel to its end before it returns; the stream is ignored.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
    struct Call {
        void (*kernel)(Parameters...);
        std::tuple<Parameters...> arguments;
    } call{kernel, {static_cast<Parameters>(arguments)...}};
    fusec_emulation::Launch launch;
    launch.kernel = reinterpret_cast<const void*>(kernel);
    launch.grid = config->gridDim;
    launch.block = config->blockDim;
    launch.shared_bytes = config->dynamicSmemBytes;
    launch.run = [](void* opaque) {
        const Call& started = *static_cast<const Call*>(opaque);
        std::apply(started.kernel, started.arguments);
    };
    launch.arguments = &call;
    return static_cast<cudaError_t>(fusec_emulation::machine->launch(launch));
}

/// Of a word in global memory. Blocks run one after the other, so the word needs no shadow: what is checked is that it may be touched
/// and lies at a multiple of its size.
inline unsigned long long atomicMin(unsigned long long* address, unsigned long long value) {
    fusec_emulation::machine->check_alignment(address, sizeof *address);
    const unsigned long long before = *address;
    *address = value < before ? value : before;
    return before;
}

enum cudaMemcpyKind {
    cudaMemcpyDeviceToHost = 2,
};
/// All work of the stream is done when it is given, and so is this.
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}

inline cudaError_t cudaGetLastError() {
    return cudaSuccess; // every launch has returned its own error
}
