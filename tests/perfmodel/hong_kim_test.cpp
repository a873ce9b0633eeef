// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/hong_kim.hpp"

#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/quantities.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {
namespace {

using fusion::Addressing;
using fusion::Bound;
using fusion::KernelWork;
using fusion::WorkStep;

/// 2 coalesced and 2 uncoalesced accesses; figures are round, so that all can be worked by hand.
HongKimInputs inputs() {
    HongKimInputs in;
    in.coal_mem_insts = 2;
    in.uncoal_mem_insts = 2;
    in.uncoal_per_mw = 5;
    in.load_bytes_per_warp = 128;
    in.blocks = 60;
    in.active_blocks_per_sm = 3;
    in.active_sms = 10;
    in.active_warps_per_sm = 12;
    in.mem_ld = 400;
    in.departure_del_coal = 4;
    in.departure_del_uncoal = 10;
    in.issue_cycles = 4;
    in.total_insts = 25;
    in.freq = 1;
    in.mem_bandwidth = 1000;
    return in;
}

// Mem_L_Uncoal = 400 + 4 * 10 = 440, Mem_L = (440 + 400) / 2 = 420, Departure_delay = (10 * 5 + 4) / 2 = 27, Mem_cycles = 2 * 440 + 2 * 400
// = 1680, Comp_cycles = 4 * 25 = 100, CWP_full = 1780 / 100 = 17.8, #Rep = 60 / (3 * 10) = 2, BW_per_warp = 1 * 128 / 420 = 0.30476,
// MWP_peak_BW = 1000 / (0.30476 * 10) = 328.1.
TEST(HongKim, CaseAFewWarps) {
    const HongKim r = hong_kim(inputs());
    EXPECT_DOUBLE_EQ(r.mem_l_uncoal, 440);
    EXPECT_DOUBLE_EQ(r.mem_l_coal, 400);
    EXPECT_DOUBLE_EQ(r.weight_uncoal, 0.5);
    EXPECT_DOUBLE_EQ(r.weight_coal, 0.5);
    EXPECT_DOUBLE_EQ(r.mem_l, 420);
    EXPECT_DOUBLE_EQ(r.departure_delay, 27);
    EXPECT_DOUBLE_EQ(r.mwp_without_bw_full, 420.0 / 27);
    EXPECT_DOUBLE_EQ(r.mwp_without_bw, 12);
    EXPECT_NEAR(r.bw_per_warp, 0.30476, 1e-5);
    EXPECT_NEAR(r.mwp_peak_bw, 328.125, 1e-9);
    EXPECT_DOUBLE_EQ(r.mwp, 12);
    EXPECT_DOUBLE_EQ(r.mem_cycles, 1680);
    EXPECT_DOUBLE_EQ(r.comp_cycles, 100);
    EXPECT_DOUBLE_EQ(r.cwp_full, 17.8);
    EXPECT_DOUBLE_EQ(r.cwp, 12);
    EXPECT_DOUBLE_EQ(r.rep, 2);
    EXPECT_EQ(r.which, HongKimCase::a);
    EXPECT_DOUBLE_EQ(r.exec_cycles_app, (1680 + 100 + 100 / 4.0 * 11) * 2); // 4110
    EXPECT_EQ(r.synch_cost, 0);
    EXPECT_DOUBLE_EQ(r.seconds, 4110e-9);
}

// 32 warps: MWP = 420 / 27 = 15.556 < CWP = 17.8.
TEST(HongKim, CaseBManyWarpsWaitForMemory) {
    HongKimInputs in = inputs();
    in.active_warps_per_sm = 32;
    in.synch_insts = 2;
    const HongKim r = hong_kim(in);
    EXPECT_NEAR(r.mwp, 15.5556, 1e-4);
    EXPECT_DOUBLE_EQ(r.cwp, 17.8);
    EXPECT_EQ(r.which, HongKimCase::b);
    EXPECT_NEAR(r.exec_cycles_app, (1680 * 32 / 15.5556 + 25 * 14.5556) * 2, 0.1); // 7639.8
    EXPECT_NEAR(r.synch_cost, (420 - 27) * 2 * 3 * 2, 1e-9);                       // 27 * (420 / 27 - 1) is 393
    EXPECT_NEAR(r.seconds, (7639.8 + 4716) * 1e-9, 1e-9);
}

// A fortieth of the bandwidth: MWP_peak_BW = 328.1 / 40 = 8.203.
TEST(HongKim, BandwidthLimitsTheWarpsThatWait) {
    HongKimInputs in = inputs();
    in.mem_bandwidth = 25;
    const HongKim r = hong_kim(in);
    EXPECT_DOUBLE_EQ(r.mwp_without_bw, 12);
    EXPECT_NEAR(r.mwp, 25 / 3.047619, 1e-5); // 8.203
    EXPECT_EQ(r.which, HongKimCase::b);
    EXPECT_NEAR(r.exec_cycles_app, (1680 * 12 / 8.203125 + 25 * 7.203125) * 2, 1e-6);
    in.mem_bandwidth = 1; // less than one warp's
    EXPECT_EQ(hong_kim(in).mwp, 1);
}

// 50 instructions: Comp_cycles = 200, CWP = 1880 / 200 = 9.4 < MWP = 12.
TEST(HongKim, CaseCComputationHidesMemory) {
    HongKimInputs in = inputs();
    in.total_insts = 50;
    const HongKim r = hong_kim(in);
    EXPECT_DOUBLE_EQ(r.cwp, 9.4);
    EXPECT_EQ(r.which, HongKimCase::c);
    EXPECT_DOUBLE_EQ(r.exec_cycles_app, (420 + 200 * 12) * 2);
}

// 500 instructions: Comp_cycles = 2000 > Mem_cycles: case B, as the condition is printed, though CWP = 1.84 < MWP.
TEST(HongKim, CaseBAlsoOfMoreComputationThanMemory) {
    HongKimInputs in = inputs();
    in.total_insts = 500;
    const HongKim r = hong_kim(in);
    EXPECT_DOUBLE_EQ(r.cwp, 1.84);
    EXPECT_EQ(r.which, HongKimCase::b);
    EXPECT_DOUBLE_EQ(r.exec_cycles_app, (1680.0 * 12 / 12 + 2000 / 4.0 * 11) * 2);
}

TEST(HongKim, LimitsWithoutDivisionByZero) {
    HongKimInputs in = inputs();
    in.coal_mem_insts = in.uncoal_mem_insts = 0;
    const HongKim computes = hong_kim(in);
    EXPECT_EQ(computes.which, HongKimCase::no_memory);
    EXPECT_DOUBLE_EQ(computes.exec_cycles_app, 100 * 12 * 2);
    in = inputs();
    in.total_insts = 0;
    const HongKim waits = hong_kim(in);
    EXPECT_EQ(waits.which, HongKimCase::a);
    EXPECT_DOUBLE_EQ(waits.cwp, 12);
    EXPECT_DOUBLE_EQ(waits.exec_cycles_app, 1680 * 2);
    in.blocks = 1; // less than the device holds
    EXPECT_DOUBLE_EQ(hong_kim(in).exec_cycles_app, 1680);
    in.blocks = 0;
    EXPECT_EQ(hong_kim(in).seconds, 0);
    in = inputs();
    in.load_bytes_per_warp = 0;
    EXPECT_TRUE(std::isinf(hong_kim(in).mwp_peak_bw));
    EXPECT_DOUBLE_EQ(hong_kim(in).mwp, 12);
}

// The equations are those of seed 001, slides "Модель Hong, Kim"; MWP_peak_BW and Synch_cost are those of models.md, section 1.2.
// The talk prints no example with inputs, and no seed contains the paper (Hong and Kim, ISCA 2009). This is the paper's own example, a
// tiled product of matrices on the FX5600, which has both equations that the talk lacks. Its inputs are those of published
// re-implementations of the paper; that it prints MWP 2.28, 38450 cycles and 12288 of barriers is from memory: its page is not known. It
// goes on with MWP rounded to 2.28: 4380 * 20 / 2.28 + 22 * 1.28 = 38449 and 320 * 1.28 * 6 * 5 = 12288; unrounded they are 38428 and
// 12300.
TEST(HongKim, ExampleOfThePaper) {
    HongKimInputs in;
    in.total_insts = 27 + 6;
    in.uncoal_mem_insts = 6;
    in.uncoal_per_mw = 32;
    in.synch_insts = 2 * 3;
    in.load_bytes_per_warp = 128;
    in.blocks = 80;
    in.active_blocks_per_sm = 5;
    in.active_sms = 16;
    in.active_warps_per_sm = 20; // 5 blocks of 128 threads
    in.mem_ld = 420;
    in.departure_del_coal = 4;
    in.departure_del_uncoal = 10;
    in.issue_cycles = 4;
    in.freq = 1;
    in.mem_bandwidth = 80;
    const HongKim r = hong_kim(in);
    EXPECT_DOUBLE_EQ(r.mem_l, 730);
    EXPECT_DOUBLE_EQ(r.departure_delay, 320);
    EXPECT_NEAR(r.mwp, 2.28, 0.005);
    EXPECT_NEAR(r.bw_per_warp, 0.175, 0.0005);
    EXPECT_NEAR(r.mwp_peak_bw, 80 / (0.175 * 16), 0.1);
    EXPECT_DOUBLE_EQ(r.comp_cycles, 132);
    EXPECT_DOUBLE_EQ(r.mem_cycles, 4380);
    EXPECT_NEAR(r.cwp_full, 34.18, 0.005);
    EXPECT_EQ(r.cwp, 20);
    EXPECT_EQ(r.rep, 1);
    EXPECT_EQ(r.which, HongKimCase::b);
    EXPECT_NEAR(r.exec_cycles_app, 38450, 25);
    EXPECT_NEAR(r.synch_cost, 12288, 13);
}

// Seed 001, last slide ("Применение модели", results). The talk prints its result and no inputs: 2347008 cycles, 0.002607787 s calculated,
// 0.0028 s measured. Deduced from the first two: a clock of 900 MHz. Any inputs that take so many cycles take so many seconds: here 2347008
// = 32 * 73344 cycles of computation alone. A test of units; what the equations are is in the tests above.
TEST(HongKim, PrintedCyclesArePrintedSecondsAtTheirClock) {
    HongKimInputs in = inputs();
    in.freq = 0.9;
    in.coal_mem_insts = in.uncoal_mem_insts = 0;
    in.active_warps_per_sm = 32;
    in.blocks = in.active_blocks_per_sm * in.active_sms;
    in.issue_cycles = 1;
    in.total_insts = 73344;
    const HongKim r = hong_kim(in);
    EXPECT_DOUBLE_EQ(r.exec_cycles_app, 2347008);
    EXPECT_NEAR(r.seconds, 0.002607787, 0.5e-9);
    EXPECT_NEAR(r.seconds / 0.0028 - 1, -0.069, 0.0005);
}

// Seed 001, slide "Определение скорости выполнения операций", the table. Printed: throughputs of the HD 6970, and the same normalised.
// Deduced: what they are normalised by, 40.
TEST(HongKim, NormalisedCostsOfTheAmdTable) {
    EXPECT_EQ(amd_comp_cycles({1, 0, 0, 0, 0}), std::round(40 / 21.0));
    EXPECT_EQ(amd_comp_cycles({1, 0, 0, 0, 0}), std::round(40 / 22.0));
    EXPECT_EQ(amd_comp_cycles({0, 1, 0, 0, 0}), 40 / 40);
    EXPECT_EQ(amd_comp_cycles({0, 0, 1, 0, 0}), 40 / 2);
    EXPECT_EQ(amd_comp_cycles({0, 0, 0, 1, 0}), 40 / 1);
    EXPECT_EQ(amd_comp_cycles({0, 0, 0, 0, 1}), 40 / 2);
    // A pass of the talk's inner loop, sum += 1.0f / (x * x + j), is 3 simple operations and a division.
    EXPECT_EQ(amd_comp_cycles({3, 0, 1, 0, 0}), 26);
    EXPECT_EQ(amd_comp_cycles({3, 7, 1, 2, 5}), 6 + 7 + 20 + 80 + 100);
}

/// Of every element, a block of 256 threads with one each copies in 4 bytes and stores 4 that are 36 apart, and executes 32 instructions.
KernelWork copy() {
    KernelWork work;
    work.read_bytes = work.write_bytes = 4;
    work.instructions = 1; // of a warp, per element: 32 of its thread
    work.elements_per_block = work.threads_per_block = 256;
    work.registers = 32;
    work.steps.resize(3);
    work.steps[0].kind = WorkStep::Kind::load;
    work.steps[0].accesses = {{false, Addressing::unit, 4, 1, 4 / 32.0, false}};
    work.steps[1].kind = WorkStep::Kind::block_barrier;
    work.steps[2].kind = WorkStep::Kind::store;
    work.steps[2].accesses = {{true, Addressing::strided, 4, 1, 1, false}};
    return work;
}

TEST(HongKim, InputsFromTheStepsOfAKernel) {
    const auto predictor = make_hong_kim(standard_device("a100"));
    const Breakdown breakdown = predictor->explain(copy(), 256ULL * 108 * 8 * 10);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#total_insts"), 32);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Coal_Mem_insts"), 1);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Uncoal_Mem_insts"), 1);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Uncoal_per_mw"), 32);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Synch_insts"), 1);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "Load_bytes_per_warp"), 128);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Active_blocks_per_SM"), 8);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "N"), 64);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "#Rep"), 10);
    // The description's figures: 552.7 cycles, 9.56 of a coalesced access, 2.39 of a transaction, 0.25 of an instruction.
    EXPECT_DOUBLE_EQ(quantity(breakdown, "Mem_L_Uncoal"), 552.7 + 31 * 2.39);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "Departure_delay"), (2.39 * 32 + 9.56) / 2);
    EXPECT_DOUBLE_EQ(quantity(breakdown, "Comp_cycles"), 8);
    // MWP = 589.745 / 43.02 = 13.709 and (552.7 + 626.79) * 64 / 13.709 + 4 * 12.709 = 5557.3 cycles, 43.02 * 12.709 * 8 of barriers.
    EXPECT_EQ(quantity(breakdown, "equation"), 2);
    EXPECT_NEAR(quantity(breakdown, "MWP"), 13.709, 0.001);
    EXPECT_NEAR(quantity(breakdown, "Exec_cycles_app"), 55573, 10);
    EXPECT_NEAR(quantity(breakdown, "Synch_cost"), 43739, 10);
    EXPECT_NEAR(breakdown.cost.seconds, (55573 + 43739) / 1.41e9 + standard_device("a100").launch_us * 1e-6, 1e-8);
    EXPECT_EQ(breakdown.cost.bound_by, Bound::dram);
}

