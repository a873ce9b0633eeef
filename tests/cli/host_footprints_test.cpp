// SPDX-License-Identifier: Apache-2.0
// Where a sweep of footprints says that the caches end.
#include "cli/host_footprints.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fusec::cli {
namespace {

constexpr double mebibyte = 1024 * 1024;

std::vector<Footprint> sweep(const std::vector<double>& rates) {
    std::vector<Footprint> all;
    double bytes = 4 * mebibyte;
    for (const double rate : rates) {
        all.push_back({bytes, rate});
        bytes *= 2;
    }
    return all;
}

TEST(Footprints, DoubleUntilTwiceTheLastLevel) {
    EXPECT_EQ(footprints(1, 8, 1000), (std::vector<double>{2, 4, 8, 16}));
    EXPECT_EQ(footprints(1, 9, 1000), (std::vector<double>{2, 4, 8, 16, 32}));
    EXPECT_EQ(footprints(4, 4, 1000), (std::vector<double>{8, 16, 32})) << "three at least";
    EXPECT_EQ(footprints(1, 512, 100), (std::vector<double>{2, 4, 8, 16, 32, 64})) << "no more than a machine may have";
    EXPECT_EQ(footprints(64, 512, 100), (std::vector<double>{128, 256, 512})) << "but three";
}

// A processor whose system tells 480 MiB; read with a loop of its own.
TEST(LastLevel, IsWhatIsHeldNotWhatIsTold) {
    const auto found = last_level(sweep({28.8, 28.6, 28.5, 27.6, 8.1, 8.2, 10.2, 7.6, 7.1}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bytes, 32 * mebibyte);
    EXPECT_DOUBLE_EQ(found->gb_per_s, 28.5) << "of the three beyond the first, which the second level may have a part of";
    EXPECT_EQ(found->points, 3);
    EXPECT_NEAR(found->spread, (0.1 + 0.9) / 28.5 / 3, 1e-12);
}

// A Xeon, by `fusec calibrate` on two processors: the first footprint, there of 8 MiB, is in part in their second levels.
TEST(LastLevel, IsNotJudgedByWhatTheSecondLevelHoldsInPart) {
    const std::vector<double> measured = {42.51, 32.91, 31.61, 27.07, 24.32, 24.25, 24.04, 23.70};
    EXPECT_EQ(last_level(sweep(measured))->bytes, 16 * mebibyte);
    EXPECT_DOUBLE_EQ(last_level(sweep(measured))->gb_per_s, (32.91 + 31.61) / 2);
    EXPECT_EQ(last_level(sweep({40, 12, 11, 10, 10}))->bytes, 4 * mebibyte) << "the first alone is held";
    EXPECT_EQ(last_level(sweep({40, 14, 11, 10, 10}))->bytes, 4 * mebibyte) << "no second level makes that of 14";
    EXPECT_DOUBLE_EQ(last_level(sweep({40, 14, 11, 10, 10}))->gb_per_s, 40);
}

TEST(LastLevel, AFootprintThatIsHeldInPartIsNotHeld) {
    EXPECT_EQ(last_level(sweep({40, 40, 25, 12, 10}))->bytes, 16 * mebibyte) << "25 is above sqrt(40 * 10)";
    EXPECT_EQ(last_level(sweep({40, 40, 19, 12, 10}))->bytes, 8 * mebibyte);
    EXPECT_EQ(last_level(sweep({40, 12, 40, 10, 10}))->bytes, 4 * mebibyte) << "a larger one that was lucky does not count";
}

TEST(LastLevel, NoneWhereNothingIsFaster) {
    EXPECT_FALSE(last_level(sweep({10, 10.5, 9.8, 10})));
    EXPECT_FALSE(last_level(sweep({12.4, 12.4, 10}))) << "less than a quarter";
    EXPECT_TRUE(last_level(sweep({12.6, 12.6, 10})));
    EXPECT_FALSE(last_level(sweep({10, 30, 10}))) << "the smallest is not held";
    EXPECT_FALSE(last_level({}));
}

} // namespace
} // namespace fusec::cli
