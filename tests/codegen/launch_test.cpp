// SPDX-License-Identifier: Apache-2.0
// The host side of the runtime at sizes that no machine here has memory for.
#include "elementary-lib/runtime/fusec/launch.cuh"
#include "elementary-lib/runtime/fusec/lists.cuh"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <vector>

namespace {

void kernel(const float*, std::size_t, std::size_t) {}
constexpr std::size_t most_blocks = 2147483647;

class Launch : public testing::Test {
protected:
    void SetUp() override {
        recorded_launches.clear();
        next_error = cudaSuccess;
    }
    float element = 0;
};

} // namespace

TEST_F(Launch, one_block_per_tile_and_none_for_nothing) {
    for (const auto& [n, blocks] : {std::pair<std::size_t, unsigned>{1, 1}, {63, 1}, {64, 1}, {65, 2}, {6400, 100}}) {
        recorded_launches.clear();
        EXPECT_EQ(fusec::launch(kernel, n, 64, 192, 1024, nullptr, &element), cudaSuccess);
        ASSERT_EQ(recorded_launches.size(), 1u);
        EXPECT_EQ(recorded_launches[0].blocks, blocks);
        EXPECT_EQ(recorded_launches[0].threads, 192u);
        EXPECT_EQ(recorded_launches[0].shared_bytes, 1024u);
    }
    recorded_launches.clear();
    EXPECT_EQ(fusec::launch(kernel, 0, 64, 192, 1024, nullptr, &element), cudaSuccess);
    EXPECT_TRUE(recorded_launches.empty());
}

TEST_F(Launch, a_grid_that_is_too_large_is_split) {
    // 2^40 elements in tiles of 8 are 2^37 blocks: 64 full grids of 2^31 - 1 blocks and one of 64.
    const std::size_t n = std::size_t{1} << 40;
    EXPECT_EQ(fusec::launch(kernel, n, 8, 32, 0, nullptr, &element), cudaSuccess);
    ASSERT_EQ(recorded_launches.size(), 65u);
    std::size_t next = 0;
    for (const RecordedLaunch& launch : recorded_launches) {
        EXPECT_EQ(launch.first, next);
        EXPECT_EQ(launch.n, n);
        next += std::size_t{launch.blocks} * 8;
    }
    EXPECT_EQ(next, n);
    EXPECT_EQ(recorded_launches.front().blocks, most_blocks);
    EXPECT_EQ(recorded_launches.back().blocks, 64u);
}

TEST_F(Launch, the_error_of_a_launch_is_returned_and_ends_it) {
    next_error = cudaErrorLaunchOutOfResources;
    EXPECT_EQ(fusec::launch(kernel, std::size_t{1} << 40, 8, 32, 0, nullptr, &element), cudaErrorLaunchOutOfResources);
    EXPECT_EQ(recorded_launches.size(), 1u);
    recorded_launches.clear();
    EXPECT_EQ(fusec::launch_large(kernel, 1, 8, 32, 65536, nullptr, &element), cudaErrorLaunchOutOfResources);
    EXPECT_TRUE(recorded_launches.empty());
    EXPECT_EQ(allowed_shared_bytes, 65536);
}

TEST(Lists, null_overlap_and_too_many_elements_are_refused) {
    float memory[64] = {};
    const fusec::list good[] = {{memory, 4, false}, {memory, 4, true}, {memory + 32, 4, false}};
    EXPECT_TRUE(fusec::lists_valid<2>(good, 0, 32));  // inputs may overlap
    EXPECT_FALSE(fusec::lists_valid<1>(good, 0, 32)); // but not what is written
    EXPECT_FALSE(fusec::lists_valid<2>(good, 0, 33));
    EXPECT_TRUE(fusec::lists_valid<2>(good, 32, 32)); // only the range counts
    EXPECT_FALSE(fusec::lists_valid<2>(good, 0, (std::size_t{1} << 40) + 1));
    EXPECT_FALSE(fusec::lists_valid<2>(good, ~std::size_t{0}, 2));
    const fusec::list null[] = {{memory, 4, false}, {nullptr, 4, false}};
    EXPECT_FALSE(fusec::lists_valid<1>(null, 0, 1));
    const fusec::list same[] = {{memory, 4, false}, {memory + 8, 4, false}, {memory + 8, 4, false}};
    EXPECT_FALSE(fusec::lists_valid<1>(same, 0, 1));
    const fusec::list uniform[] = {{memory + 3, 4, true}, {memory, 4, false}};
    EXPECT_TRUE(fusec::lists_valid<1>(uniform, 0, 3));
    EXPECT_FALSE(fusec::lists_valid<1>(uniform, 0, 4));
}

