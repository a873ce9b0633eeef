// SPDX-License-Identifier: Apache-2.0
// Work as compiled text has it: against what programs imply, on kernels whose counts are known by hand.
#include "analysed.hpp"
#include "fusion/layout.hpp"
#include "perfmodel/analysis/compiled_work.hpp"
#include "perfmodel/device_figures.hpp"
#include "tests/perfmodel/devices.hpp"

#include <gmock/gmock.h>

namespace fusec::perfmodel::analysis {
namespace {

using fusion::KernelWork;

KernelWork estimate_of(int elements, int threads) {
    KernelWork work;
    work.elements_per_block = elements;
    work.threads_per_block = threads;
    work.registers = 40;
    work.registers_needed = 40;
    work.instructions = 2;
    work.flops = 10;
    work.shared_wavefronts = 1;
    work.steps.resize(2);
    work.steps[0].instructions = 16;
    work.steps[1].instructions = 48; // 2 warp instructions
    work.steps[1].arithmetic.flops = 10;
    work.steps[0].shared_wavefronts = 1;
    return work;
}

Launch launch(unsigned threads, std::int64_t n) {
    Launch result;
    result.threads = threads;
    result.arguments = {{"first", 0}, {"n", n}};
    return result;
}

CompiledWork worked(const std::string& text, const KernelWork& estimate, Analysis::By by = Analysis::By::none,
    const std::optional<AssembledKernel>& assembled = std::nullopt, const DeviceLatencies& latencies = {hopper_latencies(), {}}) {
    const auto threads = static_cast<unsigned>(estimate.threads_per_block);
    return compiled_work(estimate, {profile_of(text, launch(threads, 1 << 20), latencies.table), assembled}, by, latencies);
}

// Per thread two loads, an FMA, an addition, a division and a root; each thread is an element.
const std::string arithmetic = R"(
__global__ void k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ r, size_t n) {
    const int i = threadIdx.x;
    const float x = a[i], y = b[i];
    const float z = x * y + x;
    r[i] = sqrtf(z + 1.0f) / y;
})";

TEST(CompiledWork, ArithmeticIsThatOfTheText) {
    const KernelWork work = worked(arithmetic, estimate_of(64, 64)).work;
    EXPECT_EQ(work.flops, 2 + 1 + 1 + 1);
    EXPECT_EQ(work.fused, 1);
    EXPECT_EQ(work.divisions, 1);
    EXPECT_EQ(work.square_roots, 1);
    EXPECT_EQ(work.transcendentals, 0);
    EXPECT_EQ(work.in_float.flops, 0) << "a kernel of floats has no other precision";
    // The sequences of a division and a root are 13 instructions each; with the FMA, the sum, two loads and a store 31 at least, and what
    // addresses take.
    EXPECT_GE(32 * work.instructions, 31);
    EXPECT_LE(32 * work.instructions, 31 + 12);
    EXPECT_EQ(work.path_instructions, 32 * work.instructions) << "all threads do the same";
    EXPECT_EQ(work.lane_slots, 1);
    EXPECT_EQ(work.arithmetic_lane_slots, 1);
    EXPECT_EQ(work.shared_wavefronts, 3.0 * 4 / 128) << "three words of a thread that pass in order";
}

TEST(CompiledWork, StepsStayTheirSum) {
    const KernelWork work = worked(arithmetic, estimate_of(64, 64)).work;
    EXPECT_DOUBLE_EQ(work.steps[0].instructions + work.steps[1].instructions, 32 * work.instructions);
    EXPECT_DOUBLE_EQ(work.steps[1].instructions, 3 * work.steps[0].instructions) << "shares stay";
    EXPECT_DOUBLE_EQ(work.steps[1].arithmetic.flops, work.flops);
    EXPECT_DOUBLE_EQ(work.steps[0].shared_wavefronts, work.shared_wavefronts);
}

