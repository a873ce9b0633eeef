// SPDX-License-Identifier: Apache-2.0
// What is dropped from caches. That it is, time alone would tell (bench/eviction.cpp); here, that every line is asked for and no value is lost.
#include "execute/eviction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fusec::execute {
namespace {

struct alignas(64) Line {
    unsigned char bytes[64];
};

TEST(Eviction, IsOfEveryLineThatHoldsOneOfTheBytes) {
    if (!can_evict()) {
        GTEST_SKIP() << "no instruction of this processor is known";
    }
    const std::vector<Line> lines(4);
    const unsigned char* const first = lines.front().bytes;
    EXPECT_EQ(evict_lines(first, 0), 0U);
    EXPECT_EQ(evict_lines(first, 1), 1U);
    EXPECT_EQ(evict_lines(first, 64), 1U);
    EXPECT_EQ(evict_lines(first, 65), 2U);
    EXPECT_EQ(evict_lines(first + 63, 1), 1U);
    EXPECT_EQ(evict_lines(first + 63, 2), 2U);
    EXPECT_EQ(evict_lines(first + 63, 66), 3U);
    EXPECT_EQ(evict_lines(first, sizeof(Line) * lines.size()), 4U);
}

// What was written a moment ago is nowhere but in a cache.
TEST(Eviction, LosesNothing) {
    if (!can_evict()) {
        GTEST_SKIP() << "no instruction of this processor is known";
    }
    std::vector<int> values(1 << 20);
    for (int round = 0; round < 3; ++round) {
        std::ranges::generate(values, [next = round]() mutable { return next += 7; });
        evict_lines(values.data(), values.size() * sizeof(int));
        int expected = round;
        for (const int value : values) {
            ASSERT_EQ(value, expected += 7);
        }
    }
}

} // namespace
} // namespace fusec::execute