// The check by address says what the comparison of all pairs says, of lists that touch, overlap, hold each other or are null.
TEST(Lists, many_are_checked_as_few_are) {
    std::mt19937 random(1);
    const auto draw = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
    alignas(16) static char memory[4096];
    int valid = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        fusec::list lists[7];
        const std::size_t first = draw(5), count = 1 + draw(4), room = draw(2) == 0 ? 40 : 400;
        for (fusec::list& list : lists) {
            list = {memory + 64 * draw(room / 8), 4 * (1 + draw(20)), draw(4) == 0};
        }
        if (draw(50) == 0) {
            lists[draw(7)].data = nullptr;
        }
        const bool all_pairs = fusec::lists_valid<4>(lists, first, count);
        ASSERT_EQ(fusec::many_lists_valid<4>(lists, first, count), all_pairs) << i;
        ASSERT_EQ(fusec::many_lists_valid<6>(lists, first, count), fusec::lists_valid<6>(lists, first, count)) << i;
        (all_pairs ? valid : refused) += 1;
    }
    EXPECT_GT(valid, 2000);
    EXPECT_GT(refused, 2000);
    const fusec::list good[] = {{memory, 4, false}, {memory, 4, true}, {memory + 128, 4, false}};
    EXPECT_TRUE(fusec::many_lists_valid<2>(good, 0, 32));
    EXPECT_FALSE(fusec::many_lists_valid<2>(good, 0, (std::size_t{1} << 40) + 1));
    EXPECT_FALSE(fusec::many_lists_valid<2>(good, ~std::size_t{0}, 2));
}

// 3000 lists, of which 1500 are written.
TEST(Lists, many_take_no_time) {
    static char memory[3000 * 64];
    static fusec::list lists[3000];
    for (std::size_t i = 0; i < 3000; ++i) {
        lists[i] = {memory + 64 * (i * 1009 % 3000), 4, false};
    }
    const auto seconds = [&](auto&& check) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_TRUE(check());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    double pairs = 1e9, sorted = 1e9; // the least of some: a machine does other things too
    for (int i = 0; i < 5; ++i) {
        pairs = std::min(pairs, seconds([&] { return fusec::lists_valid<1500>(lists, 0, 16); }));
        sorted = std::min(sorted, seconds([&] { return fusec::many_lists_valid<1500>(lists, 0, 16); }));
    }
    EXPECT_LT(sorted * 5, pairs);
    std::printf("             all pairs %.2f ms, sorted %.3f ms\n", pairs * 1e3, sorted * 1e3);
}

TEST(Lists, alignment_counts_from_the_first_element_and_not_for_uniforms) {
    alignas(16) float memory[64] = {};
    const fusec::list lists[] = {{memory, 36}, {memory + 1, 4, true}, {memory, 12}};
    EXPECT_TRUE(fusec::aligned16(lists, 0));
    EXPECT_FALSE(fusec::aligned16(lists, 1));
    EXPECT_FALSE(fusec::aligned16(lists, 2));
    EXPECT_TRUE(fusec::aligned16(lists, 4));
    const fusec::list shifted[] = {{memory, 16}, {memory + 2, 8}};
    EXPECT_FALSE(fusec::aligned16(shifted, 0));
    EXPECT_TRUE(fusec::aligned16(shifted, 1)); // 8 bytes off, and 8 bytes per element
}

TEST(Workspace, slots_are_multiples_of_256) {
    EXPECT_EQ(fusec::slot_bytes(0, 36), 0u);
    EXPECT_EQ(fusec::slot_bytes(1, 36), 256u);
    EXPECT_EQ(fusec::slot_bytes(64, 36), 2304u);
    EXPECT_EQ(fusec::slot_bytes(65, 36), 2560u);
    constexpr size_t figures[] = {36, 4, 100};
    EXPECT_EQ(fusec::slots_bytes(65, figures, 0), 0u);
    EXPECT_EQ(fusec::slots_bytes(65, figures, 1), 2560u);
    EXPECT_EQ(fusec::slots_bytes(65, figures, 2), 2560u + 512u);
    EXPECT_EQ(fusec::slots_bytes(65, figures), 2560u + 512u + 6656u);
}
