// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/composite.hpp"

#include "tests/perfmodel/devices.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;

constexpr double us = 1e-6;

double bound(const Breakdown& breakdown, Bound which) {
    for (const auto& [name, seconds] : breakdown.bounds) {
        if (name == which) {
            return seconds;
        }
    }
    ADD_FAILURE() << "no such bound";
    return 0;
}

/// Ten multiprocessors of round figures: every clock is a nanosecond, memory gives 100 bytes per nanosecond after 500.
Device round_device() {
    Device device;
    device.limits.sm_count = 10;
    device.limits.blocks_per_sm = 4;
    device.clock_ghz = 1;
    device.l2_gb_per_s = 1000;
    device.dram_gb_per_s = 110;
    device.read = device.write = device.copy = device.mixed = {500, 0, 100};
    device.fma_f32 = 64;
    device.fma_f64 = 2;
    device.special = 16;
    device.issue_slots = 4;
    device.launch_us = 2;
    device.dram_latency_ns = 400;
    device.shared_latency_cycles = 30;
    device.overlap_exponent = 2;
    return device;
}

/// 64 bytes, 96 flops = 64 FMA slots, 64 thread instructions per element; 100 blocks for 6400 elements, ten per multiprocessor.
KernelWork round_work() {
    KernelWork work;
    work.read_bytes = 48;
    work.write_bytes = 16;
    work.flops = 96;
    work.shared_wavefronts = 0.5;
    work.instructions = 2;
    work.path_instructions = 64;
    work.elements_per_block = 64;
    work.threads_per_block = 64;
    work.async_copies = true;
    return work;
}

TEST(Composite, TermsByHand) {
    const Breakdown b = composite_cuda(round_device(), round_work(), 6400);
    EXPECT_NEAR(bound(b, Bound::dram), 6400 * 64 / 100.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(b, Bound::l2), 6400 * 64 / 1000.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(b, Bound::shared), 640 * 0.5 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(b, Bound::issue), 640 * 2 / 4.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(b, Bound::fma), 640 * 64 / 64.0 * 1e-9, 1e-15);
    EXPECT_EQ(bound(b, Bound::sfu), 0);
    // A block: 500 ns of memory and 64 instructions at 2 ns; 100 blocks on 40 slots are 2.5 waves.
    EXPECT_NEAR(bound(b, Bound::latency), 2.5 * (500 + 128) * 1e-9, 1e-15);
    // 40 resident blocks hold 163,840 bytes; 100 GB/s * 628 ns = 62,800 saturate memory. FMAs are the slowest unit. The last block drains.
    const double body = std::sqrt(4.096 * 4.096 + 0.64 * 0.64);
    EXPECT_NEAR(b.cost.seconds, (2 + body + 0.5 * 0.628) * us, 1e-12);
    EXPECT_EQ(b.cost.bound_by, Bound::dram);
}

TEST(Composite, LaunchesOfAQueueHideWhatIsOverSooner) {
    Device device = round_device();
    device.overlap_exponent = 60;
    const double alone = composite_cuda(device, round_work(), 2560).cost.seconds;
    EXPECT_NEAR(alone, (2 + 1.6384) * us, 1e-11) << "where the overhead is not known, it is the launch";
    ASSERT_TRUE(set_figure(device, "speed.launch_overhead", 0.5));
    EXPECT_NEAR(composite_cuda(device, round_work(), 2560).cost.seconds, (0.5 + 1.6384) * us, 1e-11);
    EXPECT_EQ(composite_cuda(device, round_work(), 2560).cost.bound_by, Bound::dram);
    const Breakdown hidden = composite_cuda(device, round_work(), 320); // 0.5 + 0.633 us
    EXPECT_NEAR(hidden.cost.seconds, 2 * us, 1e-15);
    EXPECT_EQ(hidden.cost.bound_by, Bound::launch);
    EXPECT_NEAR(bound(hidden, Bound::launch), 2 * us, 1e-15);
}

