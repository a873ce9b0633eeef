// SPDX-License-Identifier: Apache-2.0
// Random kernels of all that a predictor prices, for tests of properties.
#pragma once

#include "fusion/cost_model.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace fusec::perfmodel {

class RandomKernels {
public:
    explicit RandomKernels(std::uint32_t seed) : generator_(seed) {}

    double real(double least, double most) { return std::uniform_real_distribution(least, most)(generator_); }
    int whole(int least, int most) { return std::uniform_int_distribution(least, most)(generator_); }

    /// A kernel that fits on every device.
    fusion::KernelWork work() {
        fusion::KernelWork w;
        w.precision = whole(0, 1) == 0 ? Precision::f32 : Precision::f64;
        w.read_bytes = whole(0, 4) == 0 ? 0 : 4 * whole(1, 600);
        w.write_bytes = 4 * whole(1, 600);
        w.divisions = whole(0, 3) == 0 ? whole(0, 20) : 0;
        w.square_roots = whole(0, 3) == 0 ? whole(0, 5) : 0;
        w.transcendentals = whole(0, 3) == 0 ? whole(0, 5) : 0;
        w.flops = w.divisions + w.square_roots + w.transcendentals + whole(0, 5000);
        w.shared_wavefronts = real(0, 30);
        w.l1_wavefronts = whole(0, 1) * real(0, 30);
        w.store_requests = whole(0, 1) * real(0, 30);
        w.instructions = real(0.1, 200);
        w.spill_bytes = whole(0, 3) == 0 ? real(0, 1000) : 0;
        w.path_instructions = real(0, 2000);
        w.lane_slots = whole(0, 2) == 0 ? real(1, 32) : 1;
        w.arithmetic_lane_slots = w.lane_slots * (whole(0, 2) == 0 ? real(1, 2) : 1);
        w.elements_per_block = whole(1, 128);
        w.threads_per_block = 32 * whole(1, 8);
        w.shared_bytes = 16 * whole(0, 3000);
        w.registers = whole(16, 63);
        w.block_barriers = whole(0, 5);
        w.warp_barriers = whole(0, 5);
        w.remaps = whole(0, 4);
        w.dependent_phases = whole(1, 3);
        w.async_copies = whole(0, 1) == 1;
        w.allocated_bytes = whole(0, 1) * w.write_bytes;
        w.exchanges = whole(0, 2) == 0 ? whole(1, 40) : 0;
        w.critical_path_cycles = whole(0, 2) == 0 ? real(100, 20000) : 0;
        if (w.precision == Precision::f64 && whole(0, 2) == 0) {
            const double share = real(0, 1);
            w.in_float = {share * w.flops, share * w.divisions, share * w.square_roots, share * w.transcendentals};
        }
        return w;
    }

    /// The same as of a measurement, which knows more than a candidate: which pairs of flops are one FMA, and what the launch before has read.
    fusion::KernelWork measured() {
        fusion::KernelWork w = work();
        w.fused = whole(0, 1) == 0 ? real(0, w.flops) : 0;
        w.repeated = whole(0, 1) == 1;
        return w;
    }

    /// The same step by step: a list copied into a tile, one read in place, a uniform, and a list stored, with a barrier after the copy.
    fusion::KernelWork with_steps() {
        using Step = fusion::WorkStep;
        using fusion::Addressing;
        fusion::KernelWork w = work();
        const auto add = [&](Step::Kind kind) -> Step& {
            w.steps.emplace_back().kind = kind;
            return w.steps.back();
        };
        if (w.read_bytes != 0) {
            const int bytes = whole(0, 1) == 0 ? 4 : 16;
            Step& load = add(Step::Kind::load);
            load.read_bytes = w.read_bytes;
            load.round_trip = true;
            load.accesses.push_back({false, Addressing::unit, bytes, w.read_bytes / bytes, w.read_bytes / 32, w.async_copies});
        }
        for (int i = 0; i < w.block_barriers; ++i) {
            add(Step::Kind::block_barrier);
        }
        Step& compute = add(Step::Kind::compute);
        static const auto routine = std::make_shared<const std::string>("anything(float SCALAR) -> float SCALAR");
        compute.routine = routine;
        compute.instructions = 32 * w.instructions;
        compute.arithmetic = {w.flops, w.divisions, w.square_roots, w.transcendentals};
        compute.in_float = w.in_float;
        compute.exchanges = w.exchanges;
        if (whole(0, 1) == 0) {
            const double count = whole(1, 30);
            compute.accesses.push_back({false, Addressing::strided, 4, count, count, false});
            compute.accesses.push_back({false, Addressing::broadcast, 4, 9, 9 / 32.0, false});
        }
        Step& store = add(Step::Kind::store);
        store.write_bytes = w.write_bytes;
        store.accesses.push_back({true, whole(0, 1) == 0 ? Addressing::unit : Addressing::strided, 4, w.write_bytes / 4,
            w.write_bytes / (whole(0, 1) == 0 ? 32 : 4), false});
        return w;
    }

private:
    std::mt19937 generator_;
};

} // namespace fusec::perfmodel
