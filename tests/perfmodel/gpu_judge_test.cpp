// SPDX-License-Identifier: Apache-2.0
// Judging predictors on measurements of a GPU: by hand for one that is easy to add up, then all that a calibration has.
#include "perfmodel/fit/gpu_judge.hpp"

#include "devices.hpp"
#include "kernels_with_steps.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/gpu_calibration.hpp"
#include "perfmodel/fit/gpu_points.hpp"
#include "perfmodel/fit/measured_kernels.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusec::perfmodel {
namespace {

using testing::HasSubstr;

/// Says as many seconds as a kernel reads bytes; of one that reads none it has no answer.
class ReadsAlone final : public StepPredictor {
public:
    std::string name() const override { return "reads"; }
    Breakdown explain(const fusion::KernelWork& work, std::uint64_t) const override {
        return {{work.read_bytes > 0 ? work.read_bytes : std::numeric_limits<double>::infinity(), fusion::Bound::dram}, {}};
    }
    double seconds(const fusion::KernelWork& work, std::uint64_t elements) const override { return cost(work, elements).seconds; }
};

PredictorKind reads_alone() {
    return {"reads", "a test", true, false, {}, {}, nullptr,
        [](const Device&) -> std::unique_ptr<Predictor> { return std::make_unique<ReadsAlone>(); }};
}

Point point(const std::string& kernel, Role role, double bytes, double seconds) {
    Point made{"h200", kernel, {}, 1, seconds, false, role, 0, ""};
    made.work.read_bytes = bytes;
    return made;
}

// One kernel in both roles, by turns: errors of 0.5 and 0.1 on what was fitted to, of 1 and 0 and one without an answer on the rest.
TEST(GpuJudge, TellsWhatWasFittedToFromWhatWasHeldOut) {
    const std::vector<Point> points{point("in L2", Role::fit, 3, 2), point("in L2", Role::held_out, 4, 2),
        point("width", Role::held_out, 0, 1), point("in L2", Role::fit, 9, 10), point("in L2", Role::held_out, 5, 5),
        point("in L2", Role::held_out, 0, 5)};
    const std::vector<Judged> judged = judge_kernels(reads_alone(), standard_device("h200"), points);
    ASSERT_EQ(judged.size(), 3U);
    EXPECT_EQ(judged[0].predictor + ", " + judged[0].kernel, "reads, in L2");
    EXPECT_FALSE(judged[0].held_out);
    EXPECT_EQ(judged[0].accuracy.points, 2U);
    EXPECT_EQ(judged[0].unanswered, 0U);
    EXPECT_NEAR(judged[0].accuracy.mape, 0.3, 1e-12);
    EXPECT_EQ(judged[1].kernel, "in L2");
    EXPECT_TRUE(judged[1].held_out);
    EXPECT_EQ(judged[1].accuracy.points, 2U);
    EXPECT_EQ(judged[1].unanswered, 1U);
    EXPECT_NEAR(judged[1].accuracy.mape, 0.5, 1e-12);
    EXPECT_NEAR(judged[1].accuracy.worst, 1, 1e-12);
    EXPECT_EQ(judged[2].kernel, "width");
    EXPECT_EQ(judged[2].accuracy.points, 0U);
    EXPECT_EQ(judged[2].unanswered, 1U);
    std::vector<Point> rest = points;
    std::erase_if(rest, [](const Point& each) { return each.role == Role::fit; });
    const Judged together = judge_together(reads_alone(), standard_device("h200"), rest, "all");
    EXPECT_EQ(together.kernel, "all");
    EXPECT_TRUE(together.held_out);
    EXPECT_EQ(together.accuracy.points, 2U);
    EXPECT_EQ(together.unanswered, 2U);
    EXPECT_THROW(judge_together(reads_alone(), standard_device("h200"), points, "all"), InternalError);
}

const PredictorKind& kind_named(std::string_view name) {
    return *std::ranges::find(predictor_kinds(), name, &PredictorKind::name);
}

/// The streams of a device with other figures than `h200`, as `composite` predicts them; floats by a stride; and six candidates of two origins. `faster`: than
/// that device by this factor.
GpuMeasurements measured(double faster = 1) {
    Device truth = standard_device("h200");
    for (const auto& [key, value] :
        std::initializer_list<std::pair<const char*, double>>{{"stream.read.tau", 640}, {"stream.read.peak", 3900},
            {"stream.copy.tau", 690}, {"stream.copy.peak", 3300}, {"stream.write.tau", 260}, {"stream.write.peak", 3700}}) {
        EXPECT_TRUE(set_figure(truth, key, value)) << key;
    }
    GpuMeasurements made{
        "mine", "h200", "2026-11-23T10:00:00Z", "a GPU", "fusec", truth.limits.arch, truth.limits.sm_count, truth.l2_bytes, {}};
    for (const char* kernel : {"init", "read", "scale", "triad"}) {
        for (const double block : {32.0, 128.0, 512.0}) {
            for (const double resident : {1.0, 2.0, 4.0}) {
                made.rows.push_back({"stream", {{"kernel", kernel}},
                    {{"block", block}, {"resident", resident}, {"elements", 1U << 25U}, {"seconds", 1}, {"clock_ghz", truth.clock_ghz}}});
            }
        }
    }
    made.rows.push_back({"stride", {{"level", "dram"}},
        {{"stride", 32}, {"words", 1e6}, {"block", 256}, {"seconds", 1e-5}, {"clock_ghz", truth.clock_ghz}}});
    for (const double words : {1.0, 4.0, 9.0}) {
        for (const double seed : {0.0, 3.0}) {
            ProbeRow row{"kernel", {{"role", "held-out"}, {"program", "demo"}, {"name", "F"}},
                {{"seed", seed}, {"elements", 1e6}, {"seconds", 1e-5 * words * (1 + 0.1 * seed)}, {"clock_ghz", truth.clock_ghz}}};
            row.work = std::make_shared<const fusion::KernelWork>(streaming_kernel(words, 10 * words));
            made.rows.push_back(row);
        }
    }
    Diagnostics diagnostics;
    const auto points = points_of(made, truth, diagnostics);
    const std::vector<double> seconds = predictions(kind_named("composite"), truth, points->points);
    for (std::size_t i = 0; i < made.rows.size() && made.rows[i].probe == "stream"; ++i) {
        made.rows[i].numbers["seconds"] = seconds[i] / faster;
    }
    return made;
}

TEST(GpuJudge, CalibrationsHaveEveryPredictorOnCandidates) {
    Diagnostics diagnostics;
    const auto result = calibrate_gpu(measured(), diagnostics);
    ASSERT_TRUE(result.has_value()) << diagnostics.all().front().message;
    const auto device = calibrated_device(result->calibration, diagnostics);
    std::vector<Point> candidates;
    std::ranges::copy_if(result->points, std::back_inserter(candidates), is_candidate);
    ASSERT_EQ(candidates.size(), 6U);
    std::vector<std::string> names;
    for (const Judged& judged : result->on_candidates) {
        names.push_back(judged.predictor);
        const std::vector<double> said = predictions(kind_named(judged.predictor), *device, candidates);
        double sum = 0;
        std::size_t answers = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            if (std::isfinite(said[i])) {
                sum += std::abs(said[i] - candidates[i].seconds) / candidates[i].seconds;
                ++answers;
            }
        }
        EXPECT_EQ(judged.accuracy.points, answers) << judged.predictor;
        EXPECT_EQ(judged.unanswered, 6 - answers) << judged.predictor;
        EXPECT_NEAR(judged.accuracy.mape, sum / static_cast<double>(answers), 1e-9) << judged.predictor;
        EXPECT_TRUE(judged.held_out);
        const auto apart = std::ranges::count_if(result->judged, [&](const Judged& each) {
            return each.predictor == judged.predictor && (each.kernel == "generated" || each.kernel == "`demo`") &&
                each.accuracy.points + each.unanswered == 3;
        });
        EXPECT_EQ(apart, 2) << judged.predictor;
    }
    EXPECT_THAT(names, testing::ElementsAre("composite", "roofline", "hong-kim", "pipeline", "staircase", "wave"));
    EXPECT_THAT(result->left_out, testing::Contains(HasSubstr("`benchmark` needs `benchmark.remap`")).Times(1));
    const auto strided = std::ranges::find(result->judged, "strided", &Judged::kernel);
    ASSERT_NE(strided, result->judged.end());
    EXPECT_EQ(strided->predictor, "composite");
    EXPECT_TRUE(strided->held_out) << "nothing of `composite` is fitted to it";
}