// Of the same kernel launches that do not fill an A100: 108 multiprocessors that each hold 8 blocks of 8 warps. Mem_cycles = 626.79 + 552.7 =
// 1179.49, Comp_cycles = 8, of which each access has 4, CWP_full = 1187.49 / 8 = 148.4, Departure_delay = 43.02, MWP = 13.709 at most, and
// BW_per_warp = 1.41 * 128 / 589.745 = 0.30603.

// One block of two warps: N = 2. Case A: 1179.49 + 8 + 4 * 1 cycles, and one barrier at 43.02 * 1.
TEST(HongKim, OneBlockIsActiveOnOneMultiprocessor) {
    const auto predictor = make_hong_kim(standard_device("a100"));
    KernelWork work = copy();
    work.elements_per_block = work.threads_per_block = 64;
    for (const std::uint64_t elements : {1U, 64U}) {
        const Breakdown t = predictor->explain(work, elements);
        EXPECT_EQ(quantity(t, "#Blocks"), 1);
        EXPECT_EQ(quantity(t, "#Active_SMs"), 1);
        EXPECT_EQ(quantity(t, "#Active_blocks_per_SM"), 1);
        EXPECT_EQ(quantity(t, "N"), 2);
        EXPECT_EQ(quantity(t, "#Rep"), 1);
        EXPECT_NEAR(quantity(t, "MWP_peak_BW"), 2039 / 0.30603, 0.2); // all of the bandwidth
        EXPECT_EQ(quantity(t, "MWP"), 2);
        EXPECT_EQ(quantity(t, "CWP"), 2);
        EXPECT_EQ(quantity(t, "equation"), 1);
        EXPECT_NEAR(quantity(t, "Exec_cycles_app"), 1191.49, 1e-9);
        EXPECT_NEAR(quantity(t, "Synch_cost"), 43.02, 1e-9);
        EXPECT_NEAR(t.cost.seconds, 1234.51 / 1.41e9 + standard_device("a100").launch_us * 1e-6, 1e-15);
    }
    EXPECT_DOUBLE_EQ(predictor->explain(work, 0).cost.seconds, standard_device("a100").launch_us * 1e-6);
}

