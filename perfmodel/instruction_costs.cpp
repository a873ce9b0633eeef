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

/// Of the opcodes that fusion/instruction_rates.hpp counts. The f64 FMA counts agree with 7.5 and 9.6 cycles per warp and multiprocessor measured for
/// division and root on V100, which issues one such instruction per cycle.
constexpr Expansions cuda_f32{{5, 1}, {4, 1}, {11, 1}};
constexpr Expansions cuda_f64{{8, 1}, {8, 1}, {21, 0.33}};

/// One vector instruction each on the divider; a transcendental is a libmvec polynomial (assumption: 20 FMAs in 25 instructions).
constexpr Expansions host_any{{1, 1}, {1, 1}, {20, 0.5}};

const Expansions& expansions(Precision precision, fusion::Target target) {
    switch (target) {
    case fusion::Target::host:
        return host_any;
    case fusion::Target::cuda:
        break;
    }
    return precision == Precision::f32 ? cuda_f32 : cuda_f64;
}

/// Additions and multiplications per FMA slot: 2 where every one pairs up, 1 where none does. The demo program's 341 take about 240.
constexpr double flops_per_slot = 1.5;

} // namespace

double fma_slots(double flops) {
    return flops / flops_per_slot;
}

PipeWork pipe_work(const fusion::KernelWork& work, fusion::Target target) {
    PipeWork sum;
    const auto add = [&](const fusion::Arithmetic& counts, Precision precision, double& fma) {
        const Expansions& costs = expansions(precision, target);
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