// Of a division, a root and passes of shared memory the estimate has nothing: the calls have them by their instructions, passes all steps.
TEST(CompiledWork, StepsGetWhatOnlyTheTextHas) {
    KernelWork estimate = estimate_of(64, 64);
    estimate.steps.push_back(estimate.steps[1]); // 48 instructions, as the one before
    estimate.steps[0].kind = fusion::WorkStep::Kind::load;
    estimate.steps[0].shared_wavefronts = estimate.shared_wavefronts = 0;
    const KernelWork work = worked(arithmetic, estimate).work;
    const auto& steps = work.steps;
    for (const auto count : {&fusion::Arithmetic::divisions, &fusion::Arithmetic::square_roots}) {
        EXPECT_EQ(steps[0].arithmetic.*count, 0);
        EXPECT_EQ(steps[1].arithmetic.*count, 0.5);
        EXPECT_EQ(steps[2].arithmetic.*count, 0.5);
    }
    EXPECT_GT(work.shared_wavefronts, 0);
    EXPECT_DOUBLE_EQ(steps[0].shared_wavefronts, work.shared_wavefronts / 7); // 16 instructions of 112
    EXPECT_DOUBLE_EQ(steps[2].shared_wavefronts, work.shared_wavefronts * 3 / 7);
}

// In a kernel of doubles that takes two roots of floats, which the estimate has none of.
TEST(CompiledWork, StepsGetFloatsThatOnlyTheTextHas) {
    KernelWork estimate = estimate_of(64, 64);
    estimate.precision = Precision::f64;
    const KernelWork work = worked("__global__ void k(const double* __restrict__ a, double* __restrict__ r, size_t n) {\n"
                                   "    const double x = a[threadIdx.x];\n"
                                   "    r[threadIdx.x] = x * x + sqrtf((float)x) + sqrtf(2.0f + (float)x);\n}",
        estimate)
                                .work;
    EXPECT_EQ(work.in_float.square_roots, 2);
    EXPECT_EQ(work.square_roots, 2);
    EXPECT_EQ(work.steps[0].in_float.square_roots, 0.5); // 16 instructions of 64
    EXPECT_EQ(work.steps[1].in_float.square_roots, 1.5);
    EXPECT_EQ(work.steps[1].arithmetic.square_roots, 1.5);
    // Of flops the first step has those of its floats alone: the doubles are where the estimate has its flops.
    EXPECT_GT(work.steps[0].in_float.flops, 0);
    EXPECT_DOUBLE_EQ(work.steps[0].arithmetic.flops, work.steps[0].in_float.flops);
    EXPECT_DOUBLE_EQ(work.steps[0].in_float.flops + work.steps[1].in_float.flops, work.in_float.flops);
    EXPECT_DOUBLE_EQ(work.steps[0].arithmetic.flops + work.steps[1].arithmetic.flops, work.flops);
}

// Two loads wait for each other, one of them every ninth word: the lanes of a warp in nine lines of 128 bytes.
const std::string strided = R"(
__global__ void k(const float* __restrict__ a, const int* __restrict__ where, float* __restrict__ r, size_t n) {
    const int i = threadIdx.x;
    r[9 * i] = a[9 * i] + a[where[i] & 0];
})";

TEST(CompiledWork, LoadsInPlaceAndStridedStoresAreThoseOfTheText) {
    KernelWork estimate = estimate_of(64, 64);
    estimate.l1_wavefronts = 0.5; // has loads in place
    estimate.steps[0].l1_wavefronts = 0.5;
    estimate.steps[1].kind = fusion::WorkStep::Kind::store;
    const KernelWork work = worked(strided, estimate).work;
    // The strided load touches 9 lines: 9 / 4 + 0.75 = 3 passes; the uniform one a line, one pass; the list of floats a pass. Of 32 elements.
    EXPECT_DOUBLE_EQ(work.l1_wavefronts, (3.0 + 1.0) / 32);
    EXPECT_DOUBLE_EQ(work.shared_wavefronts, 0);
    // 32 sectors of a warp's store, of which 4 were full if words were adjacent.
    EXPECT_DOUBLE_EQ(work.store_requests, (32.0 - 4.0) / 32);
    EXPECT_DOUBLE_EQ(work.steps[0].l1_wavefronts, work.l1_wavefronts);
    EXPECT_DOUBLE_EQ(work.steps[1].store_requests, work.store_requests);
}

