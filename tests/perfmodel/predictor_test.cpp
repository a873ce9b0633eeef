// SPDX-License-Identifier: Apache-2.0
// Properties that every predictor keeps on every device, over random kernels.
#include "perfmodel/predictor.hpp"

#include "perfmodel/occupancy.hpp"
#include "perfmodel/routine_times.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/random_kernels.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;

/// Times of all routines of the kernels that tests make of these seeds, any that make sense.
std::shared_ptr<const RoutineTimes> times_of(const std::vector<std::uint32_t>& seeds) {
    RoutineTimes times{"any", "any", "any", "any", {}};
    double ns = 0.01;
    const auto add = [&](const std::string& name) {
        times.routines[name] = {16, {0, 16384, 65536}, {1, 32}, {ns, ns / 2, 2 * ns, ns, 4 * ns, 3 * ns}};
        ns *= 1.01;
    };
    for (const std::uint32_t seed : seeds) {
        RandomKernels random(seed);
        for (int i = 0; i < 300; ++i) {
            const KernelWork work = random.with_steps();
            for (const fusion::WorkStep& step : work.steps) {
                if (const auto name = compute_routine(step)) {
                    add(*name);
                }
                for (const std::string& name : transfer_routines(step)) {
                    add(name);
                }
            }
        }
    }
    return std::make_shared<const RoutineTimes>(std::move(times));
}

TEST(Predictor, TheGreatestBoundIsTheFirstOfThoseAsLong) {
    EXPECT_EQ(greatest_bound({{Bound::dram, 1}, {Bound::fma, 3}, {Bound::issue, 3}, {Bound::launch, 2}}), Bound::fma);
    EXPECT_EQ(greatest_bound({{Bound::launch, 0}}), Bound::launch);
    EXPECT_THROW(greatest_bound({}), InternalError);
    EXPECT_TRUE(std::isinf(Breakdown::never().cost.seconds));
    EXPECT_EQ(greatest_bound(Breakdown::never().bounds), Breakdown::never().cost.bound_by);
}

TEST(Predictor, FiguresAndKindsThatHaveToBeThereAre) {
    Device device = standard_device("h200");
    EXPECT_EQ(needed_figure(device, "latency.l1", "wave"), 32);
    device.optional_figures.erase(device.optional_figures.find("latency.l1"));
    EXPECT_THROW(needed_figure(device, "latency.l1", "wave"), InternalError);
    for (const std::string& name : predictor_names()) {
        EXPECT_EQ(predictor_kind(name).name, name);
    }
    EXPECT_THROW(predictor_kind("nobody"), InternalError);
}

// The most that a device was measured to issue lies below the number of its schedulers.
TEST(Predictor, SchedulersAreWhole) {
    Device device = standard_device("h200");
    for (const auto& [measured, whole] : {std::pair(4., 4), std::pair(3.871, 4), std::pair(3.52, 4), std::pair(1., 1), std::pair(0.4, 1)}) {
        ASSERT_TRUE(set_figure(device, "speed.issue_slots", measured));
        EXPECT_EQ(schedulers(device), whole) << measured;
    }
}

/// The device with figures that no description has: any that make sense.
Device completed(Device device) {
    static const auto times = times_of({3, 5, 6, 7});
    device.routine_times = times;
    if (device.limits.target == fusion::Target::host) {
        for (const auto& [key, value] :
            {std::pair("benchmark.remap", 0.01), std::pair("stream.lists", 0.75), std::pair("compute.pacing", 0.9)}) {
            EXPECT_TRUE(set_figure(device, key, value)) << key;
        }
    } else {
        for (const auto& [key, value] : {std::pair("hong-kim.mem_ld", 600.0), std::pair("hong-kim.departure_coalesced", 10.0),
                 std::pair("hong-kim.departure_uncoalesced", 3.0), std::pair("hong-kim.issue_cycles", 0.5), std::pair("staircase.ta", 0.2),
                 std::pair("staircase.tb", -0.1), std::pair("benchmark.remap", 0.01)}) {
            if (!figure(device, key)) {
                EXPECT_TRUE(set_figure(device, key, value)) << key;
            }
        }
        const Device other = standard_device("h200");
        for (const PredictorKind& kind : predictor_kinds()) {
            for (const char* key : kind.needs) {
                if (!figure(device, key)) {
                    EXPECT_TRUE(set_figure(device, key, figure(other, key).value())) << key;
                }
            }
        }
    }
    return device;
}

