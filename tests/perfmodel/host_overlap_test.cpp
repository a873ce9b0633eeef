// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/host_overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fusec::perfmodel {
namespace {

/// Chains: the same lists, more and more arithmetic.
std::vector<OverlappedTime> chains(double exponent) {
    std::vector<OverlappedTime> times;
    for (const double routines : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
        times.push_back({2, routines, std::pow(std::pow(2, exponent) + std::pow(routines, exponent), 1 / exponent)});
    }
    return times;
}

TEST(HostOverlap, IsTheExponentThatMadeTheTimes) {
    for (const double exponent : {1.0, 1.17, 2.0, 5.5}) {
        const OverlapFit found = fit_overlap(chains(exponent)).value();
        EXPECT_NEAR(found.exponent, exponent, 1e-9);
        EXPECT_NEAR(found.error, 0, 1e-12);
    }
}

// Longer than one after the other: 1, and how far off that is. As short as the longer of the two: the greatest.
TEST(HostOverlap, StaysWithinWhatOverlapCanBe) {
    const OverlapFit slow = fit_overlap(std::vector<OverlappedTime>{{2, 2, 5}, {1, 3, 5}}).value();
    EXPECT_EQ(slow.exponent, 1);
    EXPECT_NEAR(slow.error, 0.2, 1e-12);
    EXPECT_EQ(fit_overlap(std::vector<OverlappedTime>{{2, 2, 2}}).value().exponent, greatest_overlap);
}

// One that something disturbed does not decide.
TEST(HostOverlap, OneDisturbedTimeMovesLittle) {
    std::vector<OverlappedTime> times = chains(2);
    times.front().together *= 3;
    EXPECT_NEAR(fit_overlap(times).value().exponent, 2, 0.01);
}

// Where the start-up was measured longer than it is, what is left of a short time is none.
TEST(HostOverlap, TimesThatCannotBeDoNotCount) {
    std::vector<OverlappedTime> times = chains(2);
    times[1].together = -0.25;
    times[2].transfers = 0;
    times[3].routines = 0;
    const OverlapFit found = fit_overlap(times).value();
    EXPECT_NEAR(found.exponent, 2, 1e-9);
    EXPECT_EQ(found.points, 3);
    EXPECT_FALSE(fit_overlap(std::vector<OverlappedTime>{{1, 0, 1}, {1, 1, -1}}).has_value());
    EXPECT_FALSE(fit_overlap({}).has_value());
}

} // namespace
} // namespace fusec::perfmodel
