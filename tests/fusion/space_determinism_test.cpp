// SPDX-License-Identifier: Apache-2.0
// The candidate space does not depend on what was asked before, nor on the last bits of a prediction.
#include "fusion/choice_search.hpp"
#include "fusion/columns.hpp"
#include "fusion/kernel_builder.hpp"
#include "space_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace fusec::fusion {
namespace {

using test::catalog;
using test::mixed;
using test::space;

TEST(SpaceDeterminism, SameInputSameFronts) {
    const dag::CallGraph graph = mixed(Precision::f64);
    Space a = space(graph);
    Space b = space(graph);
    // In opposite order: what is asked first does not matter.
    for (std::size_t column = 0; column < a.columns().size(); ++column) {
        a.seconds(ColumnId(column));
        b.front(ColumnId(a.columns().size() - 1 - column));
    }
    for (std::size_t column = 0; column < a.columns().size(); ++column) {
        const Front& one = a.front(ColumnId(column));
        const Front& other = b.front(ColumnId(column));
        ASSERT_EQ(one.kept.size(), other.kept.size());
        for (std::size_t i = 0; i < one.kept.size(); ++i) {
            EXPECT_EQ(one.kept[i].cost.seconds, other.kept[i].cost.seconds);
            EXPECT_EQ(granularity_text(one.kept[i]), granularity_text(other.kept[i]));
            EXPECT_EQ(one.kept[i].steps.size(), other.kept[i].steps.size());
        }
    }
    EXPECT_EQ(a.statistics().candidates, b.statistics().candidates);
    EXPECT_EQ(a.statistics().rejected, b.statistics().rejected);
}

/// Text of everything that a candidate decides.
std::string text_of(const Candidate& candidate) {
    std::ostringstream text;
    for (const Step& step : candidate.steps) {
        text << static_cast<int>(step.kind) << ' ' << step.call.value << ' ' << step.datum.value << '\n';
    }
    for (const DatumPlan& plan : candidate.data) {
        const SharedSlot slot = plan.slot.value_or(SharedSlot{});
        text << static_cast<int>(plan.placement) << ' ' << static_cast<int>(plan.load) << ' ' << static_cast<int>(plan.store) << ' '
             << slot.offset << ' ' << slot.bytes << ' ' << slot.run << ' ' << slot.first_step << ' ' << slot.last_step << '\n';
    }
    const KernelWork& work = candidate.work;
    text << candidate.threads_per_block << ' ' << candidate.shared_bytes << ' ' << work.elements_per_block << ' ' << work.shared_wavefronts
         << ' ' << work.l1_wavefronts << ' ' << work.instructions << ' ' << work.registers << ' ' << work.block_barriers << ' '
         << work.warp_barriers << ' ' << work.dependent_phases << ' ' << work.path_instructions << ' ' << work.lane_slots << ' '
         << work.arithmetic_lane_slots;
    return text.str();
}

TEST(SpaceDeterminism, AChoiceIsTheSameWhateverWasElaboratedBefore) {
    // Choices of one pattern share barriers and work; a builder that only ever saw the one choice cannot share anything.
    for (const dag::CallGraph& graph : {test::demo(), mixed(Precision::f32), mixed(Precision::f64)}) {
        const std::vector<CallRoutines> routines = find_routines(graph, catalog(), DeviceLimits{});
        CallCosts costs(graph, routines);
        const Space all = space(graph);
        std::size_t compared = 0;
        const DeviceLimits limits;
        KernelBuilder shared(limits);
        for (const Column& column : all.columns()) {
            const KernelOutline kernel = outline(graph, column, routines, costs);
            ChoiceSpace choices(kernel, limits);
            shared.begin(kernel);
            search_choices(choices, 200, [&](const KernelChoice& choice) -> Trial {
                Candidate alone, together;
                KernelBuilder fresh(limits);
                const bool refused = fresh.build(kernel, choices.combination(choice.combination), choice, alone).has_value();
                EXPECT_EQ(shared.decide(choices.combination(choice.combination), choice).has_value(), refused);
                if (refused) {
                    return {};
                }
                shared.write(together);
                EXPECT_EQ(text_of(together), text_of(alone));
                ++compared;
                return {false, alone.work.shared_wavefronts + alone.work.instructions};
            });
        }
        EXPECT_GT(compared, 1000U);
    }
}

TEST(SpaceDeterminism, PredictionsAreComparedTo40Bits) {
    EXPECT_EQ(rounded_prediction(1.0 + std::ldexp(1, -39)), 1.0 + std::ldexp(1, -39));
    EXPECT_EQ(rounded_prediction(1.0 + std::ldexp(1, -42)), 1.0);
    EXPECT_EQ(rounded_prediction(0.0), 0.0);
    EXPECT_TRUE(std::isinf(rounded_prediction(ColumnSource::impossible)));
    // Two results of a power that differ in the last bit are one prediction; order is kept.
    const double some = 0.000665426449097534;
    EXPECT_EQ(rounded_prediction(some), rounded_prediction(std::nextafter(some, 1)));
    double before = 0;
    for (double value = 1e-6; value < 1e-2; value *= 1 + 1e-3) {
        EXPECT_LE(before, rounded_prediction(value));
        EXPECT_NEAR(rounded_prediction(value), value, std::ldexp(value, -40));
        before = rounded_prediction(value);
    }
}

// What is counted does not depend on what was asked for first: a price leaves routines out, a front does not.
TEST(SpaceDeterminism, CountsAreThoseOfTheFronts) {
    const dag::CallGraph graph = mixed(Precision::f32);
    Space prices_first = space(graph);
    Space fronts_only = space(graph);
    for (std::size_t column = 0; column < fronts_only.columns().size(); ++column) {
        prices_first.seconds(ColumnId(column));
    }
    for (std::size_t column = 0; column < fronts_only.columns().size(); ++column) {
        prices_first.front(ColumnId(column));
        fronts_only.front(ColumnId(column));
    }
    EXPECT_EQ(prices_first.statistics().candidates, fronts_only.statistics().candidates);
    EXPECT_EQ(prices_first.statistics().dominated, fronts_only.statistics().dominated);
    EXPECT_EQ(prices_first.statistics().rejected, fronts_only.statistics().rejected);
}

} // namespace
} // namespace fusec::fusion