std::vector<std::tuple<std::string, std::string>> devices_with_their_predictors() {
    std::vector<std::tuple<std::string, std::string>> result;
    for (const std::string& name : device_names()) {
        const bool host = standard_device(name).limits.target == fusion::Target::host;
        for (const PredictorKind& kind : predictor_kinds()) {
            if (host ? kind.host : kind.cuda) {
                result.emplace_back(name, kind.name);
            }
        }
    }
    return result;
}

/// Predicts with the standard description of a device, completed where it has no figure.
class WithPredictor : public testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
    void SetUp() override {
        device = completed(standard_device(std::get<0>(GetParam())));
        Diagnostics diagnostics;
        predictor = make_predictor(std::get<1>(GetParam()), device, diagnostics);
        ASSERT_NE(predictor, nullptr);
        ASSERT_EQ(predictor->name(), std::get<1>(GetParam()));
    }
    double seconds(const KernelWork& work, std::uint64_t n) const { return predictor->cost(work, n).seconds; }

    Device device;
    std::unique_ptr<Predictor> predictor;
};

class EveryPredictor : public WithPredictor {};
/// Composite and roofline: the search bounds what they predict.
class BoundingPredictor : public WithPredictor {};

constexpr std::uint64_t counts[] = {1, 31, 1000, 65536, 1048576, 1ULL << 40U};

TEST_P(BoundingPredictor, NoKernelIsCheaperThanItsLowerBound) {
    RandomKernels random(1);
    double tightest = 0;
    for (int i = 0; i < 2000; ++i) {
        KernelWork work = random.work();
        if (i % 4 == 0) { // nothing but memory and arithmetic, so that the bound is tight
            work = {};
            work.read_bytes = random.whole(0, 400);
            work.write_bytes = 4;
            work.flops = random.whole(0, 400);
            work.elements_per_block = work.threads_per_block = 256;
        }
        for (const std::uint64_t n : counts) {
            const double cost = seconds(work, n);
            const double bound = predictor->bound_of(work, n);
            ASSERT_TRUE(std::isfinite(cost));
            ASSERT_GE(cost, bound) << "kernel " << i << ", " << n << " elements";
            ASSERT_GT(bound, 0);
            tightest = std::max(tightest, bound / cost);
            // The closer bound knows a part of the work, whatever the blocks; every element has a thread.
            if (work.elements_per_block > work.threads_per_block) {
                continue;
            }
            KernelWork least = work;
            least.shared_wavefronts = work.shared_wavefronts + work.l1_wavefronts;
            least.l1_wavefronts = 0;
            ASSERT_GE(cost, predictor->least_seconds(least, n)) << "kernel " << i << ", " << n << " elements, all its work";
            for (double KernelWork::* const amount : {&KernelWork::shared_wavefronts, &KernelWork::instructions}) {
                least.*amount *= random.real(0, 1);
            }
            least.elements_per_block = least.threads_per_block = 1;
            least.shared_bytes = least.registers = least.block_barriers = least.warp_barriers = least.remaps = 0;
            const double closer = predictor->least_seconds(least, n);
            ASSERT_GE(cost, closer) << "kernel " << i << ", " << n << " elements, part of its work";
            ASSERT_GE(closer, bound);
        }
    }
    EXPECT_GT(tightest, 0.9) << "the bound is never near the cost";
}

