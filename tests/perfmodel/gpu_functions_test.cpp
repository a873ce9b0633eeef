// SPDX-License-Identifier: Apache-2.0
// Slots of the FMA pipe that made-up rates of functions imply, and what predictors make of them.
#include "fusion/instruction_rates.hpp"
#include "perfmodel/composite.hpp"
#include "perfmodel/fit/gpu_functions.hpp"
#include "perfmodel/pipeline.hpp"
#include "perfmodel/wave_predictor.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/kernels_with_steps.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;
using testing::HasSubstr;

/// An operation that takes so many clocks of a multiprocessor, at 32 warps; with one warp a longer latency.
void add(GpuMeasurements& measured, const char* operation, double clocks) {
    for (const double warps : {1.0, 32.0}) {
        measured.rows.push_back({"pipe", {{"operation", operation}},
            {{"independent", 4}, {"warps", warps}, {"cycles", warps == 1 ? 100 : 32 * warps * clocks}}});
    }
}

std::optional<double> value_of(const MeasuredFigures& figures, std::string_view key) {
    const auto found = std::ranges::find(figures.figures, key, &CalibratedFigure::key);
    return found == figures.figures.end() ? std::nullopt : std::optional(found->value);
}

/// What a function takes of a multiprocessor: the longest of its slots, its instructions and its special functions.
double clocks_of(const Device& device, double slots, double fma, double instructions, double special) {
    return std::max({(slots + 1) / fma, fusion::instruction_overhead * (instructions + 1) / 128, special / device.special});
}

// An H200: 128 and 64 FMAs, 16 special functions and 128 instructions of threads a clock.
TEST(GpuFunctions, SlotsFollowFromRates) {
    Device device = standard_device("h200");
    device.overlap_exponent = 2.6;
    GpuMeasurements measured;
    add(measured, "division_f64", clocks_of(device, 20, 64, 18, 1)); // longer than its 18 + 1 instructions, which take 0.17
    add(measured, "sqrtf_near_1", clocks_of(device, 40, 128, 13, 1));
    add(measured, "division_f32", 14 / 128.0); // less than what its 13 + 1 instructions are priced
    add(measured, "sqrt_near_1", 0.05);        // less than the 0.21 of its 22 + 1
    const double forty = clocks_of(device, 40, 128, 20, 1);
    add(measured, "expf_near_1", forty - 0.08);
    add(measured, "logf_near_1", forty);
    add(measured, "sinf_near_1", forty + 0.08);
    add(measured, "exp_near_1", 1); // without logarithm and sine
    add(measured, "powf_near_1", 1);
    const MeasuredFigures found = function_figures(measured, device);
    EXPECT_NEAR(value_of(found, "operation.division_f64").value(), 20, 1e-9);
    EXPECT_NEAR(value_of(found, "operation.square_root_f32").value(), 40, 1e-9);
    EXPECT_NEAR(value_of(found, "operation.transcendental_f32").value(), 40, 1e-9);
    EXPECT_EQ(found.figures.size(), 3U);
    EXPECT_THAT(found.impossible,
        testing::UnorderedElementsAre(
            HasSubstr(
                "`operation.division_f32` stays that of counted opcodes: the function takes 0.109 clocks, and its instructions and special "
                "functions 0.126"),
            HasSubstr("`operation.square_root_f64` stays that of counted opcodes: the function takes 0.05 clocks")));
    // Eight clocks of the special-function unit a function: then that is what bounds it.
    Device slow = device;
    slow.special = 2;
    EXPECT_FALSE(value_of(function_figures(measured, slow), "operation.square_root_f32").has_value());
}

