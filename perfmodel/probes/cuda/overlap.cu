// SPDX-License-Identifier: Apache-2.0
// 13: how far arithmetic hides behind memory: threads that load pairs of floats and do chains of FMAs with them, by the length of the chain
// and the number of resident blocks; and the same with barriers between loading and computing, as in kernels that stage their lists.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int threads = 256, most_passes = 1024;

__global__ void chained(const float* a, const float* b, std::size_t step, int passes, int fmas, float* out, bool nowhere) {
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    float sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
        const float x = a[i];
        float y = b[i];
#pragma unroll 16
        for (int k = 0; k < fmas; ++k) {
            y = y * x + 0.5F;
        }
        sum += y * x;
        i += step;
    }
    if (sum == -1.0F || nowhere) {
        out[threadIdx.x] = sum;
    }
}

__global__ void staged(const float* a, const float* b, std::size_t step, int passes, int fmas, float* out, bool nowhere) {
    __shared__ float tile[2 * threads];
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    const unsigned other = threadIdx.x ^ 33U; // of another warp, so that the barrier is needed
    float sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
        tile[threadIdx.x] = a[i];
        tile[threads + threadIdx.x] = b[i];
        __syncthreads();
        const float x = tile[other];
        float y = tile[threads + other];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < fmas; ++k) {
            y = y * x + 0.5F;
        }
        sum += y * x;
        i += step;
    }
    if (sum == -1.0F || nowhere) {
        out[threadIdx.x] = sum;
    }
}

} // namespace

void overlap() {
    const Buffer a(2 * beyond_cache()), b(2 * beyond_cache()), out(threads * sizeof(float));
    for (const bool with_barriers : {false, true}) {
        const auto kernel = with_barriers ? staged : chained;
        for (const int resident : residents(reinterpret_cast<const void*>(kernel), threads)) {
            const int bytes = spoiler(reinterpret_cast<const void*>(kernel), threads, resident);
            if (bytes < 0) {
                continue;
            }
            const int blocks = gpu().multiprocessors * resident;
            const std::size_t step = static_cast<std::size_t>(blocks) * threads;
            const auto passes = static_cast<int>(std::min<std::size_t>(most_passes, a.bytes() / sizeof(float) / step));
            for (const int fmas : {0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256}) {
                const double seconds = seconds_of(
                    [&] { kernel<<<blocks, threads, bytes>>>(a.as<float>(), b.as<float>(), step, passes, fmas, out.as<float>(), false); });
                Row("overlap")
                    .text("kernel", with_barriers ? "staged" : "chained")
                    .number("fmas", fmas)
                    .number("passes", passes)
                    .number("block", threads)
                    .number("resident", resident)
                    .number("blocks", blocks)
                    .number("seconds", seconds)
                    .number("clock_ghz", clock_ghz());
            }
        }
    }
}

} // namespace fusec::probe
