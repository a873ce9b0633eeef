// SPDX-License-Identifier: Apache-2.0
// Host side: starting kernels and checking the lists of a launch. No state, no allocation, no synchronisation.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stddef.h>

namespace fusec {

// [chunk aligned16]
template <class... Pointers>
bool aligned16(Pointers... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

// [chunk slot_bytes]
// Bytes of a workspace slot: a multiple of 256.
inline size_t slot_bytes(size_t n, size_t bytes_per_element) {
    return (n * bytes_per_element + 255) / 256 * 256;
}

// [chunk list]
// A list of the interface: bytes of one element, or of all when it is uniform.
struct list {
    const void* data;
    size_t bytes;
    bool uniform;
};

// [chunk lists_valid needs list]
// No list is null, and none from `Inputs` on (those written) overlaps another in the elements first .. first + count - 1. At most 2^40
// elements: what the index types of the kernels were proven for.
template <int Inputs, int Lists>
bool lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    constexpr size_t most = size_t{1} << 40;
    std::uintptr_t begin[Lists], end[Lists];
    for (int i = 0; i < Lists; ++i) {
        if (lists[i].data == nullptr || first > most || count > most - first) {
            return false;
        }
        begin[i] = reinterpret_cast<std::uintptr_t>(lists[i].data) + (lists[i].uniform ? 0 : first * lists[i].bytes);
        end[i] = begin[i] + (lists[i].uniform ? 1 : count) * lists[i].bytes;
        for (int j = 0; i >= Inputs && j < i; ++j) {
            if (begin[i] < end[j] && begin[j] < end[i]) {
                return false;
            }
        }
    }
    return true;
}

// [chunk launch]
// Starts kernel(arguments..., first, n) with a block per `tile` elements, in several launches when n needs more than 2^31 - 1 blocks.
// Returns the launch's own error.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), size_t n, unsigned tile, unsigned threads, unsigned shared_bytes, void* stream, Arguments... arguments) {
    cudaLaunchConfig_t configuration = {};
    configuration.blockDim = dim3(threads);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = static_cast<cudaStream_t>(stream);
    constexpr size_t most_blocks = 2147483647;
    cudaError_t error = cudaSuccess;
    for (size_t first = 0; first < n && error == cudaSuccess; first += most_blocks * tile) {
        const size_t blocks = (n - first - 1) / tile + 1;
        configuration.gridDim = dim3(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks));
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
