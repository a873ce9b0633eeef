// SPDX-License-Identifier: Apache-2.0
// Measurements of a GPU that has never been: what `composite` predicts on a device with other figures. Those have to come back.
#include "perfmodel/fit/gpu_calibration.hpp"

#include "devices.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/gpu_figures.hpp"
#include "perfmodel/fit/gpu_points.hpp"
#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/pipeline.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fusec::perfmodel {
namespace {

using testing::HasSubstr;

constexpr double count = 1U << 25U;

const PredictorKind& composite() {
    return predictor_kind("composite");
}

/// The figures that are to be found.
Device never_been() {
    Device device = standard_device("h200");
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, double>>{{"stream.read.tau", 640}, {"stream.read.c", 90},
             {"stream.read.peak", 3900}, {"stream.mixed.tau", 720}, {"stream.mixed.c", 60}, {"stream.mixed.peak", 3500},
             {"stream.copy.tau", 690}, {"stream.copy.c", 70}, {"stream.copy.peak", 3300}, {"stream.write.tau", 260}, {"stream.write.c", 20},
             {"stream.write.peak", 3700}, {"speed.launch", 3}, {"speed.overlap_exponent", 2.6}, {"speed.clock", 1.5}, {"speed.l2", 5000},
             {"speed.l2_bytes", 1.2e8}, {"speed.dram_latency", 400}, {"latency.l2", 300}, {"speed.block_dispatch", 0.25}}) {
        EXPECT_TRUE(set_figure(device, key, value)) << key;
    }
    return device;
}

ProbeRow row(const char* probe, std::map<std::string, std::string, std::less<>> texts, std::map<std::string, double, std::less<>> numbers) {
    return {probe, std::move(texts), std::move(numbers)};
}

/// With the seconds that the device is predicted to take: of its point, the last one.
ProbeRow predicted(const Device& device, ProbeRow made) {
    GpuMeasurements alone;
    alone.rows = {
        row("stream", {{"kernel", "init"}}, {{"block", 256}, {"resident", 8}, {"elements", count}, {"seconds", 1}, {"clock_ghz", 1}}),
        made};
    alone.rows.back().numbers["seconds"] = 1;
    Diagnostics diagnostics;
    const auto points = points_of(alone, device, diagnostics);
    const auto place =
        std::find_if(points->points.rbegin(), points->points.rend(), [&](const Point& point) { return point.place == made.probe; });
    made.numbers["seconds"] = predictions(composite(), device, std::span(&*place, 1)).front();
    return made;
}

