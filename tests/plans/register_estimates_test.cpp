// SPDX-License-Identifier: Apache-2.0
// What a kernel over a loop of points is expected to keep in registers: components that later points read again, and no others.
#include "cli/pipeline.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace fusec {
namespace {

/// Of the only kernel.
fusion::RegisterDemand demand(const std::string& text) {
    const execute::TemporaryFolder folder;
    std::ofstream(folder.path() / "p.fus") << text;
    cli::Compilation c;
    c.options.program = folder.path() / "p.fus";
    c.options.device = "h200";
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "plan") || c.plans.front().kernels.size() != 1) {
        throw std::runtime_error("not one kernel");
    }
    for (const fusion::CallPlan& call : c.plans.front().kernels.front().order) {
        if (call.threads != 1) {
            throw std::runtime_error("several threads");
        }
    }
    return c.plans.front().kernels.front().work.demand;
}

std::string loop(int points) {
    return fmt::format("double MATRIX{}x3 C;\ndouble VECTOR3 u, y;\ninput C, u;\n"
                       "for q in 0..{} {{ y += vdot(C[q], u) * C[q]; }}\nreturn y;\n",
        points, points);
}

TEST(RegisterEstimates, RowsThatOnePointReadsDoNotWaitForTheOthers) {
    const int few = demand(loop(4)).kept;
    EXPECT_GE(few, 2 * 3) << "u, in double";
    EXPECT_LT(few, 2 * 4 * 3) << "less than the table";
    EXPECT_EQ(demand(loop(8)).kept, few);
    EXPECT_EQ(demand(loop(16)).kept, few);
}

TEST(RegisterEstimates, RowsThatASecondLoopReadsWaitForIt) {
    const std::string twice = "double MATRIX8x3 C;\ndouble VECTOR3 u, y;\ndouble VECTOR2 z;\ninput C, u;\n"
                              "for q in 0..8 { y += vdot(C[q], u) * C[q]; }\n"
                              "for q in 0..8 { z += vdot(C[q, :2], y[:2]) * C[q, :2]; }\nreturn z;\n";
    EXPECT_EQ(demand(twice).kept, 2 * (8 * 2 + 3)) << "two columns of the table, and u, at the end of the first loop";
}

} // namespace
} // namespace fusec
