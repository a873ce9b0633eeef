// SPDX-License-Identifier: Apache-2.0
// The model of Zhang, Chen, Ming: what the source prints, and schedules of small task lists worked out by hand.
#include "perfmodel/pipeline.hpp"

#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/kernels_with_steps.hpp"
#include "tests/perfmodel/quantities.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;
using pipeline::Instruction;
using pipeline::Sm;
using pipeline::Task;
using pipeline::Unit;
using Tasks = std::vector<Task>;

/// Places of dp, sp, sfu, memory, shared.
Sm sm(int schedulers) {
    return {schedulers, {4, 16, 2, 8, 29}};
}

Task task(Unit unit, int latency, int destination = -1, int source = -1) {
    return {0, 0, unit, latency, destination, {source, -1}, 0};
}
Task sp(int destination = -1, int source = -1) {
    return task(Unit::sp, 4, destination, source);
}

std::int64_t cycles(const Sm& on, const std::vector<Tasks>& lists, int warps_per_block = 1) {
    std::vector<pipeline::Warp> warps;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        warps.push_back({lists[i], static_cast<int>(i) / warps_per_block});
    }
    return pipeline::simulate(on, warps).cycles;
}

TEST(PipelineSimulator, LatenciesOfADependentChainAddUp) {
    // 0, 4, 8: the last result at 12.
    EXPECT_EQ(cycles(sm(1), {{sp(0), sp(1, 0), sp(2, 1)}}), 12);
    EXPECT_EQ(cycles(sm(1), {{task(Unit::dp, 8, 0), task(Unit::sfu, 23, 1, 0), sp(2, 1)}}), 8 + 23 + 4);
    EXPECT_EQ(cycles(sm(1), {}), 0);
}

TEST(PipelineSimulator, IndependentTasksAreIssuedOneACycle) {
    // 0, 1, 2, 3, 4: the last result at 8.
    EXPECT_EQ(cycles(sm(1), {Tasks(5, sp())}), 8);
    // 12 on one warp: at 0 to 11, 15. Four warps of 3 on four schedulers: 0, 1, 2; 6.
    EXPECT_EQ(cycles(sm(4), {Tasks(12, sp())}), 15);
    EXPECT_EQ(cycles(sm(4), std::vector<Tasks>(4, Tasks(3, sp()))), 6);
}

TEST(PipelineSimulator, AFullSubPipeIsWaitedFor) {
    // Two places: 0 and 1; given back at 10 and 11, 20: the fifth ends at 30.
    EXPECT_EQ(cycles(sm(1), {Tasks(5, task(Unit::sfu, 10))}), 30);
    // Schedulers share them: two warps at 0, two at 10.
    EXPECT_EQ(cycles(sm(4), std::vector<Tasks>(4, {task(Unit::sfu, 10)})), 20);
    // Another sub-pipe is free: two specials at 0 and 1, but in order: the third at 10, the SP task at 11.
    EXPECT_EQ(cycles(sm(1), {{task(Unit::sfu, 10), task(Unit::sfu, 10), task(Unit::sfu, 10), sp()}}), 20);
}

TEST(PipelineSimulator, TwoWarpsOverlap) {
    const Tasks chain{sp(0), sp(1, 0)};
    EXPECT_EQ(cycles(sm(1), {chain}), 8);
    // One scheduler. 0: first of A. 1: A waits; suspended. 2: first of B. 3: B waits. 4: second of A, done at 8. 5: A is finished, B waits until 6.
    // 6: second of B, done at 10. One after the other they would take 16.
    EXPECT_EQ(cycles(sm(1), {chain, chain}), 10);
    EXPECT_EQ(cycles(sm(2), {chain, chain}), 8) << "a scheduler each";
    // Loads: 0 and 2; 100: A goes on, done at 104; 102: B, done at 106.
    const Tasks load{task(Unit::memory, 100, 0), sp(1, 0)};
    EXPECT_EQ(cycles(sm(1), {load, load}), 106);
    // Eight of them on four schedulers fill the memory at 0 and 2: 106 again; a ninth has to wait for 100.
    EXPECT_EQ(cycles(sm(4), std::vector<Tasks>(8, load)), 106);
    EXPECT_GT(cycles(sm(4), std::vector<Tasks>(9, load)), 200);
}