GpuMeasurements synthetic(const Device& device) {
    GpuMeasurements made{
        "mine", "h200", "2026-11-23T10:00:00Z", "a GPU", "fusec", device.limits.arch, device.limits.sm_count, device.l2_bytes, {}};
    const double clock = device.clock_ghz;
    std::vector<ProbeRow>& rows = made.rows;
    for (const char* kernel : {"init", "read", "scale", "add", "triad", "four"}) {
        for (const double block : {32.0, 64.0, 128.0, 256.0, 512.0, 1024.0}) {
            for (const double resident : {1.0, 2.0, 4.0, 8.0, 16.0}) {
                if (block * resident <= device.limits.threads_per_sm) {
                    rows.push_back(predicted(device,
                        row("stream", {{"kernel", kernel}},
                            {{"block", block}, {"resident", resident}, {"elements", count}, {"clock_ghz", clock}})));
                }
            }
        }
    }
    for (const char* kernel : {"chained", "staged"}) {
        for (const double resident : {1.0, 2.0, 8.0}) {
            for (const double fmas : {0.0, 8.0, 16.0, 32.0, 48.0, 64.0, 128.0}) {
                rows.push_back(predicted(device,
                    row("overlap", {{"kernel", kernel}},
                        {{"fmas", fmas}, {"registers", 32}, {"block", 256}, {"resident", resident}, {"elements", count},
                            {"clock_ghz", clock}})));
            }
        }
    }
    for (double elements = 8192; elements <= count; elements *= 2) {
        for (const char* cache : {"warm", "cold"}) {
            rows.push_back(
                predicted(device, row("volume", {{"cache", cache}}, {{"block", 1024}, {"elements", elements}, {"clock_ghz", clock}})));
        }
    }
    rows.push_back(predicted(
        device, row("width", {}, {{"registers", 40}, {"word", 16}, {"loads", 4}, {"block", 256}, {"words", count}, {"clock_ghz", clock}})));
    rows.push_back(row("grid", {{"kernel", "copy"}}, {{"wave", 1056}, {"blocks", 2112}, {"threads", 256}}));
    rows.back() = predicted(device, rows.back());
    for (const double threads : {32.0, 256.0, 1024.0}) {
        for (double blocks = 1; blocks <= 1e6; blocks *= 10) { // 3 us, 0.2 ns a block, 0.05 ns a warp
            rows.push_back(row("launch", {{"mode", "stream"}},
                {{"blocks", blocks}, {"threads", threads}, {"seconds", 3e-6 + blocks * (0.2e-9 + threads / 32 * 0.05e-9)}}));
        }
    }
    for (const auto& [bytes, cycles] : {std::pair(16384.0, 33.0), {1048576.0, 300.0}, {0.4 * device.l2_bytes, 300.0},
             {0.9 * device.l2_bytes, 500.0}, {16 * device.l2_bytes, 600.0}}) {
        rows.push_back(row("chase", {{"space", "global"}}, {{"bytes", bytes}, {"cycles", cycles}, {"clock_ghz", clock}}));
    }
    rows.push_back(row("chase", {{"space", "shared"}}, {{"bytes", 4096}, {"cycles", 27}, {"clock_ghz", clock}}));
    // A pipe with `latency` that starts an operation of a warp every `interval`, once per multiprocessor.
    for (const auto& [operation, latency, interval] : {std::tuple("fma_f32", 4.5, 0.25), {"fma_f64", 9.0, 0.5}, {"add_i32", 5.0, 0.5},
             {"reciprocal_root", 20.0, 2.0}, {"division_f64", 200.0, 21 / 2.0}}) {
        for (const double independent : {1.0, 4.0}) {
            for (const double warps : {1.0, 8.0, 32.0}) {
                rows.push_back(row("pipe", {{"operation", operation}},
                    {{"independent", independent}, {"warps", warps}, {"cycles", std::max(latency / independent, warps * interval)}}));
            }
        }
    }
    rows.push_back(row("shared", {{"way", "load"}}, {{"word", 4}, {"stride", 32}, {"cycles", 40}}));
    rows.push_back(row("stride", {{"level", "dram"}},
        {{"stride", 32}, {"words", 1e6}, {"block", 256}, {"seconds", 1e-5 + 3.00025e-6}, {"clock_ghz", 1.5}}));
    return made;
}

class GpuCalibrations : public testing::Test {
protected:
    double found(const Calibration& calibration, const std::string& key) const {
        const auto figure = std::find_if(
            calibration.figures.begin(), calibration.figures.end(), [&](const CalibratedFigure& each) { return each.key == key; });
        EXPECT_NE(figure, calibration.figures.end()) << key;
        return figure == calibration.figures.end() ? 0 : figure->value;
    }
    static std::vector<std::string> said(const Diagnostics& from) {
        std::vector<std::string> messages;
        for (const Diagnostic& each : from.all()) {
            messages.push_back(each.message);
        }
        return messages;
    }
    Diagnostics diagnostics;
};