// Sectors of strided stores go to the step that stores so, where one does.
TEST(CompiledWork, SectorsOfStridedStoresAreThoseOfTheStepThatHasThem) {
    KernelWork estimate = estimate_of(64, 64);
    estimate.l1_wavefronts = 0.5;                           // has loads in place
    estimate.steps[0].kind = fusion::WorkStep::Kind::store; // a tile's words in order
    estimate.steps[0].write_bytes = 400;
    fusion::GlobalAccess access;
    access.store = true;
    estimate.steps[0].accesses = {access};
    access.addressing = fusion::Addressing::strided;
    estimate.steps[1].accesses = {access};
    estimate.steps[1].write_bytes = 4;
    const KernelWork work = worked(strided, estimate).work;
    EXPECT_GT(work.store_requests, 0);
    EXPECT_EQ(work.steps[0].store_requests, 0);
    EXPECT_DOUBLE_EQ(work.steps[1].store_requests, work.store_requests);
}

// Words whose distance grows from lane to lane, 32 t^2 bytes: a sector each, in 31 lines (the first two share one) and in two banks.
TEST(CompiledWork, ScatteredWordsTakeTheirSectorsAndPasses) {
    KernelWork estimate = estimate_of(64, 64);
    estimate.l1_wavefronts = 0.5; // has loads in place
    estimate.steps[1].kind = fusion::WorkStep::Kind::store;
    const KernelWork work = worked("__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) {\n"
                                   "    const int t = threadIdx.x & 31;\n    r[8 * t * t] = a[8 * t * t];\n}",
        estimate)
                                .work;
    EXPECT_DOUBLE_EQ(work.l1_wavefronts, std::max(16.0, 31 / 4.0 + 0.75) / 32);
    EXPECT_DOUBLE_EQ(work.store_requests, (32.0 - 4.0) / 32);
}

TEST(CompiledWork, ThePassesOfLoadsInPlaceAreThoseThatCandidatesCount) {
    for (const int words : {1, 2, 3, 4, 9, 25, 64}) {
        KernelWork estimate = estimate_of(64, 64);
        estimate.l1_wavefronts = 1;
        const std::string n = std::to_string(words);
        const KernelWork work = worked("__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) {\n"
                                       "    float s = 0;\n    for (int j = 0; j < " +
                n + "; ++j) s += a[" + n + " * threadIdx.x + j];\n    r[threadIdx.x] = s;\n}",
            estimate)
                                    .work;
        EXPECT_DOUBLE_EQ(work.l1_wavefronts, fusion::direct_load_wavefronts({.shape = {Form::vector, words, 1}})) << words;
    }
}

TEST(CompiledWork, TheCriticalPathHasTheDevicesLatencies) {
    // Five products wait for each other behind a load.
    const std::string chain = R"(
__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) {
    const float x = a[threadIdx.x];
    r[threadIdx.x] = x * x * x * x * x * x;
})";
    LatencyTable slow = hopper_latencies();
    slow.cycles[InstructionClass::mul_f32] += 10;
    slow.cycles[InstructionClass::global_load] += 1000;
    const KernelProfile usual = profile_of(chain, launch(32, 1 << 20)), late = profile_of(chain, launch(32, 1 << 20), slow);
    const CompiledWork work = compiled_work(estimate_of(32, 32), {usual, std::nullopt}, Analysis::By::none, {hopper_latencies(), {}});
    EXPECT_EQ(work.work.critical_path_cycles, usual.critical_path_cycles);
    EXPECT_GE(usual.critical_path_cycles, 600 + 5 * 4);
    EXPECT_EQ(late.critical_path_cycles, usual.critical_path_cycles + 1000 + 5 * 10);
    EXPECT_GE(late.longest.dependency_depth, 6);
}

// An array whose index clang does not know stays in local memory: per thread eight words are written and one is read.
TEST(CompiledWork, ArraysInLocalMemoryAreSpilledBytes) {
    const std::string text = R"(
__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) {
    float part[8];
    for (int j = 0; j < 8; ++j) part[j] = a[threadIdx.x + 64 * j] + j;
    r[threadIdx.x] = part[(threadIdx.x * 5) % 8];
})";
    EXPECT_EQ(worked(text, estimate_of(64, 64)).work.spill_bytes, 9 * 4);
    const AssembledKernel in_registers{"k", "k", 32, 0, 0, 0, 0}, on_the_stack{"k", "k", 32, 0, 0, 32, 0};
    EXPECT_EQ(worked(text, estimate_of(64, 64), Analysis::By::nvcc, in_registers).work.spill_bytes, 0);
    EXPECT_EQ(worked(text, estimate_of(64, 64), Analysis::By::nvcc, on_the_stack).work.spill_bytes, 9 * 4);
}

