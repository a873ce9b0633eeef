// SPDX-License-Identifier: Apache-2.0
// The model of Kleimenov and Popova: what the source prints, and schedules and waves worked out by hand.
#include "perfmodel/wave.hpp"

#include "perfmodel/wave_predictor.hpp"
#include "perfmodel/wave_thread.hpp"
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
using testing::ElementsAre;

TEST(WaveThread, DelaysComeFromUnits) {
    // The source's example: with one unit for doubles a dispatcher takes 32 cycles to send a warp's instruction.
    EXPECT_EQ(wave::delay_inst(32, 1), 32);
    EXPECT_EQ(wave::delay_inst(32, 16), 2);
    EXPECT_EQ(wave::delay_inst(32, 64), 1) << "at least one";
}

TEST(WaveThread, InOrderByHand) {
    // 0: load, 100 cycles; 1: independent; 2: needs 1; 3: needs 0.
    const std::vector<wave::Instruction> code{{100, 4, {}}, {6, 2, {}}, {6, 2, {1}}, {6, 1, {0}}};
    // 1 starts after the delay of 0 at 4; 2 when 1 is done, 4 + 6; 3 when 0 is done, 100, rather than after the delay of 2, 12.
    EXPECT_THAT(wave::starts(code), ElementsAre(0, 4, 10, 100));
    EXPECT_EQ(wave::time(code), 106);
    EXPECT_EQ(wave::delay(code), 9);
    // Without the last: 2 is done at 16, the load at 100.
    EXPECT_EQ(wave::time(std::span(code).first(3)), 100);
    EXPECT_EQ(wave::time({}), 0);
}

/// Latencies and delays of the loop of Fig. 3.
struct Fig3 {
    double lat6, lat8, lat9, lat11, lat13, del11, del13, del_br;

    // %6 = icmp %j; br %6; %8 = fmul %temp; %9 = fadd %8; %11 = fadd %9; %13 = add %j; br. %temp is %11, and %j is %13, of the iteration before.
    double by_rule() const {
        const std::vector<wave::Instruction> body{{lat6, 1, {}, {5}}, {0, del_br, {0}}, {lat8, 1, {}, {4}}, {lat9, 1, {2}},
            {lat11, del11, {3}}, {lat13, del13, {}, {5}}, {0, del_br, {}}};
        return wave::loop_time(body, 1);
    }
    double printed() const {
        return (lat6 + del_br + lat8 + lat9 + std::max(std::max(del13 + del_br, lat13) + lat6 + del_br, lat11) + lat8 + lat9 + del11 +
                   del13) /
            2;
    }
};

// The print has the expression; numbers are ours. The delays of %6, %8 and %9, which the print does not name, are below the latencies that
// their successors wait for, as one cycle is here.
TEST(WaveThread, TheLoopOfFig3) {
    // By hand, the first row: 4+2+8+8 = 22; the long way back: max(2+2, 4) + 4 + 2 = 10 against lat11 = 48; 22 + 48 + 16 + 2 + 2 = 90.
    EXPECT_EQ((Fig3{4, 8, 8, 48, 4, 2, 2, 2}.printed()), 45);
    // Where %8 waits for %11, the rule gives what is printed.
    for (const Fig3& each : {Fig3{4, 8, 8, 48, 4, 2, 2, 2}, Fig3{6, 50, 50, 50, 6, 32, 1, 1}, Fig3{5, 9, 7, 400, 30, 8, 16, 3}}) {
        EXPECT_EQ(each.by_rule(), each.printed());
    }
    // Where it waits for the condition, the print leaves out that %13 starts del11 after %11, which the text says of all instructions
    // ("cycles between the starts of an instruction and the next"); the rule has it, half of it per iteration.
    for (const Fig3& each : {Fig3{40, 8, 8, 6, 4, 2, 2, 2}, Fig3{20, 9, 7, 10, 60, 8, 16, 3}, Fig3{4, 8, 8, 6, 4, 1, 20, 30}}) {
        EXPECT_EQ(each.by_rule(), each.printed() + each.del11 / 2);
    }
    const Fig3 free{40, 8, 8, 6, 4, 0, 2, 2};
    EXPECT_EQ(free.by_rule(), free.printed()) << "a fused addition that delays nothing";
}

