// SPDX-License-Identifier: Apache-2.0
// Kernels in the style of the generated text, right ones and ones with a single defect, for the tests of the emulated device. Each
// loads a list of 3-vectors to shared memory and works on it there.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace emulation_kernels {

constexpr unsigned tile = 64;

enum class Barrier {
    none,
    warp,
    block
};

template <Barrier B>
__device__ inline void synchronise() {
    if constexpr (B == Barrier::block) {
        __syncthreads();
    } else if constexpr (B == Barrier::warp) {
        __syncwarp();
    }
}

inline unsigned elements_left(std::size_t n, std::size_t first) {
    return n - first < tile ? static_cast<unsigned>(n - first) : tile;
}

// out[i] = the sum of in over the four threads 4 (i / 4) .., of which threads behind `count` are idle.
__device__ inline unsigned mask_of_four() {
    return 0xfu << (threadIdx.x % 32 / 4 * 4);
}
__global__ void sum_of_four(const float* in, float* out, unsigned count) {
    if (threadIdx.x < count) {
        float x = in[threadIdx.x];
        for (int distance = 2; distance > 0; distance /= 2) {
            x = __fadd_rn(x, __shfl_xor_sync(mask_of_four(), x, distance));
        }
        out[threadIdx.x] = x;
    }
}
// Each thread takes the values of thread `from` of its four in turn, then those of the next. Doubles.
__global__ void values_of_four(const float* in, float* out, int from) {
    const double first = __shfl_sync(mask_of_four(), double{in[threadIdx.x]}, from, 4);
    const double second = __shfl_sync(mask_of_four(), 10 * double{in[threadIdx.x]}, from + 1, 4);
    out[threadIdx.x] = static_cast<float>(first + second);
}
// The mask is that of the whole warp, though some threads have ended.
__global__ void exchange_with_absent(float* out, unsigned count) {
    if (threadIdx.x < count) {
        out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
    }
}
// Thread 3 of each four leaves the exchange out and waits at the barrier behind it.
__global__ void exchange_left_out(float* out) {
    if (threadIdx.x % 4 != 3) {
        out[threadIdx.x] = __shfl_xor_sync(mask_of_four(), 1.0f, 1);
    }
    __syncthreads();
}
// A mask without the thread that calls, and one without the thread that is asked.
__global__ void exchange_without_oneself(float* out) {
    out[threadIdx.x] = __shfl_xor_sync(mask_of_four() & ~(1u << threadIdx.x % 32), 1.0f, 0);
}
__global__ void exchange_beyond_the_mask(float* out) {
    out[threadIdx.x] = __shfl_xor_sync(mask_of_four(), 1.0f, 4);
}
// Two texts of one exchange.
__global__ void split_exchange(float* out) {
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = __shfl_xor_sync(mask_of_four(), 1.0f, 1);
    } else {
        out[threadIdx.x] = __shfl_xor_sync(mask_of_four(), 2.0f, 1);
    }
}

// s[e] = v[e] . v[e], the tile copied one component per thread and step. `AfterLoad` must be a block barrier: element e's components
// are copied by three other threads, of another warp from element 22 on.
template <Barrier AfterLoad>
__global__ void __launch_bounds__(64) dot(const float* __restrict__ v, float* __restrict__ s, std::size_t n) {
    const auto memory = fusec_emulation::shared_memory<float>();
    const std::size_t first = std::size_t{blockIdx.x} * tile;
    const unsigned count = elements_left(n, first);
    for (unsigned i = threadIdx.x; i < count * 3; i += blockDim.x) {
        memory[i] = v[first * 3 + i];
    }
    synchronise<AfterLoad>();
    if (threadIdx.x < count) {
        float sum = 0;
        for (unsigned i = 0; i < 3; ++i) {
            sum += memory[threadIdx.x * 3 + i] * memory[threadIdx.x * 3 + i];
        }
        s[first + threadIdx.x] = sum;
    }
}

