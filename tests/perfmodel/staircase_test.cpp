// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/staircase.hpp"

#include "tests/perfmodel/devices.hpp"

#include <cmath>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;

/// The GeForce 8800 GTX: printed are its 16 multiprocessors; 24 warps of 32 threads each are compute capability 1.0 (CUDA Programming Guide
/// 1.0, which the source cites). Deduced: 2 blocks per multiprocessor, because the source's kernel takes the same time for 4 to 32 blocks
/// and "sharply" more for 48. Ours: blocks of 256 threads, 1000 operations, t0.
StaircaseInputs geforce_8800(double nblocks) {
    StaircaseInputs in;
    in.nblocks = nblocks;
    in.block_size = 256; // 8 warps
    in.n_mp = 16;
    in.m_warps = 24;
    in.occupancy = 16.0 / 24;
    in.work_per_thread = 1000;
    in.t0 = 10;
    return in;
}

// 1000 operations * 16 warps * 32 * 16 at 10 ps are 81.92 us a stair.
TEST(Staircase, AtBelowAndAboveAStair) {
    constexpr double stair = 81.92e-6;
    for (const double nblocks : {1, 4, 16, 17, 31, 32}) {
        const Staircase r = staircase(geforce_8800(nblocks));
        EXPECT_FALSE(r.saturated) << nblocks;
        EXPECT_EQ(r.stairs, 1) << nblocks;
        EXPECT_NEAR(r.seconds, stair, 1e-15) << nblocks;
    }
    EXPECT_EQ(staircase(geforce_8800(32)).warps_per_mp, 16);
    EXPECT_EQ(staircase(geforce_8800(32)).warps_held, 16);
    for (const double nblocks : {33, 48, 64}) {
        const Staircase r = staircase(geforce_8800(nblocks));
        EXPECT_TRUE(r.saturated) << nblocks;
        EXPECT_EQ(r.stairs, 2) << nblocks;
        EXPECT_NEAR(r.seconds, 2 * stair, 1e-15) << nblocks;
    }
    EXPECT_NEAR(staircase(geforce_8800(65)).seconds, 3 * stair, 1e-15);
    EXPECT_EQ(staircase(geforce_8800(0)).seconds, 0);
}

// On full grids (7) is T = t0 * N * (W / w) * ceil(w / W) with N operations in all.
TEST(Staircase, BothFormsOfSevenOnFullGrids) {
    for (int blocks_per_mp = 1; blocks_per_mp <= 9; ++blocks_per_mp) {
        const StaircaseInputs in = geforce_8800(16 * blocks_per_mp);
        const Staircase r = staircase(in);
        const double operations = in.nblocks * in.block_size * in.work_per_thread;
        const double w = 8 * blocks_per_mp;
        EXPECT_NEAR(r.seconds, in.t0 * 1e-12 * operations * (16 / w) * std::ceil(w / 16), 1e-15);
    }
}

// Occupancies such as 21 / 64 are no fractions of a double: the quotient must be whole all the same.
TEST(Staircase, FullStairsAreWhole) {
    for (int warps = 1; warps <= 16; ++warps) {
        for (int blocks = 1; blocks * warps <= 48; ++blocks) {
            StaircaseInputs in = geforce_8800(16 * blocks);
            in.block_size = 32 * warps;
            in.m_warps = 48;
            in.occupancy = blocks * warps / 48.0;
            EXPECT_EQ(staircase(in).stairs, 1) << blocks << " of " << warps;
            EXPECT_FALSE(staircase(in).saturated) << blocks << " of " << warps;
            in.nblocks += 1;
            EXPECT_EQ(staircase(in).stairs, 2) << blocks << " of " << warps;
            EXPECT_TRUE(staircase(in).saturated) << blocks << " of " << warps;
        }
    }
}