TEST(WaveThread, TripsMultiply) {
    const std::vector<wave::Instruction> body{{4, 1, {}, {0}}, {0, 2, {0}}};
    // Start 0, branch at 4, next start 6, its branch at 10: 5 per trip.
    EXPECT_EQ(wave::loop_time(body, 1), 5);
    EXPECT_EQ(wave::loop_time(body, 100), 500);
}

wave::Gpu gpu() {
    return {{30, 200, 600, 880}, {128, 4000, 1000, 125}};
}

TEST(Wave, BarriersByHand) {
    // (880 - 600) / 28 = 10 cycles per sector; 3 barriers of 8 warps: 3 * 10 * 7.
    EXPECT_EQ(wave::delay_dep(gpu()), 10);
    EXPECT_EQ(wave::time_sync(gpu(), {100, 1, 20, 3}, 8), 210);
    EXPECT_EQ(wave::time_sync(gpu(), {100, 1, 20, 3}, 1), 0) << "one warp waits for none";
}

TEST(Wave, AProcessingBlockTakesTheLongestWarpOrAllDelays) {
    const std::vector<wave::Warp> two{{100, 1, 40, 1}, {50, 2, 30, 1}};
    // lat 10, blocks of 2 warps: 100 + 10 + 10 and 50 + 20 + 10; delays 70.
    EXPECT_EQ(wave::time_pb(gpu(), two, 2, 10), 120);
    // lat 100: 100 + 100 + 10 = 210, 50 + 200 + 10 = 260.
    EXPECT_EQ(wave::time_pb(gpu(), two, 2, 100), 260);
    const std::vector<wave::Warp> many(10, {100, 1, 40, 1});
    EXPECT_EQ(wave::time_pb(gpu(), many, 2, 10), 400) << "ten times 40 delays";
}

TEST(Wave, TheMeanLatencyByHand) {
    // Of 100 bytes 10 from L1, 30 from L2, 60 from DRAM; 20 uncoalesced: 0.8 (3 + 60 + 360) + 0.2 * 880.
    EXPECT_DOUBLE_EQ(wave::lat_sm({10, 30, 60, 20}, gpu().lat), 0.8 * 423 + 176);
    EXPECT_EQ(wave::lat_sm({}, gpu().lat), 0);
}

/// One warp of 100 cycles and two waits, 50 delays.
wave::Wave one_warp(wave::PerLevel mem_sm, wave::PerLevel mem_gpu) {
    return {{{{100, 2, 50, 0}}}, 1, mem_sm, mem_gpu};
}

TEST(Wave, LatenciesGrowUntilTheBandwidthSuffices) {
    // 100 + 2 * 600 = 1300 cycles. 10^6 bytes at 1000 a cycle: enough; latencies stay, and never shrink.
    wave::WaveTime t = wave::wave_time(gpu(), one_warp({0, 0, 1, 0}, {0, 0, 1e6, 0}), 1e-9);
    EXPECT_EQ(t.time, 1300);
    EXPECT_EQ(t.latency_time, 1300);
    EXPECT_EQ(t.lat.dram, 600);
    EXPECT_EQ(t.lat_after, 600);
    // 5 * 10^6 bytes take 5000 cycles: then 100 + 2 lat = 5000, lat = 2450.
    t = wave::wave_time(gpu(), one_warp({0, 0, 1, 0}, {0, 0, 5e6, 0}), 1e-9);
    EXPECT_NEAR(t.time, 5000, 1e-6);
    EXPECT_NEAR(t.lat.dram, 2450, 1e-6);
    EXPECT_EQ(t.lat_before, 600);
    EXPECT_LT(t.iterations, 20);
    // By hand: t = 1300, lat = 600 * 5000/1300 = 2307.69; t = 4715.38, lat = 2446.98; t = 4993.96, within 600 of the one before, lat = 2449.94,
    // with which the loop of the next level finds 100 + 2 lat.
    t = wave::wave_time(gpu(), one_warp({0, 0, 1, 0}, {0, 0, 5e6, 0}), 600);
    EXPECT_NEAR(t.time, 4999.879, 1e-3);
    EXPECT_NEAR(t.lat.dram, 2446.982 * 5000 / 4993.964, 1e-3);
}