TEST(PipelineSimulator, ARegisterIsWrittenByOneAtATime) {
    // The second writes the register of the first, which ends at 10.
    EXPECT_EQ(cycles(sm(1), {{task(Unit::sfu, 10, 0), sp(0)}}), 14);
    EXPECT_EQ(cycles(sm(1), {{task(Unit::sfu, 10, 0), sp(1)}}), 10);
}

TEST(PipelineSimulator, WarpsOfABlockMeetAtItsBarriers) {
    const Task barrier = task(Unit::barrier, 1, -1, 1);
    const Tasks early{sp(1), barrier, sp()};
    const Tasks late{sp(0), sp(1, 0), barrier, sp()};
    // The early one arrives at 4, the late one at 8; both go on at 9 and end at 13. Alone: 4, 5, 9.
    EXPECT_EQ(cycles(sm(2), {early, late}, 2), 13);
    EXPECT_EQ(cycles(sm(2), {early}, 1), 9);
    EXPECT_EQ(cycles(sm(2), {early, early}, 1), 9) << "two blocks";
    EXPECT_THROW(cycles(sm(2), {early, {sp()}}, 2), InternalError) << "one has no barrier";
}

TEST(PipelineSimulator, CountsWhatItDid) {
    const Tasks list{task(Unit::memory, 100, 0), sp(1, 0), sp(2, 0)};
    const pipeline::Warp warps[] = {{list, 0}, {list, 1}};
    const pipeline::Simulation result = pipeline::simulate(sm(4), warps);
    EXPECT_EQ(result.issued, 6);
    EXPECT_THAT(result.occupied, testing::ElementsAre(0, 16, 0, 200, 0));
}

TEST(PipelineTasks, ANewRegisterIsALoad) {
    // r2 = r0 + r1; r3 = r2 * r0.
    const std::vector<Instruction> code{{Unit::sp, 4, 2, {0, 1}, 0}, {Unit::sp, 4, 3, {2, 0}, 1}};
    const Tasks tasks = pipeline::task_list(code, 7, 600);
    ASSERT_EQ(tasks.size(), 4U);
    EXPECT_EQ(tasks[0].unit, Unit::memory);
    EXPECT_EQ(tasks[0].destination, 0);
    EXPECT_EQ(tasks[1].destination, 1);
    EXPECT_EQ(tasks[1].latency, 600);
    EXPECT_EQ(tasks[3].id, 3);
    EXPECT_EQ(tasks[3].list, 7);
    EXPECT_EQ(pipeline::basic_blocks(tasks), 2);
    EXPECT_EQ(pipeline::basic_blocks({}), 0);
    // Loads at 0 and 1; the sum at 601, the product at 605.
    EXPECT_EQ(cycles(sm(4), {tasks}), 609);
}

TEST(Pipeline, TheLaunchLawOfTheSource) {
    const pipeline::LaunchLaw law;
    EXPECT_DOUBLE_EQ(law.at(0), 2.882);
    EXPECT_NEAR(law.at(1e6), 6.706, 1e-12);
}

TEST(Pipeline, AccessesAreUncoalescedByTheirAddresses) {
    const fusion::DeviceLimits limits;
    KernelWork work = streaming_kernel(3, 1);
    EXPECT_EQ(pipeline::uncoalesced_accesses(work, limits), 0);
    work.steps.front().accesses.front().addressing = fusion::Addressing::broadcast;
    EXPECT_EQ(pipeline::uncoalesced_accesses(work, limits), 0);
    work.steps.front().accesses.front().addressing = fusion::Addressing::strided;
    EXPECT_EQ(pipeline::uncoalesced_accesses(work, limits), 3) << "one for each word";
}

KernelWork one_warp(KernelWork work) {
    work.elements_per_block = work.threads_per_block = 32;
    return work;
}