TEST_F(GpuCalibrations, FindTheFiguresThatMadeTheMeasurements) {
    const Device truth = never_been();
    const auto result = calibrate_gpu(synthetic(truth), diagnostics);
    ASSERT_TRUE(result.has_value()) << diagnostics.all().front().message;
    for (const char* key : {"stream.read.tau", "stream.read.peak", "stream.mixed.tau", "stream.mixed.peak", "stream.copy.tau",
             "stream.copy.peak", "stream.write.tau", "stream.write.peak", "speed.launch", "speed.l2", "speed.overlap_exponent"}) {
        EXPECT_NEAR(found(result->calibration, key) / figure(truth, key).value(), 1, 0.03) << key;
    }
    for (const auto& judged : result->judged) {
        EXPECT_TRUE(judged.accuracy.mape < 0.03 || judged.kernel == "strided") << judged.kernel; // `strided` is not of this device
    }
    const auto kernels = [&](bool held_out) {
        std::vector<std::string> names;
        for (const auto& judged : result->judged) {
            if (judged.held_out == held_out) {
                names.push_back(judged.kernel);
            }
        }
        return names;
    };
    EXPECT_THAT(
        kernels(false), testing::ElementsAre("init", "read", "scale", "add", "triad", "four", "chained", "width", "start-up", "in L2"));
    EXPECT_THAT(kernels(true), testing::UnorderedElementsAre("overlap", "staged", "in L2", "around L2", "cold", "waves", "strided"));
    Diagnostics again; // what it writes is a calibration
    const auto device = calibrated_device(result->calibration, again);
    ASSERT_TRUE(device.has_value()) << again.all().front().message;
    EXPECT_EQ(device->name, "mine");
    // A warp's division takes 21 / 2 clocks, which are 21 FMAs of doubles: longer than its 19 instructions and its special function.
    EXPECT_NEAR(device->function_slots.f64.division, 21 - 1, 1e-9) << "one of them is the argument's";
    EXPECT_TRUE(make_predictor("staircase", *device, again) != nullptr) << again.all().front().message;
    EXPECT_THAT(result->left_out, testing::Contains("`speed.dram` stays that of the description"));
    // What `composite` has made the other predictors are far from, and it says so of them alone.
    EXPECT_THAT(said(diagnostics), testing::Each(testing::ContainsRegex("^`(hong-kim|pipeline|wave)\\.")));
}

// Every other stream takes four times as long: no figures make that.
TEST_F(GpuCalibrations, SayWhatIsFarOff) {
    GpuMeasurements measured = synthetic(never_been());
    bool odd = false;
    for (ProbeRow& each : measured.rows) {
        if (each.probe == "stream") {
            odd = !odd;
            each.numbers["seconds"] *= odd ? 4 : 1;
        }
    }
    const auto result = calibrate_gpu(measured, diagnostics);
    ASSERT_TRUE(result.has_value());
    const auto peak = std::find_if(result->calibration.figures.begin(), result->calibration.figures.end(),
        [](const CalibratedFigure& each) { return each.key == "stream.copy.peak"; });
    EXPECT_GT(peak->residual, far_off);
    EXPECT_THAT(said(diagnostics),
        testing::Contains(testing::AllOf(HasSubstr("`stream.copy.peak`"),
            HasSubstr(std::to_string(peak->points) + " points deviate from the model with them by " +
                std::to_string(std::lround(100 * peak->residual)) + " % in the mean, more than 20 %"))));
    EXPECT_EQ(diagnostics.exit_code(), 0) << "a warning";
}

TEST_F(GpuCalibrations, SayThatPointsAreFewerThanFigures) {
    GpuMeasurements measured = synthetic(never_been());
    std::erase_if(measured.rows, [](const ProbeRow& each) {
        return each.probe != "stream" || each.number("block") != 256 || each.number("resident") != 8 || each.text("kernel") == "four";
    });
    ASSERT_EQ(measured.rows.size(), 5U);
    ASSERT_TRUE(calibrate_gpu(measured, diagnostics).has_value());
    EXPECT_THAT(said(diagnostics),
        testing::Contains(testing::ContainsRegex("^[0-9]+ figures fitted to streams over the occupancy.*, of which there are 5 points$")));
}

// The same kernels train the correction of `pipeline`: the calibration has all of it with the data's name, or says that it is no better.
TEST_F(GpuCalibrations, TrainTheCorrectionOfPipeline) {
    const auto result = calibrate_gpu(synthetic(never_been()), diagnostics);
    ASSERT_TRUE(result.has_value());
    const auto& figures = result->calibration.figures;
    const auto given =
        std::ranges::count_if(figures, [](const CalibratedFigure& figure) { return figure.key.starts_with("pipeline.correction_"); });
    ASSERT_EQ(given, 5);
    const auto intercept = std::ranges::find(figures, "pipeline.correction_intercept", &CalibratedFigure::key);
    EXPECT_THAT(intercept->how,
        testing::StartsWith("trained on the probes' streams, chains of FMAs, staged ones, lists in L2, strides and records: "));
    EXPECT_THAT(intercept->how, HasSubstr(std::to_string(intercept->points) + " samples"));
    const auto device = calibrated_device(result->calibration, diagnostics);
    ASSERT_TRUE(device.has_value());
    // Better on what it was trained on than without.
    Device without = *device;
    std::erase_if(without.optional_figures, [](const auto& each) { return each.first.starts_with("pipeline.correction_"); });
    const auto points = points_of(synthetic(never_been()), *device, diagnostics);
    const PredictorKind& kind = predictor_kind("pipeline");
    std::vector<Point> fitted = points->points;
    std::erase_if(fitted, [](const Point& point) { return point.role != Role::fit && point.kernel != "staged"; });
    EXPECT_EQ(points->scattered.size(), 1U);
    fitted.insert(fitted.end(), points->scattered.begin(), points->scattered.end());
    const auto error = [&](const Device& of) {
        const std::vector<double> said = predictions(kind, of, fitted);
        double sum = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            sum += std::abs(said[i] / fitted[i].seconds - 1) / static_cast<double>(said.size());
        }
        return sum;
    };
    EXPECT_LT(error(*device), error(without));
    EXPECT_EQ(fitted.size(), static_cast<std::size_t>(intercept->points));
}