// One time gives t0; two of blocks of different sizes give the line.
TEST(Staircase, ParametersFromMeasuredTimes) {
    EXPECT_NEAR(t0_of(81.92e-6, geforce_8800(32)), 10, 1e-12);
    StaircaseInputs larger = geforce_8800(16);
    larger.block_size = 384; // 12 warps, 1 block
    larger.occupancy = 0.5;
    // 1000 * 12 * 32 * 16 operations = 6144000 in 79.872 us are 13 ps each.
    EXPECT_NEAR(t0_of(79.872e-6, larger), 13, 1e-12);
    // 10 at 2/3, 13 at 1/2: a slope of -3 / (1/6) = -18, 13 + 9 = 22 at 0.
    const StaircaseLine line = staircase_line(10, 16.0 / 24, 13, 0.5);
    EXPECT_NEAR(line.tb, -18, 1e-12);
    EXPECT_NEAR(line.ta, 22, 1e-12);
    EXPECT_NEAR(line.t0(1), 4, 1e-12);
    // What they came from they give back.
    larger.t0 = line.t0(larger.occupancy);
    EXPECT_NEAR(staircase(larger).seconds, 79.872e-6, 1e-15);
}

TEST(Staircase, OfAKernelOnADevice) {
    Device device = standard_device("a100");
    Diagnostics diagnostics;
    EXPECT_EQ(make_predictor("staircase", standard_device("gtx480"), diagnostics), nullptr);
    ASSERT_EQ(diagnostics.all().size(), 2U);
    EXPECT_EQ(diagnostics.all()[0].message, "`staircase` needs `staircase.ta`, which the description of `gtx480` does not have");
    EXPECT_EQ(diagnostics.all()[1].message, "`staircase` needs `staircase.tb`, which the description of `gtx480` does not have");
    ASSERT_TRUE(
        set_figure(device, "staircase.ta", 0.3) && set_figure(device, "staircase.tb", -0.2) && set_figure(device, "speed.launch", 0.5));
    const auto predictor = make_predictor("staircase", device, diagnostics);
    ASSERT_NE(predictor, nullptr);
    KernelWork work; // 128 threads of 64 instructions each for 64 elements; 40 registers let 12 blocks in: 48 warps of 64
    work.instructions = 4;
    work.elements_per_block = 64;
    work.threads_per_block = 128;
    work.registers = 40;
    // 16384 / (40 * 32) = 12 warps a partition, 48 in all: occupancy 0.75, t0 0.15 ps; a stair is 64 * 48 * 32 * 108 operations.
    constexpr double stair = 0.15e-12 * 64 * 48 * 32 * 108;
    constexpr double launch = 0.5e-6;
    EXPECT_NEAR(predictor->cost(work, 1).seconds, launch + stair, 1e-15);
    EXPECT_NEAR(predictor->cost(work, 64 * 12 * 108).seconds, launch + stair, 1e-15);
    EXPECT_EQ(predictor->cost(work, 64 * 12 * 108).bound_by, Bound::latency);
    EXPECT_NEAR(predictor->cost(work, 64 * 12 * 108 + 1).seconds, launch + 2 * stair, 1e-15);
    EXPECT_EQ(predictor->cost(work, 64 * 12 * 108 + 1).bound_by, Bound::issue);
}

TEST(Staircase, ALineBelowZeroIsAnError) {
    Device device = standard_device("a100");
    ASSERT_TRUE(set_figure(device, "staircase.ta", 0.25) && set_figure(device, "staircase.tb", -0.5));
    Diagnostics diagnostics;
    EXPECT_EQ(make_predictor("staircase", device, diagnostics), nullptr);
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "invalid-figure");
    EXPECT_EQ(diagnostics.all()[0].message,
        "`staircase.ta` + `staircase.tb` * occupancy of `a100` is -0.25 ps at occupancy 1, needed more than 0");
    ASSERT_TRUE(set_figure(device, "staircase.ta", -0.25) && set_figure(device, "staircase.tb", 1));
    EXPECT_EQ(make_predictor("staircase", device, diagnostics), nullptr);
    EXPECT_EQ(diagnostics.all()[1].message,
        "`staircase.ta` + `staircase.tb` * occupancy of `a100` is -0.234375 ps at occupancy 0.015625, needed more than 0");
}

} // namespace
} // namespace fusec::perfmodel