TEST_P(BoundingPredictor, MoreWorkNeverCostsLess) {
    RandomKernels random(2);
    double KernelWork::* const amounts[] = {&KernelWork::flops, &KernelWork::divisions, &KernelWork::square_roots,
        &KernelWork::transcendentals, &KernelWork::shared_wavefronts, &KernelWork::l1_wavefronts, &KernelWork::store_requests,
        &KernelWork::instructions, &KernelWork::path_instructions, &KernelWork::spill_bytes};
    int KernelWork::* const numbers[] = {
        &KernelWork::block_barriers, &KernelWork::warp_barriers, &KernelWork::remaps, &KernelWork::dependent_phases};
    constexpr double rounding = 1 - 1e-12;
    for (int i = 0; i < 300; ++i) {
        const KernelWork work = random.work();
        const std::uint64_t n = counts[static_cast<std::size_t>(random.whole(0, 5))];
        const double before = seconds(work, n) * rounding;
        for (const auto amount : amounts) {
            KernelWork more = work;
            more.*amount += random.real(0, 50);
            // An operation more of any kind is a flop more; direct loads instead of staging are another kernel.
            more.flops = std::max(more.flops,
                work.flops + (more.divisions - work.divisions) + (more.square_roots - work.square_roots) +
                    (more.transcendentals - work.transcendentals));
            if (amount == &KernelWork::l1_wavefronts && work.l1_wavefronts == 0) {
                continue;
            }
            ASSERT_GE(seconds(more, n), before) << "kernel " << i << ", amount " << &amount - amounts;
        }
        for (const auto number : numbers) {
            KernelWork more = work;
            more.*number += 1;
            ASSERT_GE(seconds(more, n), before) << "kernel " << i << ", number " << &number - numbers;
        }
        KernelWork more = work;
        more.read_bytes *= 1.5;
        more.write_bytes *= 1.5;
        ASSERT_GE(seconds(more, n), before) << "kernel " << i;
        more = work;
        more.lane_slots *= 1.5;
        ASSERT_GE(seconds(more, n), before) << "kernel " << i;
        more = work;
        more.arithmetic_lane_slots *= 1.5;
        ASSERT_GE(seconds(more, n), before) << "kernel " << i;
        more = work;
        more.async_copies = false;
        ASSERT_GE(seconds(more, n), before) << "kernel " << i;
        ASSERT_GE(seconds(work, n + static_cast<std::uint64_t>(random.whole(1, 1000))), before) << "kernel " << i;
    }
}

/// Of `hong-kim` the number of its case and MWP: its equations, which do not join, can fall from one case to another and with a smaller MWP.
std::pair<double, double> case_and_mwp(const Breakdown& breakdown) {
    std::pair<double, double> result;
    for (const Quantity& each : breakdown.quantities) {
        if (each.name == "equation") {
            result.first = each.value;
        } else if (each.name == "MWP") {
            result.second = each.value;
        }
    }
    return result;
}

TEST_P(EveryPredictor, IsFiniteAndPositiveAndNeverFallsWithTheElements) {
    RandomKernels random(6);
    const bool hong_kim = predictor->name() == "hong-kim";
    for (int i = 0; i < 300; ++i) {
        const KernelWork work = random.with_steps();
        double before = 0;
        std::pair<double, double> state_before;
        for (const std::uint64_t n : counts) {
            for (const std::uint64_t more : {0U, 1U, 20U}) {
                const double cost = seconds(work, n + more);
                const auto state = hong_kim ? case_and_mwp(predictor->explain(work, n + more)) : state_before;
                ASSERT_TRUE(std::isfinite(cost)) << "kernel " << i << ", " << n + more << " elements";
                ASSERT_GT(cost, 0) << "kernel " << i << ", " << n + more << " elements";
                if (state.first == state_before.first && state.second >= state_before.second) {
                    ASSERT_GE(cost, before * (1 - 1e-12)) << "kernel " << i << ", " << n + more << " elements";
                }
                state_before = state;
                ASSERT_EQ(cost, seconds(work, n + more));
                ASSERT_EQ(cost, predictor->seconds(work, n + more));
                before = cost;
            }
        }
    }
}

