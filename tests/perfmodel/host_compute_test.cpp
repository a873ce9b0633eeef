// SPDX-License-Identifier: Apache-2.0
// What a core does in a kernel, from times of routines: worked out by hand.
#include "perfmodel/host_compute.hpp"

#include "devices.hpp"
#include "host_calibrations.hpp"
#include "perfmodel/calibration.hpp"
#include "perfmodel/composite.hpp"
#include "perfmodel/predictor.hpp"
#include "perfmodel/routine_times.hpp"
#include "perfmodel/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace fusec::perfmodel {
namespace {

using fusion::Addressing;
using fusion::Bound;
using fusion::GlobalAccess;
using fusion::KernelWork;
using fusion::WorkStep;

/// Eight cores of 3 GHz that issue four instructions per clock, registers of eight floats.
Device calibrated() {
    Device device = standard_device("host-generic");
    RoutineTimes times{"mine", "date", "machine", "commit", {}};
    times.routines["f"] = {0, {0}, {8}, {2}};
    times.routines["cached load 36 bytes, 4 at a time"] = {0, {0}, {8}, {0.5}};
    times.routines["cached store 4 bytes, 4 at a time"] = {0, {0}, {8}, {0.25}};
    times.routines["load 36 bytes, 4 at a time"] = {0, {0}, {8}, {3}};
    times.routines["store 4 bytes, 4 at a time, streaming"] = {0, {0}, {8}, {0.75}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_TRUE(set_figure(device, "benchmark.remap", 0));
    return device;
}

WorkStep computing(const char* routine, double instructions) {
    WorkStep step;
    step.routine = std::make_shared<const std::string>(routine);
    step.instructions = instructions;
    return step;
}

/// Loads nine floats, computes f, stores one past the caches.
KernelWork work_of_f() {
    KernelWork work;
    work.read_bytes = 36;
    work.write_bytes = 4;
    work.elements_per_block = 8;
    work.threads_per_block = 1;
    WorkStep load, store;
    load.kind = WorkStep::Kind::load;
    load.instructions = 18;
    load.accesses = {GlobalAccess{false, Addressing::unit, 4, 9, 1.125, false, true, false}};
    store.kind = WorkStep::Kind::store;
    store.instructions = 2;
    store.accesses = {GlobalAccess{true, Addressing::unit, 4, 1, 0.125, false, true, true}};
    work.steps = {load, computing("f", 10), store};
    return work;
}

TEST(HostCompute, AddsWhatWasMeasured) {
    const HostCompute all = host_compute(calibrated(), work_of_f());
    EXPECT_DOUBLE_EQ(all.ns, 0.5 + 2 + 0.25);
    EXPECT_EQ(all.counted, 0);
    EXPECT_EQ(all.counted_ns, 0);
}

// 32 instructions for eight elements, four per clock of 3 GHz on each of eight cores.
TEST(HostCompute, CountsInstructionsOfWhatWasNot) {
    KernelWork work = work_of_f();
    work.steps.insert(work.steps.begin() + 2, computing("g", 32));
    work.steps.insert(work.steps.begin() + 2, computing("names of components", 0));
    const HostCompute all = host_compute(calibrated(), work);
    EXPECT_EQ(all.counted, 1);
    EXPECT_DOUBLE_EQ(all.counted_ns, 32.0 / 8 / (4 * 3 * 8));
    EXPECT_DOUBLE_EQ(all.ns, 0.5 + 2 + 0.25 + all.counted_ns);
    work.steps.front().accesses.front().count = 10; // 40 bytes: no time of it
    EXPECT_EQ(host_compute(calibrated(), work).counted, 2);
    work.steps.front().accesses.push_back(work.steps.front().accesses.front());
    EXPECT_DOUBLE_EQ(host_compute(calibrated(), work).counted_ns, (32.0 + 18) / 8 / (4 * 3 * 8)) << "a step's instructions count once";
}

// 2.75 ns of the core's: of as much of memory's time a tenth is saved, and of less a tenth of that. Bounds from below allow for the most that can be.
TEST(HostCompute, MemoryIsBusierBesideABusyCore) {
    Device device = calibrated();
    KernelWork work = work_of_f();
    constexpr std::uint64_t elements = 1U << 20U;
    const auto dram = [&](const Device& on) { return composite_host(on, work, elements).bounds.front().second; };
    const double core = 2.75e-9 * elements;
    for (const double memory : {0.5 * core, core, 4 * core}) {
        const double peak = (work.read_bytes + work.write_bytes) * elements / memory * 1e-9;
        for (StreamLaw* law : {&device.read, &device.write, &device.copy, &device.mixed}) {
            law->peak_gb_per_s = peak;
        }
        device.optional_figures.erase("compute.pacing");
        ASSERT_NEAR(dram(device), memory, 1e-9 * memory);
        ASSERT_TRUE(set_figure(device, "compute.pacing", 0.9));
        EXPECT_NEAR(dram(device), memory - 0.1 * std::min(memory, core), 1e-9 * memory);
        EXPECT_LE(composite_lower_bound(device, work.read_bytes, work.write_bytes, 0, Precision::f32, elements),
            composite_host(device, work, elements).cost.seconds);
    }
}

// Of as many bytes two lists take 0.9 of what one takes, four and more 0.81, and what reads nothing all. Bounds from below allow for the most that can be.
TEST(HostCompute, MemoryIsFasterForSeveralLists) {
    Device device = calibrated();
    for (StreamLaw* law : {&device.read, &device.write, &device.copy, &device.mixed}) {
        law->peak_gb_per_s = 100;
    }
    constexpr std::uint64_t elements = 1U << 20U;
    const auto reading = [](const std::vector<int>& floats) {
        KernelWork work = work_of_f();
        work.read_bytes = 4000; // 44 ns of memory's beside less of the core's
        work.write_bytes = 400;
        const WorkStep load = work.steps.front();
        work.steps.erase(work.steps.begin());
        for (const int of_list : floats) {
            work.steps.insert(work.steps.begin(), load);
            work.steps.front().accesses.front().count = of_list;
        }
        return work;
    };
    const auto dram = [&](const KernelWork& work) { return composite_host(device, work, elements).bounds.front().second; };
    const double of_one = dram(reading({9}));
    EXPECT_EQ(dram(reading({9, 9})), of_one) << "a device that says nothing of it";
    ASSERT_TRUE(set_figure(device, "stream.lists", 0.9));
    EXPECT_EQ(dram(reading({9})), of_one);
    EXPECT_EQ(dram(reading({})), of_one);
    EXPECT_NEAR(dram(reading({9, 9})) / of_one, 0.9, 1e-9);
    EXPECT_NEAR(dram(reading({9, 9, 9})) / of_one, std::pow(0.9, std::log2(3)), 1e-9);
    EXPECT_NEAR(dram(reading({9, 9, 9, 9})) / of_one, 0.81, 1e-9);
    EXPECT_NEAR(dram(reading(std::vector<int>(24, 9))) / of_one, 0.81, 1e-9);
    EXPECT_NEAR(followed_lists(reading({9, 1})), 100.0 / 82, 1e-12) << "a short list beside a long one hardly counts";
    EXPECT_NEAR(dram(reading({9, 1})) / of_one, std::pow(0.9, std::log2(100.0 / 82)), 1e-9);
    KernelWork work = reading({9, 9, 9, 9});
    EXPECT_LE(composite_lower_bound(device, work.read_bytes, work.write_bytes, 0, Precision::f32, elements),
        composite_host(device, work, elements).cost.seconds);
    work.repeated = true;
    ASSERT_TRUE(set_figure(device, "speed.l3_bytes", 1e10) && set_figure(device, "speed.l3", 100));
    EXPECT_NEAR(dram(work) / of_one, (0.81 * 400 + 4000) / 4400, 1e-9) << "what comes from the last level waits for no memory";
}

// A list that is made longer, or one more, never makes a kernel cheaper, whatever the figure: by steps of a word, from lists of one to 60 words.
TEST(HostCompute, MoreToReadNeverCostsLessForSeveralLists) {
    Device device = calibrated();
    ASSERT_FALSE(set_figure(device, "stream.lists", 0.7)) << "less than it may be";
    ASSERT_TRUE(set_figure(device, "stream.lists", 0.71));
    const WorkStep load = work_of_f().steps.front();
    const auto seconds = [&](const std::vector<int>& floats) {
        KernelWork work;
        for (const int of_list : floats) {
            work.steps.push_back(load);
            work.steps.back().accesses.front().count = of_list;
            work.read_bytes += 4.0 * of_list;
        }
        return work.read_bytes * share_of_lists(device, followed_lists(work));
    };
    for (int first = 1; first <= 60; ++first) {
        for (int second = 0; second < 60; ++second) {
            EXPECT_LE(seconds({first, second}), seconds({first, second + 1})) << first << " " << second;
            EXPECT_LE(seconds({first, 20, second}), seconds({first, 20, second + 1})) << first << " " << second;
        }
    }
}

// A quarter of f is left, and half of what counts by its instructions. The tile has so many fewer, of which the overlap with memory goes.
TEST(HostCompute, TakesWhatTheCompilerLeaves) {
    KernelWork work = work_of_f();
    work.steps.insert(work.steps.begin() + 2, computing("g", 32));
    work.instructions = (18 + 10 + 32 + 2) / 32.0;
    work.steps[1].remaining = 0.25;
    work.steps[2].remaining = 0.5;
    Device device = calibrated();
    const HostCompute all = host_compute(device, work);
    EXPECT_DOUBLE_EQ(all.routines_ns, 2 * 0.25 + 16.0 / 8 / (4 * 3 * 8));
    EXPECT_DOUBLE_EQ(all.removed_ns, 2 * 0.75);
    EXPECT_DOUBLE_EQ(all.ns, 0.75 + all.routines_ns);
    EXPECT_TRUE(set_figure(device, "compute.window", 100));
    EXPECT_NEAR(host_overlap_exponent(device, work), 1 + 100 / (18 + 2.5 + 16 + 2), 1e-12);
}

// Nine floats take 0.5 ns, 15 take 0.7: per byte 1/72 and 7/600 ns. Twelve lie in the middle.
TEST(HostCompute, ListsBetweenMeasuredSizesTakeWhatTheseHaveThemTake) {
    Device device = calibrated();
    RoutineTimes times = *device.routine_times;
    times.routines["cached load 60 bytes, 4 at a time"] = {0, {0}, {8}, {0.7}};
    times.routines["cached load 44 bytes, 4 at a time, converted"] = {0, {0}, {8}, {100}};
    times.routines["cached load 44 bytes, 8 at a time"] = {0, {0}, {8}, {100}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    KernelWork work = work_of_f();
    work.steps.front().accesses.front().count = 12;
    const HostCompute all = host_compute(device, work);
    EXPECT_EQ(all.counted, 0);
    EXPECT_EQ(all.between_sizes, 1);
    EXPECT_NEAR(all.transfers_ns, 48 * (1.0 / 72 + 7.0 / 600) / 2 + 0.25, 1e-12);
    work.steps.front().accesses.front().count = 16;
    EXPECT_EQ(host_compute(device, work).counted, 1) << "longer than all, and these are transposed at once";
    times.routines["cached load 224 bytes, 4 at a time"] = {0, {0}, {8}, {5.6}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    work.steps.front().accesses.front().count = 64;
    EXPECT_EQ(host_compute(device, work).counted, 1) << "56 words may go in halves of a tile";
    times.routines["cached load 228 bytes, 4 at a time"] = {0, {0}, {8}, {5.7}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_NEAR(host_compute(device, work).transfers_ns, 256 * 0.025 + 0.25, 1e-12) << "57 words are too many for that";
    work.steps.front().accesses.front().count = 8;
    EXPECT_EQ(host_compute(device, work).counted, 1) << "shorter than all";
}

// What was measured counts, however many instructions were expected; what could not be measured counts by these: 4 * 96 a nanosecond.
TEST(HostCompute, CountsInstructionsOfWhatTookNoTime) {
    KernelWork work = work_of_f();
    work.steps[1].instructions = 8 * 96 * 2.5; // more than f takes
    EXPECT_DOUBLE_EQ(host_compute(calibrated(), work).ns, 0.5 + 2 + 0.25);
    Device device = calibrated();
    RoutineTimes times = *device.routine_times;
    times.routines["f"].ns.front() = 0;
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    const HostCompute all = host_compute(device, work);
    EXPECT_DOUBLE_EQ(all.ns, 0.5 + 2.5 + 0.25);
    EXPECT_EQ(all.counted, 1);
    EXPECT_DOUBLE_EQ(all.counted_ns, 2.5);
}

// Times of whole registers are none of half registers: floats beside doubles count by their instructions until theirs are measured.
TEST(HostCompute, FloatsBesideDoublesHaveTimesOfTheirOwn) {
    Device device = calibrated();
    KernelWork work = work_of_f();
    const int before = host_compute(device, work).counted;
    work.precision = Precision::f64;
    for (WorkStep& step : work.steps) {
        for (GlobalAccess& access : step.accesses) {
            access.registers = 0.5;
        }
        if (step.kind == WorkStep::Kind::compute) {
            step.arithmetic.flops = step.in_float.flops = 18;
        }
    }
    EXPECT_EQ(before, 0);
    EXPECT_EQ(host_compute(device, work).counted, 3);
    RoutineTimes times = *device.routine_times;
    times.routines["f, in half registers"] = {0, {0}, {8}, {5}};
    times.routines["cached load 36 bytes, 4 at a time, in half registers"] = {0, {0}, {8}, {7}};
    times.routines["cached store 4 bytes, 4 at a time, in half registers"] = {0, {0}, {8}, {11}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_EQ(host_compute(device, work).counted, 0);
    EXPECT_DOUBLE_EQ(host_compute(device, work).ns, 5 + 7 + 11);
}

// A tile of more than 4000 instructions: of the store's word a register in a tile is written and read once more, by two instructions for eight
// elements, 96 a nanosecond. Other stores wait nowhere.
TEST(HostCompute, ResultsThatWaitAreCopied) {
    KernelWork work = work_of_f();
    work.instructions = 4000.0 / 32;
    EXPECT_EQ(host_compute(calibrated(), work).waiting_ns, 0);
    work.instructions = 4001.0 / 32;
    const HostCompute all = host_compute(calibrated(), work);
    EXPECT_DOUBLE_EQ(all.waiting_ns, 2.0 / 8 / 96);
    EXPECT_DOUBLE_EQ(all.ns, 0.5 + 2 + 0.25 + all.waiting_ns);
    EXPECT_DOUBLE_EQ(host_compute(calibrated(), work, false).ns, 0.5 + 2 + 0.25);
    work.steps.back().accesses.front().streaming = false;
    EXPECT_EQ(host_compute(calibrated(), work).waiting_ns, 0);
}

// 640 instructions of a tile in a window of 640: p = 2; in one of 1280, 3. Without a window, the device's own exponent.
TEST(HostCompute, TilesOverlapAsFarAsTheWindowReaches) {
    Device device = calibrated();
    device.overlap_exponent = 5;
    KernelWork work = work_of_f();
    work.instructions = 640.0 / 32;
    EXPECT_EQ(host_overlap_exponent(device, work), 5);
    EXPECT_TRUE(set_figure(device, "compute.window", 640));
    EXPECT_DOUBLE_EQ(host_overlap_exponent(device, work), 2);
    device.read.peak_gb_per_s = device.write.peak_gb_per_s = device.copy.peak_gb_per_s = device.mixed.peak_gb_per_s = 40;
    device.launch_us = 7;
    const double memory = 1e-9, core = 2.75e-9; // of an element
    const auto seconds = [&] { return composite_host(device, work, 64'000'000).cost.seconds; };
    EXPECT_NEAR(seconds(), 7e-6 + 64e6 * std::hypot(memory, core), 1e-9);
    EXPECT_TRUE(set_figure(device, "compute.window", 1280));
    EXPECT_NEAR(seconds(), 7e-6 + 64e6 * std::cbrt(std::pow(memory, 3) + std::pow(core, 3)), 1e-9);
    work.instructions = 0; // nothing to wait for
    EXPECT_GT(host_overlap_exponent(device, work), 1000);
    EXPECT_TRUE(std::isfinite(seconds()));
    work.instructions = 1e6;
    const double waiting = 2e-9 / 8 / 96; // of the result
    EXPECT_NEAR(seconds(), 7e-6 + 64e6 * (memory + core + waiting), 1e-4);
}

// Transfers of 0.5 and 0.25 ns beside a routine of 2: one after the other, or as the exponent has it, of which 1 is the sum.
TEST(HostCompute, TransfersAndRoutinesOverlapAsCalibrated) {
    Device device = calibrated();
    for (const auto& [exponent, ns] : {std::pair{1.0, 2.75}, {2.0, std::hypot(0.75, 2.0)}, {1000.0, 2.0}}) {
        EXPECT_TRUE(set_figure(device, "compute.overlap", exponent));
        const HostCompute all = host_compute(device, work_of_f());
        EXPECT_NEAR(all.ns, ns, 1e-9) << exponent;
        EXPECT_DOUBLE_EQ(all.transfers_ns, 0.75);
        EXPECT_DOUBLE_EQ(all.routines_ns, 2);
        EXPECT_EQ(all.beyond_ns, 0);
    }
    KernelWork work = work_of_f();
    work.steps.insert(work.steps.begin() + 2, computing("g", 32)); // not measured: 32 instructions for eight elements, 96 a nanosecond
    EXPECT_NEAR(host_compute(device, work).routines_ns, 2 + 4.0 / 96, 1e-12);
}

// A tile of eight floats: forty words that are loaded are 1280 bytes as they lie and 1280 in lanes, thirty that are stored 960 in lanes. Of the
// 3520 half is missing where the figure says so, 1/17 at twice of it. What passes in registers, and what all elements share, takes no room.
TEST(HostCompute, LongListsComeFromTheSecondLevelWhereTheFirstDoesNotHoldThem) {
    Device device = calibrated();
    KernelWork work = work_of_f();
    work.steps.front().accesses.front().count = 40;
    work.steps.back().accesses.front().count = 30;
    const double before = host_compute(device, work).ns;
    const double bytes_of_ns = 8 * device.l2_gb_per_s; // of a tile's elements
    EXPECT_EQ(host_compute(device, work).beyond_ns, 0) << "of no size that is known";
    EXPECT_TRUE(set_figure(device, "compute.first_level", 3520));
    EXPECT_DOUBLE_EQ(host_compute(device, work).beyond_ns, 1760 / bytes_of_ns);
    EXPECT_DOUBLE_EQ(host_compute(device, work).ns, before + 1760 / bytes_of_ns);
    EXPECT_TRUE(set_figure(device, "compute.first_level", 7040));
    EXPECT_DOUBLE_EQ(host_compute(device, work).beyond_ns, 3520.0 / 17 / bytes_of_ns);
    EXPECT_TRUE(set_figure(device, "compute.first_level", 1760));
    EXPECT_DOUBLE_EQ(host_compute(device, work).beyond_ns, 3520.0 * 16 / 17 / bytes_of_ns);
    EXPECT_TRUE(set_figure(device, "compute.first_level", 1)); // nothing is left there: all of it
    GlobalAccess uniform = work.steps.front().accesses.front(), small = uniform;
    uniform.addressing = Addressing::broadcast;
    small.count = 28;
    work.steps.front().accesses.insert(work.steps.front().accesses.end(), {uniform, small});
    EXPECT_NEAR(host_compute(device, work).beyond_ns, 3520 / bytes_of_ns, 1e-9);
    work.steps.front().accesses.back().count = 29; // 928 bytes each way
    EXPECT_NEAR(host_compute(device, work).beyond_ns, (3520 + 2 * 928) / bytes_of_ns, 1e-9);
    work.steps.back().accesses.front().registers = 2; // of eight doubles each
    work.steps.back().accesses.front().bytes = 8;
    EXPECT_NEAR(host_compute(device, work).beyond_ns, (3520 + 2 * 928 + 960) / bytes_of_ns, 1e-9);
}

// Three calls of f, 2 ns each alone and 5 where each waits for the one before. Of a tile as long as the window, or longer, the longest chain decides
// where it takes longer than the three alone; of one with half as many instructions half of it does.
TEST(HostCompute, RoutinesWaitForEachOther) {
    RoutineTimes times = *calibrated().routine_times;
    Device device = calibrated();
    times.routines[std::string("f") + in_chain] = {0, {0}, {8}, {5}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    KernelWork work = work_of_f();
    const WorkStep f = work.steps[1];
    ASSERT_EQ(*f.routine, "f");
    work.steps.insert(work.steps.begin() + 2, {f, f}); // steps 1, 2 and 3 compute
    work.instructions = 50.0 / 32;                     // of an element
    const double tile = work.instructions_of_tile();
    ASSERT_GT(tile, 0);
    const auto compute = [&](const Device& host) { return host_compute(host, work); };
    EXPECT_EQ(compute(device).chained_ns, 0) << "without a window nothing tells how many tiles are under way";
    EXPECT_TRUE(set_figure(device, "compute.window", tile));
    EXPECT_DOUBLE_EQ(compute(device).routines_ns, 6);
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 2) << "none reads another's result";
    EXPECT_DOUBLE_EQ(compute(device).ns, 0.75 + 6);
    work.steps[3].after = {1, 2}; // two that do not wait for each other, and one for both
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 2 + 5);
    EXPECT_DOUBLE_EQ(compute(device).ns, 0.75 + 7);
    work.steps[2].after = {1};
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 2 + 5 + 5);
    EXPECT_TRUE(set_figure(device, "compute.window", tile / 2));
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 12);
    EXPECT_TRUE(set_figure(device, "compute.window", 2 * tile));
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 6);
    EXPECT_DOUBLE_EQ(compute(device).routines_ns, 6) << "how long they take alone stays";
    // A name of components between two calls takes nothing, and passes on what it waits for.
    WorkStep name;
    name.after = {3};
    work.steps.insert(work.steps.begin() + 4, name);
    work.steps.insert(work.steps.begin() + 5, f);
    work.steps[5].after = {4};
    EXPECT_TRUE(set_figure(device, "compute.window", tile / 2));
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 17);
    // A time in a chain below that of the routine alone is no reason to take less.
    times.routines[std::string("f") + in_chain].ns = {1};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_DOUBLE_EQ(compute(device).chained_ns, 8);
    // Calibrations without such times have no such term.
    times.routines.erase(std::string("f") + in_chain);
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_EQ(compute(device).chained_ns, 0);
}

// The quantities of a prediction give its bound, as composite.hpp says: 0.75 of transfers, 2 of the routine, q = 2, and what is beyond.
TEST(HostCompute, QuantitiesAddUp) {
    Device device = calibrated();
    EXPECT_TRUE(set_figure(device, "compute.overlap", 2));
    EXPECT_TRUE(set_figure(device, "compute.first_level", 2000));
    KernelWork work = work_of_f();
    work.steps.front().accesses.front().count = 40;
    work.steps.front().instructions = 80;
    const Breakdown said = composite_host(device, work, 64'000'000);
    const auto quantity = [&](const std::string& name) {
        const auto found = std::ranges::find(said.quantities, name, &Quantity::name);
        EXPECT_NE(found, said.quantities.end()) << name;
        return found == said.quantities.end() ? 0 : found->value;
    };
    const double transfers = quantity("transfers of a core"), routines = quantity("routines of a core");
    const double beyond = quantity("long lists beyond the first level");
    EXPECT_NEAR(routines, 2e-9 * 64e6, 1e-12);
    EXPECT_GT(beyond, 0);
    EXPECT_EQ(quantity("exponent of overlap in a tile"), 2);
    const auto issue = std::ranges::find(said.bounds, Bound::issue, &std::pair<Bound, double>::first);
    EXPECT_NEAR(issue->second, std::hypot(transfers, routines) + beyond, 1e-12);

    RoutineTimes times = *device.routine_times;
    times.routines[std::string("f") + in_chain] = {0, {0}, {8}, {7}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_TRUE(set_figure(device, "compute.window", 1));
    work.instructions = 2;
    work.steps.insert(work.steps.begin() + 2, work.steps[1]);
    work.steps[2].after = {1};
    const Breakdown waiting = composite_host(device, work, 64'000'000);
    const auto chain = std::ranges::find(waiting.quantities, "routines that wait for each other", &Quantity::name);
    ASSERT_NE(chain, waiting.quantities.end());
    EXPECT_NEAR(chain->value, (2 + 7) * 1e-9 * 64e6, 1e-12);
    const auto waited = std::ranges::find(waiting.bounds, Bound::issue, &std::pair<Bound, double>::first);
    EXPECT_NEAR(waited->second, std::hypot(transfers, chain->value) + beyond, 1e-12);
}

// 2.75 ns an element beside 40 bytes: the busier core of 72 elements has two tiles of eight, the time of 128 elements on all.
TEST(HostCompute, IsTheIssueBoundOfTheComposite) {
    Device device = calibrated();
    device.read.peak_gb_per_s = device.write.peak_gb_per_s = device.copy.peak_gb_per_s = device.mixed.peak_gb_per_s = 40;
    device.overlap_exponent = 2;
    device.launch_us = 7;
    const auto issue = [&](std::uint64_t n) {
        const auto bounds = composite_host(device, work_of_f(), n).bounds;
        return std::find_if(bounds.begin(), bounds.end(), [](const auto& b) { return b.first == Bound::issue; })->second;
    };
    EXPECT_NEAR(issue(64'000'000), 2.75e-9 * 64e6, 1e-12);
    EXPECT_NEAR(issue(72), 2.75e-9 * 128, 1e-18);
    const double seconds = composite_host(device, work_of_f(), 64'000'000).cost.seconds;
    EXPECT_NEAR(seconds, 7e-6 + std::hypot(64e6 * 1e-9, 64e6 * 2.75e-9), 1e-9);
}

// The search gets what the predictor needs, and bounds below what it says.
TEST(HostCompute, PredictorAsksForStepsAndBoundsByMemory) {
    Diagnostics diagnostics;
    const Device device = calibrated();
    EXPECT_FALSE(make_predictor("composite", standard_device("host-generic"), diagnostics)->needs_steps());
    const auto predictor = make_predictor("composite", device, diagnostics);
    EXPECT_TRUE(predictor->needs_steps());
    KernelWork work = work_of_f();
    work.flops = 1e6; // as many as one likes: they were measured to take 2 ns
    const double least = predictor->lower_bound(36, 4, work.flops, Precision::f32, 1'000'000);
    EXPECT_GT(least, 0);
    EXPECT_LE(least, predictor->cost(work, 1'000'000).seconds);
    EXPECT_LE(predictor->least_seconds(work, 1'000'000), predictor->cost(work, 1'000'000).seconds);
}

// Filipovic's sums, of a host: 3 + 0.75 ns of transfers beside 2 of the routine.
TEST(HostCompute, BenchmarkTakesTheGreaterSum) {
    Diagnostics diagnostics;
    const auto predictor = make_predictor("benchmark", calibrated(), diagnostics);
    ASSERT_NE(predictor, nullptr);
    EXPECT_NEAR(predictor->cost(work_of_f(), 1'000'000).seconds, 3.75e-3 + calibrated().launch_us * 1e-6, 1e-12);
    KernelWork unknown = work_of_f();
    unknown.steps.push_back(computing("g", 32));
    EXPECT_TRUE(std::isinf(predictor->cost(unknown, 1'000'000).seconds)) << "no time of g";
    EXPECT_EQ(make_predictor("benchmark", standard_device("host-generic"), diagnostics), nullptr);
}

// In a calibration the table is written and read back, and makes the device what was worked out above.
TEST(HostCompute, TimesComeWithACalibration) {
    Diagnostics diagnostics;
    Calibration calibration{"mine", "host-generic", "2026-11-23T10:00:00Z", "a processor", "fusec 0.1.0",
        {{"compute.window", 640, "instructions", 3, 0.01, "fitted"}, {"limits.vector_bytes", 64, "bytes", 1, 0, "what the system says"}}};
    calibration.routines = calibrated().routine_times->routines;
    calibration = completed(calibration);
    const auto source = std::filesystem::temp_directory_path() / ("fusec-host-" + std::to_string(::getpid()) + ".json");
    std::ofstream(source) << to_json(calibration);
    const auto read = read_calibration(source, diagnostics);
    std::filesystem::remove(source);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->routines, calibration.routines);
    const auto device = calibrated_device(*read, diagnostics);
    ASSERT_TRUE(device.has_value());
    EXPECT_EQ(device->limits.vector_bytes, 64);
    EXPECT_DOUBLE_EQ(host_compute(*device, work_of_f()).ns, 0.5 + 2 + 0.25);
}

} // namespace
} // namespace fusec::perfmodel
