// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/measured_kernels.hpp"

#include "perfmodel/instruction_costs.hpp"
#include "perfmodel/occupancy.hpp"

#include <algorithm>
#include <numeric>

namespace fusec::perfmodel {

using fusion::Addressing;
using fusion::GlobalAccess;
using fusion::KernelWork;
using fusion::WorkStep;

namespace {

constexpr double sector = 32, pass = 128, warp = 32;

/// `count` accesses of `bytes` per element, side by side.
GlobalAccess unit_access(bool store, int bytes, double count) {
    return {store, Addressing::unit, bytes, count, count * bytes / sector, false};
}

/// A thread stores `count` words of `bytes`, each with its address.
WorkStep store_step(int bytes, int count) {
    WorkStep store;
    store.kind = WorkStep::Kind::store;
    store.index = 1;
    store.instructions = 2 * count;
    store.write_bytes = bytes * count;
    store.accesses.push_back(unit_access(true, bytes, count));
    return store;
}

/// The aggregates that are sums over the steps, for kernels whose threads all work on one element at a time.
void add_up(KernelWork& work) {
    double instructions = 0;
    for (const WorkStep& step : work.steps) {
        instructions += step.instructions;
        work.read_bytes += step.read_bytes;
        work.write_bytes += step.write_bytes;
        work.l1_wavefronts += step.l1_wavefronts;
        work.flops += step.arithmetic.flops;
    }
    work.instructions = instructions / warp;
    work.path_instructions = instructions * work.elements_per_block / work.threads_per_block;
}

/// Shared memory of a block so that `resident` of them, and not one more, fit a multiprocessor.
bool cap_residents(KernelWork& work, int resident, const fusion::DeviceLimits& limits) {
    if (resident_blocks(limits, work) == resident) {
        return true;
    }
    const int granule = limits.shared_granule;
    const int most = std::min(limits.shared_bytes_per_block, limits.shared_bytes_per_sm / resident - limits.shared_bytes_reserved);
    work.shared_bytes = most / granule * granule;
    return work.shared_bytes > 0 && resident_blocks(limits, work) == resident;
}

} // namespace

KernelWork stream_work(const StreamKernel& kernel, int block, int resident, const fusion::DeviceLimits& limits) {
    constexpr int bytes = 8;
    constexpr double common_instructions = 8;
    KernelWork work;
    work.precision = Precision::f64;
    work.elements_per_block = work.threads_per_block = block;
    work.registers = 16;
    work.registers_needed = 16;
    work.read_lists = kernel.lists_read;
    work.write_lists = kernel.stores;
    work.fused = kernel.fused;
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.index = 0;
    load.round_trip = kernel.loads > 0;
    load.instructions = common_instructions + kernel.lists_read + kernel.loads;
    load.read_bytes = bytes * kernel.lists_read;
    load.l1_wavefronts = kernel.loads * bytes / pass;
    for (int list = 0; list < kernel.lists_read; ++list) {
        load.accesses.push_back(unit_access(false, bytes, static_cast<double>(kernel.loads) / kernel.lists_read));
    }
    WorkStep compute;
    compute.kind = WorkStep::Kind::compute;
    compute.index = 0;
    compute.instructions = kernel.arithmetic;
    compute.arithmetic.flops = kernel.flops;
    work.steps = {load, compute};
    if (kernel.stores > 0) {
        work.steps.push_back(store_step(bytes, kernel.stores));
    }
    add_up(work);
    if (resident > 0 && !cap_residents(work, resident, limits)) {
        work.threads_per_block = 0;
    }
    return work;
}

KernelWork roofline_work(int fmas, int passes) {
    constexpr int block = 256, bytes = 4, loads = 2;
    constexpr double loop_instructions = 2;
    KernelWork work;
    work.precision = Precision::f32;
    work.threads_per_block = block;
    work.elements_per_block = block * passes;
    work.read_lists = loads;
    work.fused = fmas;
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.index = 0;
    load.round_trip = true;
    load.instructions = loads + loop_instructions;
    load.read_bytes = loads * bytes;
    load.l1_wavefronts = loads * bytes / pass;
    load.accesses.push_back(unit_access(false, bytes, loads));
    WorkStep compute;
    compute.kind = WorkStep::Kind::compute;
    compute.index = 0;
    compute.instructions = fmas + 1;
    compute.arithmetic.flops = 2 + 2 * fmas;
    work.steps = {load, compute};
    add_up(work);
    return work;
}

KernelWork overlap_work(int fmas, int registers, int resident, bool staged, const fusion::DeviceLimits& limits) {
    constexpr double common_instructions = 8;
    KernelWork work = roofline_work(fmas, 1);
    work.registers = work.registers_needed = registers;
    // Two of the three registers that each reads lie in one bank, the common one reused or not: it keeps the pipe for two clocks (registers and
    // flags of ptxas 13.0 for sm_90).
    work.flops += fmas;
    work.steps.back().arithmetic.flops += fmas;
    WorkStep& load = work.steps.front();
    load.instructions += common_instructions;
    work.instructions += common_instructions / warp;
    work.path_instructions += common_instructions;
    if (staged) {
        constexpr double accesses = 4, bytes = 4; // two stores and two loads of a float each
        work.shared_wavefronts = load.shared_wavefronts = accesses * bytes / pass;
        work.instructions += accesses / warp;
        work.path_instructions += accesses;
        load.instructions += accesses;
        work.block_barriers = 1;
        work.shared_bytes = 2 * work.threads_per_block * static_cast<int>(bytes);
        WorkStep barrier;
        barrier.kind = WorkStep::Kind::block_barrier;
        work.steps.insert(work.steps.begin() + 1, barrier);
    }
    if (!cap_residents(work, resident, limits)) {
        work.threads_per_block = 0;
    }
    return work;
}

KernelWork wide_copy_work(int bytes, int loads, int block, int registers) {
    constexpr double common_instructions = 8;
    KernelWork work;
    work.precision = bytes == 8 ? Precision::f64 : Precision::f32;
    work.elements_per_block = work.threads_per_block = block;
    work.registers = work.registers_needed = registers;
    work.read_lists = work.write_lists = 1;
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.index = 0;
    load.round_trip = true;
    load.instructions = common_instructions + 3 * loads; // a bound and an address each
    load.read_bytes = bytes * loads;
    load.l1_wavefronts = bytes * loads / pass;
    load.accesses.push_back(unit_access(false, bytes, loads));
    work.steps = {load, store_step(bytes, loads)};
    add_up(work);
    return work;
}

KernelWork computing_work(int fmas, int block, double latency) {
    constexpr double common_instructions = 8, of_a_loop = 16, loop_instructions = 3; // opcodes of ptxas 13.0 for sm_90
    KernelWork work;
    work.precision = Precision::f32;
    work.elements_per_block = work.threads_per_block = block;
    work.registers = work.registers_needed = 16;
    WorkStep compute;
    compute.kind = WorkStep::Kind::compute;
    compute.index = 0;
    compute.instructions = common_instructions + fmas * (1 + loop_instructions / of_a_loop);
    compute.arithmetic.flops =
        fmas / fma_slots(1); // not `fused`: they read one register and two constants, which no bank of registers slows down
    work.steps = {compute};
    add_up(work);
    work.critical_path_cycles = fmas * latency;
    return work;
}

KernelWork scattered_work(int words, int stride, int block) {
    constexpr int bytes = 4;
    constexpr double common_instructions = 8;
    KernelWork work;
    work.precision = Precision::f32;
    work.elements_per_block = work.threads_per_block = block;
    work.registers = work.registers_needed = 32;
    work.read_lists = 1;
    const double apart = bytes * stride; // bytes between neighbours
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.index = 0;
    load.round_trip = true;
    load.instructions = common_instructions + 1 + words;
    load.read_bytes = std::max<double>(bytes * words, std::min(sector, apart)); // whole sectors
    // As fusion::direct_load_wavefronts prices loads in place: the words of a warp that share a bank, or its lines.
    const double lines = std::clamp(apart * warp / pass, 1.0, warp);
    load.l1_wavefronts = words * std::max<double>(std::gcd(stride, 32), lines / 4 + 0.75) / warp;
    load.accesses.push_back({false, stride == 1 ? Addressing::unit : Addressing::strided, bytes, static_cast<double>(words),
        words * std::min(1.0, apart / sector), false});
    WorkStep compute;
    compute.kind = WorkStep::Kind::compute;
    compute.index = 0;
    compute.instructions = words;
    compute.arithmetic.flops = words;
    work.steps = {load, compute};
    add_up(work);
    return work;
}

KernelWork chase_work(int loads) {
    constexpr int bytes = 8;
    KernelWork work;
    work.precision = Precision::f64;
    work.elements_per_block = 1;
    work.threads_per_block = 32;
    work.read_lists = 1;
    work.dependent_phases = loads;
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.index = 0;
    load.threads = 32;
    load.round_trip = true;
    load.instructions = warp;
    load.read_bytes = bytes;
    load.l1_wavefronts = 1;
    load.accesses.push_back({false, Addressing::broadcast, bytes, warp, 1, false});
    work.steps.assign(static_cast<std::size_t>(loads), load);
    add_up(work);
    return work;
}

} // namespace fusec::perfmodel
