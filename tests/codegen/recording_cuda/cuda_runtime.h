// SPDX-License-Identifier: Apache-2.0
// Just enough of the CUDA runtime for runtime/fusec/launch.cuh, recording what is launched.
#pragma once

#include <cstddef>
#include <vector>

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorLaunchOutOfResources = 701
};
using cudaStream_t = struct CUstream_st*;
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned size = 1) : x(size) {}
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
    struct cudaLaunchAttribute* attrs = nullptr;
    unsigned numAttrs = 0;
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8
};

struct RecordedLaunch {
    unsigned blocks, threads;
    std::size_t shared_bytes, first, n;
};
inline std::vector<RecordedLaunch> recorded_launches;
inline int allowed_shared_bytes = 0;
inline cudaError_t next_error = cudaSuccess;

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*)(Parameters...), cudaFuncAttribute, int value) {
    allowed_shared_bytes = value;
    return next_error;
}
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*)(const float*, std::size_t, std::size_t),
    const float*, std::size_t first, std::size_t n) {
    recorded_launches.push_back({configuration->gridDim.x, configuration->blockDim.x, configuration->dynamicSmemBytes, first, n});
    return next_error;
}
