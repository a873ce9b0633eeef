// SPDX-License-Identifier: Apache-2.0
// What the probes of `fusec calibrate --target cuda` share: the GPU they run on, memory, timing, and one line of JSON for each measurement.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace fusec::probe {

/// Ends the run where a call of CUDA fails: a calibration from part of the probes would be another one.
void check(cudaError_t status, const char* what);

/// The GPU, its clocks warmed up. Made by main before any probe.
struct Gpu {
    cudaDeviceProp properties{};
    int multiprocessors = 0;
    std::size_t shared_per_multiprocessor = 0, shared_per_block = 0,
                shared_reserved = 0; ///< bytes; per block: the most that can be asked for
};
const Gpu& gpu();

/// Memory of the GPU: zeros, or `value` in every double.
class Buffer {
public:
    explicit Buffer(std::size_t bytes);
    Buffer(std::size_t doubles, double value);
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }

    template <class Value>
    Value* as() const {
        return static_cast<Value*>(data_);
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    void* data_ = nullptr;
};

/// So many bytes that a pass over them leaves nothing of any list in the second-level cache.
std::size_t beyond_cache();

/// GHz of the multiprocessors while launches are under way; where that could not be had, behind them.
struct Clock {
    double ghz;
    bool under_load;
};

/// While launches follow each other in a queue, each by a call of `launch`: reading the clock disturbs them, so that none of them is timed.
Clock clock_under(const std::function<void()>& launch);

/// Keys and values of one measurement; its end prints it.
class Row {
public:
    Row(const char* probe, const Clock& clock);
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    Row& text(const char* key, const std::string& value);
    Row& number(const char* key, double value);
    Row& json(const char* key, const char* value); ///< as it stands
    ~Row();

private:
    std::string line_;
    Clock clock_;
};

/// Seconds of one launch: samples of at least 20 launches and 5 ms, one after another in a stream, the median of five. `launch` queues one.
template <class Launch>
double seconds_of(const Launch& launch);

/// The same of launches that each find the second-level cache full of other data, less what an empty kernel takes there: the time on the device. The
/// median of eleven; not above 0 where the timer does not tell the two apart.
template <class Launch>
double cold_seconds_of(const Launch& launch);

/// Cycles from the first warp's start to the last one's end: `cycles` has both of each warp, and warps of one block have one clock.
double window(const Buffer& cycles, int warps);

/// Registers of a thread of the kernel.
int registers_of(const void* kernel);

/// Floats from 0.5 to 1 that do not repeat.
void fill_floats(const Buffer& list);

/// Lets blocks of the kernel have all shared memory that its own leaves.
void allow_shared(const void* kernel);

/// Dynamic shared memory of a block with which so many blocks of the kernel, and not one more, are resident on a multiprocessor; -1: no amount
/// does that. Allows the kernel to have it.
int spoiler(const void* kernel, int threads, int resident);

/// Numbers of resident blocks to try: 1, 2, 4, ... and the most that the kernel allows.
std::vector<int> residents(const void* kernel, int threads);

/// A kernel computed something else than the reference: it has no rows, and the program ends with 1 once everything else is measured.
void count_wrong_kernel();

/// Reads more than the second-level cache holds.
void flush_cache();

namespace detail {

struct Events {
    cudaEvent_t begin{}, end{};
    Events();
    ~Events();
    void start() { check(cudaEventRecord(begin), "cudaEventRecord"); }
    double stop(); ///< seconds since start
};

double median(std::vector<double> values);

void launch_nothing();

} // namespace detail

template <class Launch>
double seconds_of(const Launch& launch) {
    constexpr double least = 5e-3;
    constexpr int least_launches = 20, samples = 5;
    detail::Events events;
    const auto batch = [&](int launches) {
        events.start();
        for (int i = 0; i < launches; ++i) {
            launch();
        }
        const double seconds = events.stop();
        check(cudaGetLastError(), "launch of a probe");
        return seconds;
    };
    batch(2);
    const double one = batch(least_launches) / least_launches;
    const int launches = std::max(least_launches, static_cast<int>(std::min(1e6, std::ceil(least / one))));
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i) {
        seconds.push_back(batch(launches) / launches);
    }
    return detail::median(seconds);
}

template <class Launch>
double cold_seconds_of(const Launch& launch) {
    constexpr int samples = 11;
    detail::Events events;
    std::vector<double> seconds, empty;
    for (int i = 0; i < samples; ++i) {
        for (const bool measured : {false, true}) {
            flush_cache();
            events.start();
            if (measured)
                launch();
            else
                detail::launch_nothing();
            (measured ? seconds : empty).push_back(events.stop());
            check(cudaGetLastError(), "launch of a probe");
        }
    }
    return detail::median(seconds) - detail::median(empty);
}

// The groups of probes, in the order in which they run. Numbers are those of docs/measured-gpus.md, "Probes of a GPU".
void launches();   ///< 2, 16
void chases();     ///< 4
void streams();    ///< 3, 5, 6, 7
void strides();    ///< 8
void pipes();      ///< 9, 10
void shared();     ///< 11, 12
void overlap();    ///< 13
void async_copy(); ///< 15
void kernels();    ///< 14, 19, 20

} // namespace fusec::probe
