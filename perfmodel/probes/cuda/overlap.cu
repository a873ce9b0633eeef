// SPDX-License-Identifier: Apache-2.0
// 13: how far arithmetic hides behind memory: threads that load a pair of floats and do two chains of FMAs with it, by the length of the chains and
// the number of resident blocks; and the same with a barrier between loading and computing, as in kernels that stage their lists.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int threads = 256;

/// Operands in three registers each; no sum is -1.
template <int Fmas, bool Staged>
__global__ void chained(const float* a, const float* b, float* out, bool nowhere) {
    const std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x;
    float x = a[i], y = b[i];
    if constexpr (Staged) {
        __shared__ float tile[2 * threads];
        tile[threadIdx.x] = x;
        tile[threads + threadIdx.x] = y;
        __syncthreads();
        const unsigned other = threadIdx.x ^ 33U; // of another warp, so that the barrier is needed
        x = tile[other];
        y = tile[threads + other];
    }
    const float w = x + y;
    float u = y, v = x;
#pragma unroll
    for (int k = 0; k < Fmas / 2; ++k) {
        u = u * x + w;
        v = v * y + w;
    }
    if (u + v == -1.0F || nowhere)
        out[i] = u + v;
}

template <int Fmas, bool Staged>
void with(const Buffer& a, const Buffer& b, const Buffer& out) {
    void (*const kernel)(const float*, const float*, float*, bool) = chained<Fmas, Staged>;
    const std::size_t elements = a.bytes() / sizeof(float) / threads * threads;
    for (const int resident : residents(reinterpret_cast<const void*>(kernel), threads)) {
        const int bytes = spoiler(reinterpret_cast<const void*>(kernel), threads, resident);
        if (bytes < 0)
            continue;
        const auto blocks = static_cast<unsigned>(elements / threads);
        const auto launch = [&] { kernel<<<blocks, threads, bytes>>>(a.as<float>(), b.as<float>(), out.as<float>(), false); };
        const double seconds = seconds_of(launch);
        Row("overlap", clock_under(launch))
            .text("kernel", Staged ? "staged" : "chained")
            .number("fmas", Fmas)
            .number("block", threads)
            .number("resident", resident)
            .number("registers", registers_of(reinterpret_cast<const void*>(kernel)))
            .number("elements", static_cast<double>(elements))
            .number("seconds", seconds);
    }
}

template <bool Staged, int... Fmas>
void each(const Buffer& a, const Buffer& b, const Buffer& out) {
    (with<Fmas, Staged>(a, b, out), ...);
}

} // namespace

void overlap() {
    const Buffer a(beyond_cache()), b(beyond_cache()), out(beyond_cache());
    fill_floats(a);
    fill_floats(b);
    each<false, 0, 2, 4, 8, 16, 32, 48, 64, 96, 128, 256>(a, b, out);
    each<true, 0, 2, 4, 8, 16, 32, 48, 64, 96, 128, 256>(a, b, out);
}

} // namespace fusec::probe