// w[e] = v[e] reversed, in place in shared memory: reads, a barrier, writes; then the tile is stored cooperatively after another.
template <Barrier BeforeWrite, Barrier BeforeStore>
__global__ void __launch_bounds__(64) reverse_tile(const float* v, float* w, std::size_t n) {
    const auto memory = fusec_emulation::shared_memory<float>();
    const std::size_t first = std::size_t{blockIdx.x} * tile;
    const unsigned count = elements_left(n, first);
    if (threadIdx.x < count) {
        memory[threadIdx.x] = v[first + threadIdx.x];
    }
    __syncthreads();
    const float mine = threadIdx.x < count ? float(memory[count - 1 - threadIdx.x]) : 0.0f;
    synchronise<BeforeWrite>();
    if (threadIdx.x < count) {
        memory[threadIdx.x] = mine;
    }
    synchronise<BeforeStore>();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        w[first + i] = memory[count - 1 - (count - 1 - i)];
    }
}

// Neighbours within a warp exchange: a warp barrier suffices.
template <Barrier Between>
__global__ void exchange(const float* v, float* w, std::size_t n) {
    const auto memory = fusec_emulation::shared_memory<float>();
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    memory[threadIdx.x] = i < n ? v[i] : 0.0f;
    synchronise<Between>();
    if (i < n) {
        w[i] = memory[threadIdx.x ^ 1u];
    }
}

// Copies through shared memory `Width` bytes at a time asynchronously.
template <unsigned Width, bool Wait, Barrier AfterWait>
__global__ void copy_async(const float* v, float* w, unsigned offset) {
    const auto memory = fusec_emulation::shared_memory<float>() + offset;
    constexpr unsigned step = Width / sizeof(float);
    fusec_emulation::copy_async(memory + threadIdx.x * step, v + threadIdx.x * step, Width);
    if constexpr (Wait) {
        fusec_emulation::copy_async_wait_all();
    }
    synchronise<AfterWait>();
    for (unsigned i = threadIdx.x; i < blockDim.x * step; i += blockDim.x) {
        w[i] = memory[i];
    }
}

// Moves a tile with 16-byte accesses from `offset` floats on.
__global__ inline void copy_wide(const float* v, float* w, unsigned offset) {
    const auto memory = fusec_emulation::shared_memory<float>() + offset;
    using fusec_emulation::vector_pointer;
    vector_pointer<uint4>(memory)[threadIdx.x] = vector_pointer<uint4>(v)[threadIdx.x];
    __syncthreads();
    vector_pointer<uint4>(w)[threadIdx.x] = vector_pointer<uint4>(memory)[threadIdx.x];
}

// Reads component `extra` of shared memory that the kernel never writes, or that does not exist.
__global__ inline void read_word(float* w, long word) {
    const auto memory = fusec_emulation::shared_memory<float>();
    memory[threadIdx.x] = 1;
    __syncthreads();
    w[threadIdx.x] = memory[word];
}

__global__ inline void write_word(float* w, long word) {
    const auto memory = fusec_emulation::shared_memory<float>();
    memory[word] = 1;
    w[threadIdx.x] = 1;
}

// Half of the block waits for the whole block, the other half for its warp.
__global__ inline void split_barrier(float* w) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncwarp();
        __syncwarp();
        __syncthreads();
        __syncwarp();
    }
    w[threadIdx.x] = 1;
}

__global__ inline void unreached_barrier(float* w) {
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    w[threadIdx.x] = 1;
}

__global__ inline void divergent_barrier(float* w) {
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    w[threadIdx.x] = 1;
}

// Threads without an element leave before the barrier; the others meet there.
__global__ inline void early_exit(float* w, unsigned count) {
    if (threadIdx.x >= count) {
        return;
    }
    __syncthreads();
    w[threadIdx.x] = 1;
}

// Two threads write one word.
__global__ inline void write_twice(float* w, unsigned other) {
    const auto memory = fusec_emulation::shared_memory<float>();
    if (threadIdx.x == 0 || threadIdx.x == other) {
        memory[0] = 1;
    }
    w[threadIdx.x] = 1;
}

// Every component of the built-in variables, for a block and grid of three dimensions.
__global__ inline void indices(unsigned* out) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}

// Which block is the last to run.
__global__ void last_block(float* last) {
    *last = static_cast<float>(blockIdx.x);
}

} // namespace emulation_kernels
