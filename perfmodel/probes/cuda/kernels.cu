// SPDX-License-Identifier: Apache-2.0
// 14, 19, 20: kernels that the compiler has emitted, each compared with the reference before it is timed. A kernel that repeats its routine is
// timed for two numbers of repetitions, of which the lesser takes so long that everything around the routine hides behind it.
#include "kernels.cuh"

namespace fusec::probe {

namespace {

template <class T>
__global__ void repeat_cases(T* list, std::size_t count, const double* values, std::size_t period) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x)
        list[i] = static_cast<T>(values[i % period]);
}

template <class T>
__global__ void count_wrong(const T* list, std::size_t count, const double* values, const double* allowed, std::size_t period, unsigned long long* wrong) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
        const double may = allowed[i % period];
        if (may >= 0 && !(fabs(static_cast<double>(list[i]) - values[i % period]) <= may))
            atomicAdd(wrong, 1ULL);
    }
}

/// Numbers of the host in memory of the GPU.
class Numbers {
public:
    Numbers(const double* values, std::size_t count)
        : buffer_(count * sizeof(double)) {
        check(cudaMemcpy(data(), values, buffer_.bytes(), cudaMemcpyHostToDevice), "values of a list");
    }
    double* data() const { return buffer_.as<double>(); }

private:
    Buffer buffer_;
};

class Measured {
public:
    explicit Measured(const EmittedKernel& kernel)
        : kernel_(kernel) {
        allow_shared(kernel.function);
        std::size_t of_block = 0;
        for (const EmittedList& list : kernel.lists)
            of_block += list.uniform ? 0 : bytes_of(list, static_cast<std::size_t>(kernel.tile));
        const auto multiprocessors = static_cast<std::size_t>(gpu().multiprocessors);
        std::size_t blocks = std::max<std::size_t>(1, beyond_cache() / of_block);
        if (kernel.cached) { // a few waves, as far as half of the cache holds them
            const std::size_t held = static_cast<std::size_t>(gpu().properties.l2CacheSize) / 2 / of_block;
            blocks = std::max(multiprocessors, std::min(held, 4 * multiprocessors * static_cast<std::size_t>(resident(0))));
        }
        blocks_ = static_cast<unsigned>(std::min<std::size_t>(blocks, 1U << 30));
        elements_ = std::size_t{blocks_} * static_cast<std::size_t>(kernel.tile);
        for (const EmittedList& list : kernel.lists) {
            buffers_.push_back(new Buffer(bytes_of(list, list.uniform ? 1 : elements_)));
            pointers_.push_back(buffers_.back()->as<void>());
        }
    }
    Measured(const Measured&) = delete;
    Measured& operator=(const Measured&) = delete;
    ~Measured() {
        for (const Buffer* buffer : buffers_)
            delete buffer;
    }