// 50 blocks: N = 8. Case A: 1179.49 + 8 + 4 * 7 cycles, and a barrier at 43.02 * 7.
TEST(HongKim, BlocksThatAreFewerThanMultiprocessorsHaveOneEach) {
    const Breakdown t = make_hong_kim(standard_device("a100"))->explain(copy(), 256ULL * 50);
    EXPECT_EQ(quantity(t, "#Active_SMs"), 50);
    EXPECT_EQ(quantity(t, "#Active_blocks_per_SM"), 1);
    EXPECT_EQ(quantity(t, "N"), 8);
    EXPECT_EQ(quantity(t, "#Rep"), 1);
    EXPECT_NEAR(quantity(t, "MWP_peak_BW"), 2039 / (0.30603 * 50), 0.01);
    EXPECT_EQ(quantity(t, "MWP"), 8);
    EXPECT_EQ(quantity(t, "equation"), 1);
    EXPECT_NEAR(quantity(t, "Exec_cycles_app"), 1215.49, 1e-9);
    EXPECT_NEAR(quantity(t, "Synch_cost"), 301.14, 1e-9);
}

// Half of a wave, 4 blocks each: N = 32. Case B: 1179.49 * 32 / 13.709 + 4 * 12.709 = 2804.0 cycles, and barriers of four blocks at
// 43.02 * 12.709: half of what a full wave takes but for the second term. One block more, and one multiprocessor has five.
TEST(HongKim, HalfOfAWaveHasHalfOfTheBlocks) {
    const auto predictor = make_hong_kim(standard_device("a100"));
    const Breakdown t = predictor->explain(copy(), 256ULL * 108 * 4);
    EXPECT_EQ(quantity(t, "#Active_SMs"), 108);
    EXPECT_EQ(quantity(t, "#Active_blocks_per_SM"), 4);
    EXPECT_EQ(quantity(t, "N"), 32);
    EXPECT_EQ(quantity(t, "#Rep"), 1);
    EXPECT_NEAR(quantity(t, "MWP"), 13.709, 0.001);
    EXPECT_EQ(quantity(t, "equation"), 2);
    EXPECT_NEAR(quantity(t, "Exec_cycles_app"), 2804.0, 0.5);
    EXPECT_NEAR(quantity(t, "Synch_cost"), 43.02 * 12.709 * 4, 0.5);
    const Breakdown more = predictor->explain(copy(), 256ULL * 108 * 4 + 1);
    EXPECT_EQ(quantity(more, "#Active_blocks_per_SM"), 5);
    EXPECT_EQ(quantity(more, "N"), 40);
    EXPECT_EQ(quantity(more, "#Rep"), 1);
    // From a full wave on the device is full, and repeats.
    const Breakdown full = predictor->explain(copy(), 256ULL * 108 * 8 + 1);
    EXPECT_EQ(quantity(full, "#Active_SMs"), 108);
    EXPECT_EQ(quantity(full, "#Active_blocks_per_SM"), 8);
    EXPECT_DOUBLE_EQ(quantity(full, "#Rep"), 865 / 864.0);
}

