// SPDX-License-Identifier: Apache-2.0
// 11: what an access of a warp to shared memory takes, by width and by how many of its words lie in one bank.
// 12: what a barrier takes, by the warps of a block and the blocks of a multiprocessor.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int passes = 256, unrolled = 8;
constexpr int words = 8192; // 32 KiB

/// Every warp reads `unrolled` independent words per pass, lane l from word l * stride (of `Word`) on: at constant distances from one address, so
/// that an access is one instruction.
template <class Word>
__global__ void __launch_bounds__(1024) reading(int stride, long long* cycles, float* out) {
    __shared__ __align__(16) float memory[words + 4 * unrolled];
    for (int i = threadIdx.x; i < words + 4 * unrolled; i += blockDim.x) {
        memory[i] = static_cast<float>(i);
    }
    __syncthreads();
    constexpr int per_word = sizeof(Word) / sizeof(float), size = words / per_word;
    const Word* const list = reinterpret_cast<const Word*>(memory);
    const int lane = threadIdx.x % 32;
    float sum = 0;
    int at = lane * stride % size;
    const long long before = clock64();
    for (int pass = 0; pass < passes; ++pass) {
        Word found[unrolled];
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
            found[k] = list[at + k];
        }
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
#pragma unroll
            for (int part = 0; part < per_word; ++part) { // all of them, or the load becomes a narrower one
                sum += reinterpret_cast<const float*>(&found[k])[part];
            }
        }
        at = (at + unrolled) % size;
    }
    const long long after = clock64();
    if (sum == -1.0F) {
        out[0] = sum;
    }
    if (lane == 0) {
        cycles[threadIdx.x / 32 * 2] = before;
        cycles[threadIdx.x / 32 * 2 + 1] = after;
    }
}

template <class Word>
struct Stored {
    explicit __device__ Stored(int) {}
    __device__ void put(Word* at, int pass) const { *static_cast<volatile Word*>(at) = static_cast<Word>(pass); }
};
/// The same four registers in every pass, so that nothing has to be moved into place, in one instruction, which C++ has no words for.
template <>
struct Stored<float4> {
    int word[4];
    explicit __device__ Stored(int lane)
        : word{lane, lane + 1, lane + 2, lane + 3} {}
    __device__ void put(float4* at, int) const {
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
        asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                     : "memory");
    }
};

template <class Word>
__global__ void __launch_bounds__(1024) writing(int stride, long long* cycles, float* out) {
    __shared__ __align__(16) float memory[words + 4 * unrolled];
    constexpr int per_word = sizeof(Word) / sizeof(float), size = words / per_word;
    Word* const list = reinterpret_cast<Word*>(memory);
    const int lane = threadIdx.x % 32;
    const Stored<Word> stored(lane);
    int at = lane * stride % size;
    __syncthreads();
    const long long before = clock64();
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
            stored.put(list + at + k, pass);
        }
        at = (at + unrolled) % size;
    }
    const long long after = clock64();
    __syncthreads();
    if (memory[lane] == -1.0F) {
        out[0] = memory[lane];
    }
    if (lane == 0) {
        cycles[threadIdx.x / 32 * 2] = before;
        cycles[threadIdx.x / 32 * 2 + 1] = after;
    }
}

__global__ void __launch_bounds__(1024) meeting(long long* cycles) {
    __syncthreads();
    const long long before = clock64();
    for (int i = 0; i < passes; ++i) {
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = clock64() - before;
    }
}

double longest(const Buffer& cycles, int count) {
    std::vector<long long> seen(static_cast<std::size_t>(count));
    check(cudaGetLastError(), "launch of a probe");
    check(cudaMemcpy(seen.data(), cycles.as<long long>(), seen.size() * sizeof(long long), cudaMemcpyDeviceToHost), "running a probe");
    return static_cast<double>(*std::max_element(seen.begin(), seen.end()));
}

/// Cycles of a multiprocessor per access of a warp, with so many warps at work that they follow each other without a gap.
template <class Kernel>
void by_conflict(const char* way, int bytes, Kernel kernel) {
    constexpr int threads = 1024, warps = threads / 32;
    const Buffer cycles(2 * warps * sizeof(long long)), out(sizeof(float));
    for (const int stride : {0, 1, 2, 4, 8, 16, 32}) { // of words of that width; 0: all lanes the same
        const auto launch = [&] { kernel<<<1, threads>>>(stride, cycles.as<long long>(), out.as<float>()); };
        double best = 0;
        for (int i = 0; i < 5; ++i) {
            launch();
            const double each = window(cycles, warps) / (passes * unrolled * warps);
            best = i == 0 ? each : std::min(best, each);
        }
        Row("shared", clock_under(launch)).text("way", way).number("word", bytes).number("stride", stride).number("cycles", best);
    }
}

void barriers() {
    for (int warps = 1; warps <= 32; warps *= 2) {
        int most = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, meeting, 32 * warps, 0), "occupancy of a probe");
        for (int resident = 1; resident <= most; resident *= 2) {
            const int blocks = gpu().multiprocessors * resident;
            const Buffer cycles(static_cast<std::size_t>(blocks) * sizeof(long long));
            const auto launch = [&] { meeting<<<blocks, 32 * warps>>>(cycles.as<long long>()); };
            double best = 0;
            for (int i = 0; i < 5; ++i) {
                launch();
                const double each = longest(cycles, blocks) / (passes * unrolled);
                best = i == 0 ? each : std::min(best, each);
            }
            Row("barrier", clock_under(launch)).number("warps", warps).number("resident", resident).number("cycles", best);
        }
    }
}

} // namespace

void shared() {
    by_conflict("load", 4, reading<float>);
    by_conflict("load", 8, reading<float2>);
    by_conflict("load", 16, reading<float4>);
    by_conflict("store", 4, writing<float>);
    by_conflict("store", 8, writing<double>);
    by_conflict("store", 16, writing<float4>);
    barriers();
}

} // namespace fusec::probe
