// SPDX-License-Identifier: Apache-2.0
// 15: copies from memory to shared memory that pass no register, in tiles of 1 to 16 KiB, one to four of them under way in a block, by blocks
// of a multiprocessor. From sm_80 on by threads (16 bytes each), from sm_90 on also as bulk copies.
#include "probe.cuh"

#include <cuda_pipeline.h>

namespace fusec::probe {

namespace {

constexpr int threads = 128;

[[maybe_unused]] __device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Every thread fetches its parts of a tile and adds them up when they are there: no other thread's, so that no barrier is needed.
__global__ void by_threads(const float4* in, std::size_t tiles, int words, int stages, float* out) {
    extern __shared__ float4 memory[];
    float sum = 0;
    std::size_t fetched = blockIdx.x;
    const auto fetch = [&](int stage) {
        if (fetched < tiles) {
            for (int i = threadIdx.x; i < words; i += threads) {
                __pipeline_memcpy_async(memory + stage * words + i, in + fetched * words + i, sizeof(float4));
            }
        }
        __pipeline_commit();
        fetched += gridDim.x;
    };
    for (int stage = 0; stage < stages; ++stage) {
        fetch(stage);
    }
    int stage = 0;
    for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        switch (stages) {
        case 1:
            __pipeline_wait_prior(0);
            break;
        case 2:
            __pipeline_wait_prior(1);
            break;
        default:
            __pipeline_wait_prior(3);
            break;
        }
        for (int i = threadIdx.x; i < words; i += threads) {
            sum += memory[stage * words + i].x;
        }
        fetch(stage);
        stage = stage + 1 == stages ? 0 : stage + 1;
    }
    out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// One thread asks for whole tiles; a barrier in shared memory counts their bytes.
__global__ void bulk(const float4* in, std::size_t tiles, int words, int stages, float* out) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float4 memory[];
    __shared__ __align__(8) unsigned long long arrived[4];
    const auto bytes = static_cast<unsigned>(words * sizeof(float4));
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < stages; ++stage) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrived + stage)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    std::size_t fetched = blockIdx.x;
    const auto fetch = [&](int stage) {
        if (threadIdx.x == 0 && fetched < tiles) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived + stage)), "r"(bytes)
                         : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_address(memory + stage * words)),
                         "l"(in + fetched * words), "r"(bytes), "r"(shared_address(arrived + stage))
                         : "memory");
        }
        fetched += gridDim.x;
    };
    for (int stage = 0; stage < stages; ++stage) {
        fetch(stage);
    }
    float sum = 0;
    int stage = 0;
    unsigned phase = 0;
    for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned done = 0;
        while (done == 0) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(shared_address(arrived + stage)), "r"(phase)
                         : "memory");
        }
        for (int i = threadIdx.x; i < words; i += threads) {
            sum += memory[stage * words + i].x;
        }
        __syncthreads(); // before the tile is overwritten
        fetch(stage);
        if (++stage == stages) {
            stage = 0;
            phase ^= 1U;
        }
    }
    out[blockIdx.x * threads + threadIdx.x] = sum;
#else
    (void)in, (void)tiles, (void)words, (void)stages, (void)out;
#endif
}

/// Every word is 1.
void expect(const Buffer& out, int blocks, double value, const char* way) {
    std::vector<float> sums(static_cast<std::size_t>(blocks) * threads);
    check(cudaMemcpy(sums.data(), out.as<float>(), sums.size() * sizeof(float), cudaMemcpyDeviceToHost), "reading a result");
    double sum = 0;
    for (const float each : sums)
        sum += each;
    if (sum != value) {
        std::fprintf(stderr, "probe: copies (%s): sum %.0f where %.0f has to be\n", way, sum, value);
        std::exit(1);
    }
}

void copies(const char* way, void (*kernel)(const float4*, std::size_t, int, int, float*), const Buffer& in) {
    constexpr int most_resident = 8;
    const Buffer out(static_cast<std::size_t>(gpu().multiprocessors) * most_resident * threads * sizeof(float));
    allow_shared(reinterpret_cast<const void*>(kernel));
    for (int tile = 1024; tile <= 16384; tile *= 2) {
        for (const int stages : {1, 2, 4}) {
            const int bytes = tile * stages;
            int most = 0;
            check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, threads, static_cast<std::size_t>(bytes)),
                  "occupancy of a probe");
            for (int resident = 1; resident <= std::min(most, most_resident); resident *= 2) {
                const int blocks = gpu().multiprocessors * resident;
                const std::size_t tiles = in.bytes() / static_cast<std::size_t>(tile);
                const auto launch = [&] { kernel<<<blocks, threads, bytes>>>(in.as<float4>(), tiles, tile / 16, stages, out.as<float>()); };
                launch();
                check(cudaGetLastError(), "launch of a probe");
                expect(out, blocks, static_cast<double>(tiles) * (tile / 16.0), way);
                const double seconds = seconds_of(launch);
                Row("async", clock_under(launch))
                    .text("way", way)
                    .number("tile", tile)
                    .number("stages", stages)
                    .number("resident", resident)
                    .number("bytes", static_cast<double>(tiles) * tile)
                    .number("seconds", seconds);
            }
        }
    }
}

__global__ void ones(float* list, std::size_t count) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
        list[i] = 1;
    }
}

} // namespace

void async_copy() {
    const cudaDeviceProp& properties = gpu().properties;
    const Buffer in(2 * beyond_cache());
    ones<<<4 * gpu().multiprocessors, 256>>>(in.as<float>(), in.bytes() / sizeof(float));
    if (properties.major >= 8) {
        copies("threads", by_threads, in);
    }
    cudaFuncAttributes compiled{};
    check(cudaFuncGetAttributes(&compiled, bulk), "cudaFuncGetAttributes");
    if (properties.major >= 9 && compiled.binaryVersion >= 90) {
        copies("bulk", bulk, in);
    }
}

} // namespace fusec::probe