// One word in, 3 operations in 2 FMA slots, one word out, by one warp on an H200, with 611 cycles to memory. Tasks: 6 others, a load; 1 other, 2
// FMAs; 6 others, a store; chain k mod 4 for the k-th.
// 0-3: others; 4, 5: the second ones of chains 0 and 1, whose first are done; 6: the load, with the address of chain 2, done at 617; 7: other. 8: the
// FMAs wait: 617, 618. 619-622: others of chains 2, 3, 0, 1; 623, 624: of 2 and 3. 625: the store, done at 1236.
TEST(PipelinePredictor, AStreamByHand) {
    const Device device = standard_device("h200");
    const PipelinePredictor predictor(device);
    const KernelWork work = one_warp(streaming_kernel(1, 3));
    const Breakdown t = predictor.explain(work, 32);
    EXPECT_EQ(quantity(t, "tasks of a warp"), 17);
    EXPECT_EQ(quantity(t, "tasks simulated"), 17);
    EXPECT_EQ(quantity(t, "cycles extrapolated"), 0);
    EXPECT_EQ(quantity(t, "basic blocks"), 1);
    EXPECT_EQ(quantity(t, "cycles"), 1236);
    const double l = 2.44e-6 + 32 * figure(device, "pipeline.launch_per_thread").value() * 1e-12;
    EXPECT_NEAR(quantity(t, "l"), l, 1e-15);
    EXPECT_NEAR(t.cost.seconds, l + 1236 / 1.755e9, 1e-14);
    EXPECT_EQ(quantity(t, "correction: uncorrected"), 1);
    EXPECT_EQ(t.cost.bound_by, Bound::launch);
    // 132 * 32 blocks are one wave of 32 blocks on each multiprocessor, 132 * 64 two.
    const Breakdown wave = predictor.explain(work, 132 * 32 * 32);
    EXPECT_EQ(quantity(wave, "blocks at a time"), 32);
    EXPECT_EQ(quantity(wave, "waves"), 1);
    const Breakdown two = predictor.explain(work, 132 * 32 * 64);
    EXPECT_EQ(quantity(two, "waves"), 2);
    EXPECT_EQ(quantity(two, "cycles"), 2 * quantity(wave, "cycles"));
}

// 16 elements in blocks of 64 threads: of each, one thread loads and stores, so that the first warp does, and four compute.
TEST(PipelineTasks, WarpsHaveTheRunsThatTheyTakePartIn) {
    KernelWork work = streaming_kernel(1, 3, true);
    work.threads_per_block = 64;
    work.elements_per_block = 16;
    work.steps[1].threads = 4;
    const std::vector<pipeline::Run> runs = pipeline::runs(work, {}, {4, 8, 4, 23, 611, 29}, {});
    // Others, load; FMAs (the 3 instructions of 4 threads less 2 / 4 of an FMA: others); others, barrier; others, store.
    ASSERT_EQ(runs.size(), 8U);
    EXPECT_EQ(runs[1].role, pipeline::Run::Role::load);
    EXPECT_EQ(runs[1].warps, 1);
    EXPECT_EQ(runs[3].role, pipeline::Run::Role::arithmetic);
    EXPECT_EQ(runs[3].warps, 2);
    EXPECT_EQ(runs[5].role, pipeline::Run::Role::barrier);
    EXPECT_EQ(runs[5].warps, 2);
    EXPECT_EQ(runs[7].block, 3) << "one thread, four threads, the barrier, one thread";
    const Tasks second = pipeline::tasks_of(runs, 1, 1);
    for (const Task& each : second) {
        EXPECT_NE(each.unit, Unit::memory);
    }
    EXPECT_EQ(std::count_if(second.begin(), second.end(), [](const Task& each) { return each.unit == Unit::barrier; }), 1);
    // Shortened: everything that always is, is.
    const Tasks shorter = pipeline::tasks_of(runs, 0, 0.01);
    EXPECT_EQ(std::count_if(shorter.begin(), shorter.end(), [](const Task& each) { return each.unit == Unit::memory; }), 2);
    EXPECT_LT(shorter.size(), 5U);
}