// Warps whose floats lie apart, of one size and of records, are samples of the correction: no other probe asks what they cost.
TEST_F(GpuCalibrations, ScatteredReadsAreSamplesOfTheCorrection) {
    const Device device = standard_device("h200");
    GpuMeasurements measured = synthetic(never_been());
    measured.rows.push_back(
        row("stride", {{"level", "l2"}}, {{"stride", 2}, {"words", 5e5}, {"block", 256}, {"seconds", 1e-5}, {"clock_ghz", 1.5}}));
    measured.rows.push_back(
        row("record", {{"level", "dram"}}, {{"record", 9}, {"elements", 1e5}, {"block", 256}, {"seconds", 2e-5}, {"clock_ghz", 1.5}}));
    const auto points = points_of(measured, device, diagnostics);
    ASSERT_TRUE(points.has_value());
    ASSERT_EQ(points->scattered.size(), 3U);
    const Point &far = points->scattered[0], &near = points->scattered[1], &records = points->scattered[2];
    EXPECT_EQ(far.kernel + ", " + near.kernel + ", " + records.kernel, "strided, strided in L2, records");
    EXPECT_EQ(far.elements, 1000000U);
    EXPECT_FALSE(far.work.repeated);
    EXPECT_TRUE(near.work.repeated);
    // A warp's 32 floats lie in 32 sectors; every second float in 8; each float of a record of 36 bytes in one of its own.
    const auto sectors = [](const Point& of) { return 32 * of.work.steps.front().accesses.front().sectors; };
    EXPECT_EQ(sectors(far), 32);
    EXPECT_EQ(sectors(near), 8);
    EXPECT_EQ(sectors(records), 9 * 32);
    EXPECT_EQ(far.work.read_bytes, 32);
    EXPECT_EQ(near.work.read_bytes, 8);
    EXPECT_EQ(records.work.read_bytes, 36);
    // Clocks of a warp's load that L1 has, gpu-strides of gpu-benches on an H200: 32 floats apart bound by one bank, 2 apart 2.01, 9 apart 3.00.
    const auto passes = [](const Point& of, double loads) { return 32 * of.work.l1_wavefronts / loads; };
    EXPECT_EQ(passes(far, 1), 32);
    EXPECT_NEAR(passes(near, 1) / 2.01 + passes(records, 9) / 3.00, 2, 0.02);
    const PipelinePredictor predictor(device);
    EXPECT_GT(predictor.sample(far.work, far.elements).features.uncoalesced, 0);
    EXPECT_TRUE(std::ranges::none_of(points->points, [](const Point& each) { return each.place == "stride" || each.place == "record"; }));
}

