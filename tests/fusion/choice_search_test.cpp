// SPDX-License-Identifier: Apache-2.0
// The order in which implementations are tried, against trying all of them.
#include "fusion/choice_search.hpp"
#include "fusion/columns.hpp"
#include "fusion/kernel_builder.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/predictor.hpp"
#include "space_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace fusec::fusion {
namespace {

using test::catalog;
using test::demo;
using test::mixed;
using test::space;

/// What tells two choices of a kernel apart.
auto key(const ChoiceSpace& choices, const KernelChoice& choice) {
    return std::tuple(
        choices.combination(choice.combination), choice.elements, choice.loads, choice.stores, choice.order, choice.streaming);
}

/// Calls `visit(outline)` for the kernel of every column of the graph.
template <class Visit>
void each_kernel(const dag::CallGraph& graph, const DeviceLimits& limits, Visit visit) {
    const std::vector<CallRoutines> routines = find_routines(graph, catalog(), limits);
    CallCosts costs(graph, routines);
    const Space all = space(graph);
    for (const Column& column : all.columns()) {
        visit(outline(graph, column, routines, costs));
    }
}

/// Product of the numbers of routines of the calls, and for each of the choices of axes that its combination has.
std::size_t count_by_hand(const KernelOutline& kernel, const DeviceLimits& limits) {
    ChoiceSpace choices(kernel, limits);
    for (std::size_t base = 0; base < choices.combinations(); ++base) {
        for (std::size_t call = 0; call < choices.calls(); ++call) {
            for (std::size_t routine = 0; routine < choices.routines(call); ++routine) {
                choices.neighbour(base, call, routine);
            }
        }
    }
    std::size_t combinations = 1;
    for (const auto& call : kernel.calls) {
        combinations *= call.routines->routines.size();
    }
    EXPECT_EQ(choices.combinations(), combinations);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < choices.combinations(); ++i) {
        sum += choices.axes(i).count();
    }
    EXPECT_DOUBLE_EQ(choices.size(), static_cast<double>(sum));
    return sum;
}

TEST(ChoiceSearch, WarpsThatNoBlockFillsGiveNoChoiceAndNoKernel) {
    DeviceLimits limits;
    limits.warp_size = 7; // no description of a device may say so
    each_kernel(demo(), limits, [&](const KernelOutline& kernel) {
        ChoiceSpace choices(kernel, limits);
        search_choices(choices, SIZE_MAX, [&](const KernelChoice& choice) -> Trial {
            ADD_FAILURE() << choice.elements << " elements";
            return {};
        });
    });
    const dag::CallGraph graph = demo();
    Space none = space(graph, limits);
    for (std::size_t column = 0; column < none.columns().size(); ++column) {
        EXPECT_TRUE(std::isinf(none.seconds(ColumnId(column))));
        EXPECT_TRUE(none.front(ColumnId(column)).kept.empty());
        EXPECT_GT(none.front(ColumnId(column)).rejected.size(), 0U);
    }
}

TEST(ChoiceSearch, TriesEveryChoiceOnceIfAllowed) {
    std::size_t kernels = 0;
    const DeviceLimits limits;
    each_kernel(demo(), limits, [&](const KernelOutline& kernel) {
        if (kernel.calls.size() > 2) {
            return; // a million
        }
        ++kernels;
        ChoiceSpace choices(kernel, limits);
        std::set<decltype(key(choices, {}))> tried;
        std::size_t trials = 0;
        search_choices(choices, SIZE_MAX, [&](const KernelChoice& choice) -> Trial {
            ++trials;
            tried.insert(key(choices, choice));
            return {false, static_cast<double>((trials * 7919) % 1009)};
        });
        EXPECT_EQ(tried.size(), trials);
        EXPECT_EQ(trials, count_by_hand(kernel, limits));
    });
    EXPECT_GT(kernels, 5U);
}