TEST(Composite, FewBlocksAreBoundByLatency) {
    Device device = round_device();
    device.limits.blocks_per_sm = 1;
    device.overlap_exponent = 60; // practically the maximum
    const Breakdown b = composite_cuda(device, round_work(), 6400);
    // Ten blocks hold 40,960 bytes over 628 ns: 65.2 GB/s; ten waves of 628 ns, and half of one that drains.
    EXPECT_NEAR(b.cost.seconds, (2 + 6.28 + 0.314) * us, 1e-11);
    EXPECT_EQ(b.cost.bound_by, Bound::latency);
}

TEST(Composite, OneWaveHasNoTail) {
    Device device = round_device();
    device.overlap_exponent = 60;
    // 40 blocks at once: max(500 + 128 ns of latency, 2560 * 64 / 100 = 1638.4 ns of memory).
    EXPECT_NEAR(composite_cuda(device, round_work(), 2560).cost.seconds, (2 + 1.6384) * us, 1e-11);
    // Five blocks of 64 elements: nothing but latency, and five clocks to hand them out.
    EXPECT_NEAR(composite_cuda(device, round_work(), 320).cost.seconds, (2 + 0.633) * us, 1e-11);
}

TEST(Composite, DivisionsTakeSlotsOfThePipes) {
    KernelWork work = round_work();
    work.divisions = 3; // of the 96 flops
    const Breakdown f32 = composite_cuda(round_device(), work, 6400);
    EXPECT_NEAR(bound(f32, Bound::sfu), 640 * 3 / 16.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(f32, Bound::fma), 640 * (93 / 1.5 + 3 * 5) / 64.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(f32, Bound::issue), 640 * 2 / 4.0 * 1e-9, 1e-15); // its instructions are counted in the work
    work.precision = Precision::f64;
    work.square_roots = 1;
    const Breakdown f64 = composite_cuda(round_device(), work, 6400);
    EXPECT_NEAR(bound(f64, Bound::fma), 640 * (92 / 1.5 + 3 * 8 + 8) / 2.0 * 1e-9, 1e-14);
    EXPECT_EQ(f64.cost.bound_by, Bound::fma);
}

TEST(Composite, BarriersRemapsSpillsAndIdleThreadsByHand) {
    const double latency = bound(composite_cuda(round_device(), round_work(), 6400), Bound::latency);
    KernelWork work = round_work();
    work.block_barriers = 2; // two warps: 22 + 2 * 2 cycles, then 30 of shared memory
    work.warp_barriers = 1;  // 10 + 30
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency) - latency, 2.5 * (2 * 56 + 40) * 1e-9, 1e-15);
    work = round_work();
    work.path_instructions = 128; // half of the threads do it all and take twice as long: 128 more cycles
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency) - latency, 2.5 * 128 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::issue), 640 * 2 / 4.0 * 1e-9, 1e-15);
    work.path_instructions = 0; // not known: a thread executes its share at least
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency), latency, 1e-15);
    work = round_work();
    Device turning = round_device();
    turning.block_turnaround_ns = 100;
    work.critical_path_cycles = 528; // with the turnaround as long as the block takes anyway
    EXPECT_NEAR(bound(composite_cuda(turning, work, 6400), Bound::latency), latency, 1e-15);
    work.critical_path_cycles = 1528;
    EXPECT_NEAR(bound(composite_cuda(turning, work, 6400), Bound::latency) - latency, 2.5 * 1000 * 1e-9, 1e-15);
    work = round_work();
    work.path_instructions = 0;
    work.lane_slots = 4; // warps of which a quarter of the lanes work, at issue
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::fma), 640 * 64 / 64.0 * 1e-9, 1e-15);
    work.arithmetic_lane_slots = 4; // and in the pipes
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::issue), 4 * 640 * 2 / 4.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::fma), 4 * 640 * 64 / 64.0 * 1e-9, 1e-15);
    work = round_work();
    work.remaps = 1; // six instructions of each thread, in its path too
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency) - latency, 2.5 * 12 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::issue), 640 * (64 + 6) / 32.0 / 4 * 1e-9, 1e-15);
    work = round_work();
    work.spill_bytes = 64; // half a pass of the data pipe, and L2 traffic
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::shared), 640 * 1.0 * 1e-9, 1e-15);
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::l2), 6400 * 128 / 1000.0 * 1e-9, 1e-15);
    work = round_work();
    work.store_requests = 4; // one sector per clock: 640 * 4 ns, against 6400 * (64 + 128) bytes
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::l2), 2.56 * us, 1e-15);
    work = round_work();
    work.dependent_phases = 3; // two more round trips of 400 ns
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency) - latency, 2.5 * 800 * 1e-9, 1e-15);
    work = round_work();
    work.read_bytes = 240; // staged through registers: 240 bytes a thread are 2.5 batches of 96
    work.shared_bytes = 16384;
    const double staged = bound(composite_cuda(round_device(), work, 6400), Bound::latency);
    work.async_copies = false;
    EXPECT_NEAR(bound(composite_cuda(round_device(), work, 6400), Bound::latency) - staged, 2.5 * 1.5 * 400 * 1e-9, 1e-15);
}