TEST(Wave, EveryLevelHasItsBandwidth) {
    // L1 counts the bytes of one multiprocessor: 128 a cycle. 100 + 2 * 30 = 160 cycles against 64,000 / 128 = 500.
    EXPECT_NEAR(wave::wave_time(gpu(), one_warp({64e3, 0, 0, 0}, {64e6, 0, 0, 0}), 1e-9).time, 500, 1e-6);
    // L2: 500 cycles alone against 8e6 / 4000.
    EXPECT_NEAR(wave::wave_time(gpu(), one_warp({0, 1, 0, 0}, {0, 8e6, 0, 0}), 1e-9).time, 2000, 1e-6);
    // All of it uncoalesced: 100 + 2 * 880 against 1e6 / 125; DRAM itself would take 1000.
    EXPECT_NEAR(wave::wave_time(gpu(), one_warp({0, 0, 1, 1}, {0, 0, 1e6, 1e6}), 1e-9).time, 8000, 1e-6);
    // Half of the bytes from L2, half from DRAM, which is the slower: 100 + 2 (100 + lat / 2) = 4000.
    const wave::WaveTime t = wave::wave_time(gpu(), one_warp({0, 1, 1, 0}, {0, 4e6, 4e6, 0}), 1e-9);
    EXPECT_NEAR(t.time, 4000, 1e-6);
    // L2 is corrected first, alone: 4e6 / 4000 = 1000 cycles, 100 + 2 (lat + 600) / 2 = 1000, lat = 300. Then DRAM: 100 + 300 + lat = 4000.
    EXPECT_NEAR(t.lat.l2, 300, 1e-3) << "200 where DRAM comes first, which leaves it nothing to correct";
    EXPECT_NEAR(t.lat.dram, 3600, 1e-3);
}

TEST(Wave, DelaysAreNoneOfTheMemorysBusiness) {
    // 40 warps of 50 delays: 2000 cycles, more than 100 + 2 * 600 and than 1e6 / 1000.
    wave::Wave busy = one_warp({0, 0, 1, 0}, {0, 0, 1e6, 0});
    busy.pbs.front().resize(40, busy.pbs.front().front());
    EXPECT_EQ(wave::wave_time(gpu(), busy, 1e-9).time, 2000);
    EXPECT_EQ(wave::wave_time(gpu(), busy, 1e-9).delay_time, 2000);
    // 3000 cycles of memory: latencies first grow behind the delays, 600 * 1.5 * 1.5, until 100 + 2 lat is more than 2000.
    busy.mem_gpu.dram = 3e6;
    EXPECT_NEAR(wave::wave_time(gpu(), busy, 1e-9).time, 3000, 1e-6);
    // Nobody waits: nothing to grow.
    busy.pbs.front().assign(1, {100, 0, 50, 0});
    EXPECT_EQ(wave::wave_time(gpu(), busy, 1e-9).time, 100);
}

TEST(Wave, BlocksRunInWaves) {
    const wave::Waves waves = wave::waves(1000, 4, 100);
    EXPECT_EQ(waves.blocks, 400);
    EXPECT_EQ(waves.full, 2);
    EXPECT_EQ(waves.tail, 200);
    EXPECT_EQ(wave::waves(800, 4, 100).tail, 0);
    EXPECT_EQ(wave::waves(1, 4, 100).full, 0);
}

TEST(Wave, TheLaunchIsALineForEachBlockSize) {
    const std::vector<wave::EmptyKernel> exact{{1, 3.5}, {3, 4.5}, {5, 5.5}};
    EXPECT_DOUBLE_EQ(wave::fit_launch(exact).x1, 0.5);
    EXPECT_DOUBLE_EQ(wave::fit_launch(exact).x2, 3);
    // 0, 1, 2 -> 0, 0, 3: slope 3/2, mean 1 at 1.
    const std::vector<wave::EmptyKernel> scattered{{0, 0}, {1, 0}, {2, 3}};
    EXPECT_DOUBLE_EQ(wave::fit_launch(scattered).x1, 1.5);
    EXPECT_DOUBLE_EQ(wave::fit_launch(scattered).at(1), 1);
}

