// SPDX-License-Identifier: Apache-2.0
// Kernels with steps for tests of predictors that look at them.
#pragma once

#include "fusion/cost_model.hpp"

#include <algorithm>
#include <random>

namespace fusec::perfmodel {

/// Of one thread per element in blocks of 256: reads so many words side by side, `flops` operations, a barrier if asked for, stores as many.
inline fusion::KernelWork streaming_kernel(double words, double flops, bool barrier = false) {
    fusion::KernelWork work;
    work.read_bytes = work.write_bytes = 4 * words;
    work.read_lists = work.write_lists = 1;
    work.flops = flops;
    work.elements_per_block = work.threads_per_block = 256;
    fusion::WorkStep load;
    load.kind = fusion::WorkStep::Kind::load;
    load.round_trip = true;
    load.instructions = 6 + words;
    load.read_bytes = 4 * words;
    load.accesses = {{false, fusion::Addressing::unit, 4, words, words / 8, false}};
    fusion::WorkStep compute;
    compute.arithmetic.flops = flops;
    compute.instructions = flops;
    fusion::WorkStep store;
    store.kind = fusion::WorkStep::Kind::store;
    store.instructions = 6 + words;
    store.write_bytes = 4 * words;
    store.accesses = {{true, fusion::Addressing::unit, 4, words, words / 8, false}};
    work.steps = {load, compute};
    if (barrier) {
        fusion::WorkStep wait;
        wait.kind = fusion::WorkStep::Kind::block_barrier;
        wait.instructions = 4;
        work.steps.push_back(wait);
        work.block_barriers = 1;
    }
    work.steps.push_back(store);
    for (const fusion::WorkStep& step : work.steps) {
        work.instructions += step.instructions / 32;
        work.path_instructions += step.instructions;
    }
    return work;
}

/// A kernel that fits on every device: any shape, any steps.
class RandomSteps {
public:
    explicit RandomSteps(std::uint32_t seed) : generator_(seed) {}

    int whole(int least, int most) { return std::uniform_int_distribution(least, most)(generator_); }

    fusion::KernelWork work() {
        fusion::KernelWork result;
        result.precision = whole(0, 1) == 0 ? Precision::f32 : Precision::f64;
        const int doublings = whole(0, 3);
        const int threads = 1 << doublings;
        result.elements_per_block = whole(1, 32);
        result.threads_per_block = 32 * ((threads * result.elements_per_block + 31) / 32);
        result.registers = whole(16, 63);
        result.shared_bytes = 16 * whole(0, 1000);
        const int steps = whole(1, 8);
        for (int i = 0; i < steps; ++i) {
            result.steps.push_back(step(1 << whole(0, std::min(doublings, 2)), result));
        }
        return result;
    }

private:
    fusion::WorkStep step(int threads, fusion::KernelWork& work) {
        using Kind = fusion::WorkStep::Kind;
        fusion::WorkStep result;
        result.threads = threads;
        const Kind kinds[] = {Kind::load, Kind::compute, Kind::store, Kind::block_barrier};
        result.kind = kinds[whole(0, 3)];
        result.instructions = threads * whole(1, 40);
        if (result.kind == Kind::compute) {
            result.arithmetic.divisions = whole(0, 2);
            result.arithmetic.flops = whole(2, 300);
            result.instructions += result.arithmetic.flops;
            result.shared_wavefronts = whole(0, 5);
            work.flops += result.arithmetic.flops;
        }
        if (result.kind == Kind::load || result.kind == Kind::store) {
            const bool store = result.kind == Kind::store;
            const bool strided = whole(0, 3) == 0;
            const double words = whole(1, 40);
            (store ? result.write_bytes : result.read_bytes) = 4 * words;
            result.round_trip = !store;
            result.instructions += words;
            result.accesses = {
                {store, strided ? fusion::Addressing::strided : fusion::Addressing::unit, 4, words, strided ? words : words / 8, false}};
            (store ? work.write_bytes : work.read_bytes) += 4 * words;
        }
        work.block_barriers += result.kind == Kind::block_barrier ? 1 : 0;
        work.instructions += result.instructions / 32;
        work.path_instructions += result.instructions / threads;
        return result;
    }

    std::mt19937 generator_;
};

} // namespace fusec::perfmodel