TEST(Composite, OneResidentBlockWithBarriersOverlapsNothing) {
    Device device = round_device();
    device.limits.blocks_per_sm = 1;
    KernelWork work = round_work();
    work.block_barriers = 1;
    const Breakdown b = composite_cuda(device, work, 640);
    // One wave of 500 + 128 + 56 ns; memory, latency and handing out ten blocks are one term, the slowest unit adds to it.
    EXPECT_NEAR(b.cost.seconds, (2 + 0.694 + 0.064) * us, 1e-11);
}

TEST(Composite, SoftMaximum) {
    EXPECT_DOUBLE_EQ(soft_maximum({{Bound::dram, 3}, {Bound::fma, 4}}, 2), 5);
    EXPECT_DOUBLE_EQ(soft_maximum({{Bound::dram, 3}, {Bound::fma, 4}}, 1), 7);
    EXPECT_DOUBLE_EQ(soft_maximum({{Bound::dram, 0}, {Bound::fma, 0}}, 2), 0);
    EXPECT_DOUBLE_EQ(soft_maximum({{Bound::dram, 3e-300}, {Bound::fma, 4e-300}}, 3), std::cbrt(27.0 + 64.0) * 1e-300);
}

KernelWork empty_kernel(int threads) {
    KernelWork work;
    work.write_bytes = 1e-6;
    work.elements_per_block = work.threads_per_block = threads;
    return work;
}

/// What each further element adds to the time of an empty kernel that fills the device many times.
double seconds_per_element(const Device& device, const KernelWork& work) {
    constexpr std::uint64_t few = 1U << 20U, many = 1U << 26U;
    return (composite_cuda(device, work, many).cost.seconds - composite_cuda(device, work, few).cost.seconds) / (many - few);
}

// Ten multiprocessors hold four blocks of 64 threads each for the 240 ns that a block which writes stays: 240 / 2560 ns for each thread.
TEST(Composite, EmptyKernelsStayAsLongAsBlocksThatWrite) {
    Device device = round_device();
    device.write = {240, 0, 100};
    EXPECT_NEAR(seconds_per_element(device, empty_kernel(64)), 240e-9 / 2560, 1e-3 * 240e-9 / 2560);
}

// The slope of empty kernels over threads on an RTX 2080 Ti is 3.824 ps (published fit l = 3.824e-6 us * threads + 2.882 us). There is no
// description of that GPU: 68 multiprocessors with 1024 resident threads whose blocks stay as long as those of a V100 that write (268 ns)
// have nearly that slope. (The fit does not say how large its blocks were: 1024 resident threads of a multiprocessor have the same slope in
// blocks of any size that are not too small to be handed out in time.)
TEST(Composite, BlocksThatStayAsOnAV100HaveTheSlopeOfEmptyKernelsOfAnRtx2080Ti) {
    Device device = standard_device("v100");
    EXPECT_EQ(device.write.tau_ns, 268);
    device.limits.sm_count = 68;
    device.limits.threads_per_sm = 1024;
    device.limits.blocks_per_sm = 16;
    EXPECT_NEAR(seconds_per_element(device, empty_kernel(256)) / 3.824e-12, 1, 0.05);
}