TEST(PipelineTasks, SteadyCostsByHand) {
    using pipeline::Run;
    const Sm four{4, {16, 16, 12, 91, 29}};
    // A chain of 4 cycles in 4 chains: one a cycle by a warp alone; 64 warps: 16 for each scheduler, and 64 * 4 / 16 places.
    EXPECT_EQ(pipeline::steady_cost({Run::Role::arithmetic, Unit::sp, 4, 1, 1, 0}, four, 1), 1);
    EXPECT_EQ(pipeline::steady_cost({Run::Role::arithmetic, Unit::sp, 4, 1, 1, 0}, four, 64), 16);
    // 8 cycles in 4 chains: 2; 8 warps: 2 turns and a quarter of a cycle lost in each, 8 * 8 / 16 places.
    EXPECT_EQ(pipeline::steady_cost({Run::Role::arithmetic, Unit::dp, 8, 1, 1, 0}, four, 1), 2);
    EXPECT_EQ(pipeline::steady_cost({Run::Role::arithmetic, Unit::dp, 8, 1, 1, 0}, four, 8), 4);
    EXPECT_EQ(pipeline::steady_cost({Run::Role::arithmetic, Unit::dp, 8, 1, 1, 0}, {4, {64, 1, 1, 1, 1}}, 8), 2.5);
    // Loads have no chains: 64 * 611 / 91.
    EXPECT_DOUBLE_EQ(pipeline::steady_cost({Run::Role::load, Unit::memory, 611, 1, 1, 0}, four, 64), 64 * 611 / 91.);
    EXPECT_EQ(pipeline::steady_cost({Run::Role::load, Unit::memory, 611, 1, 1, 0}, {4, {1, 1, 1, 1000, 1}}, 1), 1);
}

TEST(PipelinePredictor, WhatBounds) {
    const PipelinePredictor predictor(standard_device("a100"));
    const std::uint64_t n = 1U << 26U;
    EXPECT_EQ(predictor.cost(streaming_kernel(16, 1), n).bound_by, Bound::dram);
    EXPECT_EQ(predictor.cost(streaming_kernel(1, 20000), n).bound_by, Bound::fma);
    KernelWork doubles = one_warp(streaming_kernel(1, 20000));
    doubles.precision = Precision::f64; // 6 cycles in 4 chains, and 3 of 4 schedulers have nothing to do
    EXPECT_EQ(predictor.cost(doubles, 32).bound_by, Bound::latency);
    EXPECT_EQ(predictor.cost(one_warp(streaming_kernel(1, 1)), 32).bound_by, Bound::launch);
    // 128 bytes of each of 2^26 elements at 1841 GB/s: 4.67 ms, and the pipe fills and drains.
    const double seconds = predictor.cost(streaming_kernel(16, 1), n).seconds;
    EXPECT_GT(seconds, 4.66e-3);
    EXPECT_LT(seconds, 1.2 * 4.66e-3);
}

TEST(PipelinePredictor, ABlockThatDoesNotFitIsInfinitelySlow) {
    const PipelinePredictor predictor(standard_device("l40"));
    KernelWork work = streaming_kernel(1, 1);
    work.shared_bytes = 101377;
    EXPECT_TRUE(std::isinf(predictor.cost(work, 1000).seconds));
    EXPECT_THROW(predictor.cost(KernelWork{}, 1000), InternalError) << "no steps";
}

TEST(PipelinePredictor, NeedsItsFigures) {
    Diagnostics diagnostics;
    Device device = standard_device("h200");
    EXPECT_NE(make_predictor("pipeline", device, diagnostics), nullptr);
    device.optional_figures.erase(device.optional_figures.find("pipeline.memory_capacity"));
    EXPECT_EQ(make_predictor("pipeline", device, diagnostics), nullptr);
    EXPECT_EQ(diagnostics.all().back().kind.name, "missing-figure");
    for (const char* key : pipeline_fits) {
        EXPECT_TRUE(figure(standard_device("h200"), key).has_value()) << key;
    }
}

/// All of a kernel's tasks, on one multiprocessor of an H200.
double in_full(const KernelWork& work, const fusion::DeviceLimits& limits, int blocks) {
    const std::vector<pipeline::Run> runs = pipeline::runs(work, limits, {4, 8, 4, 23, 611, 29}, {});
    std::vector<Tasks> lists;
    const int warps = work.threads_per_block / 32;
    for (int warp = 0; warp < warps; ++warp) {
        lists.push_back(pipeline::tasks_of(runs, warp, 1));
    }
    std::vector<Tasks> all;
    for (int block = 0; block < blocks; ++block) {
        all.insert(all.end(), lists.begin(), lists.end());
    }
    return static_cast<double>(cycles({4, {16, 16, 12, 91, 29}}, all, warps));
}

