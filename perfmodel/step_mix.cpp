// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/step_mix.hpp"

#include "perfmodel/instruction_costs.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {

fusion::KernelWork arithmetic_of(const fusion::KernelWork& work, const fusion::WorkStep& step) {
    fusion::KernelWork alone;
    alone.precision = work.precision;
    alone.flops = step.arithmetic.flops;
    alone.divisions = step.arithmetic.divisions;
    alone.square_roots = step.arithmetic.square_roots;
    alone.transcendentals = step.arithmetic.transcendentals;
    alone.in_float = step.in_float;
    return alone;
}

StepMix step_mix(
    const fusion::KernelWork& work, const fusion::WorkStep& step, const fusion::DeviceLimits& limits, const FunctionSlots& slots) {
    StepMix mix;
    const double threads = std::max(step.threads, 1);
    // Where a block has more elements than its threads can take at once, each warp makes several rounds.
    const double needed = std::ceil(threads * work.elements_per_block / limits.warp_size);
    mix.warps = std::min(needed, std::ceil(static_cast<double>(work.threads_per_block) / limits.warp_size));
    const double rounds = needed / mix.warps;
    const double elements_per_warp = work.elements_per_block / mix.warps;

    const fusion::KernelWork arithmetic = arithmetic_of(work, step);
    const PipeWork pipes = pipe_work(arithmetic, limits.target, slots);
    (work.precision == Precision::f64 ? mix.f64 : mix.f32) = rounds * pipes.fma / threads;
    mix.f32 += rounds * pipes.fma_float / threads;
    mix.special = rounds * pipes.special / threads;

    mix.shared = step.shared_wavefronts * elements_per_warp;
    for (const fusion::GlobalAccess& access : step.accesses) {
        (access.store ? mix.stores : mix.loads) += rounds * access.count / threads;
        const double wanted = access.count * access.bytes * elements_per_warp;
        (access.store ? mix.store_bytes : mix.load_bytes) +=
            access.addressing == fusion::Addressing::broadcast ? wanted / limits.warp_size : wanted;
        if (access.addressing == fusion::Addressing::strided) {
            mix.uncoalesced_bytes += wanted;
        } else {
            constexpr double sector = 32;
            mix.coalesced_bytes += access.sectors * sector * elements_per_warp;
        }
    }
    // What a device was measured to take for a function is time, not instructions: those that were counted are left out.
    const PipeWork counted = pipe_work(arithmetic, limits.target, {});
    const double rest =
        rounds * (step.instructions - counted.fma - counted.fma_float - counted.special) / threads - mix.shared - mix.loads - mix.stores;
    mix.other = std::max(0.0, rest);
    mix.uncounted = std::max(0.0, -rest);
    return mix;
}

void say_uncounted(Breakdown& of, const fusion::KernelWork& work, const fusion::DeviceLimits& limits) {
    double sum = 0;
    for (const fusion::WorkStep& step : work.steps) {
        sum += step_mix(work, step, limits, {}).uncounted;
    }
    if (sum > 0) {
        of.quantities.push_back({"parts beyond the instructions counted", sum, "instructions of a warp"});
    }
}

} // namespace fusec::perfmodel