TEST_P(EveryPredictor, ExplainsWhatItCharges) {
    RandomKernels random(3);
    for (int i = 0; i < 200; ++i) {
        const KernelWork work = random.with_steps();
        const Breakdown breakdown = predictor->explain(work, 1048576);
        EXPECT_EQ(breakdown.cost.seconds, seconds(work, 1048576));
        EXPECT_EQ(breakdown.cost.bound_by, predictor->cost(work, 1048576).bound_by);
        std::set<Bound> seen;
        double greatest = 0;
        Bound active = Bound::launch;
        for (const auto& [bound, term] : breakdown.bounds) {
            EXPECT_TRUE(seen.insert(bound).second);
            EXPECT_LE(term, breakdown.cost.seconds * (1 + 1e-12));
            if (term > greatest) {
                greatest = term;
                active = bound;
            }
        }
        EXPECT_EQ(breakdown.cost.bound_by, active);
        if (predictor->needs_steps()) {
            EXPECT_GT(breakdown.quantities.size(), 2U);
        }
        for (const Quantity& quantity : breakdown.quantities) {
            EXPECT_FALSE(quantity.name.empty());
            EXPECT_FALSE(std::isnan(quantity.value)) << quantity.name;
        }
    }
}

TEST_P(BoundingPredictor, NothingToDoIsALaunch) {
    RandomKernels random(4);
    const fusion::Cost cost = predictor->cost(random.work(), 0);
    EXPECT_DOUBLE_EQ(cost.seconds, device.launch_us * 1e-6);
    EXPECT_EQ(cost.bound_by, Bound::launch);
}

TEST_P(EveryPredictor, LargeKernelsTakeTimeInProportion) {
    RandomKernels random(5);
    for (int i = 0; i < 50; ++i) {
        const KernelWork work = random.with_steps();
        EXPECT_NEAR(seconds(work, 1ULL << 40U) / seconds(work, 1ULL << 39U), 2, 1e-3);
    }
}

TEST_P(EveryPredictor, ABlockThatDoesNotFitIsInfinitelySlowWhereThereAreBlocks) {
    RandomKernels random(7);
    KernelWork work = random.with_steps();
    work.shared_bytes = device.limits.shared_bytes_per_block + 1;
    if (device.limits.target == fusion::Target::cuda && std::get<1>(GetParam()) != "roofline") {
        EXPECT_TRUE(std::isinf(seconds(work, 1000)));
    } else { // the roofline knows no blocks, and a host has none
        EXPECT_TRUE(std::isfinite(seconds(work, 1000)));
    }
}