TEST(PipelinePredictor, ShortenedListsTellTheTimeOfWholeOnes) {
    const Device device = standard_device("h200");
    const PipelinePredictor predictor(device);
    for (const double flops : {2000., 6000., 20000.}) {
        for (const int words : {1, 20, 100}) {
            const KernelWork work = streaming_kernel(words, flops, true);
            const Breakdown t = predictor.explain(work, 256U * 132U * 8U);
            EXPECT_LE(quantity(t, "tasks simulated"), 1.1 * PipelinePredictor::most_tasks);
            EXPECT_GT(64 * quantity(t, "tasks of a warp"), 3 * PipelinePredictor::most_tasks);
            const double full = in_full(work, device.limits, 8);
            EXPECT_NEAR(quantity(t, "cycles of a wave") / full, 1, 0.15) << flops << " operations, " << words << " words";
        }
    }
}

/// The kernel with lists so many times as long.
KernelWork longer(KernelWork work, double times) {
    for (fusion::WorkStep& step : work.steps) {
        step.instructions *= times;
        step.arithmetic.flops *= times;
        step.arithmetic.divisions *= times;
        step.shared_wavefronts *= times;
        for (fusion::GlobalAccess& access : step.accesses) {
            access.count *= times;
            access.sectors *= times;
        }
    }
    return work;
}

TEST(PipelinePredictor, ShortenedListsOfRandomKernelsTellTheTimeOfWholeOnes) {
    const Device device = standard_device("h200");
    const PipelinePredictor predictor(device);
    RandomSteps random(7);
    double worst_of_twice = 1, worst = 1, mean = 0;
    constexpr int kernels = 100;
    for (int i = 0; i < kernels; ++i) {
        const KernelWork work = random.work();
        const std::uint64_t n = 1U << static_cast<unsigned>(random.whole(0, 24));
        const auto ratio = [&](const KernelWork& of) {
            const Breakdown t = predictor.explain(of, n);
            return quantity(t, "cycles of a wave") / in_full(of, device.limits, static_cast<int>(quantity(t, "blocks at a time")));
        };
        const double twice = ratio(longer(work, 2)), eight_times = ratio(longer(work, 8));
        worst_of_twice = std::max({worst_of_twice, twice, 1 / twice});
        worst = std::max({worst, eight_times, 1 / eight_times});
        mean += std::abs(eight_times - 1) / kernels;
    }
    EXPECT_LT(worst_of_twice, 1.25);
    EXPECT_LT(worst, 1.5);
    EXPECT_LT(mean, 0.02) << "by steady costs alone 2.5 %";
}

TEST(PipelinePredictor, PropertiesOverRandomKernels) {
    RandomSteps random(7);
    double worst = 1, sum = 0;
    for (const char* name : {"h200", "h100", "gh200", "a100", "l40", "v100", "rtx4090"}) {
        const Device device = standard_device(name);
        const PipelinePredictor predictor(device);
        for (int i = 0; i < 30; ++i) {
            const KernelWork work = random.work();
            const std::uint64_t n = 1U << static_cast<unsigned>(random.whole(0, 24));
            const Breakdown t = predictor.explain(work, n);
            ASSERT_TRUE(std::isfinite(t.cost.seconds));
            ASSERT_EQ(t.cost.seconds, predictor.cost(work, n).seconds);
            std::set<Bound> seen;
            for (const auto& [bound, term] : t.bounds) {
                EXPECT_TRUE(seen.insert(bound).second);
                EXPECT_LE(term, t.cost.seconds * (1 + 1e-12));
            }
            ASSERT_GE(predictor.cost(work, 4 * n).seconds, t.cost.seconds * 0.99) << name << ", kernel " << i;
            if (device.name == "h200") {
                const double ratio =
                    quantity(t, "cycles of a wave") / in_full(work, device.limits, static_cast<int>(quantity(t, "blocks at a time")));
                worst = std::max({worst, ratio, 1 / ratio});
                sum += std::abs(ratio - 1) / 30;
            }
        }
        EXPECT_NEAR(predictor.cost(random.work(), 0).seconds, device.launch_us * 1e-6, 1e-15);
    }
    EXPECT_LT(worst, 1.25) << "shortened lists";
    EXPECT_LT(sum, 0.03);
}

