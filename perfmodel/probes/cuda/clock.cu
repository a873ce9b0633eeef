// SPDX-License-Identifier: Apache-2.0
// The clock of the multiprocessors under the load of a row. The launches that are timed stay alone: what reads the clock runs beside further
// launches of the same kernel, which nobody times. It is one thread, in a stream of its own that waits for no other and comes first where a block
// ends. Between some of the launches a kernel of one thread notes the GPU's timer, by which the host sees whether launches were under way all the
// while: drivers and tools may make kernels wait for each other, and then the clock would be that of an idle GPU.
#include "probe.cuh"

#include <array>

namespace fusec::probe {

namespace {

using Nanoseconds = unsigned long long;

constexpr Nanoseconds least_window = 500000; // the timer of some GPUs ticks once in a microsecond

__device__ Nanoseconds now() {
    Nanoseconds time = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

struct Sample {
    Nanoseconds begin, end;
    unsigned long long cycles;
};

/// From one tick of the timer to the first one that is `least` later.
__global__ void sample(Nanoseconds least, Sample* out) {
    const Nanoseconds first = now();
    Nanoseconds begin = first;
    while (begin == first)
        begin = now();
    const long long start = clock64();
    Nanoseconds end = begin;
    while (end - begin < least)
        end = now();
    *out = {begin, end, static_cast<unsigned long long>(clock64() - start)};
}

__global__ void stamp(Nanoseconds* at) {
    *at = now();
}

cudaStream_t beside() {
    static const cudaStream_t made = [] {
        int least = 0, greatest = 0;
        cudaStream_t stream{};
        check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
        check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "cudaStreamCreateWithPriority");
        return stream;
    }();
    return made;
}

double ghz_of(const Sample& seen) {
    if (seen.end - seen.begin < least_window || seen.cycles == 0) {
        std::fprintf(stderr, "probe: the GPU's timer does not run\n");
        std::exit(1);
    }
    return static_cast<double>(seen.cycles) / static_cast<double>(seen.end - seen.begin);
}

/// One after another in a queue, the least of three times.
double seconds_between(const std::function<void()>& launch) {
    constexpr int times = 3;
    detail::Events events;
    const auto batch = [&](int launches) {
        events.start();
        for (int i = 0; i < launches; ++i)
            launch();
        const double seconds = events.stop() / launches;
        check(cudaGetLastError(), "launch of a probe");
        return seconds;
    };
    const int launches = static_cast<int>(std::clamp(1e-3 / batch(2), 2.0, 50.0));
    double least = batch(launches);
    for (int i = 1; i < times; ++i)
        least = std::min(least, batch(launches));
    return least;
}

/// Groups of launches take a quarter to half of the time for which the clock is read: one launch, or several short ones.
constexpr int groups = 8;

/// Whether launches were under way from the sample's begin to its end: none of the groups meanwhile took longer by three quarters of that time. One that
/// waits for the sample to end takes longer by all of it; launches that fill the GPU take twice as long, which is half of it at most, where the
/// sample's thread keeps one of their blocks for a second wave. `noted` are the times before and behind each group, `expected` is what one takes.
bool under_way(const Sample& seen, const std::array<Nanoseconds, groups + 1>& noted, double expected) {
    if (seen.begin < noted.front() || seen.end > noted.back())
        return false;
    const double most = expected + 0.75 * static_cast<double>(seen.end - seen.begin);
    for (int i = 0; i < groups; ++i) {
        const bool meanwhile = noted[i] < seen.end && noted[i + 1] > seen.begin;
        if (meanwhile && static_cast<double>(noted[i + 1] - noted[i]) > most)
            return false;
    }
    return true;
}

const Buffer& sampled() {
    static const Buffer one(sizeof(Sample));
    return one;
}

Sample sample_there() {
    Sample seen{};
    check(cudaDeviceSynchronize(), "running a probe");
    check(cudaMemcpy(&seen, sampled().as<Sample>(), sizeof seen, cudaMemcpyDeviceToHost), "reading the clocks");
    return seen;
}

} // namespace

Clock clock_under(const std::function<void()>& launch) {
    constexpr int attempts = 4; // the first one may wait for the kernels here to be loaded
    static const Buffer notes((groups + 1) * sizeof(Nanoseconds));
    auto* const note = notes.as<Nanoseconds>();
    for (int i = 0; i < attempts; ++i) {
        const double one = 1e9 * std::max(1e-7, seconds_between(launch)); // ns
        const double window = std::max(static_cast<double>(least_window), 2 * one);
        const int launches = static_cast<int>(window / 2 / one);
        stamp<<<1, 1>>>(note);
        for (int group = 0; group < groups; ++group) {
            for (int k = 0; k < launches; ++k)
                launch();
            stamp<<<1, 1>>>(note + group + 1);
            if (group == 0)
                sample<<<1, 1, 0, beside()>>>(static_cast<Nanoseconds>(window), sampled().as<Sample>());
        }
        check(cudaGetLastError(), "launch of a probe");
        const Sample seen = sample_there();
        std::array<Nanoseconds, groups + 1> noted{};
        check(cudaMemcpy(noted.data(), note, sizeof noted, cudaMemcpyDeviceToHost), "reading the clocks");
        if (under_way(seen, noted, launches * one))
            return {ghz_of(seen), true};
    }
    sample<<<1, 1>>>(least_window, sampled().as<Sample>());
    check(cudaGetLastError(), "launch of a probe");
    return {ghz_of(sample_there()), false};
}

} // namespace fusec::probe