// The demo program on 2^20 elements: one kernel moves 384 bytes, one per call 384 and twice the intermediates (36 + 12 + 4 + 2 * 100).
TEST_P(BoundingPredictor, OneKernelForTheDemoBeatsOnePerCall) {
    const auto kernel = [](double read, double write, double flops) {
        KernelWork work;
        work.read_bytes = read;
        work.write_bytes = write;
        work.flops = flops;
        work.instructions = flops / 32;
        work.shared_wavefronts = 2 * (read + write) / 128;
        work.elements_per_block = work.threads_per_block = 64;
        work.shared_bytes = static_cast<int>(read) * 64;
        work.registers = 48;
        work.block_barriers = 2;
        work.async_copies = true;
        return work;
    };
    const std::uint64_t n = 1U << 20U;
    const double one = seconds(kernel(284, 100, 341), n);
    double many = 0;
    for (const KernelWork& work :
        {kernel(72, 36, 45), kernel(48, 12, 15), kernel(12, 4, 6), kernel(200, 100, 225), kernel(200, 100, 25), kernel(104, 100, 25)}) {
        many += seconds(work, n);
    }
    EXPECT_NEAR(many / one, 988.0 / 384, 0.5) << "the ratio of the bytes";
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& instance) {
    std::string name = std::get<0>(instance.param) + "_" + std::get<1>(instance.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(OnEveryDevice, EveryPredictor, testing::ValuesIn(devices_with_their_predictors()), name_of);
INSTANTIATE_TEST_SUITE_P(OnEveryDevice, BoundingPredictor,
    testing::Combine(testing::ValuesIn(device_names()), testing::Values("composite", "roofline")), name_of);

// On a device as its description says, a predictor is made or the message names each key that is missing.
TEST(Predictors, WhatADescriptionLacksIsNamed) {
    int made = 0, refused = 0;
    for (const std::string& name : device_names()) {
        const Device device = standard_device(name);
        const bool host = device.limits.target == fusion::Target::host;
        for (const PredictorKind& kind : predictor_kinds()) {
            Diagnostics diagnostics;
            const auto predictor = make_predictor(kind.name, device, diagnostics);
            if (!(host ? kind.host : kind.cuda)) {
                EXPECT_EQ(predictor, nullptr);
                ASSERT_EQ(diagnostics.all().size(), 1U);
                EXPECT_EQ(diagnostics.all().front().message,
                    "`" + std::string(kind.name) + "` predicts kernels of a " + (host ? "GPU" : "host") + ", and `" + name + "` is a " +
                        (host ? "host" : "GPU"));
                continue;
            }
            std::vector<std::string> expected;
            for (const char* key : kind.needs) {
                if (!figure(device, key)) {
                    expected.push_back(
                        "`" + std::string(kind.name) + "` needs `" + key + "`, which the description of `" + name + "` does not have");
                }
            }
            if (kind.name == std::string("benchmark")) {
                expected.push_back("`benchmark` needs times of routines, which `" + name + "` does not have");
            }
            std::vector<std::string> messages;
            for (const Diagnostic& each : diagnostics.all()) {
                EXPECT_EQ(each.kind.name, "missing-figure");
                messages.push_back(each.message);
            }
            EXPECT_EQ(messages, expected);
            EXPECT_EQ(predictor == nullptr, !expected.empty());
            ++(predictor == nullptr ? refused : made);
        }
    }
    EXPECT_GT(made, 20);
    EXPECT_GT(refused, 0);
}

TEST(Predictors, ABlockThatDoesNotFitIsInfinitelySlow) {
    Diagnostics diagnostics;
    const auto predictor = make_predictor("composite", standard_device("l40"), diagnostics);
    KernelWork work;
    work.write_bytes = 4;
    work.shared_bytes = 101376;
    EXPECT_TRUE(std::isfinite(predictor->cost(work, 1000).seconds));
    work.shared_bytes += 1;
    EXPECT_TRUE(std::isinf(predictor->cost(work, 1000).seconds));
}

TEST(Predictors, AnUnknownNameIsACommandLineError) {
    Diagnostics diagnostics;
    EXPECT_EQ(make_predictor("rooflin", standard_device("l40"), diagnostics), nullptr);
    EXPECT_EQ(diagnostics.exit_code(), 2);
    EXPECT_EQ(diagnostics.all().front().kind.name, "unknown-predictor");
    EXPECT_EQ(diagnostics.all().front().hint,
        "did you mean `roofline`? known: composite, roofline, benchmark, hong-kim, pipeline, staircase, wave");
}

// Rows by hand: A100: 108 * 64 * 2 * 1.41 GHz = 19.5 TFLOP/s, 2039 GB/s.
TEST(Predictors, RooflineByHand) {
    Diagnostics diagnostics;
    const auto predictor = make_predictor("roofline", standard_device("a100"), diagnostics);
    KernelWork work;
    work.read_bytes = 284;
    work.write_bytes = 100;
    work.flops = 341;
    const fusion::Cost memory = predictor->cost(work, 1'000'000);
    EXPECT_NEAR(memory.seconds, 2.6e-6 + 384e6 / 2039e9, 1e-12);
    EXPECT_EQ(memory.bound_by, Bound::dram);
    work.flops = 38400;
    const fusion::Cost arithmetic = predictor->cost(work, 1'000'000);
    EXPECT_NEAR(arithmetic.seconds, 2.6e-6 + 38400e6 / (108 * 64 * 2 * 1.41e9), 1e-12);
    EXPECT_EQ(arithmetic.bound_by, Bound::fma);
    EXPECT_EQ(predictor->cost(work, 10).bound_by, Bound::launch);
}

} // namespace
} // namespace fusec::perfmodel
