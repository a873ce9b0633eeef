// SPDX-License-Identifier: Apache-2.0
// The few primitives that touch the machine: shared memory, 16-byte accesses, asynchronous copies. Everything else in the runtime is
// plain C++ over pointers. Without nvcc they come from the stand-in for cuda_runtime.h.
#pragma once

#include "views.cuh"

#include <cuda_runtime.h>

#include <type_traits>

namespace fusec {

// [chunk shared_memory]
// The block's dynamic shared memory as components of type T.
#ifdef __CUDACC__
template <class T>
__device__ __forceinline__ T* shared_memory() {
    extern __shared__ float4 fusec_shared[];
    return reinterpret_cast<T*>(fusec_shared);
}
#else
using fusec_emulation::shared_memory;
#endif

// [chunk vector_pointer]
// A pointer to components as a pointer to vectors; the address is a multiple of the vector's size.
#ifdef __CUDACC__
template <class V, class T>
__device__ __forceinline__ auto vector_pointer(T* pointer) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(pointer);
}
#else
using fusec_emulation::vector_pointer;
#endif

// [chunk async_copy]
// Starts a copy from global to shared memory (cp.async): 4, 8 or 16 bytes, both addresses multiples of that.
#ifdef __CUDACC__
template <unsigned Bytes, class T>
__device__ __forceinline__ void async_copy(T* to, const T* from) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes) : "memory");
    }
}
#else
template <unsigned Bytes, class P, class T>
void async_copy(P to, const T* from) {
    fusec_emulation::copy_async(to, from, Bytes);
}
#endif

// [chunk async_wait]
// The asynchronous copies that this thread started have arrived.
#ifdef __CUDACC__
__device__ __forceinline__ void async_wait() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}
#else
inline void async_wait() {
    fusec_emulation::copy_async_wait_all();
}
#endif

// [chunk end]
} // namespace fusec