pipeline::Sample sample(double cycles, double uncoalesced, double ratio, const std::string& kernel = "one") {
    return {{3, cycles, uncoalesced, 2}, 1e-6 * cycles, 1e-6 * cycles * ratio, kernel};
}

TEST(PipelineCorrection, IsLearnedFromRatios) {
    // measured / uncorrected = 2 cycles^0.5 / (1 + u): two features that vary, two that do not.
    std::vector<pipeline::Sample> samples;
    for (const double cycles : {1e3, 4e3, 2e4, 1e5}) {
        for (const double uncoalesced : {0., 10., 100.}) {
            samples.push_back(sample(cycles, uncoalesced, 2 * std::sqrt(cycles) / (1 + uncoalesced), std::to_string(cycles)));
        }
    }
    const pipeline::Training training = pipeline::train(samples, 1e-9, "made up");
    EXPECT_NEAR(training.correction.cycles, 0.5, 1e-6);
    EXPECT_NEAR(training.correction.uncoalesced, -1, 1e-6);
    EXPECT_NEAR(training.correction.intercept, std::log(2), 1e-5);
    EXPECT_EQ(training.correction.launch, 0);
    EXPECT_EQ(training.correction.blocks, 0);
    EXPECT_EQ(training.data, "made up");
    EXPECT_EQ(training.samples, 12U);
    EXPECT_EQ(training.kernels, 4U);
    for (const auto& [key, weight] : pipeline::correction_figures()) {
        const bool varies = weight != &pipeline::Correction::launch && weight != &pipeline::Correction::blocks;
        EXPECT_EQ(training.determines(weight), varies) << key;
        EXPECT_EQ(pipeline::described(training, weight),
            (varies ? "" : "undetermined, as it hardly varies among the samples; ") + pipeline::described(training));
    }
    EXPECT_GT(training.mape_before, 0.5);
    EXPECT_LT(training.mape_after, 1e-5);
    EXPECT_LT(training.mape_left_out, 1e-5);
    EXPECT_NEAR(training.correction.factor({3, 400, 9, 2}), 2 * 20 / 10., 1e-5);
}

// Two kernels, one twice as slow and one twice as fast as predicted, each measured five times: every sample has copies of itself among the
// others, and says nothing of a kernel that is not there.
TEST(PipelineCorrection, WholeKernelsAreLeftOut) {
    std::vector<pipeline::Sample> samples;
    for (int i = 0; i < 5; ++i) {
        samples.push_back(sample(std::exp(5), 0, 2, "slow"));
        samples.push_back(sample(std::exp(7), 0, 0.5, "fast"));
    }
    const pipeline::Training training = pipeline::train(samples, 1e-9, "copies");
    EXPECT_LT(training.mape_after, 1e-5);
    EXPECT_NEAR(training.mape_left_out, ((2 - 0.5) / 2 + (2 - 0.5) / 0.5) / 2, 1e-9) << "the factor of the other kernel";
    EXPECT_GT(training.mape_left_out, training.mape_before);
}

TEST(PipelineCorrection, RidgeHoldsItBack) {
    // ln ratio is +-1 with ln cycles +-1, deviation 1: the weight is 2 / (2 + 2 ridge).
    const std::vector<pipeline::Sample> two{sample(std::exp(5), 0, std::exp(-1)), sample(std::exp(7), 0, std::exp(1))};
    EXPECT_NEAR(pipeline::train(two, 1, "two").correction.cycles, 0.5, 1e-12);
    EXPECT_NEAR(pipeline::train(two, 3, "two").correction.cycles, 0.25, 1e-12);
    // One sample: its ratio, and no weights.
    const pipeline::Training one = pipeline::train(std::span(two).first(1), 1, "one");
    EXPECT_NEAR(one.correction.factor({1, 1, 5, 9}), std::exp(-1), 1e-12);
    EXPECT_EQ(one.mape_left_out, 0);
}

