// SPDX-License-Identifier: Apache-2.0
#include "execute/displacement.hpp"

#include "support/processors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <sched.h>

namespace fusec::execute {
namespace {

TEST(Displacement, EachProcessorReadsItsShare) {
    constexpr std::size_t lines = 10007;
    const std::vector<int> processors = affine_processors();
    ASSERT_FALSE(processors.empty());
    const std::vector<Displacement::Share> shares = Displacement(64.0 * lines, processors).read();
    ASSERT_EQ(shares.size(), processors.size());
    std::size_t read = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        EXPECT_EQ(shares[i].asked, processors[i]);
        EXPECT_EQ(shares[i].processor, processors[i]);
        EXPECT_GE(shares[i].lines, Displacement::passes * (lines / processors.size()));
        EXPECT_LE(shares[i].lines, Displacement::passes * (lines / processors.size() + 1));
        read += shares[i].lines;
    }
    EXPECT_EQ(read, Displacement::passes * lines) << "every line, in every pass";
}

TEST(Displacement, OneProcessorReadsAllOfItAndTheThreadStaysAsFreeAsItWas) {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    for (const std::vector<int>& processors : {std::vector<int>{affine_processors().back()}, std::vector<int>{}, affine_processors()}) {
        const std::vector<Displacement::Share> shares = Displacement(64 * 100, processors).read();
        std::size_t read = 0;
        for (const Displacement::Share& share : shares) {
            read += share.lines;
        }
        EXPECT_EQ(read, Displacement::passes * 100U);
    }
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Displacement, OfNothingReadsNothing) {
    for (const Displacement::Share& share : Displacement(0, affine_processors()).read()) {
        EXPECT_EQ(share.lines, 0U);
    }
}

} // namespace
} // namespace fusec::execute
