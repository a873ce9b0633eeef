// SPDX-License-Identifier: Apache-2.0
// The correction of `pipeline` comes back from measurements that were made with it, from those to fit to alone, and goes through files
// whole.
#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/pipeline_training.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/kernels_with_steps.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Streams of several widths and sizes that take 3 cycles^-0.1 of what an uncorrected `pipeline` says.
std::vector<Point> measured(const Device& device) {
    std::vector<Point> points;
    for (const double words : {1., 4., 16.}) {
        for (const unsigned shift : {14U, 18U, 22U}) {
            Point& point = points.emplace_back(
                Point{device.name, "stream", streaming_kernel(words, 10 * words), 1ULL << shift, 0, false, Role::fit, 0, "a test"});
            const pipeline::Sample sample = PipelinePredictor(device).sample(point.work, point.elements);
            point.seconds = sample.uncorrected * 3 * std::pow(sample.features.cycles, -0.1);
        }
    }
    return points;
}

double error_on(const Device& device, const std::vector<Point>& points) {
    const PipelinePredictor predictor(device);
    double sum = 0;
    for (const Point& point : points) {
        sum += std::abs(predictor.seconds(point.work, point.elements) / point.seconds - 1) / static_cast<double>(points.size());
    }
    return sum;
}

TEST(PipelineTraining, LearnsFromPointsToFitToAlone) {
    const Device device = standard_device("a100");
    std::vector<Point> points = measured(device);
    const auto training = train_correction(device, points, "streams of a test");
    ASSERT_TRUE(training);
    EXPECT_EQ(training->samples, points.size());
    EXPECT_EQ(training->data, "streams of a test");
    EXPECT_LT(training->mape_after, 0.2 * training->mape_before);
    Device corrected = device;
    ASSERT_TRUE(pipeline::store(*training, corrected));
    EXPECT_NEAR(error_on(corrected, points), training->mape_after, 1e-9);
    EXPECT_NEAR(error_on(device, points), training->mape_before, 1e-9);
    // What is held out changes nothing, whatever it took.
    points.push_back(points.front());
    points.back().role = Role::held_out;
    points.back().seconds *= 100;
    EXPECT_EQ(train_correction(device, points, "")->correction.cycles, training->correction.cycles);
    points.back().role = Role::fit;
    EXPECT_NE(train_correction(device, points, "")->correction.cycles, training->correction.cycles);
    std::erase_if(points, [](const Point&) { return true; });
    EXPECT_FALSE(train_correction(device, points, ""));
}

// A point's own clock, and the launch of no elements where it was measured without.
TEST(PipelineTraining, CountsAsThePredictionIsCompared) {
    const Device device = standard_device("a100");
    Device slow = device;
    slow.clock_ghz = 1;
    std::vector<Point> points{measured(device).back()};
    points.front().clock_ghz = 1;
    points.front().seconds = 2 * PipelinePredictor(slow).sample(points.front().work, points.front().elements).uncorrected;
    EXPECT_NEAR(train_correction(device, points, "")->correction.intercept, std::log(2), 1e-12);
    points.front().seconds -= PipelinePredictor(slow).seconds(points.front().work, 0);
    points.front().inside = true;
    EXPECT_NEAR(train_correction(device, points, "")->correction.intercept, std::log(2), 1e-12);
}

class CorrectionFiles : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-correction-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    static Calibration calibration() {
        Calibration result{"mine", "a100", "2026-11-23T10:00:00Z", "a GPU", "fusec", {}};
        for (const auto& [key, weight] : pipeline::correction_figures()) {
            const bool intercept = weight == &pipeline::Correction::intercept;
            result.figures.push_back(
                {key, intercept ? 0.25 : 0, intercept ? "ln of a ratio" : "exponent", 9, 0.1, "trained on streams of a test"});
        }
        return result;
    }
    /// What is said of the file's text.
    std::string said(const std::string& text, std::optional<Device>& device) const {
        std::ofstream(folder / "mine.json") << text;
        Diagnostics diagnostics;
        device = find_calibrated_device((folder / "mine.json").string(), diagnostics);
        std::ostringstream out;
        render(diagnostics, out, false);
        return std::move(out).str();
    }
    fs::path folder;
};

TEST_F(CorrectionFiles, NameTheDataInThePrediction) {
    std::optional<Device> device;
    EXPECT_EQ(said(to_json(calibration()), device), "");
    ASSERT_TRUE(device);
    const pipeline::Corrected corrected = pipeline::correction_of(*device);
    EXPECT_TRUE(corrected.trained);
    EXPECT_EQ(corrected.correction.intercept, 0.25);
    const Breakdown breakdown = PipelinePredictor(*device).explain(streaming_kernel(1, 1), 1000);
    EXPECT_EQ(breakdown.quantities.back().name,
        "correction: log-linear, calibration of 2026-11-23T10:00:00Z (a GPU): trained on streams of a test; 9 points, mean deviation 10 %");
    EXPECT_NEAR(breakdown.quantities.back().value, std::exp(0.25), 1e-12);
}

TEST_F(CorrectionFiles, AreRefusedWithAPartOfIt) {
    Calibration some = calibration();
    some.figures.erase(some.figures.begin() + 2);
    std::optional<Device> device;
    EXPECT_THAT(said(to_json(some), device),
        testing::AllOf(HasSubstr("mine.json:10:5: error: `pipeline.correction_intercept` without `pipeline.correction_cycles`"),
            HasSubstr("[missing-figure]"), HasSubstr("all of them or none")));
    EXPECT_FALSE(device);
    // A description likewise.
    std::ifstream described(device_file("a100"));
    std::string text((std::istreambuf_iterator<char>(described)), std::istreambuf_iterator<char>());
    const std::string line = "correction_blocks = { value = 0.1, unit = \"exponent\", source = \"a test\" }\n";
    const std::string table = "[pipeline]\n";
    text.insert(text.find(table) + table.size(), line);
    std::ofstream(folder / "mine.toml") << text;
    Diagnostics diagnostics;
    EXPECT_FALSE(load_device(folder / "mine.toml", diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all().front().message, "`pipeline.correction_blocks` without `pipeline.correction_intercept`");
}

} // namespace
} // namespace fusec::perfmodel
