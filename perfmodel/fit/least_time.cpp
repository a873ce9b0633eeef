// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/least_time.hpp"

#include "perfmodel/instruction_costs.hpp"
#include "perfmodel/step_mix.hpp"

#include <algorithm>

namespace fusec::perfmodel {

double least_compute_ns(const fusion::KernelWork& work, const Device& device, double clock_ghz) {
    constexpr OperationSlots one;
    double floats = 0, doubles = 0, special = 0;
    for (const fusion::WorkStep& step : work.steps) {
        if (step.kind != fusion::WorkStep::Kind::compute) {
            continue;
        }
        fusion::KernelWork alone = arithmetic_of(work, step);
        alone.fused = alone.flops; // at most: as many as there are pairs
        const PipeWork pipes = pipe_work(alone, fusion::Target::cuda, {one, one});
        (work.precision == Precision::f32 ? floats : doubles) += pipes.fma;
        floats += pipes.fma_float;
        special += pipes.special;
    }
    const double clocks = std::max({floats / device.fma_f32, doubles / device.fma_f64, special / device.special});
    return clocks / (device.limits.sm_count * clock_ghz);
}

} // namespace fusec::perfmodel
