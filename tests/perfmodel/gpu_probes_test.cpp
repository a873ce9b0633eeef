// SPDX-License-Identifier: Apache-2.0
// What barriers, and kernels that compute for a few waves of blocks, are taken for.
#include "perfmodel/composite.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/gpu_figures.hpp"
#include "perfmodel/fit/gpu_points.hpp"
#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/instruction_costs.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/quantities.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace fusec::perfmodel {
namespace {

using fusion::KernelWork;

ProbeRow barrier(double warps, double resident, double cycles) {
    return {"barrier", {}, {{"warps", warps}, {"resident", resident}, {"cycles", cycles}}};
}

const CalibratedFigure* find(const MeasuredFigures& in, std::string_view key) {
    const auto found = std::ranges::find(in.figures, key, &CalibratedFigure::key);
    return found == in.figures.end() ? nullptr : &*found;
}

// 30 cycles and three for each warp of a block that is alone; blocks beside it keep each other waiting, which is another matter.
TEST(GpuProbes, ABarrierIsALineOverTheWarps) {
    Device device = standard_device("h200");
    GpuMeasurements measured;
    for (const double warps : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
        measured.rows.push_back(barrier(warps, 1, 30 + 3 * warps));
        measured.rows.push_back(barrier(warps, 2, 90 + 3 * warps));
    }
    const MeasuredFigures figures = measured_figures(measured, device.limits);
    for (const auto& [key, value] : {std::pair("speed.barrier", 30.0), {"speed.barrier_per_warp", 3.0}}) {
        const CalibratedFigure* const figure = find(figures, key);
        ASSERT_NE(figure, nullptr) << key;
        EXPECT_NEAR(figure->value, value, 1e-9) << key;
        EXPECT_NEAR(figure->residual, 0, 1e-12) << key;
        EXPECT_EQ(figure->points, 6) << key;
        ASSERT_TRUE(set_figure(device, key, figure->value));
    }
    // What `composite` makes of it: five barriers of eight warps, each with one way through shared memory.
    KernelWork work = stream_work(scale_kernel, 256, 0, device.limits), without = work;
    work.block_barriers = 5;
    const auto cycles = [&](const Device& of) {
        return (quantity(composite_cuda(of, work, 1000), "latency of idle memory") -
                   quantity(composite_cuda(of, without, 1000), "latency of idle memory")) *
            of.clock_ghz * 1e9;
    };
    EXPECT_NEAR(cycles(device), 5 * (30 + 3 * 8 + device.shared_latency_cycles), 1e-6);
    EXPECT_NEAR(cycles(standard_device("h200")), 5 * (22 + 2 * 8 + device.shared_latency_cycles), 1e-6) << "of no measurement";
    // What does not lie on the line is said; one size of block has no line.
    measured.rows[0].numbers["cycles"] *= 1.5;
    EXPECT_GT(find(measured_figures(measured, device.limits), "speed.barrier")->residual, 0.01);
    std::erase_if(measured.rows, [](const ProbeRow& row) { return row.number("warps") != 8; });
    EXPECT_EQ(find(measured_figures(measured, device.limits), "speed.barrier"), nullptr);
}

// Held out: 4096 FMAs, each behind the one before, by as many blocks as the row has, whatever else a wave does.
TEST(GpuProbes, WavesThatComputeAreHeldOut) {
    const Device device = standard_device("h200");
    GpuMeasurements measured;
    measured.rows.push_back(
        {"stream", {{"kernel", "init"}}, {{"block", 256}, {"resident", 8}, {"elements", 1 << 20}, {"seconds", 1}, {"clock_ghz", 1.5}}});
    constexpr double wave = 132 * 8;
    for (const double blocks : {wave, 2 * wave, 2 * wave + wave / 2}) {
        measured.rows.push_back({"grid", {{"kernel", "compute"}},
            {{"wave", wave}, {"blocks", blocks}, {"threads", 256}, {"seconds", 1e-4}, {"clock_ghz", 1.5}}});
    }
    Diagnostics diagnostics;
    const auto points = points_of(measured, device, diagnostics);
    ASSERT_TRUE(points.has_value());
    ASSERT_EQ(points->points.size(), 4U);
    std::vector<double> seconds;
    for (std::size_t i = 1; i < 4; ++i) {
        const Point& point = points->points[i];
        EXPECT_EQ(point.kernel, "computing waves");
        EXPECT_EQ(point.role, Role::held_out);
        EXPECT_DOUBLE_EQ(pipe_work(point.work, device.limits.target, device.function_slots).fma, 4096);
        EXPECT_EQ(point.work.fused, 0) << "no bank of registers slows them down";
        EXPECT_EQ(point.work.critical_path_cycles, 4096 * figure(device, "latency.arithmetic_f32").value());
        seconds.push_back(composite_cuda(device, point.work, point.elements).cost.seconds);
    }
    EXPECT_EQ(points->points[3].elements, static_cast<std::uint64_t>(2.5 * wave * 256));
    // The issue of 2048 threads' FMAs and loops, three instructions for 16, takes at least this; no memory stands beside it.
    const double least = 2048 * 4096 * (1 + 3 / 16.0) / (128 * device.clock_ghz * 1e9);
    EXPECT_GT(seconds[0], least);
    EXPECT_LT(seconds[0], 1.4 * least);
    EXPECT_GT(seconds[1], 1.8 * seconds[0]);
    // It is the kernel of the probes.
    std::ifstream in(devices_folder().parent_path() / "probes/cuda/launches.cu");
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_THAT(text, testing::HasSubstr("passes = " + std::to_string(computing_fmas) + ";"));
    EXPECT_THAT(text, testing::HasSubstr("x = x * y + 1.0F;"));
}

} // namespace
} // namespace fusec::perfmodel