    void run() {
        if (!computes_what_it_should()) { // then how long it takes says nothing; others are measured all the same
            count_wrong_kernel();
            return;
        }
        if (!kernel_.sweep) {
            for (const int extra : kernel_.extra_shared)
                measure(extra);
            return;
        }
        measure(0);
        for (const int blocks : residents(kernel_.function, kernel_.block)) {
            const int bytes = spoiler(kernel_.function, kernel_.block, blocks);
            if (bytes > kernel_.shared_bytes)
                measure(bytes - kernel_.shared_bytes);
        }
    }

private:
    static std::size_t bytes_of(const EmittedList& list, std::size_t elements) {
        return elements * static_cast<std::size_t>(list.components) * static_cast<std::size_t>(list.component_bytes);
    }
    int resident(int extra) const {
        int blocks = 0;
        const auto bytes = static_cast<std::size_t>(kernel_.shared_bytes + extra);
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_.function, kernel_.block, bytes), "occupancy of a probe");
        return blocks;
    }
    void launch(int extra, int repetitions) const {
        kernel_.launch(blocks_, elements_, kernel_.shared_bytes + extra, repetitions, pointers_.data());
    }

    /// Every element of every list that it writes, against the reference.
    bool computes_what_it_should() {
        const unsigned grid = 4 * static_cast<unsigned>(gpu().multiprocessors);
        for (std::size_t i = 0; i < kernel_.lists.size(); ++i) {
            const EmittedList& list = kernel_.lists[i];
            if (list.written) { // no number
                check(cudaMemset(pointers_[i], 0xff, buffers_[i]->bytes()), "cudaMemset");
                continue;
            }
            const Numbers values(list.values, period(list));
            const std::size_t count = buffers_[i]->bytes() / static_cast<std::size_t>(list.component_bytes);
            if (list.component_bytes == sizeof(float))
                repeat_cases<<<grid, 256>>>(buffers_[i]->as<float>(), count, values.data(), period(list));
            else
                repeat_cases<<<grid, 256>>>(buffers_[i]->as<double>(), count, values.data(), period(list));
            check(cudaDeviceSynchronize(), "filling a list");
        }
        launch(0, kernel_.repeated);
        check(cudaGetLastError(), kernel_.name);
        check(cudaDeviceSynchronize(), kernel_.name);
        const Buffer wrong(sizeof(unsigned long long));
        for (std::size_t i = 0; i < kernel_.lists.size(); ++i) {
            const EmittedList& list = kernel_.lists[i];
            if (!list.written)
                continue;
            const Numbers values(list.values, period(list)), allowed(list.allowed, period(list));
            const std::size_t count = buffers_[i]->bytes() / static_cast<std::size_t>(list.component_bytes);
            if (list.component_bytes == sizeof(float))
                count_wrong<<<grid, 256>>>(buffers_[i]->as<float>(), count, values.data(), allowed.data(), period(list), wrong.as<unsigned long long>());
            else
                count_wrong<<<grid, 256>>>(buffers_[i]->as<double>(), count, values.data(), allowed.data(), period(list), wrong.as<unsigned long long>());
            check(cudaDeviceSynchronize(), "comparing a list");
        }
        unsigned long long found = 0;
        check(cudaMemcpy(&found, wrong.as<void>(), sizeof found, cudaMemcpyDeviceToHost), "comparing a list");
        if (found != 0)
            std::fprintf(stderr, "probe: %s of %s: %llu numbers are not what the reference computes\n", kernel_.name, kernel_.program, found);
        return found == 0;
    }
    std::size_t period(const EmittedList& list) const {
        return static_cast<std::size_t>(list.uniform ? 1 : kernel_.cases) * static_cast<std::size_t>(list.components);
    }

    void measure(int extra) {
        check(cudaFuncSetAttribute(kernel_.function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   extra > 0 ? static_cast<int>(cudaSharedmemCarveoutMaxShared) : static_cast<int>(cudaSharedmemCarveoutDefault)),
              "shared memory of a probe");
        const int blocks = resident(extra);
        if (blocks == 0) // the description knows of more shared memory than this GPU has, or of fewer registers
            return;
        const auto timed = [&](int repetitions) { return seconds_of([&] { launch(extra, repetitions); }); };
        if (kernel_.repeated == 0) {
            row(extra, blocks, 1, timed(1));
            return;
        }
        constexpr int most = 4096;
        constexpr double hidden = 1.8; // of twice the repetitions: what is around them is a ninth of the time, or less; as gpu_routines.hpp has it
        repetitions_ = repetitions_ == 0 ? 4 * kernel_.repeated : repetitions_;
        double few = timed(repetitions_), many = timed(2 * repetitions_);
        while (many < hidden * few && 4 * repetitions_ <= most) {
            repetitions_ *= 2;
            few = many;
            many = timed(2 * repetitions_);
        }
        if (many < hidden * few) // the import sees it too, and has no time of it
            std::fprintf(stderr, "probe: %s of %s in blocks of %d: %d repetitions take %.3g times as long as %d, which is no time of the routine\n", kernel_.name, kernel_.program,
                         kernel_.tile, 2 * repetitions_, many / few, repetitions_);
        row(extra, blocks, repetitions_, few);
        row(extra, blocks, 2 * repetitions_, many);
    }

    void row(int extra, int blocks, int repetitions, double seconds) const {
        Row("kernel", clock_under([&] { launch(extra, repetitions); }))
            .text("role", kernel_.role)
            .text("name", kernel_.name)
            .text("program", kernel_.program)
            .number("seed", kernel_.seed)
            .number("block", kernel_.block)
            .number("elements", static_cast<double>(elements_))
            .number("extra_shared", extra)
            .number("resident", blocks)
            .number("registers", registers_of(kernel_.function))
            .number("repetitions", repetitions)
            .number("seconds", seconds)
            .json("work", kernel_.work);
    }

    const EmittedKernel& kernel_;
    unsigned blocks_ = 0;
    std::size_t elements_ = 0;
    int repetitions_ = 0; ///< the lesser number, 0: not known
    std::vector<Buffer*> buffers_;
    std::vector<void*> pointers_;
};

} // namespace

void kernels() {
    for (const EmittedKernel& kernel : emitted_kernels())
        Measured(kernel).run();
}

} // namespace fusec::probe
