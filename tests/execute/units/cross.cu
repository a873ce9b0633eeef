// cross: c = mu (a x b), s = c . c. Two kernels, the intermediate d = a x b goes through the workspace.
#include "cross.h"

#include <fusec/copy.cuh>
#include <fusec/launch.cuh>
#include <fusec/lists.cuh>
#include <fusec/memory.cuh>
#include <fusec/views.cuh>

namespace cross_kernels {
namespace fusec = ::fusec;

// d = a x b; thread i of three makes component i
template <class Vector>
__global__ void __launch_bounds__(96) d(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ d, size_t start, size_t n) {
    const auto shared = fusec::shared_memory<float>();
    const size_t first = start + size_t{blockIdx.x} * 32;
    const unsigned count = n - first < 32 ? static_cast<unsigned>(n - first) : 32;
    fusec::copy_async<Vector, 96, 3>(shared + 0, a + first * 3, count);
    fusec::load_tile_words<Vector, 96, 3>(shared + 96, b + first * 3, count);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const unsigned element = threadIdx.x / 3;
    const unsigned lane = threadIdx.x % 3;
    if (element < count) {
        const auto x = shared + 0 + element * 3;
        const auto y = shared + 96 + element * 3;
        const unsigned j = (lane + 1) % 3;
        const unsigned k = (lane + 2) % 3;
        shared[192 + element * 3 + lane] = x[j] * y[k] - x[k] * y[j];
    }
    __syncthreads();
    fusec::copy_tile<Vector, 96, 3>(d + first * 3, shared + 192, count);
}

// c = mu d, s = c . c
template <class Vector>
__global__ void __launch_bounds__(32) s(const float* __restrict__ d, const float* __restrict__ mu, float* __restrict__ c, float* __restrict__ s, size_t start, size_t n) {
    const auto shared = fusec::shared_memory<float>();
    const size_t first = start + size_t{blockIdx.x} * 32;
    const unsigned count = n - first < 32 ? static_cast<unsigned>(n - first) : 32;
    fusec::load_tile_words<Vector, 32, 3>(shared + 0, d + first * 3, count);
    __syncwarp();
    const unsigned element = threadIdx.x;
    if (element < count) {
        float sum = 0;
        for (unsigned i = 0; i < 3; ++i) {
            const float component = *mu * shared[element * 3 + i];
            shared[element * 3 + i] = component;
            sum += component * component;
        }
        s[first + element] = sum;
    }
    __syncwarp();
    fusec::copy_tile<Vector, 32, 3>(c + first * 3, shared + 0, count);
}
} // namespace cross_kernels

extern "C" size_t cross_workspace_bytes(size_t n) {
    return (n * 12 + 255) / 256 * 256;
}

extern "C" int cross_launch(const struct cross_arguments* arguments, size_t n, void* workspace, size_t workspace_bytes, void* stream) {
    return cross_launch_range(arguments, 0, n, workspace, workspace_bytes, stream);
}

extern "C" int cross_launch_range(const struct cross_arguments* arguments, size_t first, size_t count, void* workspace, size_t workspace_bytes, void* stream) {
    if (count == 0)
        return cudaSuccess;
    const size_t needed_bytes = cross_workspace_bytes(count);
    if (workspace_bytes < needed_bytes)
        return cudaErrorInvalidValue;
    const fusec::list lists[] = {{arguments->a, 12, false}, {arguments->b, 12, false}, {arguments->mu, 4, true}, {arguments->c, 12, false}, {arguments->s, 4, false}, {workspace, needed_bytes, true}};
    if (!fusec::lists_valid<3>(lists, first, count))
        return cudaErrorInvalidValue;
    const float* const a = arguments->a + first * 3;
    const float* const b = arguments->b + first * 3;
    float* const c = arguments->c + first * 3;
    float* const s = arguments->s + first;
    float* const d = static_cast<float*>(workspace);
    if (const int error = fusec::aligned16(lists, first) ? fusec::launch(cross_kernels::d<float4>, count, 32, 96, 1152, stream, a, b, d) : fusec::launch(cross_kernels::d<float>, count, 32, 96, 1152, stream, a, b, d); error != cudaSuccess)
        return error;
    return fusec::aligned16(lists, first) ? fusec::launch(cross_kernels::s<float4>, count, 32, 32, 384, stream, d, arguments->mu, c, s) : fusec::launch(cross_kernels::s<float>, count, 32, 32, 384, stream, d, arguments->mu, c, s);
}