// What ablations fit from: the same search ends at the same figures.
TEST(GpuJudge, CalibrationsCanBeFittedAgain) {
    Diagnostics diagnostics;
    const auto result = calibrate_gpu(measured(), diagnostics);
    ASSERT_TRUE(result.has_value());
    const Fit again = fit_figures(composite_gpu_kind(), result->start, result->points);
    int fitted = 0;
    for (const FittedFigure& each : again.figures) {
        const auto calibrated = std::ranges::find(result->calibration.figures, each.key, &CalibratedFigure::key);
        if (each.determined) {
            ASSERT_NE(calibrated, result->calibration.figures.end()) << each.key;
            EXPECT_EQ(each.after, calibrated->value) << each.key;
            ++fitted;
        }
    }
    EXPECT_GE(fitted, 9);
    EXPECT_GT(again.error_before, 10 * again.error);
}

// Streams that are faster than the data sheet's memory end at its bandwidth.
TEST(GpuJudge, CalibrationsTellWhatEndedAtABound) {
    const auto said = [](double faster) {
        Diagnostics diagnostics;
        EXPECT_TRUE(calibrate_gpu(measured(faster), diagnostics).has_value());
        std::string messages;
        for (const Diagnostic& each : diagnostics.all()) {
            messages += each.message.ends_with("ended at a bound") ? each.message + "\n" : "";
        }
        return messages;
    };
    EXPECT_THAT(said(1.6), testing::ContainsRegex("`stream\\.read\\.peak` at 4800 GB/s \\(searched: [0-9.]+ to 4800\\)"));
    EXPECT_THAT(said(1), testing::Not(HasSubstr("stream.read.peak")));
}

} // namespace
} // namespace fusec::perfmodel
