// SPDX-License-Identifier: Apache-2.0
// 8: reading floats that do not stand side by side, out of memory and out of the second-level cache: every s-th, and whole records by one
// thread each.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int threads = 256;

/// Thread i reads word i * stride.
__global__ void every(const float* list, std::size_t words, std::size_t stride, std::size_t wanted, bool nowhere, float* out) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= wanted) {
        return;
    }
    const float value = list[i * stride];
    if (value == 1.0F || nowhere) {
        out[i % words] = value;
    }
}

template <int Words>
__global__ void records(const float* list, std::size_t count, bool nowhere, float* out) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= count) {
        return;
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        sum += list[i * Words + k];
    }
    if (sum == 1.0F || nowhere) {
        out[i] = sum;
    }
}

void strided(const char* level, const Buffer& list, const Buffer& out, std::size_t bytes) {
    const std::size_t words = bytes / sizeof(float);
    for (const std::size_t stride : {1, 2, 4, 8, 16, 32}) {
        const std::size_t wanted = words / stride;
        const auto blocks = static_cast<unsigned>((wanted + threads - 1) / threads);
        const auto launch = [&] { every<<<blocks, threads>>>(list.as<float>(), words, stride, wanted, false, out.as<float>()); };
        const double seconds = seconds_of(launch);
        Row("stride", clock_under(launch))
            .text("level", level)
            .number("stride", static_cast<double>(stride))
            .number("words", static_cast<double>(wanted))
            .number("block", threads)
            .number("seconds", seconds);
    }
}

template <int Words>
void of_records(const char* level, const Buffer& list, const Buffer& out, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(float) / Words;
    const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
    const auto launch = [&] { records<Words><<<blocks, threads>>>(list.as<float>(), count, false, out.as<float>()); };
    const double seconds = seconds_of(launch);
    Row("record", clock_under(launch))
        .text("level", level)
        .number("record", Words)
        .number("elements", static_cast<double>(count))
        .number("block", threads)
        .number("seconds", seconds);
}

} // namespace

void strides() {
    // Out of memory, the sectors that every 32nd float lies in are four times what the cache holds.
    const Buffer list(4 * beyond_cache()), out(4 * beyond_cache());
    for (const bool memory : {true, false}) {
        const char* const level = memory ? "dram" : "l2";
        const std::size_t bytes = memory ? list.bytes() : static_cast<std::size_t>(gpu().properties.l2CacheSize) / 4;
        strided(level, list, out, bytes);
        of_records<9>(level, list, out, bytes);
        of_records<25>(level, list, out, bytes);
    }
}

} // namespace fusec::probe