// One element per thread on an H200 (NVIDIA CCCL issue 1673, TB/s), of which its copy of doubles is not here: the description's
// stream.copy.c is chosen by it. The fewer bytes a thread has in flight, the more the law under load is too fast: each row has its bound.
TEST(Composite, PredictsPublishedStreamsOfTheH200) {
    struct Row {
        double read, write, tb_per_s, off;
    };
    const Device h200 = standard_device("h200");
    for (const Row& row : {Row{16, 8, 4.02, 0.05}, Row{8, 4, 2.96, 0.08}, Row{4, 4, 2.26, 0.14}}) {
        KernelWork work;
        work.read_bytes = row.read;
        work.write_bytes = row.write;
        work.flops = 1;
        work.instructions = 12.0 / 32;
        work.elements_per_block = work.threads_per_block = 256;
        const double n = 1U << 28U;
        const double predicted = n * (row.read + row.write) / composite_cuda(h200, work, 1U << 28U).cost.seconds * 1e-12;
        EXPECT_NEAR(predicted / row.tb_per_s, 1, row.off) << row.read << " " << row.write;
    }
}

// The demo in double on 2^22 elements: from the utilisations of the compiled kernel (29 % of the data pipe, 10 % issue) 0.95-1.00 of
// the published copy of 4.3 TB/s were expected on an H200, and 0.97-1.01 of 1.74 TB/s on an A100.
TEST(Composite, TheDemoComesNearCopy) {
    KernelWork work;
    work.precision = Precision::f64;
    work.read_bytes = 568;
    work.write_bytes = 200;
    work.flops = 341;
    work.shared_wavefronts = 0.29 * 768 / 18.6; // 18.6 bytes of memory traffic per clock and multiprocessor
    work.instructions = 16;
    work.path_instructions = 16 * 32;
    work.elements_per_block = work.threads_per_block = 64;
    work.shared_bytes = 568 * 64;
    work.registers = 124;
    work.block_barriers = 2;
    work.async_copies = true;
    const double bytes = 768.0 * (1U << 22U);
    EXPECT_NEAR(bytes / composite_cuda(standard_device("h200"), work, 1U << 22U).cost.seconds / 4300e9, 0.97, 0.03);
    EXPECT_NEAR(bytes / composite_cuda(standard_device("a100"), work, 1U << 22U).cost.seconds / 1740e9, 0.99, 0.04);
}

TEST(Composite, L2AsSlowAsMemoryIsOnePipeWithIt) {
    Device device = round_device();
    const double fast = composite_cuda(device, round_work(), 6400).cost.seconds;
    device.l2_gb_per_s = 100;
    EXPECT_DOUBLE_EQ(composite_cuda(device, round_work(), 6400).cost.seconds, fast);
    device.l2_gb_per_s = 50;
    EXPECT_GT(composite_cuda(device, round_work(), 6400).cost.seconds, 1.8 * (fast - 2 * us) + 2 * us);
    EXPECT_EQ(composite_cuda(device, round_work(), 6400).cost.bound_by, Bound::l2);
}