// The equations as printed: one warp of 2 accesses and more computation than memory is case A, two are case B, without Comp_cycles.
// Mem_cycles = 1680, Comp_cycles = 4 * 500 = 2000: 3680 cycles, then 1680 + 2000 / 4 * 1 = 2180.
TEST(HongKim, MoreWarpsTakeLessWhereTheCaseChanges) {
    HongKimInputs in = inputs();
    in.total_insts = 500;
    in.blocks = in.active_blocks_per_sm = in.active_sms = in.active_warps_per_sm = 1;
    EXPECT_EQ(hong_kim(in).which, HongKimCase::a);
    EXPECT_DOUBLE_EQ(hong_kim(in).exec_cycles_app, 3680);
    in.active_warps_per_sm = 2;
    EXPECT_EQ(hong_kim(in).which, HongKimCase::b);
    EXPECT_DOUBLE_EQ(hong_kim(in).exec_cycles_app, 2180);
}

TEST(HongKim, WiderAccessesDepartMoreSlowly) {
    const auto predictor = make_hong_kim(standard_device("a100"));
    KernelWork work = copy();
    work.steps.pop_back();
    EXPECT_DOUBLE_EQ(quantity(predictor->explain(work, 1 << 20), "Departure_del_coal"), 9.56);
    work.steps[0].accesses[0] = {false, Addressing::unit, 16, 1, 16 / 32.0, false};
    EXPECT_DOUBLE_EQ(quantity(predictor->explain(work, 1 << 20), "Departure_del_coal"), 4 * 9.56);
    work.steps[0].accesses[0] = {false, Addressing::broadcast, 4, 1, 1 / 32.0, false};
    EXPECT_DOUBLE_EQ(quantity(predictor->explain(work, 1 << 20), "Departure_del_coal"), 9.56 / 4);
}

