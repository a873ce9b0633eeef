// SPDX-License-Identifier: Apache-2.0
// The plans of workloads too large for one thread per element, and the bytes of those whose traffic is known by hand.
#include "tests/plans/planned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fusec {
namespace {

using test::planned;

/// The kernel of the plan that executes the call which makes this value.
const fusion::Candidate& kernel_of(const cli::Compilation& c, const std::string& name) {
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        for (const fusion::CallPlan& call : kernel.order) {
            if (c.program->name_of(call.call) == name) {
                return kernel;
            }
        }
    }
    throw std::runtime_error("no kernel makes " + name);
}

int threads_of(const fusion::Candidate& kernel, const cli::Compilation& c, const std::string& name) {
    const auto call =
        std::ranges::find_if(kernel.order, [&](const fusion::CallPlan& plan) { return c.program->name_of(plan.call) == name; });
    return call->threads;
}

void expect_several_threads(const cli::Compilation& c, const std::string& value, int threads) {
    const fusion::Candidate& kernel = kernel_of(c, value);
    EXPECT_GT(kernel.threads_per_block, kernel.instances_per_block);
    EXPECT_EQ(threads_of(kernel, c, value), threads);
    for (const fusion::Candidate& each : c.plans.front().kernels) {
        EXPECT_EQ(each.work.spill_bytes, 0);
    }
}

/// W6: of the sum of 24x24 products at Gauss points, a thread has one row.
TEST(WorkloadPlans, SumsOfAHexahedronAreMadeByAThreadForEachRow) {
    const cli::Compilation full = planned({.example = "workloads/hex_stiffness"});
    const cli::Compilation packed = planned({.example = "../tests/examples/w6/hex_stiffness_packed"});
    expect_several_threads(full, "W", 24);
    expect_several_threads(packed, "W", 24);
    // Packed, K is 300 words in place of 576.
    EXPECT_EQ(kernel_of(full, "K").work.write_bytes - kernel_of(packed, "K").work.write_bytes, 8 * (576 - 300));
    EXPECT_LT(packed.plans.front().seconds, full.plans.front().seconds);
}

/// W9, n = 24: of the factor, a thread has three rows.
TEST(WorkloadPlans, AFactorizationOfTwentyFourRowsIsMadeByEightThreads) {
    expect_several_threads(planned({.example = "workloads/spd_solve24"}), "x", 8);
}

double bytes(const cli::Compilation& c) {
    double sum = 0;
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        sum += kernel.work.read_bytes + kernel.work.write_bytes;
    }
    return sum;
}

/// W1b: nodes 96, values 32, results 32; 81 operations, as counted by hand.
TEST(WorkloadPlans, TheLaplaceOperatorIsAppliedInOneKernel) {
    const cli::Compilation c = planned({.example = "workloads/tet_laplace_apply"});
    ASSERT_EQ(c.plans.front().kernels.size(), 1U);
    EXPECT_EQ(bytes(c), 160);
    EXPECT_EQ(c.plans.front().kernels.front().work.flops, 81);
}

} // namespace
} // namespace fusec