TEST(ChoiceSearch, StopsAtItsLimitAndIsDeterministic) {
    const DeviceLimits limits;
    each_kernel(mixed(Precision::f64), limits, [&](const KernelOutline& kernel) {
        std::vector<std::size_t> numbers[2];
        for (std::vector<std::size_t>& list : numbers) {
            ChoiceSpace choices(kernel, limits);
            search_choices(choices, 37, [&](const KernelChoice& choice) -> Trial {
                list.push_back(choice.combination * 1000 + static_cast<std::size_t>(choice.elements));
                return {choice.elements > 64, 1.0 / (1 + choice.elements)};
            });
        }
        EXPECT_EQ(numbers[0], numbers[1]);
        EXPECT_LE(numbers[0].size(), 37U);
        EXPECT_EQ(numbers[0].size(), std::min<std::size_t>(37, count_by_hand(kernel, limits)));
    });
}

TEST(ChoiceSearch, OneThatSpillsIsWorseThanAnyThatDoesNot) {
    EXPECT_TRUE((Trial{false, 2} < Trial{true, 1}));
    EXPECT_TRUE((Trial{true, 1} < Trial{true, 2}));
    EXPECT_TRUE((Trial{false, 1} < Trial{}));
    EXPECT_FALSE((Trial{} < Trial{}));
    EXPECT_TRUE((Trial{true, 1} < Trial{})) << "what spills can be run";
    EXPECT_FALSE((Trial{} < Trial{true, 1}));
}

TEST(ChoiceSearch, GoesOnFromWhatSpillsWhereNothingElseRuns) {
    const DeviceLimits limits;
    std::size_t kernels = 0;
    each_kernel(demo(), limits, [&](const KernelOutline& kernel) {
        ChoiceSpace choices(kernel, limits);
        const std::size_t probes = 2 * choices.uniform();
        if (choices.uniform() < 3) {
            return;
        }
        ++kernels;
        std::size_t trials = 0, descent = 0;
        search_choices(choices, probes + 4, [&](const KernelChoice& choice) -> Trial {
            const bool runs = choice.combination == 2;
            descent += ++trials > probes && runs ? 1U : 0U;
            return runs ? Trial{true, 1.0} : Trial{};
        });
        EXPECT_EQ(descent, 4U);
    });
    EXPECT_GT(kernels, 10U);
}

TEST(ChoiceSearch, AHundredTrialsComeCloseToTheBestOfAll) {
    // The device's model decides; all implementations of the kernels of up to two calls are the other side.
    Diagnostics diagnostics;
    const perfmodel::Device device = perfmodel::find_device("h200", diagnostics).value();
    const auto predictor = perfmodel::make_predictor("composite", device, diagnostics);
    std::size_t kernels = 0;
    std::size_t best = 0;
    for (const dag::CallGraph& graph : {demo(), mixed(Precision::f32), mixed(Precision::f64)}) {
        each_kernel(graph, device.limits, [&](const KernelOutline& kernel) {
            if (kernel.calls.size() > 2) {
                return;
            }
            const auto least = [&](std::size_t most) {
                ChoiceSpace choices(kernel, device.limits);
                KernelBuilder builder(device.limits);
                builder.begin(kernel);
                Trial found;
                search_choices(choices, most, [&](const KernelChoice& choice) -> Trial {
                    if (builder.decide(choices.combination(choice.combination), choice)) {
                        return {};
                    }
                    const KernelWork& work = builder.draft().work;
                    const Trial trial{work.spill_bytes > 0, predictor->seconds(work, 1 << 20)};
                    found = std::min(found, trial);
                    return trial;
                });
                return found;
            };
            const Trial of_all = least(SIZE_MAX);
            const Trial of_few = least(100);
            ++kernels;
            best += of_few.seconds <= of_all.seconds * (1 + 1e-9) ? 1 : 0;
            EXPECT_EQ(of_few.spills, of_all.spills);
            EXPECT_LE(of_few.seconds, of_all.seconds * 1.04);
        });
    }
    EXPECT_GT(kernels, 20U);
    EXPECT_GE(best, kernels * 9 / 10);
}

} // namespace
} // namespace fusec::fusion