// A kernel of nothing but a function takes on `composite` what the function was measured to take.
TEST(GpuFunctions, AKernelOfThemTakesWhatTheyWereMeasuredToTake) {
    struct Case {
        const char* operation;
        Precision precision;
        double instructions, special, clocks;
        double KernelWork::* count;
    };
    for (const double exponent : {1.5, 2.0, 4.0}) {
        for (const Case& each : {Case{"division_f32", Precision::f32, 13, 1, 0.3, &KernelWork::divisions},
                 {"sqrtf_near_1", Precision::f32, 13, 1, 0.25, &KernelWork::square_roots},
                 {"division_f64", Precision::f64, 18, 1, 0.4, &KernelWork::divisions},
                 {"sqrt_near_1", Precision::f64, 22, 1, 0.5, &KernelWork::square_roots}}) {
            Device device = standard_device("h200");
            device.overlap_exponent = exponent;
            GpuMeasurements measured;
            add(measured, each.operation, each.clocks);
            const MeasuredFigures found = function_figures(measured, device);
            ASSERT_EQ(found.figures.size(), 1U) << each.operation;
            ASSERT_TRUE(set_figure(device, found.figures.front().key, found.figures.front().value));
            // Many for each element, with an argument of one FMA each: nothing else counts.
            constexpr double many = 2000;
            KernelWork work;
            work.precision = each.precision;
            work.write_bytes = 4;
            work.elements_per_block = work.threads_per_block = 256;
            work.*each.count = many;
            work.fused = many;
            work.flops = many + 2 * many;
            work.instructions = fusion::instruction_overhead * many * (each.instructions + 1) / 32;
            const std::uint64_t wave = 256ULL * 8 * 132;
            const double seconds = composite_cuda(device, work, wave).cost.seconds - device.launch_us * 1e-6;
            const double expected = many * each.clocks * 256 * 8 / (device.clock_ghz * 1e9);
            EXPECT_NEAR(seconds / expected, 1, 0.1) << each.operation << " " << exponent;
            double units = 0;
            for (const auto& [bound, of_bound] : composite_cuda(device, work, wave).bounds) {
                units = std::max(units, bound == Bound::fma || bound == Bound::issue || bound == Bound::sfu ? of_bound : 0);
            }
            EXPECT_NEAR(units / expected, 1, 1e-9) << each.operation << " " << exponent;
        }
    }
}

KernelWork dividing() {
    KernelWork work = streaming_kernel(1, 96);
    work.divisions = work.steps[1].arithmetic.divisions = 3;
    return work;
}

// 93 additions and products in 62 slots, and three divisions: of 5 slots, or of 25.
TEST(GpuFunctions, PredictorsPriceBySlots) {
    Device device = standard_device("a100"), measured = device;
    EXPECT_EQ(figure(device, "operation.division_f32"), 5);
    ASSERT_TRUE(set_figure(measured, "operation.division_f32", 25));
    const std::uint64_t n = 256ULL * 108 * 8;
    const auto fma = [&](const Device& of) {
        for (const auto& [bound, seconds] : composite_cuda(of, dividing(), n).bounds) {
            if (bound == Bound::fma) {
                return seconds;
            }
        }
        return 0.0;
    };
    const double per_slot = 256 * 8 / (device.fma_f32 * device.clock_ghz * 1e9);
    EXPECT_NEAR(fma(device), per_slot * (62 + 3 * 5), 1e-15);
    EXPECT_NEAR(fma(measured), per_slot * (62 + 3 * 25), 1e-15);
    EXPECT_GT(WavePredictor(measured).cost(dividing(), n).seconds, WavePredictor(device).cost(dividing(), n).seconds);
    EXPECT_GT(PipelinePredictor(measured).cost(dividing(), n).seconds, PipelinePredictor(device).cost(dividing(), n).seconds);
    // The search's bounds stay below: those of least work too.
    EXPECT_LT(composite_cuda_least(measured, dividing(), n), composite_cuda(measured, dividing(), n).cost.seconds);
    EXPECT_GT(composite_cuda_least(measured, dividing(), n), composite_cuda_least(device, dividing(), n));
}

} // namespace
} // namespace fusec::perfmodel