TEST(PipelineCorrection, BelongsToADevice) {
    Device device = standard_device("h200");
    EXPECT_FALSE(pipeline::correction_of(device).trained);
    const KernelWork work = streaming_kernel(4, 10);
    const double before = PipelinePredictor(device).cost(work, 100000).seconds;
    const pipeline::Training training{{std::log(1.5), 0, 0, 0, 0}, "kernels of a dream", 3, 0.5, 0.25, 0.4, 2};
    ASSERT_TRUE(pipeline::store(training, device));
    EXPECT_TRUE(pipeline::correction_of(device).trained);
    const Breakdown after = PipelinePredictor(device).explain(work, 100000);
    EXPECT_NEAR(after.cost.seconds, 1.5 * before, 1e-15);
    EXPECT_NEAR(
        quantity(after,
            "correction: log-linear, trained on kernels of a dream: 3 samples of 2 kernels, mean error 50 % before and 25 % after, 40 % of "
            "kernels left out"),
        1.5, 1e-12);
    const pipeline::Training impossible{{0, 0, 0, 0, 1e6}, "a nightmare", 1};
    Device same = device;
    EXPECT_FALSE(pipeline::store(impossible, same)) << "no possible figure";
    EXPECT_EQ(pipeline::correction_of(same).correction.intercept, std::log(1.5));
    EXPECT_THAT(pipeline::correction_of(same).data, testing::HasSubstr("a dream"));
}

TEST(PipelineCorrection, IsWholeOrNotThere) {
    Device device = standard_device("h200");
    Diagnostics diagnostics;
    for (const auto& [key, weight] : pipeline::correction_figures()) {
        EXPECT_NE(std::string_view(key), "") << "a figure";
        ASSERT_TRUE(set_figure(device, key, 0));
        const bool whole = key == pipeline::correction_figures().back().key;
        EXPECT_EQ(make_predictor("pipeline", device, diagnostics) != nullptr, whole) << key;
    }
    ASSERT_EQ(diagnostics.all().size(), 4U);
    EXPECT_EQ(diagnostics.all().front().message,
        "`pipeline.correction_launch` of `h200` is missing beside others of the correction, which has all of its figures or none");
}

// The law is the description's: of so many threads, an empty kernel takes the launch and so much for each of them.
TEST(PipelinePredictor, TheLaunchLawIsThatOfTheDescription) {
    Device device = standard_device("h200");
    ASSERT_TRUE(set_figure(device, "pipeline.launch", 2.882));
    ASSERT_TRUE(set_figure(device, "pipeline.launch_per_thread", 3.824)); // ps: the source's 3.824e-6 us
    Diagnostics diagnostics;
    const auto predictor = make_predictor("pipeline", device, diagnostics);
    ASSERT_NE(predictor, nullptr);
    const KernelWork work = streaming_kernel(1, 3);
    EXPECT_NEAR(predictor->cost(work, 0).seconds, 2.882e-6, 1e-18);
    for (const std::uint64_t blocks : {1U, 1000U, 4000U}) {
        const Breakdown t = predictor->explain(work, 256 * blocks);
        const double threads = 256.0 * static_cast<double>(blocks);
        EXPECT_NEAR(quantity(t, "l"), pipeline::LaunchLaw{}.at(threads) * 1e-6, 1e-15) << "as the source prints it";
        EXPECT_NEAR(quantity(t, "time before correction"), quantity(t, "l") + quantity(t, "cycles") / 1.755e9, 1e-15);
    }
    ASSERT_TRUE(set_figure(device, "pipeline.launch", 5));
    ASSERT_TRUE(set_figure(device, "pipeline.launch_per_thread", 7.5));
    EXPECT_NEAR(quantity(PipelinePredictor(device).explain(work, 256000), "l"), 5e-6 + 256000 * 7.5e-12, 1e-15);
}

} // namespace
} // namespace fusec::perfmodel