TEST(Wave, BetweenMeasuredBlockSizesLinesAreBetweenTheirs) {
    const std::vector<wave::SizedLine> lines{{1, {2, 10}}, {4, {5, 16}}, {8, {5, 8}}};
    for (const auto& [warps, x1, x2] :
        {std::tuple{1., 2., 10.}, {2., 3., 12.}, {4., 5., 16.}, {6., 5., 12.}, {8., 5., 8.}, {32., 5., 8.}, {0.5, 2., 10.}}) {
        const wave::LaunchLine line = wave::launch_line(lines, warps);
        EXPECT_DOUBLE_EQ(line.x1, x1) << warps;
        EXPECT_DOUBLE_EQ(line.x2, x2) << warps;
    }
}

// One word in, one out, an addition: 256 threads a block, 8 blocks of 2048 threads on each of 132 multiprocessors of an H200.
TEST(WavePredictor, AStreamByHand) {
    const Device device = standard_device("h200");
    const WavePredictor predictor(device);
    const std::uint64_t blocks = 3 * 8 * 132;
    const Breakdown t = predictor.explain(streaming_kernel(1, 1), 256 * blocks);
    EXPECT_EQ(quantity(t, "full waves"), 3);
    EXPECT_EQ(quantity(t, "blocks of the last wave"), 0);
    // Load and store: delay 32 / (32 / 4) = 4 each; 6 other instructions in each at max(2, 4 / 4); two thirds of an FMA at max(1, 4 / 4), and
    // a third of an instruction beside it.
    EXPECT_NEAR(quantity(t, "timeWP alone"), 2 * (4 + 6 * 2) + 2. / 3 + 1. / 3 * 2, 1e-9);
    EXPECT_NEAR(quantity(t, "delayWP"), quantity(t, "timeWP alone"), 1e-9);
    EXPECT_EQ(quantity(t, "waits of a warp"), 2);
    const double lat = 348 * 1.755;
    EXPECT_NEAR(quantity(t, "lat"), lat, 1e-9);
    EXPECT_NEAR(quantity(t, "max timeWP"), 33.3333333 + 2 * lat, 1e-6);
    EXPECT_NEAR(quantity(t, "sum delayWP"), 16 * 33.3333333, 1e-5) << "64 warps on 4 processing blocks";
    // 8 bytes of 2048 threads of 132: 2.16 MB at 4.4 TB/s are 491.5 ns = 862.6 cycles, less than 1254.8.
    EXPECT_NEAR(quantity(t, "t_wave"), 33.3333333 + 2 * lat, 1e-6);
    const double launch = 2.44e-6 + blocks * 8 * figure(device, "wave.launch_per_warp").value() * 1e-9;
    EXPECT_NEAR(quantity(t, "time_launch"), launch, 1e-12);
    EXPECT_NEAR(t.cost.seconds, launch + 3 * (33.3333333 + 2 * lat) / 1.755e9, 1e-13);
    EXPECT_EQ(t.cost.bound_by, Bound::launch);
    // With 4 words each the bandwidth bounds: 32 bytes, 3450.5 cycles.
    const Breakdown wide = predictor.explain(streaming_kernel(4, 1), 256 * blocks);
    EXPECT_NEAR(quantity(wide, "t_wave"), 2048. * 132 * 32 / 4400 * 1.755, 0.01);
    EXPECT_GT(quantity(wide, "lat corrected"), 2 * lat);
}

