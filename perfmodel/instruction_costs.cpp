// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/instruction_costs.hpp"

#include <algorithm>
#include <utility>

namespace fusec::perfmodel {

namespace {

/// Slots of one operation on the path that ordinary arguments take. fma >= 1 everywhere, so that fma_slots is a lower bound.
struct Expansion {
    double fma;
    double special;
};

struct Expansions {
    Expansion division, square_root, transcendental;
};

/// Special-function operations of the opcodes that fusion/instruction_rates.hpp counts, beside the device's slots of the FMA pipe.
Expansions on_cuda(const OperationSlots& slots, Precision precision) {
    return {{slots.division, 1}, {slots.square_root, 1}, {slots.transcendental, precision == Precision::f32 ? 1 : 0.33}};
}

/// One vector instruction each on the divider; a transcendental is a libmvec polynomial (assumption: 20 FMAs in 25 instructions).
constexpr Expansions host_any{{1, 1}, {1, 1}, {20, 0.5}};

Expansions expansions(Precision precision, fusion::Target target, const FunctionSlots& slots) {
    switch (target) {
    case fusion::Target::host:
        return host_any;
    case fusion::Target::cuda:
        break;
    }
    return on_cuda(precision == Precision::f32 ? slots.f32 : slots.f64, precision);
}

/// Additions and multiplications per FMA slot: 2 where every one pairs up, 1 where none does. The demo program's 341 take about 240.
constexpr double flops_per_slot = 1.5;

} // namespace

double fma_slots(double flops) {
    return flops / flops_per_slot;
}

PipeWork pipe_work(const fusion::KernelWork& work, fusion::Target target, const FunctionSlots& slots) {
    PipeWork sum;
    const auto add = [&](const fusion::Arithmetic& counts, Precision precision, double& fma) {
        const Expansions costs = expansions(precision, target, slots);
        const double plain = std::max(0.0, counts.flops - counts.divisions - counts.square_roots - counts.transcendentals);
        const double single = std::max(0.0, plain - 2 * work.fused);
        fma += work.fused > 0 ? single + std::min(work.fused, plain / 2) : fma_slots(plain);
        for (const auto& [count, cost] : {std::pair{counts.divisions, costs.division}, std::pair{counts.square_roots, costs.square_root},
                 std::pair{counts.transcendentals, costs.transcendental}}) {
            fma += count * cost.fma;
            sum.special += count * cost.special;
        }
    };
    const fusion::Arithmetic all{work.flops, work.divisions, work.square_roots, work.transcendentals};
    const fusion::Arithmetic& narrow = work.in_float;
    if (target == fusion::Target::host || narrow.flops == 0) { // half registers take as many instructions as whole ones
        add(all, work.precision, sum.fma);
        return sum;
    }
    add({all.flops - narrow.flops, all.divisions - narrow.divisions, all.square_roots - narrow.square_roots,
            all.transcendentals - narrow.transcendentals},
        work.precision, sum.fma);
    add(narrow, Precision::f32, sum.fma_float);
    return sum;
}

} // namespace fusec::perfmodel
