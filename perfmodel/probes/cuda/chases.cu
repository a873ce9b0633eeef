// SPDX-License-Identifier: Apache-2.0
// 4: cycles of a load that the next one waits for, by how much memory the pointers lie in, and of one from shared memory.
#include "probe.cuh"

#include <numeric>
#include <random>

namespace fusec::probe {

namespace {

constexpr int loads = 1024;

/// One warp, all threads along the same pointers.
__global__ void follow(const std::uint64_t* start, int warm, long long* cycles, std::uint64_t* end) {
    const std::uint64_t* p = start;
    for (int i = 0; i < warm; ++i) {
        p = reinterpret_cast<const std::uint64_t*>(*p);
    }
    const long long before = clock64();
#pragma unroll 16
    for (int i = 0; i < loads; ++i) {
        p = reinterpret_cast<const std::uint64_t*>(*p);
    }
    *end = reinterpret_cast<std::uint64_t>(p); // before the clock is read: it has to be known
    *cycles = clock64() - before;
}

/// Addresses, so that nothing but loads is on the way from one to the next.
__global__ void follow_shared(long long* cycles, unsigned* end) {
    __shared__ unsigned next[1024];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(next));
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = base + (i + 33) % 1024 * sizeof(unsigned);
    __syncthreads();
    unsigned at = base;
    const long long before = clock64();
#pragma unroll 16
    for (int i = 0; i < loads; ++i)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    *end = at;
    *cycles = clock64() - before;
}

/// One cycle through lines of 128 bytes in random order, so that nothing is fetched ahead.
void chain(const Buffer& buffer, std::size_t bytes) {
    constexpr std::size_t line = 128;
    const std::size_t lines = bytes / line;
    std::vector<std::size_t> order(lines);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(1);
    for (std::size_t i = lines - 1; i > 0; --i) {
        std::swap(order[i], order[random() % (i + 1)]);
    }
    std::vector<std::uint64_t> words(lines * line / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < lines; ++i) {
        words[order[i] * (line / sizeof(std::uint64_t))] =
            reinterpret_cast<std::uint64_t>(buffer.as<char>() + order[(i + 1) % lines] * line);
    }
    check(cudaMemcpy(buffer.as<char>(), words.data(), words.size() * sizeof(std::uint64_t), cudaMemcpyHostToDevice), "writing pointers");
}

} // namespace

void chases() {
    const auto cache = static_cast<double>(gpu().properties.l2CacheSize);
    const Buffer cycles(sizeof(long long)), end(sizeof(std::uint64_t));
    const auto seen = [&] {
        check(cudaGetLastError(), "launch of a probe");
        long long count = 0;
        check(cudaMemcpy(&count, cycles.as<long long>(), sizeof count, cudaMemcpyDeviceToHost), "running a probe");
        return static_cast<double>(count) / loads;
    };
    for (const double bytes : {16384.0, 1048576.0, 0.4 * cache, 0.9 * cache, 4 * cache, 16 * cache}) {
        const auto size = static_cast<std::size_t>(bytes) / 4096 * 4096;
        const Buffer pointers(size);
        chain(pointers, size);
        const auto lines = static_cast<int>(size / 128);
        std::vector<double> found;
        const std::uint64_t* start = pointers.as<std::uint64_t>();
        for (int i = 0; i < 5; ++i) { // each from where the one before has ended: lines that are not visited twice
            // The first level is empty at each launch; what is larger than it comes from the second.
            const int warm = i == 0 || size <= 16384 ? std::min(lines, 1 << 20) : 0;
            follow<<<1, 32>>>(start, warm, cycles.as<long long>(), end.as<std::uint64_t>());
            found.push_back(seen());
            check(cudaMemcpy(&start, end.as<std::uint64_t>(), sizeof start, cudaMemcpyDeviceToHost), "running a probe");
        }
        const auto launch = [&] { follow<<<1, 32>>>(start, 0, cycles.as<long long>(), end.as<std::uint64_t>()); };
        Row("chase", clock_under(launch))
            .text("space", "global")
            .number("bytes", static_cast<double>(size))
            .number("cycles", detail::median(found));
    }
    const auto launch = [&] { follow_shared<<<1, 32>>>(cycles.as<long long>(), end.as<unsigned>()); };
    std::vector<double> found;
    for (int i = 0; i < 5; ++i) {
        launch();
        found.push_back(seen());
    }
    Row("chase", clock_under(launch)).text("space", "shared").number("bytes", 4096).number("cycles", detail::median(found));
}

} // namespace fusec::probe
