// SPDX-License-Identifier: Apache-2.0
// 2: what a launch costs that does nothing, by blocks and threads and by the number of its arguments, as it is queued in a stream, between two
// events, and as part of a graph.
// 16: kernels of a few waves of blocks, and of one block or half a wave more.
#include "probe.cuh"

#include <utility>

namespace fusec::probe {

namespace {

__global__ void nothing() {}

/// As many parameters as it is given pointers.
template <class... Pointers>
__global__ void taking(Pointers...) {}

/// Each block works as long as any other: `passes` dependent FMAs.
__global__ void busy(float* out, int passes) {
    float x = threadIdx.x, y = 0.5F;
    for (int i = 0; i < passes; ++i) {
        x = x * y + 1.0F;
    }
    if (x == -1.0F) {
        out[0] = x;
    }
}

__global__ void copying(const double* in, double* out, std::size_t count) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < count) {
        out[i] = in[i];
    }
}

/// What an empty kernel is launched with.
struct Size {
    int blocks, threads;
    int pointers = 0; ///< that it takes; 0: none, and a row of `launch`
};

void write_row(const Size& size, const char* mode, double seconds, const Clock& clock) {
    Row row(size.pointers > 0 ? "arguments" : "launch", clock);
    row.text("mode", mode).number("blocks", size.blocks).number("threads", size.threads).number("seconds", seconds);
    if (size.pointers > 0)
        row.number("pointers", size.pointers);
}

/// One after another in a stream.
template <class Queue>
void in_stream(const Size& size, const Queue& queue) {
    const auto launch = [&] { queue(nullptr); };
    const double seconds = seconds_of(launch);
    write_row(size, "stream", seconds, clock_under(launch));
}

/// From the event before it to the one behind it, with nothing else on the way.
template <class Queue>
void between_events(const Size& size, const Queue& queue) {
    detail::Events events;
    std::vector<double> alone;
    for (int i = 0; i < 101; ++i) {
        events.start();
        queue(nullptr);
        alone.push_back(events.stop());
    }
    write_row(size, "event", detail::median(alone), clock_under([&] {
                  events.start();
                  queue(nullptr);
                  check(cudaEventRecord(events.end), "cudaEventRecord");
              }));
}

/// A graph of kernels that each wait for the one before, by their number: as many as a hundred, fewer of many blocks.
template <class Queue>
void in_graph(const Size& size, const Queue& queue) {
    const int length = std::max(4, std::min(100, 1000000 / size.blocks));
    cudaStream_t stream{};
    cudaGraph_t graph{};
    cudaGraphExec_t instance{};
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing a graph");
    for (int i = 0; i < length; ++i)
        queue(stream);
    check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
    check(cudaGraphInstantiate(&instance, graph, 0), "cudaGraphInstantiate");
    const auto launch = [&] { check(cudaGraphLaunch(instance, nullptr), "cudaGraphLaunch"); };
    const double seconds = seconds_of(launch) / length;
    write_row(size, "graph", seconds, clock_under(launch));
    cudaGraphExecDestroy(instance);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

void by_blocks() {
    constexpr int most = 1000000;
    const auto empty = [](const Size& size) { return [size](cudaStream_t stream) { nothing<<<size.blocks, size.threads, 0, stream>>>(); }; };
    for (const int threads : {32, 128, 256, 1024}) {
        for (int blocks = 1; blocks <= most; blocks *= 10)
            in_stream({blocks, threads}, empty({blocks, threads}));
    }
    for (const int threads : {32, 256}) {
        for (int blocks = 1; blocks <= most; blocks *= 10) {
            between_events({blocks, threads}, empty({blocks, threads}));
            in_graph({blocks, threads}, empty({blocks, threads}));
        }
    }
}

template <std::size_t... I>
void with_pointers(double* pointer, std::index_sequence<I...>) {
    const Size size{1, 32, sizeof...(I)};
    const auto queue = [&](cudaStream_t stream) { taking<<<size.blocks, size.threads, 0, stream>>>((static_cast<void>(I), pointer)...); };
    in_stream(size, queue);
    between_events(size, queue);
    in_graph(size, queue);
}

void by_arguments() {
    const Buffer list(sizeof(double));
    auto* const pointer = list.as<double>();
    with_pointers(pointer, std::make_index_sequence<1>());
    with_pointers(pointer, std::make_index_sequence<4>());
    with_pointers(pointer, std::make_index_sequence<16>());
    with_pointers(pointer, std::make_index_sequence<64>());
    with_pointers(pointer, std::make_index_sequence<128>());
}

void waves() {
    constexpr int threads = 256, passes = 4096;
    const Buffer in(beyond_cache()), out(beyond_cache());
    int computing = 0, moving = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&computing, busy, threads, 0), "occupancy of a probe");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&moving, copying, threads, 0), "occupancy of a probe");
    for (const bool compute : {true, false}) {
        const int wave = gpu().multiprocessors * (compute ? computing : moving);
        for (int k = 1; k <= 4; ++k) {
            for (const int more : {0, 1, wave / 2}) {
                const int blocks = k * wave + more;
                const std::size_t count =
                    std::min<std::size_t>(in.bytes() / sizeof(double), std::size_t{threads} * static_cast<std::size_t>(blocks));
                const auto launch = [&] {
                    if (compute) {
                        busy<<<blocks, threads>>>(out.as<float>(), passes);
                    } else {
                        copying<<<blocks, threads>>>(in.as<double>(), out.as<double>(), count);
                    }
                };
                const double seconds = seconds_of(launch);
                Row("grid", clock_under(launch))
                    .text("kernel", compute ? "compute" : "copy")
                    .number("wave", wave)
                    .number("blocks", blocks)
                    .number("threads", threads)
                    .number("seconds", seconds);
            }
        }
    }
}

} // namespace

void launches() {
    by_blocks();
    by_arguments();
    waves();
}

} // namespace fusec::probe
