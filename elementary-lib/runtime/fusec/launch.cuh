// SPDX-License-Identifier: Apache-2.0
// Host side: starting kernels. No state, no allocation, no synchronisation.
#pragma once

#include <cuda_runtime.h>

#include <stddef.h>

namespace fusec {

// [chunk launch]
// Starts kernel(arguments..., first, n) with a block per `tile` elements, in several launches when n needs more than 2^31 - 1 blocks.
// Returns the launch's own error.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), size_t n, unsigned tile, unsigned threads, unsigned shared_bytes, void* stream, Arguments... arguments) {
    cudaError_t error = cudaSuccess;
    for (size_t first = 0, most = size_t{2147483647} * tile; first < n && error == cudaSuccess; first += most) {
        const dim3 grid(static_cast<unsigned>(((n - first < most ? n - first : most) - 1) / tile + 1));
        const cudaLaunchConfig_t configuration = {grid, dim3(threads), shared_bytes, static_cast<cudaStream_t>(stream), nullptr, 0};
        error = cudaLaunchKernelEx(&configuration, kernel, arguments..., first, n);
    }
    return error;
}

// [chunk launch_large needs launch]
// The same for a kernel that needs more than 48 KiB of shared memory, which has to be allowed on the current device first.
template <class... Parameters, class... Arguments>
cudaError_t launch_large(void (*kernel)(Parameters...), size_t n, unsigned tile, unsigned threads, unsigned shared_bytes, void* stream, Arguments... arguments) {
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    return error != cudaSuccess ? error : launch(kernel, n, tile, threads, shared_bytes, stream, arguments...);
}

// [chunk end]
} // namespace fusec
