// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/predictor.hpp"
#include "perfmodel/step_mix.hpp"

#include "devices.hpp"

#include <gtest/gtest.h>

namespace fusec::perfmodel {
namespace {

// Three threads for each of 16 elements: 48 threads, 2 warps of 8 elements each. Per element 27 operations in 18 FMA slots, 3 divisions in 8 and a
// special operation each: 42 and 3, a third of them each thread's.
TEST(StepMix, ByHand) {
    fusion::KernelWork work;
    work.precision = Precision::f64;
    work.elements_per_block = 16;
    work.threads_per_block = 64;
    fusion::WorkStep step;
    step.threads = 3;
    step.instructions = 300;
    step.arithmetic = {30, 3, 0, 0};
    step.shared_wavefronts = 6;
    step.accesses = {{false, fusion::Addressing::strided, 8, 9, 9, false}, {true, fusion::Addressing::unit, 8, 3, 0.75, false},
        {false, fusion::Addressing::broadcast, 8, 3, 3 / 32., false}};
    const StepMix mix = step_mix(work, step, {}, {});
    EXPECT_EQ(mix.warps, 2);
    EXPECT_DOUBLE_EQ(mix.f64, 14);
    EXPECT_EQ(mix.f32, 0);
    EXPECT_DOUBLE_EQ(mix.special, 1);
    EXPECT_DOUBLE_EQ(mix.shared, 48) << "passes of 8 elements";
    EXPECT_DOUBLE_EQ(mix.loads, 4);
    EXPECT_DOUBLE_EQ(mix.stores, 1);
    EXPECT_DOUBLE_EQ(mix.uncoalesced_bytes, 9 * 8 * 8);
    EXPECT_DOUBLE_EQ(mix.coalesced_bytes, (0.75 + 3 / 32.) * 32 * 8);
    EXPECT_DOUBLE_EQ(mix.load_bytes, 9 * 8 * 8 + 3 * 8 * 8 / 32.);
    EXPECT_DOUBLE_EQ(mix.store_bytes, 3 * 8 * 8);
    EXPECT_DOUBLE_EQ(mix.other, 100 - 14 - 1 - 48 - 4 - 1);
    step.instructions = 30;
    EXPECT_EQ(step_mix(work, step, {}, {}).other, 0) << "passes may be more than instructions";
    EXPECT_DOUBLE_EQ(step_mix(work, step, {}, {}).uncounted, 14 + 1 + 48 + 4 + 1 - 10);
    EXPECT_EQ(mix.uncounted, 0);
    step.in_float = {30, 3, 0, 0}; // in float a division takes 5 slots: (18 + 15) / 3
    EXPECT_DOUBLE_EQ(step_mix(work, step, {}, {}).f32, 11);
    EXPECT_EQ(step_mix(work, step, {}, {}).f64, 0);
    FunctionSlots measured;
    measured.f32.division = 11; // (18 + 33) / 3
    EXPECT_DOUBLE_EQ(step_mix(work, step, {}, measured).f32, 17);
}

// Measured slots are time of the pipe: the addresses and conditions of a step are as many, whatever a device takes for a division.
TEST(StepMix, OtherInstructionsAreThoseThatWereCounted) {
    fusion::KernelWork work;
    work.elements_per_block = work.threads_per_block = 64;
    fusion::WorkStep step;
    step.instructions = 200;
    step.arithmetic = {18, 3, 2, 1};
    FunctionSlots measured;
    measured.f32 = measured.f64 = {50, 70, 90};
    for (const Precision precision : {Precision::f32, Precision::f64}) {
        work.precision = precision;
        const StepMix plain = step_mix(work, step, {}, {}), slow = step_mix(work, step, {}, measured);
        EXPECT_DOUBLE_EQ(slow.f32 + slow.f64, 12 / 1.5 + 3 * 50 + 2 * 70 + 90);
        EXPECT_EQ(slow.other, plain.other);
        EXPECT_EQ(slow.uncounted, 0);
    }
    const double counted_f32 = 12 / 1.5 + 3 * 5 + 2 * 4 + 11 + 6; // the slots of instruction_rates.hpp's opcodes and six special functions
    work.precision = Precision::f32;
    EXPECT_DOUBLE_EQ(step_mix(work, step, {}, measured).other, 200 - counted_f32);
}

// Passes that no instruction was counted for are told.
TEST(StepMix, PartsBeyondWhatWasCountedAreSaid) {
    Diagnostics diagnostics;
    fusion::KernelWork work = roofline_work(16, 1);
    for (const char* name : {"wave", "pipeline"}) {
        const auto predictor = make_predictor(name, standard_device("h200"), diagnostics);
        ASSERT_NE(predictor, nullptr);
        const auto said = [&](const fusion::KernelWork& of) {
            double sum = 0;
            for (const Quantity& each : predictor->explain(of, 1U << 20U).quantities) {
                sum += each.name == "parts beyond the instructions counted" ? each.value : 0;
            }
            return sum;
        };
        fusion::KernelWork conflicts = work;
        conflicts.steps.front().shared_wavefronts = 100;
        const double passes = 100 * conflicts.elements_per_block / step_mix(conflicts, conflicts.steps.front(), {}, {}).warps;
        EXPECT_NEAR(said(conflicts) - said(work), passes, 0.1 * passes) << name;
    }
}

// A block of 256 threads that has 256 * 8 elements makes eight rounds of what it does for 256.
TEST(StepMix, MoreElementsThanThreadsAreRounds) {
    const fusion::KernelWork one = roofline_work(16, 1), eight = roofline_work(16, 8);
    ASSERT_EQ(eight.elements_per_block, 8 * one.elements_per_block);
    ASSERT_EQ(eight.threads_per_block, one.threads_per_block);
    ASSERT_EQ(one.steps.size(), eight.steps.size());
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
        const StepMix a = step_mix(one, one.steps[i], {}, {}), b = step_mix(eight, eight.steps[i], {}, {});
        EXPECT_EQ(b.warps, a.warps);
        EXPECT_DOUBLE_EQ(b.f32, 8 * a.f32);
        EXPECT_DOUBLE_EQ(b.loads, 8 * a.loads);
        EXPECT_DOUBLE_EQ(b.load_bytes, 8 * a.load_bytes);
        EXPECT_DOUBLE_EQ(b.coalesced_bytes, 8 * a.coalesced_bytes);
        EXPECT_DOUBLE_EQ(b.other, 8 * a.other);
    }
}

// Where arithmetic bounds it, a kernel of so many rounds takes longer with more of it.
TEST(StepMix, ArithmeticOfRoundsCounts) {
    Diagnostics diagnostics;
    for (const char* name : {"wave", "pipeline"}) {
        const auto predictor = make_predictor(name, standard_device("h200"), diagnostics);
        ASSERT_NE(predictor, nullptr);
        const double less = predictor->seconds(roofline_work(256, 1024), 1U << 26U),
                     more = predictor->seconds(roofline_work(512, 1024), 1U << 26U);
        EXPECT_GT(more, 1.8 * less) << name;
    }
}

} // namespace
} // namespace fusec::perfmodel
