// SPDX-License-Identifier: Apache-2.0
// The first failure of a launch with checks: one word in front of the workspace's slots, the least of element * 2^16 + check, all ones
// where nothing failed.
#pragma once

#include "views.cuh"

#include <cuda_runtime.h>

#include <stddef.h>

namespace fusec {

// [chunk report needs device]
// `element` counts from the first one of the launch. The flag is 0 where the check holds.
template <class T>
FUSEC_DEVICE void report(unsigned long long* failure, T flag, size_t element, unsigned check) {
    const unsigned long long found = static_cast<unsigned long long>(element) << 16 | check;
    // Looked at before: where every element fails, the first block's word spares the others their turn.
    if (flag != T(0) && found < *const_cast<const volatile unsigned long long*>(failure))
        atomicMin(failure, found);
}

// [chunk reset_failure]
inline cudaError_t reset_failure(void* workspace, void* stream) {
    return cudaMemsetAsync(workspace, 0xff, sizeof(unsigned long long), static_cast<cudaStream_t>(stream));
}

// [chunk read_failure]
// Waits for the stream.
inline cudaError_t read_failure(unsigned long long* failure, const void* workspace, void* stream) {
    const cudaError_t error = cudaMemcpyAsync(failure, workspace, sizeof(unsigned long long), cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(stream));
    return error != cudaSuccess ? error : cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
}

// [chunk end]
} // namespace fusec