TEST_F(GpuCalibrations, ReadFiguresOffTheProbesThatIsolateThem) {
    const GpuMeasurements measured = synthetic(never_been());
    Calibration calibration;
    calibration.figures = measured_figures(measured, standard_device("h200").limits).figures;
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, double>>{{"speed.clock", 1.5}, {"speed.dram_latency", 400},
             {"latency.l1", 33}, {"latency.l2", 300}, {"speed.shared_latency", 27}, {"latency.arithmetic_f32", 4.5},
             {"latency.arithmetic_f64", 9}, {"latency.integer", 5}, {"latency.special", 20}, {"speed.fma_f32", 128}, {"speed.fma_f64", 64},
             {"wave.integer_rate", 64}, {"speed.special", 16}, {"speed.issue_slots", 4}, {"speed.shared_wavefronts", 0.8},
             {"wave.launch_per_block", 0.2}, {"wave.launch_per_warp", 0.05}, {"speed.block_dispatch", 0.25}, {"wave.uncoalesced_band", 400},
             {"hong-kim.departure_uncoalesced", 1e-5 * 1.5e9 * 132 / 1e6}}) {
        EXPECT_NEAR(found(calibration, key) / value, 1, 1e-4) << key;
    }
    EXPECT_NEAR(found(calibration, "speed.launch"), 3, 1e-3);
    EXPECT_NEAR(found(calibration, "speed.l2") / 5000, 1, 0.25)
        << "launch and turnaround of what is subtracted are not quite those of the rest";
    // Lists that are over before the next launch is issued (of an H200 up to 8 MB, in as long as an empty kernel takes) say nothing of L2.
    GpuMeasurements some = measured;
    for (ProbeRow& each : some.rows) {
        if (each.probe == "volume" && each.text("cache") == "warm" && each.number("elements") <= (1 << 22)) {
            each.numbers["seconds"] = 3.3e-6 * (1 + 1e-9 * each.number("elements"));
        }
    }
    calibration.figures = measured_figures(some, standard_device("h200").limits).figures;
    EXPECT_EQ(std::ranges::count(calibration.figures, "speed.l2", &CalibratedFigure::key), 0);
    const auto points_of_l2 = [&](const GpuMeasurements& from) {
        const auto points = points_of(from, standard_device("h200"), diagnostics);
        return std::ranges::count_if(points->points, [](const Point& each) { return each.kernel == "in L2" && each.role == Role::fit; });
    };
    EXPECT_TRUE(points_of_l2(some) == 0 && points_of_l2(measured) > 0);
    some = measured;
    std::erase_if(some.rows, [](const ProbeRow& each) { return each.probe == "pipe"; });
    calibration.figures = measured_figures(some, standard_device("h200").limits).figures;
    EXPECT_TRUE(std::none_of(calibration.figures.begin(), calibration.figures.end(),
        [](const CalibratedFigure& each) { return each.key == "latency.special"; }));
}

// Lines that would start below zero, or fall, are those that do not: a block's time that falls with its warps is their mean, one that would
// be negative without warps is in proportion to them. One size of block, or one grid, has no line.
TEST_F(GpuCalibrations, KeepTheLaunchLawAboveZero) {
    const auto measured_with = [](const std::vector<std::pair<double, double>>& slopes) { // warps, ns a block
        GpuMeasurements measured;
        for (const auto& [warps, ns] : slopes) {
            for (const double blocks : {1000.0, 5000.0}) {
                measured.rows.push_back(row(
                    "launch", {{"mode", "stream"}}, {{"blocks", blocks}, {"threads", 32 * warps}, {"seconds", 3e-6 + blocks * ns * 1e-9}}));
            }
        }
        Calibration calibration;
        calibration.figures = measured_figures(measured, standard_device("h200").limits).figures;
        return calibration;
    };
    const Calibration falls = measured_with({{1, 0.6}, {2, 0.3}});
    EXPECT_NEAR(found(falls, "wave.launch_per_block"), 0.45, 1e-9);
    EXPECT_EQ(found(falls, "wave.launch_per_warp"), 0);
    // How far off `wave` is with them: from 3.6, 6, 3.3 and 4.5 us with 3.3 us and 0.45 ns a block.
    const double off = ((3.75 / 3.6 - 1) + (1 - 5.55 / 6) + (3.75 / 3.3 - 1) + (5.55 / 4.5 - 1)) / 4;
    Device device = standard_device("h200");
    for (const CalibratedFigure& figure : falls.figures) {
        ASSERT_TRUE(set_figure(device, figure.key, figure.value));
        EXPECT_TRUE(!figure.key.starts_with("wave.launch") || std::abs(figure.residual - off) < 1e-9) << figure.key << figure.residual;
    }
    const auto wave = make_predictor("wave", device, diagnostics);
    ASSERT_NE(wave, nullptr);
    const fusion::KernelWork two_warps = stream_work(scale_kernel, 64, 0, device.limits);
    EXPECT_NEAR(wave->explain(two_warps, 64 * 5000).quantities.front().value, 5.55e-6, 1e-15) << "time_launch";
    const Calibration below = measured_with({{1, 0.1}, {2, 0.5}}); // through the origin: (0.1 + 2 * 0.5) / (1 + 4)
    EXPECT_EQ(found(below, "wave.launch_per_block"), 0);
    EXPECT_NEAR(found(below, "wave.launch_per_warp"), 0.22, 1e-9);
    EXPECT_TRUE(std::ranges::none_of(
        measured_with({{1, 0.1}}).figures, [](const CalibratedFigure& figure) { return figure.key.starts_with("wave.launch"); }));
}