// Of each warp one lane multiplies: its warp issues for all.
TEST(CompiledWork, LanesThatIdleAreCounted) {
    const KernelWork work = worked(R"(
__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) {
    const int i = threadIdx.x;
    if (i % 32 == 0) r[i] = a[i] * a[i + 1];
})",
        estimate_of(2, 64))
                                .work;
    EXPECT_EQ(work.flops, 1);
    EXPECT_EQ(work.arithmetic_lane_slots, 32);
    EXPECT_GT(work.lane_slots, 1);
    EXPECT_LT(work.lane_slots, 32);
}

TEST(CompiledWork, BothPrecisionsAreToldApart) {
    KernelWork estimate = estimate_of(32, 32);
    estimate.precision = Precision::f64;
    const CompiledWork found = worked(R"(
__global__ void k(const double* __restrict__ a, const float* __restrict__ b, double* __restrict__ r, size_t n) {
    const int i = threadIdx.x;
    const float s = b[i] * b[i];
    r[i] = a[i] * a[i] + 2.0 * s;
})",
        estimate);
    EXPECT_EQ(found.work.flops, 4);
    EXPECT_EQ(found.work.in_float.flops, 1);
    EXPECT_EQ(found.work.fused, 0);
    EXPECT_THAT(found.estimated, testing::ElementsAre(testing::HasSubstr("both precisions")));
}

TEST(CompiledWork, RegistersAreThoseOfTheAssemblerUnlessItHasNotSeenAll) {
    const AssembledKernel assembled{"k", "k", 72, 24, 16, 48, 640};
    const CompiledWork known = worked(arithmetic, estimate_of(64, 128), Analysis::By::ptxas, assembled);
    EXPECT_TRUE(known.registers_known);
    EXPECT_EQ(known.work.registers, 72);
    EXPECT_EQ(known.work.shared_bytes, estimate_of(64, 128).shared_bytes + 640) << "beside what the plan has";
    EXPECT_EQ(known.work.spill_bytes, (24 + 16) * 128 / 64.0);
    EXPECT_THAT(known.estimated, testing::IsEmpty());
    const std::string calling = R"(
__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) { r[threadIdx.x] = expf(a[threadIdx.x]); })";
    const CompiledWork called = worked(calling, estimate_of(64, 64), Analysis::By::ptxas, assembled);
    EXPECT_FALSE(called.registers_known);
    EXPECT_EQ(called.work.registers, 40);
    EXPECT_EQ(called.work.spill_bytes, 0);
    EXPECT_EQ(called.work.transcendentals, 1);
    EXPECT_THAT(called.estimated, testing::ElementsAre(testing::HasSubstr("registers")));
    EXPECT_EQ(worked(calling, estimate_of(64, 64), Analysis::By::nvcc, assembled).work.registers, 72) << "nvcc has seen expf";
}

// What a kernel's path was reckoned with and the device has no figure for is said of the kernels that have such instructions, and of no other.
TEST(CompiledWork, BorrowedLatenciesAreSaid) {
    Device device = standard_device("l40");
    const std::string divides = R"(
__global__ void k(const double* __restrict__ a, double* __restrict__ r, size_t n) { r[threadIdx.x] = a[threadIdx.x] / a[threadIdx.x + 32]; })";
    const std::string adds = R"(
__global__ void k(const float* __restrict__ a, float* __restrict__ r, size_t n) { r[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 32]; })";
    const auto estimated = [&](const std::string& text) {
        return worked(text, estimate_of(32, 32), Analysis::By::none, {}, device_latencies(device)).estimated;
    };
    EXPECT_THAT(estimated(divides), testing::IsEmpty());
    device.optional_figures.erase(device.optional_figures.find("latency.arithmetic_f64"));
    EXPECT_THAT(estimated(divides),
        testing::ElementsAre("the latency of `division_f64`, a chain of `fma_f64`, is that of Hopper, 526 cycles: `l40` has no "
                             "`latency.arithmetic_f64`"));
    EXPECT_THAT(estimated(adds), testing::IsEmpty());
    const std::string meets = R"(
