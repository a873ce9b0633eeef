// SPDX-License-Identifier: Apache-2.0
// The fused kernel of examples/demo.fus, as emitted, against what program and plan imply. The numbers are derived from the sizes of the
// program's operands alone.
#include "analysed.hpp"

#include <gmock/gmock.h>

namespace fusec::perfmodel::analysis {
namespace {

using enum InstructionClass;
using testing::IsEmpty;

/// Operations of an m x k by k x n product: each entry is k products and k - 1 sums.
constexpr int products(int m, int k, int n) {
    return m * n * k;
}
constexpr int sums(int m, int k, int n) {
    return m * n * (k - 1);
}

// M1 = A B (3x3), v1 = M1 c, s1 = ||v1||, M2 = D E (5x5), M3 = M2 + D, F = s1 M3.
constexpr int demo_products = products(3, 3, 3) + products(3, 3, 1) + 3 + products(5, 5, 5) + 25;
constexpr int demo_sums = sums(3, 3, 3) + sums(3, 3, 1) + 2 + sums(5, 5, 5) + 25;
constexpr int demo_sums_of_products = demo_sums - 25; // all but those of M3, whose operands are no products
constexpr int words_in = 9 + 9 + 3 + 25 + 25;
constexpr int words_out = 25;
constexpr unsigned tile = 32; // the plan's: elements and threads of a block

Launch block_of(std::int64_t elements) {
    Launch launch;
    launch.threads = tile;
    launch.arguments = {{"first", 0}, {"n", elements}};
    return launch;
}

TEST(Demo, FlopsBytesAndBarriersAreThoseOfTheProgram) {
    const auto module = module_of(demo_text());
    EXPECT_THAT(module->kernels(), testing::ElementsAre("demo_kernels::demo_F<float4>", "demo_kernels::demo_F<float>"));
    for (const std::string& kernel : module->kernels()) {
        for (const int elements : {32, 5}) { // a full tile and a partial one
            const KernelProfile profile = profile_of(*module, kernel, block_of(elements));
            EXPECT_EQ(profile.block.flops_f32(), elements * (demo_products + demo_sums)) << kernel;
            EXPECT_EQ(profile.block[fma_f32], elements * demo_sums_of_products);
            EXPECT_EQ(profile.block[mul_f32], elements * (demo_products - demo_sums_of_products));
            EXPECT_EQ(profile.block[add_f32], elements * (demo_sums - demo_sums_of_products));
            EXPECT_EQ(profile.block[square_root_f32], elements);
            EXPECT_EQ(profile.block.flops_f64(), 0);
            EXPECT_EQ(profile.bytes(Space::global, false), elements * words_in * 4);
            EXPECT_EQ(profile.bytes(Space::global, true), elements * words_out * 4);
            // Everything passes through shared memory: written once by the copies, F once more by its elements and read for its copy.
            EXPECT_EQ(profile.bytes(Space::shared, true), elements * (words_in + words_out) * 4);
            EXPECT_EQ(profile.block_barriers, 0);
            EXPECT_EQ(profile.warp_barriers, 2);
            EXPECT_EQ(profile.block[warp_barrier], 2 * tile);
            EXPECT_EQ(profile.bytes(Space::local, false) + profile.bytes(Space::local, true), 0);
            EXPECT_THAT(profile.unknowns, IsEmpty());
            EXPECT_EQ(profile.source.substr(0, 15), "llvm (clang 19.");
        }
    }
}

TEST(Demo, WithoutContractionProductsAndSumsStayApart) {
    DeviceText text = demo_text();
    text.contract = false;
    const auto module = module_of(text);
    const KernelProfile profile = profile_of(*module, "demo_kernels::demo_F<float4>", block_of(tile));
    EXPECT_EQ(profile.block[fma_f32], 0);
    EXPECT_EQ(profile.block[mul_f32], tile * demo_products);
    EXPECT_EQ(profile.block[add_f32], tile * demo_sums);
}

TEST(Demo, AccessesAreCoalescedAndWithoutBankConflicts) {
    const auto module = module_of(demo_text());
    const KernelProfile profile = profile_of(*module, "demo_kernels::demo_F<float4>", block_of(tile));
    double copies = 0;
    double sectors = 0;
    for (const AccessProfile& access : profile.accesses) {
        if (access.count == 0) {
            continue;
        }
        EXPECT_TRUE(access.known) << access.where;
        if (access.space == Space::global) {
            EXPECT_EQ(access.pattern, Pattern::unit) << access.where;
            EXPECT_EQ(access.bytes, 16) << access.where;
            sectors += access.transactions * access.warp_accesses;
            copies += access.async ? access.count : 0;
        } else if (!access.async && access.bytes == 4) {
            // Neighbouring elements are 9, 3 or 25 words apart, all odd.
            EXPECT_EQ(access.transactions, 1) << access.where;
        }
    }
    EXPECT_EQ(copies, tile * words_in / 4);
    EXPECT_EQ(sectors, tile * (words_in + words_out) * 4 / 32);
}

TEST(Demo, ElementCountThatIsNotGivenIsReported) {
    const auto module = module_of(demo_text());
    Launch launch = block_of(tile);
    launch.arguments.erase("n");
    const KernelProfile profile = profile_of(*module, "demo_kernels::demo_F<float4>", launch);
    EXPECT_THAT(profile.unknowns, testing::Contains(testing::HasSubstr("trip count of the loop")));
}

} // namespace
} // namespace fusec::perfmodel::analysis
