// demo: made by fusec 0.1.0 --device h200 --arch sm_90 -n 1048576, plan 1d9d2fe84b8f9bce
// 1 kernel, 384 B/element, predicted 0.101 ms for 1,048,576 elements on h200 (dram), 2.7x over one kernel per call, gap 0 over the implementations considered
#include "demo.h"

#include <cstdint>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "made for sm_90 and later: compile with -arch=sm_90"
#endif

namespace demo_kernels {
namespace fusec {
using ::sqrt;
#ifdef __CUDACC__
template <class T> __device__ __forceinline__ T* shared_memory() {
    extern __shared__ float4 fusec_shared[];
    return reinterpret_cast<T*>(fusec_shared);
}
template <class V, class T> __device__ __forceinline__ V* vector_pointer(T* pointer) {
    return reinterpret_cast<V*>(pointer);
}
#else
using fusec_emulation::shared_memory, fusec_emulation::vector_pointer;
#endif
template <class Vector, unsigned Threads, unsigned Words, class To, class T> __device__ __forceinline__ To copy_async(To to, const T* from, unsigned count) {
    constexpr unsigned width = sizeof(Vector) / sizeof(T);
    for (unsigned i = threadIdx.x * width; i + width <= count * Words; i += Threads * width)
        __pipeline_memcpy_async(to + i, from + i, sizeof(Vector));
    if (const unsigned i = count * Words / width * width + threadIdx.x; i < count * Words)
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    return to;
}
template <class Vector, unsigned Threads, unsigned Words, class From, class T> __device__ __forceinline__ void copy_tile(T* to, From from, unsigned count) {
    constexpr unsigned width = sizeof(Vector) / sizeof(T);
    for (unsigned i = threadIdx.x * width; i + width <= count * Words; i += Threads * width)
        *vector_pointer<Vector>(to + i) = *vector_pointer<Vector>(from + i);
    if (const unsigned i = count * Words / width * width + threadIdx.x; i < count * Words)
        to[i] = *(from + i);
}
struct list {
    const void* data;
    size_t bytes;
    bool uniform = false;
    std::uintptr_t at(size_t element) const { return reinterpret_cast<std::uintptr_t>(data) + (uniform ? 0 : element * bytes); }
};
template <size_t Inputs, size_t Lists> bool lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    bool valid = first <= size_t{1} << 40 && count <= (size_t{1} << 40) - first;
    for (size_t i = 0; i < Lists; ++i)
        for (size_t j = Inputs; j < Lists; ++j)
            valid = valid && lists[i].data != nullptr && (i == j || lists[i].at(first + count - 1) + lists[i].bytes <= lists[j].at(first) || lists[j].at(first + count - 1) + lists[j].bytes <= lists[i].at(first));
    return valid;
}
template <size_t Lists> bool aligned16(const list (&lists)[Lists], size_t first) {
    bool aligned = true;
    for (const list& list : lists)
        aligned = aligned && (list.uniform || list.at(first) % 16 == 0);
    return aligned;
}
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
} // namespace fusec

// F = (D E + D) ||A B c||
// demo.fus:7-12: M1, v1, s1, M2, M3, F
template <class Vector>
__global__ void __launch_bounds__(32) demo_F(const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ c, const float* __restrict__ D, const float* __restrict__ E, float* __restrict__ F, size_t first, size_t n) {
    first += size_t{blockIdx.x} * 32;
    const int count = static_cast<int>(n - first < 32 ? n - first : 32);
    const auto shared = fusec::shared_memory<float>();
    const auto F_tile = shared; // 32 x MATRIX5x5
    const auto A_tile = fusec::copy_async<Vector, 32, 9>(shared + 1600, A + first * 9, count);
    const auto B_tile = fusec::copy_async<Vector, 32, 9>(shared + 1888, B + first * 9, count);
    const auto c_tile = fusec::copy_async<Vector, 32, 3>(shared + 2176, c + first * 3, count);
    const auto D_tile = fusec::copy_async<Vector, 32, 25>(shared, D + first * 25, count);
    const auto E_tile = fusec::copy_async<Vector, 32, 25>(shared + 800, E + first * 25, count);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    const int element = int(threadIdx.x);
    if (element < count) {
        float M1[9];
        _Pragma("unroll") for (int i = 0; i < 3; ++i) { // M1 = mmul(A, B)
            _Pragma("unroll") for (int j = 0; j < 3; ++j) {
                float sum = A_tile[element * 9 + i * 3] * B_tile[element * 9 + j];
                for (int k = 1; k < 3; ++k)
                    sum += A_tile[element * 9 + i * 3 + k] * B_tile[element * 9 + k * 3 + j];
                M1[i * 3 + j] = sum;
            }
        }
        float v1[3];
        _Pragma("unroll") for (int i = 0; i < 3; ++i) { // v1 = mvmul(M1, c)
            float sum = M1[i * 3] * c_tile[element * 3];
            for (int k = 1; k < 3; ++k)
                sum += M1[i * 3 + k] * c_tile[element * 3 + k];
            v1[i] = sum;
        }
        float sum = v1[0] * v1[0]; // s1 = venorm(v1)
        for (int i = 1; i < 3; ++i)
            sum += v1[i] * v1[i];
        const float s1 = fusec::sqrt(sum);
        float M2[25];
        _Pragma("unroll") for (int i = 0; i < 5; ++i) { // M2 = mmul(D, E)
            _Pragma("unroll") for (int j = 0; j < 5; ++j) {
                float sum = D_tile[element * 25 + i * 5] * E_tile[element * 25 + j];
                for (int k = 1; k < 5; ++k)
                    sum += D_tile[element * 25 + i * 5 + k] * E_tile[element * 25 + k * 5 + j];
                M2[i * 5 + j] = sum;
            }
        }
        float M3[25];
        _Pragma("unroll") for (int i = 0; i < 5; ++i) // M3 = madd(M2, D)
            for (int j = 0; j < 5; ++j)
                M3[i * 5 + j] = M2[i * 5 + j] + D_tile[element * 25 + i * 5 + j];
        _Pragma("unroll") for (int i = 0; i < 5; ++i) // F = smmul(M3, s1)
            for (int j = 0; j < 5; ++j)
                F_tile[element * 25 + i * 5 + j] = s1 * M3[i * 5 + j];
    }
    __syncwarp();
    fusec::copy_tile<Vector, 32, 25>(F + first * 25, F_tile, count);
}

extern "C" size_t demo_workspace_bytes(size_t) {
    return 0;
}

extern "C" int demo_launch_range(const struct demo_arguments* arguments, size_t first, size_t count, void*, size_t, void* stream) {
    if (count == 0 || arguments == nullptr)
        return count == 0 ? cudaSuccess : cudaErrorInvalidValue;
    const auto [A, B, c, D, E, F] = *arguments;
    const fusec::list lists[] = {{A, 36}, {B, 36}, {c, 12}, {D, 100}, {E, 100}, {F, 100}};
    if (!fusec::lists_valid<5>(lists, first, count))
        return cudaErrorInvalidValue;
    return fusec::launch(fusec::aligned16(lists, first) ? demo_F<float4> : demo_F<float>, count, 32, 32, 9088, stream, A + first * 9, B + first * 9, c + first * 3, D + first * 25, E + first * 25, F + first * 25);
}

extern "C" int demo_launch(const struct demo_arguments* arguments, size_t n, void* workspace, size_t workspace_bytes, void* stream) {
    return demo_launch_range(arguments, 0, n, workspace, workspace_bytes, stream);
}

} // namespace demo_kernels
