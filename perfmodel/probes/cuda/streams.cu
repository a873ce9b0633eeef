// SPDX-License-Identifier: Apache-2.0
// Streams of doubles out of memory and back.
// 3, 5: one element per thread, by mix of reads and writes and by how many blocks are resident. 3 is the row of one store with one block.
// 6: copies by words of 4, 8 and 16 bytes, several of them per thread and independent of each other.
// 7: scaling of lists from 64 KiB to eight times the second-level cache, found there or not.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int most_lists = 4;
struct Inputs {
    const double* list[most_lists];
};

constexpr double scale = 1.25;

/// `nowhere` is false, and no value has the bits of 1: compilers know neither, so that what is read alone has to be read.
template <int Reads, int Writes>
__global__ void __launch_bounds__(1024) stream(Inputs in, double* out, std::size_t count, bool nowhere) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= count) {
        return;
    }
    double value = 1.5;
    if constexpr (Reads == 1) {
        value = Writes == 0 ? in.list[0][i] : in.list[0][i] * scale;
    } else if constexpr (Reads == 2) {
        value = in.list[0][i] + in.list[1][i];
    } else if constexpr (Reads == 3) {
        value = in.list[0][i] * in.list[1][i] + in.list[2][i];
    } else if constexpr (Reads == 4) {
        value = in.list[0][i] * in.list[1][i] + in.list[2][i] + in.list[3][i];
    }
    if (Writes == 1 || nowhere || __double_as_longlong(value) == 1) {
        out[i] = value;
    }
}

struct Lists {
    Inputs in{};
    double* out = nullptr;
    std::size_t count = 0;
};

/// Components in the middle and at the end have to be what the inputs give: 1 in the first list, then 2, 3, 4.
void expect(const double* list, std::size_t count, double value, const char* kernel) {
    for (const std::size_t at : {count / 2 + 1, count - 1}) {
        double found = 0;
        check(cudaMemcpy(&found, list + at, sizeof found, cudaMemcpyDeviceToHost), "reading a result");
        if (found != value) {
            std::fprintf(stderr, "probe: %s: %g where %g has to be\n", kernel, found, value);
            std::exit(1);
        }
    }
}

template <int Reads, int Writes>
void mix(const char* name, const Lists& lists, double result) {
    void (*const kernel)(Inputs, double*, std::size_t, bool) = stream<Reads, Writes>;
    for (const int threads : {32, 64, 128, 256, 512, 1024}) {
        for (const int resident : residents(reinterpret_cast<const void*>(kernel), threads)) {
            const int bytes = spoiler(reinterpret_cast<const void*>(kernel), threads, resident);
            if (bytes < 0) {
                continue;
            }
            const auto blocks =
                static_cast<unsigned>((lists.count + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads));
            const auto launch = [&] { kernel<<<blocks, threads, bytes>>>(lists.in, lists.out, lists.count, false); };
            const double seconds = seconds_of(launch);
            Row("stream", clock_under(launch))
                .text("kernel", name)
                .number("block", threads)
                .number("resident", resident)
                .number("elements", static_cast<double>(lists.count))
                .number("seconds", seconds);
        }
    }
    if (Writes == 1) {
        expect(lists.out, lists.count, result, name);
    }
}

void by_occupancy() {
    const std::size_t count = beyond_cache() / sizeof(double);
    Lists lists;
    lists.count = count;
    const Buffer first(count, 1.0), second(count, 2.0), third(count, 3.0), fourth(count, 4.0), out(count, 0.0);
    lists.in = {{first.as<double>(), second.as<double>(), third.as<double>(), fourth.as<double>()}};
    lists.out = out.as<double>();
    mix<0, 1>("init", lists, 1.5);
    mix<1, 0>("read", lists, 0);
    mix<1, 1>("scale", lists, scale);
    mix<2, 1>("add", lists, 3.0);
    mix<3, 1>("triad", lists, 5.0);
    mix<4, 1>("four", lists, 9.0);
}

template <class Word, int Loads>
__global__ void copy(const Word* in, Word* out, std::size_t count) {
    const std::size_t first = blockIdx.x * std::size_t{blockDim.x} * Loads + threadIdx.x;
    Word words[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
        const std::size_t i = first + std::size_t{blockDim.x} * k;
        words[k] = in[i < count ? i : count - 1];
    }
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
        const std::size_t i = first + std::size_t{blockDim.x} * k;
        if (i < count) {
            out[i] = words[k];
        }
    }
}

template <class Word, int Loads>
void copies(const Buffer& in, const Buffer& out) {
    constexpr int threads = 256;
    const std::size_t count = in.bytes() / sizeof(Word);
    const auto blocks = static_cast<unsigned>((count + threads * Loads - 1) / (threads * Loads));
    const auto launch = [&] { copy<Word, Loads><<<blocks, threads>>>(in.as<Word>(), out.as<Word>(), count); };
    const double seconds = seconds_of(launch);
    const Clock clock = clock_under(launch);
    expect(out.as<double>(), out.bytes() / sizeof(double), 2.0, "copy by width");
    check(cudaMemset(out.as<char>(), 0, out.bytes()), "cudaMemset");
    Row("width", clock)
        .number("registers", registers_of(reinterpret_cast<const void*>(copy<Word, Loads>)))
        .number("word", sizeof(Word))
        .number("loads", Loads)
        .number("block", threads)
        .number("words", static_cast<double>(count))
        .number("seconds", seconds);
}

template <class Word>
void by_loads(const Buffer& in, const Buffer& out) {
    copies<Word, 1>(in, out);
    copies<Word, 2>(in, out);
    copies<Word, 4>(in, out);
    copies<Word, 8>(in, out);
}

void by_width() {
    const Buffer in(beyond_cache() / sizeof(double), 2.0), out(beyond_cache());
    by_loads<float>(in, out);
    by_loads<double>(in, out);
    by_loads<double2>(in, out);
}

void by_volume() {
    constexpr int threads = 1024;
    const Buffer in(2 * beyond_cache() / sizeof(double), 2.0), out(2 * beyond_cache());
    Lists lists;
    lists.in = {{in.as<double>(), nullptr, nullptr, nullptr}};
    lists.out = out.as<double>();
    for (std::size_t bytes = std::size_t{64} << 10; bytes <= in.bytes(); bytes *= 2) {
        const std::size_t count = bytes / sizeof(double);
        const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
        const auto launch = [&] { stream<1, 1><<<blocks, threads>>>(lists.in, lists.out, count, false); };
        for (const bool warm : {true, false}) {
            const double seconds = warm ? seconds_of(launch) : cold_seconds_of(launch);
            if (seconds <= 0) {
                std::fprintf(stderr, "probe: %zu doubles out of a cold cache are not told from an empty kernel\n", count);
                continue;
            }
            const Clock clock = clock_under([&] {
                if (!warm)
                    flush_cache();
                launch();
            });
            Row("volume", clock)
                .text("cache", warm ? "warm" : "cold")
                .number("block", threads)
                .number("elements", static_cast<double>(count))
                .number("seconds", seconds);
        }
        expect(lists.out, count, 2.0 * scale, "scaling by volume");
    }
}

} // namespace

void streams() {
    by_occupancy();
    by_width();
    by_volume();
}

} // namespace fusec::probe