__global__ void k(float* __restrict__ r, size_t n) { r[threadIdx.x] = 1; __syncthreads(); r[threadIdx.x + 32] = 2; })";
    EXPECT_THAT(estimated(meets), testing::ElementsAre(testing::HasSubstr("`block_barrier` is that of sm_103, 24 cycles")));
    device.figures.push_back({"speed.barrier", 12, "cycles", "measured"});
    EXPECT_THAT(estimated(meets), testing::IsEmpty());
}

// An L40 takes 48 cycles for an FMA of doubles, Hopper 8: so does all that is made of them.
TEST(DeviceLatencies, SequencesAreChainsOfTheDevicesInstructions) {
    using enum InstructionClass;
    const LatencyTable hopper = hopper_latencies();
    const DeviceLatencies h200 = device_latencies(standard_device("h200")), l40 = device_latencies(standard_device("l40"));
    for (const InstructionClass each :
        {division_f64, square_root_f64, reciprocal_square_root_f64, exponential_f64, logarithm_f64, sine_f64, cosine_f64, power_f64}) {
        EXPECT_EQ(l40.table.cycles[each], 6 * hopper.cycles[each]) << to_string(each);
        EXPECT_EQ(h200.table.cycles[each], hopper.cycles[each]) << to_string(each);
    }
    EXPECT_EQ(l40.table.cycles[division_f64], 3156);
    EXPECT_EQ(l40.table.cycles[division_f32], hopper.cycles[division_f32]) << "4 cycles on both";
    Device slow = standard_device("l40");
    ASSERT_TRUE(
        set_figure(slow, "latency.arithmetic_f32", 6) && set_figure(slow, "latency.integer", 5) && set_figure(slow, "speed.barrier", 12));
    const LatencyTable table = device_latencies(slow).table;
    EXPECT_EQ(table.cycles[sine_f32], 1.5 * hopper.cycles[sine_f32]);
    EXPECT_EQ(table.cycles[integer_division], 5 * instructions_of_integer_division);
    EXPECT_EQ(table.cycles[constant_division], 5 * instructions_of_constant_division);
    EXPECT_EQ(table.cycles[warp_barrier], 5);
    EXPECT_EQ(table.cycles[block_barrier], 14);
}

TEST(DeviceLatencies, WhatADeviceDoesNotHaveIsHoppers) {
    using enum InstructionClass;
    const DeviceLatencies known = device_latencies(standard_device("l40"));
    ASSERT_EQ(known.borrowed.size(), 1U);
    EXPECT_EQ(known.borrowed.begin()->first, block_barrier);
    const DeviceLatencies fermi = device_latencies(standard_device("gtx480")); // has no [latency]
    for (const InstructionClass each : {fma_f32, other_f64, integer, address, select, conversion, local_load, constant_load, division_f32,
             power_f64, integer_division, warp_barrier}) {
        EXPECT_TRUE(fermi.borrowed.contains(each)) << to_string(each);
        EXPECT_EQ(fermi.table.cycles[each], hopper_latencies().cycles[each]) << to_string(each);
    }
    for (const InstructionClass each : {shared_load, shuffle, global_load, async_copy, branch}) {
        EXPECT_FALSE(fermi.borrowed.contains(each)) << to_string(each);
    }
}

// The demo's kernel, whose passes follow from its sizes: words in arrive once by asynchronous copies, are read once each, words out are written, read
// and sent. Neighbouring elements are odd numbers of words apart.
TEST(CompiledWork, TheDemosPassesFollowFromItsSizes) {
    constexpr int words_in = 9 + 9 + 3 + 25 + 25, words_out = 25, elements = 32;
    const auto module = module_of(demo_text());
    Launch block = launch(elements, 1 << 20);
    const KernelProfile profile = profile_of(*module, "demo_kernels::demo_F<float4>", block);
    const KernelWork work =
        compiled_work(estimate_of(elements, elements), {profile, std::nullopt}, Analysis::By::none, {hopper_latencies(), {}}).work;
    EXPECT_DOUBLE_EQ(work.shared_wavefronts, (2.0 * words_in + 3.0 * words_out) / 32);
    EXPECT_EQ(work.warp_barriers, 2);
    EXPECT_EQ(work.block_barriers, 0);
}

} // namespace
} // namespace fusec::perfmodel::analysis
