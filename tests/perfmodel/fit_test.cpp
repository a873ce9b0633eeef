// SPDX-License-Identifier: Apache-2.0
// Fits to points that a predictor itself made from other figures, which have to come back.
#include "perfmodel/fit/fit.hpp"

#include "perfmodel/fit/measured_kernels.hpp"
#include "tests/perfmodel/devices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace fusec::perfmodel {
namespace {

const FittedFigure& figure_named(const Fit& fit, const std::string& key) {
    return *std::find_if(fit.figures.begin(), fit.figures.end(), [&](const FittedFigure& figure) { return figure.key == key; });
}

/// Streams over the occupancy as the public benchmark has them, with the seconds that `kind` predicts on `device`.
std::vector<Point> synthetic(const PredictorKind& kind, const Device& device, std::initializer_list<StreamKernel> kernels) {
    std::vector<Point> points;
    for (const StreamKernel& kernel : kernels) {
        for (int block = 32; block <= 1024; block += 96) {
            points.push_back(
                {device.name, kernel.name, stream_work(kernel, block, 2, device.limits), 1U << 28U, 0, false, Role::fit, 0, ""});
        }
    }
    const std::vector<double> seconds = predictions(kind, device, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seconds = seconds[i];
    }
    return points;
}

Device other_figures(Device device) {
    EXPECT_TRUE(set_figure(device, "stream.read.tau", 600));
    EXPECT_TRUE(set_figure(device, "stream.read.c", 80));
    EXPECT_TRUE(set_figure(device, "stream.read.peak", 1700));
    EXPECT_TRUE(set_figure(device, "stream.copy.tau", 800));
    EXPECT_TRUE(set_figure(device, "stream.copy.c", 50));
    EXPECT_TRUE(set_figure(device, "stream.copy.peak", 1600));
    return device;
}

TEST(Fitting, FindsTheFiguresThatMadeThePoints) {
    const Device device = standard_device("a100");
    const PredictorKind& kind = predictor_kind("composite");
    const std::vector<Point> points = synthetic(kind, other_figures(device), {read_kernel, scale_kernel});
    const Fit fit = fit_figures(kind, device, points);
    EXPECT_GT(fit.error_before, 0.05);
    EXPECT_LT(fit.error, 1e-3);
    EXPECT_GT(fit.evaluations, 10);
    for (const auto& [key, value, tolerance] :
        {std::tuple{"stream.read.tau", 600.0, 0.01}, {"stream.read.c", 80.0, 0.1}, {"stream.read.peak", 1700.0, 0.01},
            {"stream.copy.tau", 800.0, 0.01}, {"stream.copy.c", 50.0, 0.1}, {"stream.copy.peak", 1600.0, 0.01}}) {
        EXPECT_NEAR(figure(fit.device, key).value_or(0) / value, 1, tolerance) << key;
        EXPECT_TRUE(figure_named(fit, key).determined) << key;
        EXPECT_EQ(figure_named(fit, key).after, figure(fit.device, key)) << key;
    }
    ASSERT_EQ(fit.predicted.size(), points.size());
    EXPECT_NEAR(fit.predicted[3] / points[3].seconds, 1, 0.01);
}

/// A second, and more the further the window is from 10,000 instructions; but around 100 it is nearly as good.
class TwoMinima final : public StepPredictor {
public:
    explicit TwoMinima(const Device& device) : window_(*figure(device, "compute.window")) {}
    std::string name() const override { return "two minima"; }
    Breakdown explain(const fusion::KernelWork&, std::uint64_t) const override {
        const double near = std::log(window_ / 100), far = std::log(window_ / 10'000);
        Breakdown said;
        said.cost.seconds = 1 + std::min(near * near + 0.2, far * far);
        return said;
    }

private:
    double window_;
};

TEST(Fitting, OfSeveralStartsTheNearestFitCounts) {
    Device device = standard_device("host-generic");
    ASSERT_TRUE(set_figure(device, "compute.window", 120));
    constexpr const char* fits[] = {"compute.window"};
    PredictorKind kind = predictor_kind("composite");
    kind.fits = fits;
    kind.make = [](const Device& of) -> std::unique_ptr<Predictor> { return std::make_unique<TwoMinima>(of); };
    const std::vector<Point> points{{device.name, "kernel", fusion::KernelWork{}, 1, 1.0, false, Role::fit, 0, ""}};
    const Fit alone = fit_figures(kind, device, points);
    EXPECT_NEAR(alone.error, 0.2, 1e-6);
    EXPECT_NEAR(*figure(alone.device, "compute.window"), 100, 1);
    for (const std::vector<double>& starts : {std::vector<double>{120, 5000}, {5000, 120}, {5000}}) {
        const Fit best = fit_figures_from(kind, device, points, "compute.window", starts);
        EXPECT_NEAR(best.error, 0, 1e-6);
        EXPECT_NEAR(*figure(best.device, "compute.window"), 10'000, 20);
        EXPECT_EQ(best.figures.front().before, 5000);
        EXPECT_EQ(best.predicted, predictions(kind, best.device, points));
    }
}

TEST(Fitting, NoiseMovesFiguresLittle) {
    const Device device = standard_device("a100");
    const PredictorKind& kind = predictor_kind("composite");
    std::vector<Point> points = synthetic(kind, other_figures(device), {read_kernel, scale_kernel});
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seconds *= i % 2 == 0 ? 1.02 : 0.98;
    }
    const Fit fit = fit_figures(kind, device, points);
    EXPECT_GT(fit.error, 0.01);
    EXPECT_LT(fit.error, 0.021);
    EXPECT_NEAR(figure(fit.device, "stream.read.tau").value_or(0) / 600, 1, 0.05);
    EXPECT_NEAR(figure(fit.device, "stream.copy.peak").value_or(0) / 1600, 1, 0.05);
}

TEST(Fitting, AFigureThatNoPointDependsOnStaysWhereItWas) {
    const Device device = standard_device("a100");
    const PredictorKind& kind = predictor_kind("composite");
    const Fit fit = fit_figures(kind, device, synthetic(kind, other_figures(device), {read_kernel}));
    for (const char* key : {"stream.copy.tau", "stream.copy.peak", "stream.write.tau", "speed.launch"}) {
        EXPECT_FALSE(figure_named(fit, key).determined) << key;
        EXPECT_EQ(figure(fit.device, key), figure(device, key)) << key;
    }
    EXPECT_TRUE(figure_named(fit, "stream.read.tau").determined);
}

TEST(Fitting, HeldOutPointsChangeNothing) {
    const Device device = standard_device("a100");
    const PredictorKind& kind = predictor_kind("composite");
    std::vector<Point> points = synthetic(kind, other_figures(device), {read_kernel});
    const Fit without = fit_figures(kind, device, points);
    Point held_out = points.front();
    held_out.role = Role::held_out;
    held_out.seconds *= 7;
    points.push_back(held_out);
    const Fit with = fit_figures(kind, device, points);
    EXPECT_EQ(with.error, without.error);
    EXPECT_EQ(figure(with.device, "stream.read.tau"), figure(without.device, "stream.read.tau"));
    EXPECT_EQ(with.predicted.size(), points.size()) << "it is predicted all the same";
}

TEST(Fitting, IsDeterministicAndStaysWithinBounds) {
    const Device device = standard_device("l40");
    for (const PredictorKind& kind : predictor_kinds()) {
        Diagnostics diagnostics;
        if (!kind.cuda || make_predictor(kind.name, device, diagnostics) == nullptr) {
            continue;
        }
        std::vector<Point> points = synthetic(kind, device, {init_kernel, read_kernel});
        for (Point& point : points) {
            point.seconds /= 100; // beyond any figure's reach
        }
        const Fit first = fit_figures(kind, device, points), second = fit_figures(kind, device, points);
        ASSERT_EQ(first.figures.size(), second.figures.size());
        for (std::size_t i = 0; i < first.figures.size(); ++i) {
            EXPECT_EQ(first.figures[i].after, second.figures[i].after) << kind.name << " " << first.figures[i].key;
            EXPECT_GE(first.figures[i].after, first.figures[i].least) << kind.name << " " << first.figures[i].key;
            EXPECT_LE(first.figures[i].after, first.figures[i].most) << kind.name << " " << first.figures[i].key;
        }
        EXPECT_LE(first.error, first.error_before) << kind.name;
    }
}

TEST(Fitting, APointsClockIsTheOneItIsPredictedAt) {
    const Device device = standard_device("a100");
    const PredictorKind& kind = predictor_kind("roofline");
    Point point{"a100", "roofline", roofline_work(512, 16), 0, 1, false, Role::held_out, 0, ""};
    point.elements = 864 * static_cast<std::uint64_t>(point.work.elements_per_block);
    Point slow = point;
    slow.clock_ghz = device.clock_ghz / 2;
    const std::vector<double> seconds = predictions(kind, device, std::vector{point, slow});
    const double launch = device.launch_us * 1e-6;
    EXPECT_NEAR((seconds[1] - launch) / (seconds[0] - launch), 2, 1e-9) << "bound by arithmetic";
    point.inside = true;
    EXPECT_NEAR(predictions(kind, device, std::vector{point})[0], seconds[0] - launch, 1e-15) << "the launch is outside";
}

// Of four figures two ended at a bound; one at a bound had none to move it, one had no search.
TEST(Fitting, TellsTheFiguresThatEndedAtABound) {
    Fit fit{standard_device("h200"), {}, {}, 0, 0, 0};
    fit.figures = {{"stream.read.peak", 4300, 4800, 430, 4800, true}, {"stream.read.tau", 600, 610, 60, 6000, true},
        {"stream.read.c", 160, 16, 16, 1600, true}, {"stream.write.peak", 4800, 4800, 480, 4800, false},
        {"speed.launch", 3, 3, 0, 0, true}};
    Diagnostics diagnostics;
    warn_of_bounds(fit, fusion::Target::cuda, diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all().front().kind.name, "poor-fit");
    EXPECT_EQ(diagnostics.all().front().message,
        "`stream.read.peak` at 4800 GB/s (searched: 430 to 4800), `stream.read.c` at 16 ns (searched: 16 to 1600): the search for them "
        "ended at a bound");
    EXPECT_EQ(diagnostics.exit_code(), 0) << "a warning";
    fit.figures = {fit.figures[1]};
    Diagnostics none;
    warn_of_bounds(fit, fusion::Target::cuda, none);
    EXPECT_TRUE(none.all().empty());
}

} // namespace
} // namespace fusec::perfmodel