// Blocks of 256 threads have a line of their own, those of 192 lie between the lines of four and of eight warps.
TEST(WavePredictor, ALaunchTakesTheLineOfItsBlockSize) {
    Device device = standard_device("h200");
    for (const auto& [size, x1, x2] : {std::tuple{"1", 1., 1.}, {"4", 2., 3.}, {"8", 4., 5.}, {"32", 9., 9.}}) {
        ASSERT_TRUE(set_figure(device, std::string("wave.launch_x1_") + size, x1));
        ASSERT_TRUE(set_figure(device, std::string("wave.launch_x2_") + size, x2));
    }
    const WavePredictor predictor(device);
    fusion::KernelWork work = streaming_kernel(1, 1);
    EXPECT_NEAR(quantity(predictor.explain(work, 256 * 1000), "time_launch"), 1000 * 4e-9 + 5e-6, 1e-15);
    work.threads_per_block = work.elements_per_block = 192;
    EXPECT_NEAR(quantity(predictor.explain(work, 192 * 1000), "time_launch"), 1000 * 3e-9 + 4e-6, 1e-15);
}

// The kernel above with FMAs of 12 cycles: four chains side by side start one every 12 / 4 cycles, where a unit would take one a cycle.
TEST(WavePredictor, ChainsOfLongLatencyStartAsTheirResultsCome) {
    Device device = standard_device("h200");
    ASSERT_TRUE(set_figure(device, "latency.arithmetic_f32", 12));
    const Breakdown t = WavePredictor(device).explain(streaming_kernel(1, 1), 256);
    EXPECT_NEAR(quantity(t, "timeWP alone"), 2 * (4 + 6 * 2) + 2. / 3 * 3 + 1. / 3 * 2, 1e-9);
    EXPECT_NEAR(quantity(t, "delayWP"), 2 * (4 + 6 * 2) + 2. / 3 + 1. / 3 * 2, 1e-9);
}

// 3.871 instructions a clock were measured where four schedulers can issue one each: a processing block has as many warps and units all the same.
TEST(WavePredictor, SchedulersAreThoseOfTheArchitecture) {
    const Device device = standard_device("h200");
    Device measured = device;
    ASSERT_TRUE(set_figure(measured, "speed.issue_slots", 3.871));
    const std::uint64_t n = 8U * 132U * 256U;
    for (const double flops : {1., 20000.}) {
        const KernelWork work = streaming_kernel(1, flops);
        const Breakdown by_data_sheet = WavePredictor(device).explain(work, n), t = WavePredictor(measured).explain(work, n);
        EXPECT_DOUBLE_EQ(quantity(t, "sum delayWP"), 16 * quantity(t, "delayWP")) << "64 warps on 4 processing blocks";
        EXPECT_EQ(quantity(t, "delayWP"), quantity(by_data_sheet, "delayWP"));
        EXPECT_EQ(t.cost.seconds, by_data_sheet.cost.seconds);
    }
}

// By the source no cache answers uncoalesced accesses, whoever has asked for the bytes before; those are told.
TEST(WavePredictor, UncoalescedAccessesThatReadAgainAreSaid) {
    const WavePredictor predictor(standard_device("h200"));
    constexpr std::uint64_t n = 1U << 22U;
    KernelWork once = streaming_kernel(9, 1);
    once.steps.front().accesses.front().addressing = fusion::Addressing::strided;
    KernelWork thrice = once;
    thrice.steps.front().accesses.front().count = 27; // each of three threads of an element reads its 9 words
    const auto said = [&](const KernelWork& work) {
        double sum = 0;
        for (const Quantity& each : predictor.explain(work, n).quantities) {
            sum += each.name == "uncoalesced beyond one reading" ? each.value : 0;
        }
        return sum;
    };
    EXPECT_EQ(said(once), 0);
    EXPECT_EQ(said(thrice), 18 * 4);
    EXPECT_EQ(said(streaming_kernel(9, 1)), 0);
    const double band = figure(standard_device("h200"), "wave.uncoalesced_band").value() * 1e9; // bytes per second
    EXPECT_NEAR(predictor.cost(thrice, n).seconds - predictor.cost(once, n).seconds, n * 18 * 4 / band, 0.02 * n * 18 * 4 / band);
    KernelWork beside = thrice; // coalesced accesses to the same list take the one reading
    beside.steps.front().accesses.push_back({false, fusion::Addressing::unit, 4, 9, 9 / 8., false});
    EXPECT_EQ(said(beside), 27 * 4);
}