/// 256 elements in blocks of 256 threads, four wavefronts of 64: of each element 100 instructions, among them two divisions and a root of
/// 13 each and an exponential of 20, which leaves 41 simple ones.
KernelWork amd_kernel() {
    KernelWork work = copy();
    work.instructions = 100 / 32.0;
    work.flops = 24;
    work.divisions = 2;
    work.square_roots = 1;
    work.transcendentals = 1;
    return work;
}

TEST(HongKim, OperationsOfAWavefrontByTheTableOfTheTalk) {
    fusion::DeviceLimits limits = standard_device("mi210").limits;
    AmdOperations of = amd_operations(amd_kernel(), limits);
    EXPECT_DOUBLE_EQ(of.simple, 100 - 2 * 13 - 13 - 20);
    EXPECT_DOUBLE_EQ(of.divisions, 3);
    EXPECT_DOUBLE_EQ(of.sines, 1);
    EXPECT_EQ(of.vector_simple + of.native_sines + of.uncounted, 0);
    // In double the sequences are 18, 22 and 66 long: longer than all instructions.
    KernelWork doubles = amd_kernel();
    doubles.precision = Precision::f64;
    EXPECT_EQ(amd_operations(doubles, limits).simple, 0);
    EXPECT_DOUBLE_EQ(amd_operations(doubles, limits).uncounted, 2 * 18 + 22 + 66 - 100);
    Diagnostics diagnostics;
    const auto predictor = make_predictor("hong-kim", standard_device("mi210"), diagnostics);
    ASSERT_NE(predictor, nullptr);
    EXPECT_DOUBLE_EQ(quantity(predictor->explain(doubles, 1 << 20), "opcodes of functions beyond the instructions"), 24);
    EXPECT_TRUE(std::ranges::none_of(predictor->explain(amd_kernel(), 1 << 20).quantities,
        [](const Quantity& each) { return each.name == "opcodes of functions beyond the instructions"; }));
    doubles.instructions = 200 / 32.0;
    EXPECT_DOUBLE_EQ(amd_operations(doubles, limits).simple, 200 - 2 * 18 - 22 - 66);
    doubles.in_float = {10, 2, 0, 0}; // both divisions in float
    EXPECT_DOUBLE_EQ(amd_operations(doubles, limits).simple, 200 - 2 * 13 - 22 - 66);
    // Half of the lanes idle: twice as many wavefronts' operations for as many elements.
    KernelWork idle = amd_kernel();
    idle.lane_slots = idle.arithmetic_lane_slots = 2;
    of = amd_operations(idle, limits);
    EXPECT_DOUBLE_EQ(of.simple, 2 * 41);
    EXPECT_DOUBLE_EQ(of.divisions, 6);
}