TEST(Composite, WhatTheLaunchBeforeLeftInL2ComesFromThere) {
    Device device = round_device();
    device.limits.sm_count = 100; // enough in flight for L2 as well
    device.l2_bytes = 1e6;
    KernelWork work = round_work();
    const double cold = composite_cuda(device, work, 6400).cost.seconds;
    work.repeated = true; // 409,600 bytes, less than three quarters of L2
    const Breakdown warm = composite_cuda(device, work, 6400);
    EXPECT_EQ(bound(warm, Bound::dram), 0);
    EXPECT_LT(warm.cost.seconds, cold);
    // One wave of one block per multiprocessor: its round trip is that of L2, half of the 400 ns of memory.
    EXPECT_NEAR(bound(warm, Bound::latency), (500 - 200 + 128) * 1e-9 + 100e-9, 1e-15) << "100 blocks are handed out one per clock";
    // The last block ends after 528 ns; memory at 957 GB/s takes 428, L2 at full speed 410. The units: 32, 32 and 64.
    EXPECT_NEAR(warm.cost.seconds, (2 + std::sqrt(0.528 * 0.528 + 0.064 * 0.064)) * us, 1e-11);
    // 1.075 times L2 is half way from 0.75 to 1.4: half the bytes come from memory.
    const Breakdown ramp = composite_cuda(device, work, 1'075'000 / 64);
    const auto at_full_rate = std::ranges::find(ramp.quantities, "memory at full rate", &Quantity::name);
    ASSERT_NE(at_full_rate, ramp.quantities.end());
    EXPECT_NEAR(at_full_rate->value, 0.5 * 1'075'000 / 100.0 * 1e-9, 2e-9);
    const std::uint64_t many = 1'500'000 / 64;
    const double far = composite_cuda(device, work, many).cost.seconds;
    work.repeated = false;
    EXPECT_DOUBLE_EQ(composite_cuda(device, work, many).cost.seconds, far) << "a footprint well beyond L2 is as good as new";
    device.l2_bytes = 4e6; // a wave of 400 blocks fits, the launch does not
    const double no_tail_from_l2 = composite_cuda(device, work, 100'000).cost.seconds;
    work.repeated = true;
    EXPECT_DOUBLE_EQ(composite_cuda(device, work, 100'000).cost.seconds, no_tail_from_l2);
    device.l2_bytes = 1e6;
    device.optional_figures["latency.l2"] = 100;
    work.repeated = true;
    EXPECT_NEAR(bound(composite_cuda(device, work, 6400), Bound::latency), (500 - 400 + 100 + 128) * 1e-9 + 100e-9, 1e-15)
        << "the description's";
}

TEST(Composite, KnownFmasReadThreeRegistersEach) {
    Device device = round_device();
    KernelWork work = round_work();
    work.fused = 48; // all 96 flops
    EXPECT_NEAR(bound(composite_cuda(device, work, 6400), Bound::fma), 640 * 48 / 64.0 * 1e-9, 1e-15) << "48 slots of 64 lanes";
    device.fma_f32 = 128;
    EXPECT_NEAR(bound(composite_cuda(device, work, 6400), Bound::fma), 640 * 48 * 3 / 256.0 * 1e-9, 1e-15) << "eight banks of 32 registers";
}

TEST(Composite, BlocksAreHandedOutOnePerClock) {
    // 1000 blocks of one warp that do next to nothing, on 10 * 4 slots: 25 waves of 500 ns are 12,500 ns, and 1000 clocks less than that.
    Device device = round_device();
    KernelWork work;
    work.write_bytes = 4;
    work.elements_per_block = work.threads_per_block = 32;
    EXPECT_NEAR(bound(composite_cuda(device, work, 32000), Bound::latency), 12.5 * us, 1e-12);
    device.limits.blocks_per_sm = 1000;
    device.limits.threads_per_sm = 32000;
    device.limits.registers_per_sm = 1 << 24;
    EXPECT_NEAR(bound(composite_cuda(device, work, 32000), Bound::latency), 1.5 * us, 1e-12)
        << "all at once: the last starts after 1000 ns";
}

TEST(Composite, AWarpKeepsANarrowPipeForLong) {
    Device device = round_device(); // two lanes for doubles: 64 clocks for a warp on a quarter of the multiprocessor
    KernelWork work = round_work();
    const double single = bound(composite_cuda(device, work, 6400), Bound::latency);
    work.precision = Precision::f64;
    EXPECT_NEAR(bound(composite_cuda(device, work, 6400), Bound::latency) - single, 2.5 * 64 * (64 - 2) * 1e-9, 1e-12)
        << "64 slots of a thread";
    device.fma_f64 = 64;
    EXPECT_NEAR(bound(composite_cuda(device, work, 6400), Bound::latency), single, 1e-15) << "as wide as for floats";
}

TEST(Composite, TheHostPaysForReadingLinesItWrites) {
    Device host = standard_device("host-generic");
    host.read.peak_gb_per_s = host.write.peak_gb_per_s = host.copy.peak_gb_per_s = host.mixed.peak_gb_per_s = 100;
    KernelWork work;
    work.read_bytes = 60;
    work.write_bytes = work.allocated_bytes = 40;
    work.instructions = 10.0 / 32; // ten per element, in registers of eight floats
    work.flops = 15;
    work.square_roots = 1;
    work.elements_per_block = 8;
    work.threads_per_block = 1;
    const std::uint64_t n = 8'000'000;
    Breakdown b = composite_host(host, work, n);
    EXPECT_NEAR(bound(b, Bound::dram), 8e6 * 140 / 100e9, 1e-12);
    EXPECT_NEAR(bound(b, Bound::issue), 1e6 * 10 / 8 / (4 * 3e9), 1e-12);
    EXPECT_NEAR(bound(b, Bound::fma), 1e6 * (14 / 1.5 + 1) / (16 * 3e9), 1e-12);
    EXPECT_NEAR(bound(b, Bound::sfu), 1e6 / (1.6 * 3e9), 1e-12);
    work.allocated_bytes = 0;
    b = composite_host(host, work, n);
    EXPECT_NEAR(bound(b, Bound::dram), 8e6 * 100 / 100e9, 1e-12);
    EXPECT_EQ(b.cost.bound_by, Bound::dram);
    // Nine tiles for eight cores: one core has two.
    EXPECT_NEAR(bound(composite_host(host, work, 72), Bound::sfu), 16 / (1.6 * 3e9), 1e-15);
}

// Blocks that are over as soon as they start wait for each other at the entrance: one per clock, or as long as the figure has it.
TEST(Composite, BlocksAreHandedOutOneAfterAnother) {
    Device device = standard_device("h200");
    KernelWork work;
    work.write_bytes = 8;
    work.elements_per_block = work.threads_per_block = 32;
    work.registers = work.registers_needed = 16;
    const auto seconds = [&](std::uint64_t blocks) { return composite_cuda_seconds(device, work, 32 * blocks); };
    const double clock = 1e-9 / device.clock_ghz;
    EXPECT_NEAR((seconds(4'000'000) - seconds(2'000'000)) / 2e6, clock, 1e-3 * clock);
    ASSERT_TRUE(set_figure(device, "speed.block_dispatch", 0.602));
    EXPECT_NEAR((seconds(4'000'000) - seconds(2'000'000)) / 2e6, 0.602e-9, 1e-12);
}

TEST(Composite, ListsThatAHostReadsAgainComeFromItsLastLevel) {
    Device host = standard_device("host-generic");
    host.read.peak_gb_per_s = host.write.peak_gb_per_s = host.copy.peak_gb_per_s = host.mixed.peak_gb_per_s = 10;
    host.l2_gb_per_s = 1000;
    KernelWork work;
    work.read_bytes = 60;
    work.write_bytes = 40;
    work.elements_per_block = 8;
    work.threads_per_block = 1;
    const auto memory = [&](std::uint64_t n) { return bound(composite_host(host, work, n), Bound::dram); };
    const double cold = 1000 * 100 / 10e9;
    EXPECT_NEAR(memory(1000), cold, 1e-15);
    work.repeated = true;
    EXPECT_NEAR(memory(1000), cold, 1e-15) << "of a host whose last level was not measured nothing is assumed";
    ASSERT_TRUE(set_figure(host, "speed.l3_bytes", 60 * 1000));
    ASSERT_TRUE(set_figure(host, "speed.l3", 50));
    EXPECT_NEAR(memory(1000), 1000 * (60 / 50e9 + 40 / 10e9), 1e-15) << "stores past the caches go to memory";
    EXPECT_NEAR(memory(1500), 1500 * (30 / 50e9 + 70 / 10e9), 1e-15) << "half of the reads";
    EXPECT_NEAR(memory(2000), 2 * cold, 1e-15);
    work.allocated_bytes = 40;
    EXPECT_NEAR(memory(600), 600 * (100 / 50e9 + 40 / 10e9), 1e-15) << "lines that ordinary stores read first lie there too";
    work.repeated = false;
    EXPECT_NEAR(memory(600), 600 * 140 / 10e9, 1e-15) << "candidates are launched after others";
}

} // namespace
} // namespace fusec::perfmodel
