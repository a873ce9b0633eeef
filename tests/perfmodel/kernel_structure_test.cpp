// SPDX-License-Identifier: Apache-2.0
// Which works are of one kernel, however it is counted.
#include "bench/kernel_structure.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fusec::bench {
namespace {

fusion::KernelWork kernel() {
    fusion::KernelWork work;
    work.elements_per_block = 32;
    work.threads_per_block = 96;
    work.shared_bytes = 4096;
    fusion::WorkStep step;
    step.threads = 3;
    step.routine = std::make_shared<const std::string>("mmul_row(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3");
    step.accesses = {{.addressing = fusion::Addressing::strided, .bytes = 4, .count = 27}};
    work.steps = {step};
    return work;
}

TEST(KernelStructure, AmountsAreNoPartOfIt) {
    fusion::KernelWork counted = kernel();
    counted.instructions = 7;
    counted.read_bytes = 36;
    counted.steps[0].instructions = 7;
    counted.steps[0].accesses[0].count = 9;
    EXPECT_EQ(structure_of(counted), structure_of(kernel()));
    EXPECT_EQ(accesses_of(counted), accesses_of(kernel()));
}

TEST(KernelStructure, BlocksStepsThreadsAndRoutinesAre) {
    const auto differs = [](auto change) {
        fusion::KernelWork other = kernel();
        change(other);
        return structure_of(other) != structure_of(kernel());
    };
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.elements_per_block = 64; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.threads_per_block = 64; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.shared_bytes = 4112; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.block_barriers = 1; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.steps[0].threads = 1; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.steps[0].kind = fusion::WorkStep::Kind::store; }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.steps[0].routine = std::make_shared<const std::string>("other"); }));
    EXPECT_TRUE(differs([](fusion::KernelWork& work) { work.steps.push_back(work.steps[0]); }));
}

TEST(KernelStructure, AccessesAreToldByTheirWays) {
    fusion::KernelWork other = kernel();
    other.steps[0].accesses[0].addressing = fusion::Addressing::unit;
    EXPECT_NE(accesses_of(other), accesses_of(kernel()));
    EXPECT_EQ(structure_of(other), structure_of(kernel()));
    other = kernel();
    other.steps[0].accesses.push_back(other.steps[0].accesses[0]);
    EXPECT_NE(accesses_of(other), accesses_of(kernel()));
}

} // namespace
} // namespace fusec::bench