// The MI210: 0.5 cycles a unit. 41 simple operations at 2, three divisions at 20 and a sine at 40 are 182 units, 91 cycles. Of memory 64
// words side by side, 27.63 cycles apart, and a store to 64 sectors, 64 * 3.454 apart, at 698.7 cycles.
TEST(HongKim, OnAnAmdDeviceOperationsCostWhatTheTalkHasMeasured) {
    Device device = standard_device("mi210");
    Diagnostics diagnostics;
    const auto predictor = make_predictor("hong-kim", device, diagnostics);
    ASSERT_NE(predictor, nullptr);
    const Breakdown t = predictor->explain(amd_kernel(), 256ULL * 104 * 8);
    EXPECT_DOUBLE_EQ(quantity(t, "simple operations (AMD)"), 41);
    EXPECT_DOUBLE_EQ(quantity(t, "divisions (AMD)"), 3);
    EXPECT_DOUBLE_EQ(quantity(t, "sines (AMD)"), 1);
    EXPECT_NEAR(quantity(t, "Comp_cycles"), 0.5 * (2 * 41 + 20 * 3 + 40), 1e-9);
    EXPECT_DOUBLE_EQ(quantity(t, "#total_insts"), 100);
    EXPECT_DOUBLE_EQ(quantity(t, "N"), 32) << "8 blocks of four wavefronts";
    EXPECT_EQ(quantity(t, "#Rep"), 1);
    const double uncoal = 698.7 + 63 * 3.454, mem = uncoal + 698.7, departure = (64 * 3.454 + 27.63) / 2;
    const double mwp = mem / 2 / departure;
    ASSERT_LT(mwp, (mem + 91) / 91) << "case B: memory is waited for";
    const double cycles = mem * 32 / mwp + 91 / 2.0 * (mwp - 1), barriers = departure * (mwp - 1) * 8;
    EXPECT_NEAR(t.cost.seconds, (cycles + barriers) / 1.7e9 + 1.86e-6, 1e-10);
    // The same figure as for other GPUs in its place is another time.
    device.optional_figures.erase(device.optional_figures.find("hong-kim.amd_cost"));
    EXPECT_NEAR(quantity(make_predictor("hong-kim", device, diagnostics)->explain(amd_kernel(), 1 << 20), "Comp_cycles"), 100, 1e-9);
}

