// SPDX-License-Identifier: Apache-2.0
// The few primitives that touch the machine: shared memory and wide accesses. Everything else in the runtime is plain
// C++ over pointers. Without nvcc they come from the stand-ins for the toolkit's headers.
#pragma once

#include "views.cuh"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

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
__device__ __forceinline__ V* vector_pointer(T* pointer) {
    return reinterpret_cast<V*>(pointer);
}
#else
using fusec_emulation::vector_pointer;
#endif

// [chunk end]
} // namespace fusec