// The source's hypothesis is a line over the occupancy: chains that take what it says give its coefficients back, whatever shorter ones take.
TEST_F(GpuCalibrations, ReadTheStaircaseOffTwoOccupancies) {
    Device device = standard_device("h200");
    ASSERT_TRUE(set_figure(device, "staircase.ta", 0.03));
    ASSERT_TRUE(set_figure(device, "staircase.tb", -0.01));
    const auto predictor = make_predictor("staircase", device, diagnostics);
    ASSERT_NE(predictor, nullptr);
    GpuMeasurements measured;
    measured.multiprocessors = device.limits.sm_count;
    for (const double resident : {4.0, 1.0, 6.0, 2.0}) { // 40 registers of 256 threads leave six blocks
        for (const double fmas : {256.0, 64.0}) {
            ProbeRow made = row("overlap", {{"kernel", "chained"}},
                {{"fmas", fmas}, {"registers", 40}, {"block", 256}, {"resident", resident}, {"elements", count}, {"seconds", 1},
                    {"clock_ghz", 1.5}});
            const fusion::KernelWork work = overlap_work(static_cast<int>(fmas), 40, static_cast<int>(resident), false, device.limits);
            made.numbers["seconds"] = (predictor->explain(work, static_cast<std::uint64_t>(count)).cost.seconds - device.launch_us * 1e-6) *
                    (fmas == 256 ? 1 : 7) +
                4e-6;
            measured.rows.push_back(made);
        }
    }
    measured.rows.push_back(row("launch", {{"mode", "stream"}}, {{"blocks", 1}, {"threads", 32}, {"seconds", 4e-6}}));
    Calibration calibration;
    calibration.figures = measured_figures(measured, device.limits).figures;
    EXPECT_NEAR(found(calibration, "staircase.ta"), 0.03, 1e-6);
    EXPECT_NEAR(found(calibration, "staircase.tb"), -0.01, 1e-6);
    // One occupancy makes no line; nor does one that falls below zero.
    std::erase_if(measured.rows, [](const ProbeRow& each) { return each.probe == "overlap" && each.number("resident") != 4; });
    EXPECT_TRUE(std::ranges::none_of(measured_figures(measured, device.limits).figures,
        [](const CalibratedFigure& figure) { return figure.key.starts_with("staircase."); }));
    ProbeRow fast = measured.rows.front();
    fast.numbers["resident"] = 6;
    fast.numbers["seconds"] = 5e-6;
    measured.rows.push_back(fast);
    EXPECT_THAT(measured_figures(measured, device.limits).impossible, testing::Contains(HasSubstr("zero or less at some occupancy")));
}