// What descriptions deduce their figures from.
TEST(HongKim, FiguresOfDescriptionsFollowFromTheirSpeeds) {
    for (const char* name : {"h200", "h100", "gh200", "a100", "l40", "v100", "rtx4090", "mi210"}) {
        const Device device = standard_device(name);
        const double bytes_per_clock = device.dram_gb_per_s / device.limits.sm_count / device.clock_ghz;
        EXPECT_NEAR(figure(device, "hong-kim.mem_ld").value() / (device.dram_latency_ns * device.clock_ghz), 1, 1e-3) << name;
        EXPECT_NEAR(figure(device, "hong-kim.departure_coalesced").value() * bytes_per_clock / (4 * device.limits.warp_size), 1, 1e-3)
            << name;
        EXPECT_NEAR(figure(device, "hong-kim.departure_uncoalesced").value() * bytes_per_clock / 32, 1, 1e-3) << name;
        EXPECT_DOUBLE_EQ(figure(device, "hong-kim.issue_cycles").value(), device.limits.warp_size / 32.0 / device.issue_slots) << name;
        const std::optional<double> amd_cost = figure(device, "hong-kim.amd_cost");
        EXPECT_EQ(amd_cost.has_value(), device.limits.warp_size == 64) << name;
        if (amd_cost) { // a simple operation costs 2
            EXPECT_DOUBLE_EQ(*amd_cost * amd_comp_cycles({1, 0, 0, 0, 0}), device.limits.warp_size / device.fma_f32) << name;
        }
    }
}

} // namespace
} // namespace fusec::perfmodel
