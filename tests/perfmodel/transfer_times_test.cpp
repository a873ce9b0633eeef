// SPDX-License-Identifier: Apache-2.0
// Kernels that move lists of which it is known what each takes: those times have to come back.
#include "perfmodel/fit/transfer_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fusec::perfmodel {
namespace {

using List = MovingKernel::List;

/// At the peak; a strided list asks for five times as many sectors as it has bytes.
const List load{"load", 1, 1}, store{"store", 1.2, 1.2}, wide_load{"wide load", 1, 1}, strided_load{"strided load", 0.5, 5},
    strided_store{"strided store", 1.2, 6};
const std::map<std::string, double> truth{{"load", 1.5}, {"store", 1.8}, {"wide load", 1.5}, {"strided load", 2.5}, {"strided store", 9}};

MovingKernel kernel_of(const std::vector<List>& lists) {
    MovingKernel kernel{lists, 0};
    for (const List& list : lists) {
        kernel.ns += truth.at(list.transfer);
    }
    return kernel;
}

TEST(TransferTimes, ListsThatAreAloneTogetherAreDividedByTheirPeaks) {
    const std::vector<MovingKernel> kernels{kernel_of({load, store})};
    const TransferTimes found = transfer_times(kernels);
    EXPECT_NEAR(found.ns.at("load"), 1.5, 1e-4);
    EXPECT_NEAR(found.ns.at("store"), 1.8, 1e-4);
    EXPECT_EQ(found.alone, std::vector<bool>{true});
}

// A load that is fast beside a store that is slow is not slow: what both take alike is known of another kernel.
TEST(TransferTimes, ASlowStoreIsNotBookedToTheLoad) {
    const std::vector<MovingKernel> kernels{kernel_of({load, strided_store}), kernel_of({load, store}),
        kernel_of({wide_load, strided_store}), kernel_of({strided_load, store})};
    const TransferTimes found = transfer_times(kernels);
    for (const char* name :
        {"load", "wide load", "store", "strided load"}) { // all but the last would be moved for a fifth of the other's time more
        EXPECT_NEAR(found.ns.at(name) / truth.at(name), 1, 0.25) << name;
    }
    EXPECT_NEAR(found.ns.at("strided store") / 9, 1, 0.03);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        EXPECT_NEAR(found.sums[i] / kernels[i].ns, 1, 1e-4);
        EXPECT_FALSE(found.alone[i]);
    }
}

// A kernel of two loads and one store tells loads from stores.
TEST(TransferTimes, OtherNumbersOfListsDetermineAll) {
    const std::vector<MovingKernel> kernels{kernel_of({load, strided_store}), kernel_of({load, load, strided_store}),
        kernel_of({load, store}), kernel_of({wide_load, strided_store}), kernel_of({strided_load, store})};
    const TransferTimes found = transfer_times(kernels);
    for (const auto& [name, ns] : truth) {
        EXPECT_NEAR(found.ns.at(name) / ns, 1, 1e-4) << name;
    }
}

// Nothing but the sectors that they ask for tells a fast list from a slow one.
TEST(TransferTimes, AreDividedBySectorsWhereNothingElseTells) {
    const TransferTimes found = transfer_times(std::vector<MovingKernel>{kernel_of({load, strided_store})});
    EXPECT_NEAR(found.ns.at("load"), 10.5 / 7, 1e-4);
    EXPECT_NEAR(found.ns.at("strided store"), 9, 1e-3);
}

TEST(TransferTimes, KernelsThatContradictMeetInBetween) {
    std::vector<MovingKernel> kernels{kernel_of({load}), kernel_of({load})};
    kernels[0].ns = 2;
    kernels[1].ns = 4;
    const TransferTimes found = transfer_times(kernels);
    EXPECT_NEAR(found.ns.at("load"), (1. / 2 + 1. / 4) / (1. / 4 + 1. / 16), 1e-3); // squares of relative deviations
    EXPECT_EQ(found.sums, std::vector<double>(2, found.ns.at("load")));
}

// The strided load beside the fast store is so fast that less than nothing is left of the other kernel for the other store.
TEST(TransferTimes, NoListTakesLessThanItsLeast) {
    std::vector<MovingKernel> kernels{kernel_of({strided_load}), kernel_of({strided_load, store})};
    kernels[1].ns = 2;
    const TransferTimes found = transfer_times(kernels);
    EXPECT_NEAR(found.ns.at("store"), 1.2, 1e-12);
    EXPECT_GT(found.ns.at("strided load"), 0.5);
    EXPECT_GT(found.sums[1] / 2, 1.1);
}

// What is found is the least of what it promises to be the least of: no step along one time, or along two of them, makes it less.
TEST(TransferTimes, NoNeighbourIsNearer) {
    std::mt19937 random(7);
    const auto uniform = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
    for (int round = 0; round < 20; ++round) {
        std::vector<List> lists;
        for (int i = 0; i < 8; ++i) {
            const double least = uniform(0.1, 1);
            lists.push_back({std::string(1, static_cast<char>('a' + i)), least, least * uniform(1, 5)});
        }
        std::vector<MovingKernel> kernels;
        for (int i = 0; i < 14; ++i) {
            MovingKernel& kernel = kernels.emplace_back();
            for (int list = 0; list < 2; ++list) {
                kernel.lists.push_back(lists[static_cast<std::size_t>(uniform(0, 7.999))]);
            }
            kernel.ns = uniform(0.3, 6);
        }
        TransferTimes found = transfer_times(kernels);
        const auto distance = [&](const std::map<std::string, double>& times) {
            double squares = 0;
            for (const MovingKernel& kernel : kernels) {
                const double sum = times.at(kernel.lists[0].transfer) + times.at(kernel.lists[1].transfer);
                squares += (sum / kernel.ns - 1) * (sum / kernel.ns - 1);
            }
            return squares;
        };
        for (const auto& [one, ns] : found.ns) {
            for (const auto& [other, other_ns] : found.ns) {
                for (const double step : {-1e-2, 1e-2}) {
                    for (const double other_step : {-1e-2, 0.0, 1e-2}) {
                        std::map<std::string, double> moved = found.ns;
                        moved[one] += step;
                        moved[other] += other_step;
                        if (std::ranges::all_of(lists, [&](const List& list) {
                                return !moved.contains(list.transfer) || moved.at(list.transfer) >= list.least_ns;
                            })) {
                            EXPECT_GT(distance(moved), distance(found.ns) - 1e-5) << round;
                        }
                    }
                }
            }
        }
    }
}

} // namespace
} // namespace fusec::perfmodel
