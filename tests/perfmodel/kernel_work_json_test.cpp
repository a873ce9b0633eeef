// SPDX-License-Identifier: Apache-2.0
// Work that goes through JSON comes back as it was, and what is no work is told at its place.
#include "perfmodel/fit/kernel_work_json.hpp"

#include "devices.hpp"
#include "kernels_with_steps.hpp"
#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/predictor.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace fusec::perfmodel {
namespace {

using testing::HasSubstr;

std::optional<fusion::KernelWork> read(const std::string& text, std::string* said = nullptr) {
    Diagnostics diagnostics;
    std::optional<fusion::KernelWork> result;
    const auto root = parse_json(std::make_shared<const SourceText>("w.json", text), kind::invalid_measurement, diagnostics);
    if (root) {
        JsonReader json(kind::invalid_measurement, diagnostics);
        try {
            result = read_kernel_work(json, *root);
        } catch (const JsonReader::Failed&) {
            EXPECT_TRUE(diagnostics.has_errors());
        }
    }
    if (said != nullptr) {
        std::ostringstream out;
        render(diagnostics, out, false);
        *said = std::move(out).str();
    }
    return result;
}

/// With something in every field that random kernels leave alone.
fusion::KernelWork full_work(RandomSteps& random) {
    fusion::KernelWork work = random.work();
    work.divisions = 1.0 / 3;
    work.square_roots = 0.1;
    work.transcendentals = 7;
    work.spill_bytes = 1e-3;
    work.fused = 3;
    work.lane_slots = 32.0 / 27;
    work.arithmetic_lane_slots = 1.25;
    work.store_requests = 0.7;
    work.l1_wavefronts = 0.3;
    work.shared_wavefronts = 2.2;
    work.demand = {1, 2, 3, 4, true, true, 5};
    work.registers_needed = 300;
    work.warp_barriers = 2;
    work.exchanges = 5;
    work.remaps = 3;
    work.dependent_phases = 4;
    work.async_copies = work.repeated = true;
    work.allocated_bytes = 12;
    work.in_float = {10, 1, 2, 3};
    for (fusion::WorkStep& step : work.steps) {
        step.index = random.whole(-1, 20);
        step.remap = random.whole(0, 1) == 1;
        step.exchanges = random.whole(0, 9);
        step.store_requests = 1.5;
        step.l1_wavefronts = 0.25;
        step.in_float = {1, 2, 3, 4};
        step.remaining = random.whole(0, 4) / 4.0;
        step.alone = random.whole(1, 4) / 4.0;
        if (random.whole(0, 1) == 1) {
            step.routine = std::make_shared<const std::string>("mmul_row(float MATRIX3x3, \"quoted\\\") -> float MATRIX3x3");
        }
    }
    return work;
}

TEST(KernelWorkJson, ComesBackAsItWas) {
    const Device device = standard_device("h200");
    RandomSteps random(7);
    std::vector<fusion::KernelWork> works{overlap_work(64, 40, 4, true, device.limits), stream_work(triad_kernel, 256, 2, device.limits)};
    for (int i = 0; i < 200; ++i) {
        works.push_back(full_work(random));
    }
    Diagnostics diagnostics;
    const auto composite = make_predictor("composite", device, diagnostics), pipeline = make_predictor("hong-kim", device, diagnostics);
    for (const fusion::KernelWork& work : works) {
        const std::string text = to_json(work);
        EXPECT_EQ(text.find('\n'), std::string::npos);
        std::string said;
        const auto again = read(text, &said);
        ASSERT_TRUE(again.has_value()) << said;
        EXPECT_EQ(to_json(*again), text);
        ASSERT_EQ(again->steps.size(), work.steps.size());
        for (std::size_t i = 0; i < work.steps.size(); ++i) {
            EXPECT_EQ(again->steps[i].kind, work.steps[i].kind);
            EXPECT_EQ(again->steps[i].instructions, work.steps[i].instructions);
            EXPECT_EQ(again->steps[i].remaining, work.steps[i].remaining);
            EXPECT_EQ(again->steps[i].alone, work.steps[i].alone);
            EXPECT_EQ(again->steps[i].accesses.size(), work.steps[i].accesses.size());
            ASSERT_EQ(again->steps[i].routine == nullptr, work.steps[i].routine == nullptr);
            EXPECT_EQ(again->steps[i].routine == nullptr ? "" : *again->steps[i].routine,
                work.steps[i].routine == nullptr ? "" : *work.steps[i].routine);
        }
        EXPECT_EQ(again->lane_slots, work.lane_slots);
        EXPECT_EQ(again->demand.call, work.demand.call);
        for (const auto* predictor : {composite.get(), pipeline.get()}) { // to the last bit
            EXPECT_EQ(predictor->seconds(*again, 1U << 20U), predictor->seconds(work, 1U << 20U));
        }
    }
}

TEST(KernelWorkJson, RefusesWhatIsNoWork) {
    RandomSteps random(3);
    fusion::KernelWork work = full_work(random);
    work.steps.front().remaining = 0.25;
    const std::string good = to_json(work);
    const auto said = [&](const std::string& before, const std::string& after) {
        std::string text = good, what;
        EXPECT_NE(text.find(before), std::string::npos) << before;
        text.replace(text.find(before), before.size(), after);
        EXPECT_FALSE(read(text, &what).has_value()) << after;
        return what;
    };
    EXPECT_THAT(said("\"flops\":", "\"flips\":"), testing::AllOf(HasSubstr("w.json:1:"), HasSubstr("flips")));
    EXPECT_THAT(said("\"remaps\":3", "\"remaps\":-3"), HasSubstr("`remaps` has to be a whole number from 0 to 2e+09"));
    EXPECT_THAT(said("\"remaps\":3", "\"remaps\":2.5"), HasSubstr("`remaps` has to be a whole number"));
    EXPECT_THAT(said("\"remaps\":3,", ""), HasSubstr("remaps"));
    EXPECT_THAT(said("\"remaps\":3", "\"remaps\":3,\"remaps\":3"), HasSubstr("remaps"));
    EXPECT_THAT(said("\"lane_slots\":", "\"lane_slots\":0.5,\"lane_slots\":"), HasSubstr("lane_slots"));
    EXPECT_THAT(said("\"remaining\":0.25", "\"remaining\":1.25"), HasSubstr("`remaining` has to be a number from 0 to 1"));
    EXPECT_THAT(said("\"repeated\":true", "\"repeated\":1"), HasSubstr("repeated"));
    EXPECT_THAT(said("\"kind\":\"", "\"kind\":\"un"), HasSubstr("which no kernel has"));
    EXPECT_THAT(said("\"steps\":[", "\"steps\":[3,"), HasSubstr("w.json:1:"));
    EXPECT_THAT(said("\"threads_per_block\":", "\"threads_per_block\":1e4,\"x\":"), HasSubstr("x"));
}

} // namespace
} // namespace fusec::perfmodel
