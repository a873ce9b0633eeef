// SPDX-License-Identifier: Apache-2.0
// 2: what a launch costs that does nothing, by blocks and threads, as it is queued in a stream, between two events, and as part of a graph.
// 16: kernels of a few waves of blocks, and of one block or half a wave more.
#include "probe.cuh"

namespace fusec::probe {

namespace {

__global__ void nothing() {}

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

void empty_launches() {
    for (const int threads : {32, 128, 256, 1024}) {
        for (int blocks = 1; blocks <= 1000000; blocks *= 10) {
            const double seconds = seconds_of([&] { nothing<<<blocks, threads>>>(); });
            Row("launch").text("mode", "stream").number("blocks", blocks).number("threads", threads).number("seconds", seconds);
        }
    }
    detail::Events events;
    std::vector<double> alone;
    for (int i = 0; i < 101; ++i) {
        events.start();
        nothing<<<1, 32>>>();
        alone.push_back(events.stop());
    }
    Row("launch").text("mode", "event").number("blocks", 1).number("threads", 32).number("seconds", detail::median(alone));

    constexpr int length = 100;
    cudaStream_t stream{};
    cudaGraph_t graph{};
    cudaGraphExec_t instance{};
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing a graph");
    for (int i = 0; i < length; ++i) {
        nothing<<<1, 32, 0, stream>>>();
    }
    check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
    check(cudaGraphInstantiate(&instance, graph, 0), "cudaGraphInstantiate");
    const double seconds = seconds_of([&] { check(cudaGraphLaunch(instance, nullptr), "cudaGraphLaunch"); }) / length;
    Row("launch").text("mode", "graph").number("blocks", 1).number("threads", 32).number("seconds", seconds);
    cudaGraphExecDestroy(instance);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
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
                const double seconds = seconds_of([&] {
                    if (compute) {
                        busy<<<blocks, threads>>>(out.as<float>(), passes);
                    } else {
                        copying<<<blocks, threads>>>(in.as<double>(), out.as<double>(), count);
                    }
                });
                Row("grid")
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
    empty_launches();
    waves();
}

} // namespace fusec::probe
