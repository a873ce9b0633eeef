// SPDX-License-Identifier: Apache-2.0
// What the examples are there to show, as predicted: recomputation that pays, fusion that does not, chains of a stated length; and
// for all of them that predictions are possible (no kernel beats the memory) and consistent (auto is never worse than another mode).
#include "perfmodel/predictor.hpp"
#include "tests/plans/planned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace fusec {
namespace {

using fusion::Target;
using test::planned;

/// How often each call is executed.
std::map<std::string, int> executions(const cli::Compilation& c) {
    std::map<std::string, int> count;
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        for (const fusion::CallPlan& call : kernel.order) {
            ++count[c.program->name_of(call.call)];
        }
    }
    return count;
}

TEST(ExamplePlans, RecomputeComputesACallTwiceAndWithoutThatIsSlower) {
    for (const Target target : {Target::cuda, Target::host}) {
        SCOPED_TRACE(target == Target::host ? "host" : "cuda");
        const cli::Compilation best = planned({.example = "recompute", .target = target});
        EXPECT_EQ(executions(best).at("M"), 2);
        const cli::Compilation once = planned({.example = "recompute", .target = target, .recompute = false});
        EXPECT_EQ(executions(once).at("M"), 1);
        EXPECT_GE(once.plans.front().seconds, 1.05 * best.plans.front().seconds);
    }
}

TEST(ExamplePlans, MostFusionIsSlowerForLargeMatrices) {
    const cli::Compilation best = planned({.example = "demo16"});
    const cli::Compilation most = planned({.example = "demo16", .plan = "max"});
    ASSERT_EQ(best.plans.front().kernels.size(), 2U);
    ASSERT_EQ(most.plans.front().kernels.size(), 1U);
    EXPECT_GE(most.plans.front().seconds, 1.05 * best.plans.front().seconds);
    // The reason is on the chip: the plan of one kernel moves fewer bytes through memory.
    const auto bytes = [](const cli::Compilation& c) {
        double sum = 0;
        for (const fusion::Candidate& kernel : c.plans.front().kernels) {
            sum += kernel.work.read_bytes + kernel.work.write_bytes;
        }
        return sum;
    };
    EXPECT_LT(bytes(most), bytes(best));
}

TEST(ExamplePlans, KalmanIsAChainOfTwelveCallsOfMixedShapes) {
    const cli::Compilation c = planned({.example = "kalman"});
    EXPECT_EQ(c.graph->calls(), 12U);
    std::map<std::string, int> shapes;
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        ++shapes[to_string(c.program->datum(c.program->call(CallId(i)).result).type)];
    }
    EXPECT_GE(shapes.size(), 6U);
}

TEST(ExamplePlans, StvkFitsOneKernelWhenTheLimitAllowsIt) {
    const cli::Compilation eight = planned({.example = "stvk", .max_fusion = 8});
    const cli::Compilation all = planned({.example = "stvk", .max_fusion = static_cast<int>(eight.graph->calls())});
    EXPECT_EQ(eight.plans.front().kernels.size(), 2U);
    EXPECT_EQ(all.plans.front().kernels.size(), 1U);
    EXPECT_LT(all.plans.front().seconds, eight.plans.front().seconds);
    EXPECT_EQ(planned({.example = "stvk"}).plans.front().kernels.size(), 1U); // grown
}

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, PredictionsArePossibleAndAutoIsNeverWorse) {
    for (const std::string device : {"h200", "a100", "l40", "host-generic"}) {
        SCOPED_TRACE(device);
        const Target target = device.starts_with("host") ? Target::host : Target::cuda;
        const cli::Compilation best = planned({.example = GetParam(), .target = target, .device = device});
        const perfmodel::Device& description = *best.device;
        const double peak = description.dram_gb_per_s * 1e9; // of the data sheet: more than any stream reaches
        for (const char* mode : {"auto", "none", "max", "greedy"}) {
            SCOPED_TRACE(mode);
            const cli::Compilation c = planned({.example = GetParam(), .target = target, .plan = mode, .device = device});
            EXPECT_GE(c.plans.front().seconds * (1 + 1e-9), best.plans.front().seconds);
            double sum = 0;
            for (const fusion::Candidate& kernel : c.plans.front().kernels) {
                const double bytes = (kernel.work.read_bytes + kernel.work.write_bytes) * static_cast<double>(c.options.elements);
                EXPECT_GE(kernel.cost.seconds, bytes / peak);
                EXPECT_LT(kernel.cost.seconds, 1000 * (bytes / peak + 1e-6)) << "no unit is a thousand times slower than memory";
                EXPECT_EQ(kernel.work.spill_bytes, 0);
                sum += kernel.cost.seconds;
            }
            EXPECT_NEAR(c.plans.front().seconds, sum, 1e-9 * sum);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, EveryExample, testing::ValuesIn(test::example_files()), [](const auto& example) { return example.param; });

} // namespace
} // namespace fusec
