// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/benchmark.hpp"

#include "perfmodel/routine_times.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/quantities.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace fusec::perfmodel {
namespace {

using fusion::Addressing;
using fusion::Bound;
using fusion::KernelWork;
using fusion::WorkStep;

// The source prints no times: "the maximum of the sum of the times of compute routines and the sum of the times of routines that copy data; if
// coordinates of threads are computed anew, a constant is added".
TEST(Benchmark, TheGreaterSumAndTheConstantOfEachRemap) {
    const Benchmark transfers = benchmark({{1, 2}, {4, 3, 2}, 0, 0.5});
    EXPECT_DOUBLE_EQ(transfers.compute, 3);
    EXPECT_DOUBLE_EQ(transfers.transfer, 9);
    EXPECT_DOUBLE_EQ(transfers.t, 9);
    const Benchmark computes = benchmark({{10, 2.5}, {4, 3, 2}, 0, 0.5});
    EXPECT_DOUBLE_EQ(computes.t, 12.5);
    const Benchmark remaps = benchmark({{10, 2.5}, {4, 3, 2}, 3, 0.5});
    EXPECT_DOUBLE_EQ(remaps.remap, 1.5);
    EXPECT_DOUBLE_EQ(remaps.t, 14);
    EXPECT_DOUBLE_EQ(benchmark({{}, {}, 0, 0.5}).t, 0);
}

constexpr const char* product = "mmul_row(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3";
constexpr const char* sum = "madd_element(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3";

/// F = A * B + A, fused: A and B are copied in, F out; what is between them stays. 3 lists of 36 bytes.
KernelWork product_and_sum() {
    KernelWork work;
    work.read_bytes = 72;
    work.write_bytes = 36;
    work.elements_per_block = 32;
    work.threads_per_block = 288;
    work.shared_bytes = 4608; // 4 tiles
    work.remaps = 1;
    const auto add = [&](WorkStep::Kind kind, const char* routine, int copies, bool store) {
        WorkStep& step = work.steps.emplace_back();
        step.kind = kind;
        step.routine = routine == nullptr ? nullptr : std::make_shared<const std::string>(routine);
        for (int i = 0; i < copies; ++i) {
            step.accesses.push_back({store, Addressing::unit, 4, 9, 36 / 32.0, false, true});
        }
    };
    add(WorkStep::Kind::load, nullptr, 1, false);
    add(WorkStep::Kind::load, nullptr, 1, false);
    add(WorkStep::Kind::block_barrier, nullptr, 0, false);
    add(WorkStep::Kind::compute, product, 0, false);
    add(WorkStep::Kind::block_barrier, nullptr, 0, false);
    add(WorkStep::Kind::compute, sum, 0, false);
    add(WorkStep::Kind::store, nullptr, 1, true);
    return work;
}

class BenchmarkOfAKernel : public testing::Test {
protected:
    void SetUp() override {
        times.device = times.date = times.machine = times.commit = "any";
        // Alone, the product has three tiles of 36 bytes: 3456 bytes of a block of 32. Of the fusion's 4608 bytes 1152 are not its own.
        times.routines[product] = {108, {0, 2304}, {32}, {0.02, 0.06}};
        times.routines[sum] = {72, {0, 4608}, {16, 48}, {0.01, 0.01, 0.03, 0.05}};
        times.routines["load 36 bytes, 4 at a time"] = {36, {0, 3456}, {32}, {0.05, 0.08}};
        times.routines["store 36 bytes, 4 at a time"] = {36, {0}, {32}, {0.04}};
    }
    std::unique_ptr<Predictor> predictor() {
        Device device = standard_device("a100");
        device.routine_times = std::make_shared<const RoutineTimes>(times);
        EXPECT_TRUE(set_figure(device, "benchmark.remap", 0.005));
        Diagnostics diagnostics;
        return make_predictor("benchmark", device, diagnostics);
    }

    static double launch() { return standard_device("a100").launch_us * 1e-6; }