// What single rows are taken for, worked out from the kernels in perfmodel/probes/cuda.
TEST_F(GpuCalibrations, DescribeWhatTheProbesDo) {
    const Device device = standard_device("h200");
    GpuMeasurements measured;
    measured.l2_bytes = device.l2_bytes;
    measured.rows = {
        row("stream", {{"kernel", "four"}}, {{"block", 256}, {"resident", 2}, {"elements", 1e6}, {"seconds", 1}, {"clock_ghz", 1.5}}),
        row("overlap", {{"kernel", "staged"}},
            {{"fmas", 64}, {"registers", 40}, {"block", 256}, {"resident", 4}, {"elements", 1e6}, {"seconds", 1}, {"clock_ghz", 1.5}}),
        row("overlap", {{"kernel", "chained"}},
            {{"fmas", 64}, {"registers", 40}, {"block", 256}, {"resident", 6}, {"elements", 1e6}, {"seconds", 1}, {"clock_ghz", 1.5}}),
        row("width", {},
            {{"registers", 56}, {"word", 16}, {"loads", 8}, {"block", 256}, {"words", 8e6}, {"seconds", 1}, {"clock_ghz", 1.5}}),
        row("volume", {{"cache", "cold"}}, {{"block", 256}, {"elements", 1e5}, {"seconds", 1}, {"clock_ghz", 1.5}})};
    const auto points = points_of(measured, device, diagnostics);
    ASSERT_EQ(points->points.size(), 5U);
    const Point &four = points->points[0], &staged = points->points[1], &chained = points->points[2], &width = points->points[3],
                &cold = points->points[4];
    EXPECT_EQ(four.work.read_bytes, 32);
    EXPECT_EQ(four.work.write_bytes, 8);
    EXPECT_EQ(four.work.flops, 3);
    EXPECT_EQ(resident_blocks(device.limits, four.work), 2);
    EXPECT_EQ(four.role, Role::fit);
    EXPECT_EQ(staged.work.read_bytes, 8);
    EXPECT_EQ(staged.work.flops, 2 + 2 * 64 + 64) << "each FMA keeps its pipe for a clock more";
    EXPECT_EQ(staged.work.block_barriers, 1);
    EXPECT_EQ(staged.work.elements_per_block, 256);
    EXPECT_DOUBLE_EQ(staged.work.shared_wavefronts, 4 * 4 / 128.0);
    EXPECT_EQ(resident_blocks(device.limits, staged.work), 4);
    EXPECT_EQ(staged.role, Role::held_out);
    EXPECT_EQ(chained.work.shared_bytes, 0) << "40 registers of 256 threads leave six blocks";
    EXPECT_EQ(chained.elements, 1'000'000U);
    EXPECT_EQ(width.work.read_bytes, 128);
    EXPECT_EQ(width.elements, 1'000'000U);
    EXPECT_EQ(resident_blocks(device.limits, width.work), 4);
    EXPECT_TRUE(cold.inside);
    EXPECT_EQ(cold.work.read_bytes + cold.work.write_bytes, 16);
    // Three blocks of 1024 threads are on no multiprocessor, and nor is one of 1024 threads with 255 registers.
    measured.rows[0].numbers["block"] = 1024;
    measured.rows[0].numbers["resident"] = 3;
    EXPECT_EQ(points_of(measured, device, diagnostics)->left_out, (std::map<std::string, std::size_t>{{"stream", 1}}));
    measured.rows[3].numbers["block"] = 1024;
    measured.rows[3].numbers["registers"] = 255;
    EXPECT_FALSE(points_of(measured, device, diagnostics).has_value());
    EXPECT_THAT(diagnostics.all().back().message, HasSubstr("no block of this kernel fits a multiprocessor of `h200`"));
}

TEST_F(GpuCalibrations, SayWhatCannotBe) {
    GpuMeasurements measured;
    measured.rows = {row("chase", {{"space", "shared"}}, {{"bytes", 4096}, {"cycles", 1e10}, {"clock_ghz", 1.5}})};
    EXPECT_THAT(measured_figures(measured, standard_device("h200").limits).impossible,
        testing::Contains("`speed.shared_latency` was measured as 1e+10 cycles, which it cannot be"));
    // Weights that overflow: no number comes of them.
    measured.rows = {row("launch", {{"mode", "stream"}}, {{"blocks", 1}, {"threads", 32}, {"seconds", 1e-200}})};
    EXPECT_THAT(measured_figures(measured, standard_device("h200").limits).impossible,
        testing::Contains("`pipeline.launch_per_thread` cannot be computed from what was measured"));
}

TEST_F(GpuCalibrations, AreOfTheGpuThatTheDescriptionIsOf) {
    GpuMeasurements measured = synthetic(never_been());
    measured.multiprocessors = 114;
    EXPECT_FALSE(calibrate_gpu(measured, diagnostics).has_value());
    EXPECT_EQ(diagnostics.all().front().message, "measured on `a GPU`, sm_90 with 114 multiprocessors, which is not what `h200` describes");
}

TEST_F(GpuCalibrations, NeedStreams) {
    GpuMeasurements measured = synthetic(never_been());
    std::erase_if(measured.rows, [](const ProbeRow& each) { return each.probe != "launch"; });
    EXPECT_FALSE(calibrate_gpu(measured, diagnostics).has_value());
    EXPECT_THAT(diagnostics.all().front().message, HasSubstr("no streams among the measurements"));
}

} // namespace
} // namespace fusec::perfmodel