TEST(WavePredictor, WhatBounds) {
    const WavePredictor predictor(standard_device("a100"));
    const std::uint64_t n = 1U << 26U;
    EXPECT_EQ(predictor.cost(streaming_kernel(16, 1), n).bound_by, Bound::dram);
    EXPECT_EQ(predictor.cost(streaming_kernel(1, 20000), n).bound_by, Bound::issue);
    KernelWork one_warp = streaming_kernel(1, 20000);
    one_warp.elements_per_block = one_warp.threads_per_block = 32;
    EXPECT_EQ(predictor.cost(one_warp, 32).bound_by, Bound::latency);
    EXPECT_EQ(predictor.cost(streaming_kernel(1, 1), 256).bound_by, Bound::launch);
    KernelWork scattered = streaming_kernel(4, 1);
    scattered.steps.front().accesses.front().addressing = fusion::Addressing::strided;
    EXPECT_GT(predictor.cost(scattered, n).seconds, 3 * predictor.cost(streaming_kernel(4, 1), n).seconds);
    EXPECT_GT(predictor.cost(streaming_kernel(1, 1, true), n).seconds, predictor.cost(streaming_kernel(1, 1), n).seconds);
}

TEST(WavePredictor, ABlockThatDoesNotFitIsInfinitelySlow) {
    const WavePredictor predictor(standard_device("l40"));
    KernelWork work = streaming_kernel(1, 1);
    work.shared_bytes = 101377;
    EXPECT_TRUE(std::isinf(predictor.cost(work, 1000).seconds));
    EXPECT_THROW(predictor.cost(KernelWork{}, 1000), InternalError) << "no steps";
}

TEST(WavePredictor, NeedsItsFigures) {
    Diagnostics diagnostics;
    EXPECT_EQ(make_predictor("wave", standard_device("gtx480"), diagnostics), nullptr);
    EXPECT_EQ(diagnostics.all().front().kind.name, "missing-figure");
    Diagnostics host;
    EXPECT_EQ(make_predictor("wave", standard_device("host-generic"), host), nullptr);
    EXPECT_EQ(host.all().front().kind.name, "unknown-predictor");
    for (const char* key : wave_fits) {
        EXPECT_TRUE(figure(standard_device("h200"), key).has_value()) << key;
    }
}

TEST(WavePredictor, PropertiesOverRandomKernels) {
    RandomSteps random(6);
    for (const char* name : {"h200", "h100", "gh200", "a100", "l40", "v100", "rtx4090"}) {
        const WavePredictor predictor(standard_device(name));
        for (int i = 0; i < 100; ++i) {
            const KernelWork work = random.work();
            const std::uint64_t n = 1U << static_cast<unsigned>(random.whole(0, 24));
            const Breakdown t = predictor.explain(work, n);
            ASSERT_TRUE(std::isfinite(t.cost.seconds));
            std::set<Bound> seen;
            for (const auto& [bound, term] : t.bounds) {
                EXPECT_TRUE(seen.insert(bound).second);
                EXPECT_LE(term, t.cost.seconds * (1 + 1e-12));
            }
            KernelWork more = work;
            const auto step = static_cast<std::size_t>(random.whole(0, static_cast<int>(work.steps.size()) - 1));
            more.steps[step].instructions += 100;
            ASSERT_GE(predictor.cost(more, n).seconds, t.cost.seconds * (1 - 1e-6)) << name << ", kernel " << i;
            more = work;
            for (fusion::GlobalAccess& access : more.steps[step].accesses) {
                more.read_bytes += access.store ? 0 : access.sectors * 32; // of lists of its own: none is read again
                access.count *= 2;
                access.sectors *= 2;
            }
            ASSERT_GE(predictor.cost(more, n).seconds, t.cost.seconds * (1 - 1e-6)) << name << ", kernel " << i;
            ASSERT_GE(predictor.cost(work, 2 * n).seconds, t.cost.seconds * (1 - 1e-6)) << name << ", kernel " << i;
        }
        EXPECT_NEAR(predictor.cost(random.work(), 0).seconds, standard_device(name).launch_us * 1e-6, 1e-15);
    }
}

} // namespace
} // namespace fusec::perfmodel
