// SPDX-License-Identifier: Apache-2.0
// What empty kernels in a queue say of a GPU's launches: how fast they are issued, what lies between two kernels, how fast blocks are handed out.
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/gpu_figures.hpp"
#include "perfmodel/wave_predictor.hpp"
#include "tests/perfmodel/devices.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

namespace fusec::perfmodel {
namespace {

/// Launches of one to a million blocks of each size; seconds(blocks, threads).
template <class Seconds>
GpuMeasurements launches(std::initializer_list<double> sizes, Seconds seconds) {
    GpuMeasurements made;
    for (const double threads : sizes) {
        for (double blocks = 1; blocks <= 1e6; blocks *= 10) {
            made.rows.push_back(
                {"launch", {{"mode", "stream"}}, {{"blocks", blocks}, {"threads", threads}, {"seconds", seconds(blocks, threads)}}});
        }
    }
    return made;
}

/// Launches issued every `issue` seconds by a processor, to a GPU that idles for `overhead` between kernels and hands out a block every `of_block`.
GpuMeasurements empty_kernels(double issue, double overhead, double of_block) {
    return launches({32, 256, 1024}, [&](double blocks, double) { return std::max(issue, overhead + blocks * of_block); });
}

std::optional<double> found(const GpuMeasurements& measured, std::string_view key) {
    const std::vector<CalibratedFigure> figures = measured_figures(measured, standard_device("h200").limits).figures;
    const auto figure = std::ranges::find(figures, key, &CalibratedFigure::key);
    return figure == figures.end() ? std::nullopt : std::optional(figure->value);
}

TEST(GpuLaunches, WhatHidesBehindTheQueueIsToldFromWhatDoesNot) {
    const GpuMeasurements measured = empty_kernels(3.3e-6, 1.4e-6, 0.6e-9);
    EXPECT_NEAR(found(measured, "speed.launch").value(), 3.3, 1e-6);
    EXPECT_NEAR(found(measured, "speed.launch_overhead").value(), 1.4, 1e-6);
    EXPECT_NEAR(found(measured, "speed.block_dispatch").value(), 0.6, 1e-9);
}

TEST(GpuLaunches, AGpuThatIsSlowerThanItsQueueHidesNothing) {
    const GpuMeasurements measured = empty_kernels(0, 2.5e-6, 0.6e-9);
    EXPECT_NEAR(found(measured, "speed.launch").value(), 2.5, 1e-3);
    EXPECT_NEAR(found(measured, "speed.launch_overhead").value(), 2.5, 1e-3);
}

TEST(GpuLaunches, KernelsThatAllHideSayNothingOfTheOverhead) {
    GpuMeasurements measured = empty_kernels(3.3e-6, 1.4e-6, 0.6e-9);
    std::erase_if(measured.rows, [](const ProbeRow& row) { return row.number("blocks") > 1000; });
    EXPECT_TRUE(found(measured, "speed.launch"));
    EXPECT_FALSE(found(measured, "speed.launch_overhead"));
    EXPECT_FALSE(found(measured, "speed.block_dispatch"));
}

// Lines by hand: blocks of w warps take 2 + w / 8 us and w / 4 + 0.5 ns a block. Between the sizes a line lies between lines; without one size there are
// none, and the law of all sizes is left.
TEST(GpuLaunches, EachSizeOfBlockHasItsLine) {
    GpuMeasurements measured = launches({32, 128, 256, 1024}, [](double blocks, double threads) {
        const double warps = threads / 32;
        return 1e-6 * (2 + warps / 8) + 1e-9 * blocks * (warps / 4 + 0.5);
    });
    for (const int warps : {1, 4, 8, 32}) {
        EXPECT_NEAR(found(measured, "wave.launch_x1_" + std::to_string(warps)).value(), warps / 4.0 + 0.5, 1e-6);
        EXPECT_NEAR(found(measured, "wave.launch_x2_" + std::to_string(warps)).value(), 2 + warps / 8.0, 1e-6);
    }
    std::erase_if(measured.rows, [](const ProbeRow& row) { return row.number("threads") == 128; });
    for (const int warps : {1, 4, 8, 32}) {
        EXPECT_FALSE(found(measured, "wave.launch_x1_" + std::to_string(warps)));
    }
    EXPECT_TRUE(found(measured, "wave.launch_per_warp"));
}

// What is measured, what is fitted and what a description may say are the same sizes of block.
TEST(GpuLaunches, SizesOfBlockAreThoseOfTheProbes) {
    std::ifstream file(std::string(FUSEC_SOURCE_DIR) + "/perfmodel/probes/cuda/launches.cu");
    const std::string probes(std::istreambuf_iterator<char>(file), {});
    std::vector<std::string> threads;
    for (const int warps : launched_warps) {
        threads.push_back(std::to_string(32 * warps));
        EXPECT_NE(find_field("wave.launch_x1_" + std::to_string(warps), fusion::Target::cuda), nullptr);
        EXPECT_NE(find_field("wave.launch_x2_" + std::to_string(warps), fusion::Target::cuda), nullptr);
    }
    EXPECT_THAT(probes, testing::HasSubstr(fmt::format("for (const int threads : {{{}}}) {{", fmt::join(threads, ", "))));
}

TEST(GpuLaunches, LinesThatCannotBeAreNone) {
    const GpuMeasurements measured =
        launches({32, 128, 256, 1024}, [](double blocks, double threads) { return 1e-6 + blocks * (threads == 32 ? 1e-2 : 1e-9); });
    EXPECT_FALSE(found(measured, "wave.launch_x1_4")) << "the line of one warp has 10 ms a block";
}

// The bandwidth of L2 is that beyond the overhead: 16 bytes an element at 5000 GB/s, of which 8 MB hide.
TEST(GpuLaunches, TheBandwidthOfL2IsThatOfWhatDoesNotHide) {
    GpuMeasurements measured = empty_kernels(3.3e-6, 1.4e-6, 0.6e-9);
    measured.l2_bytes = 1e8;
    for (double elements = 8192; elements <= 1 << 22; elements *= 2) {
        measured.rows.push_back({"volume", {{"cache", "warm"}},
            {{"block", 1024}, {"elements", elements}, {"seconds", std::max(3.3e-6, 1.4e-6 + 16 * elements / 5e12)}}});
    }
    EXPECT_NEAR(found(measured, "speed.l2").value(), 5000, 1e-6);
}

} // namespace
} // namespace fusec::perfmodel