    RoutineTimes times;
};

// Product: 1152 of 2304 bytes, half way: 0.04. Sum: 2304 of its own, 2304 of 4608, and 32 between 16 and 48: (0.01 + 0.01 + 0.03 + 0.05) / 4 =
// 0.025. Loads: 1152 of their own, 3456 extra: 0.08 each. Store: 3456 extra, nothing measured beyond 0: 0.04.
TEST_F(BenchmarkOfAKernel, TransfersDominate) {
    const Breakdown breakdown = predictor()->explain(product_and_sum(), 1'000'000);
    EXPECT_NEAR(quantity(breakdown, std::string("t_r: ") + product), 0.04, 1e-12);
    EXPECT_NEAR(quantity(breakdown, std::string("t_r: ") + sum), 0.025, 1e-12);
    EXPECT_NEAR(quantity(breakdown, "t_r: load 36 bytes, 4 at a time"), 0.08, 1e-12);
    EXPECT_NEAR(quantity(breakdown, "t_r outside of what was measured: store 36 bytes, 4 at a time"), 0.04, 1e-12);
    EXPECT_NEAR(quantity(breakdown, "sum of compute routines"), 0.065, 1e-12);
    EXPECT_NEAR(quantity(breakdown, "sum of transfers"), 0.2, 1e-12);
    EXPECT_NEAR(quantity(breakdown, "T"), 0.205, 1e-12);
    EXPECT_NEAR(breakdown.cost.seconds, 205e-6 + launch(), 1e-12);
    EXPECT_EQ(breakdown.cost.bound_by, Bound::dram);
}

TEST_F(BenchmarkOfAKernel, ComputesDominate) {
    times.routines[product].ns = {2, 6};
    KernelWork work = product_and_sum();
    EXPECT_NEAR(predictor()->cost(work, 1'000'000).seconds, 4030e-6 + launch(), 1e-12);
    EXPECT_EQ(predictor()->cost(work, 1'000'000).bound_by, Bound::issue);
    work.remaps = 0;
    EXPECT_NEAR(predictor()->cost(work, 1'000'000).seconds, 4025e-6 + launch(), 1e-12);
}

TEST_F(BenchmarkOfAKernel, ARoutineWithoutTimesIsNamed) {
    times.routines.erase(sum);
    const Breakdown breakdown = predictor()->explain(product_and_sum(), 1'000'000);
    EXPECT_TRUE(std::isinf(breakdown.cost.seconds));
    EXPECT_TRUE(std::isinf(quantity(breakdown, std::string("no time of ") + sum)));
}

// On a host what uniforms give is computed before the loop over elements, and a routine without an instruction is another name of components:
// neither has a time, and neither is missed. On a GPU every thread does both, and the times are.
TEST_F(BenchmarkOfAKernel, OnAHostNamesAndValuesOfUniformsTakeNoTime) {
    KernelWork work = product_and_sum();
    for (WorkStep& step : work.steps) {
        step.instructions = step.kind == WorkStep::Kind::compute ? 9 : 0;
    }
    const auto add = [&](WorkStep::Kind kind, const char* routine, double instructions) {
        WorkStep& step = work.steps.emplace_back();
        step.kind = kind;
        step.routine = std::make_shared<const std::string>(routine);
        step.instructions = instructions;
    };
    add(WorkStep::Kind::derive, "smul_element(float SCALAR, float SCALAR) -> float SCALAR", 1);
    add(WorkStep::Kind::compute, "mtrans_element(float MATRIX3x3) -> float MATRIX3x3", 0);
    EXPECT_TRUE(std::isinf(predictor()->cost(work, 1'000'000).seconds));

    Device host = standard_device("host-generic");
    host.routine_times = std::make_shared<const RoutineTimes>(times);
    ASSERT_TRUE(set_figure(host, "benchmark.remap", 0.005));
    Diagnostics diagnostics;
    const auto on_host = make_predictor("benchmark", host, diagnostics);
    ASSERT_NE(on_host, nullptr);
    EXPECT_NEAR(on_host->cost(work, 1'000'000).seconds, 205e-6 + host.launch_us * 1e-6, 1e-12); // as above, without the two
    add(WorkStep::Kind::compute, "mtrans_element(float MATRIX5x5) -> float MATRIX5x5", 1);
    EXPECT_TRUE(std::isinf(on_host->cost(work, 1'000'000).seconds));
}

// Times of a host have one block size, 1, and hold for tiles of any width: none is outside of what was measured.
TEST_F(BenchmarkOfAKernel, OnAHostTimesHoldForEveryTile) {
    KernelWork work = product_and_sum();
    work.shared_bytes = 0;
    for (WorkStep& step : work.steps) {
        step.instructions = 9;
    }
    for (auto& [name, routine] : times.routines) {
        routine = {0, {0}, {1}, {0.25}};
    }
    Device host = standard_device("host-generic");
    host.routine_times = std::make_shared<const RoutineTimes>(times);
    ASSERT_TRUE(set_figure(host, "benchmark.remap", 0));
    Diagnostics diagnostics;
    const auto on_host = make_predictor("benchmark", host, diagnostics);
    ASSERT_NE(on_host, nullptr);
    for (const int elements : {8, 16}) {
        work.elements_per_block = elements;
        const Breakdown breakdown = on_host->explain(work, 1'000'000);
        for (const char* routine : {product, sum, "load 36 bytes, 4 at a time", "store 36 bytes, 4 at a time"}) {
            EXPECT_EQ(quantity(breakdown, std::string("t_r: ") + routine), 0.25) << elements;
        }
    }
}

// A square, A * A, does two thirds of what a product of two matrices does (say): of the time that a calibration divided by that, as much counts.
TEST_F(BenchmarkOfAKernel, OfARoutineWithOneValueForItsOperandsAPartCounts) {
    times.routines[product].ns = {2, 6};
    KernelWork work = product_and_sum();
    for (WorkStep& step : work.steps) {
        step.alone = step.routine != nullptr && *step.routine == product ? 2.0 / 3 : 1;
    }
    const Breakdown breakdown = predictor()->explain(work, 1'000'000);
    EXPECT_NEAR(quantity(breakdown, std::string("t_r: ") + product), 2.0 / 3 * 4, 1e-12) << "half way between 2 and 6";
    EXPECT_NEAR(quantity(breakdown, "T"), 2.0 / 3 * 4 + 0.025 + 0.005, 1e-12);
}

TEST_F(BenchmarkOfAKernel, WithoutTimesThereIsNoPredictor) {
    Device device = standard_device("a100");
    ASSERT_TRUE(set_figure(device, "benchmark.remap", 0.005));
    Diagnostics diagnostics;
    EXPECT_EQ(make_predictor("benchmark", device, diagnostics), nullptr);
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "missing-figure");
    EXPECT_EQ(diagnostics.all()[0].message, "`benchmark` needs times of routines, which `a100` does not have");
    EXPECT_EQ(diagnostics.all()[0].hint, "`fusec calibrate` measures them");
}

} // namespace
} // namespace fusec::perfmodel
