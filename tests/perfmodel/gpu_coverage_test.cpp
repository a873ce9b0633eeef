// SPDX-License-Identifier: Apache-2.0
// Measurements of earlier probes and of today's: what the former lack is said, and what the latter have beyond them is read with care.
#include "perfmodel/fit/gpu_coverage.hpp"

#include "perfmodel/fit/gpu_calibration.hpp"
#include "perfmodel/fit/gpu_figures.hpp"
#include "tests/perfmodel/devices.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Texts = std::map<std::string, std::string, std::less<>>;
using Numbers = std::map<std::string, double, std::less<>>;

void add(GpuMeasurements& to, const char* probe, Texts texts, Numbers numbers) {
    texts.emplace("clock", "load");
    numbers.emplace("clock_ghz", 1.7);
    to.rows.push_back({probe, std::move(texts), std::move(numbers)});
}

/// A row of every probe, and all that a probe sweeps where something may be missing in it.
GpuMeasurements all_of_today() {
    GpuMeasurements made;
    made.arch = 90;
    for (const char* mode : {"stream", "event", "graph"}) {
        for (const double blocks : {1.0, 1000.0}) {
            add(made, "launch", {{"mode", mode}}, {{"blocks", blocks}, {"threads", 32}, {"seconds", 3e-6}});
        }
        for (const double pointers : {1.0, 128.0}) {
            add(made, "arguments", {{"mode", mode}}, {{"pointers", pointers}, {"blocks", 1}, {"threads", 32}, {"seconds", 3e-6}});
        }
    }
    for (const std::string& operation : gpu_probe_operations()) {
        add(made, "pipe", {{"operation", operation}}, {{"independent", 1}, {"warps", 32}, {"cycles", 64}});
    }
    for (const char* way : {"load", "store"}) {
        for (const double word : {4.0, 8.0, 16.0}) {
            add(made, "shared", {{"way", way}}, {{"word", word}, {"stride", 1}, {"cycles", 1}});
        }
    }
    for (const std::string& probe : gpu_probe_names()) {
        if (made.of(probe).empty()) {
            add(made, probe.c_str(), {}, {});
        }
    }
    return made;
}

/// What lacks without the rows that `condition` holds of.
template <class Condition>
std::vector<std::string> without(const Condition& condition) {
    GpuMeasurements some = all_of_today();
    std::erase_if(some.rows, condition);
    return missing_rows(some);
}

TEST(GpuCoverage, SaysWhatLacks) {
    EXPECT_THAT(missing_rows(all_of_today()), IsEmpty());
    EXPECT_THAT(without([](const ProbeRow& row) { return row.probe == "arguments" || row.probe == "grid"; }),
        ElementsAre("not measured: probe `arguments`, `grid`"));
    EXPECT_THAT(without([](const ProbeRow& row) {
        return row.probe == "pipe" && (row.text("operation") == "reciprocal" || row.text("operation") == "lop3_b32");
    }),
        ElementsAre("not measured: `pipe` of lop3_b32, reciprocal"));
    EXPECT_THAT(
        without([](const ProbeRow& row) { return row.probe == "shared" && row.number("word") == 16 && row.text("way") == "store"; }),
        ElementsAre("not measured: `shared` of stores of 16 bytes"));
    EXPECT_THAT(
        without([](const ProbeRow& row) { return row.probe == "launch" && row.text("mode") == "graph" && row.number("blocks") > 1; }),
        ElementsAre("not measured: `launch` over the number of blocks in mode graph"));
    EXPECT_THAT(without([](const ProbeRow& row) { return row.probe == "pipe"; }), ElementsAre("not measured: probe `pipe`"));
    EXPECT_THAT(without([](const ProbeRow& row) { return row.probe == "kernel"; }), IsEmpty());
    GpuMeasurements measured = all_of_today();
    measured.rows.front().texts["clock"] = "idle";
    EXPECT_THAT(missing_rows(measured), ElementsAre("1 row has the clock of an idle GPU, read behind the launches"));
    measured.rows.back().texts["clock"] = "idle";
    EXPECT_THAT(missing_rows(measured), ElementsAre("2 rows have the clock of an idle GPU, read behind the launches"));
}

// Copies past the registers are of sm_80 and later.
TEST(GpuCoverage, ExpectsOfAGpuWhatItHas) {
    GpuMeasurements measured = all_of_today();
    std::erase_if(measured.rows, [](const ProbeRow& row) { return row.probe == "async"; });
    EXPECT_THAT(missing_rows(measured), ElementsAre("not measured: probe `async`"));
    measured.arch = 75;
    EXPECT_THAT(missing_rows(measured), IsEmpty());
}

// The import says it, before what it found that cannot be.
TEST(GpuCoverage, IsPartOfWhatTheImportSays) {
    const Device device = standard_device("h200");
    GpuMeasurements measured{
        "mine", "h200", "2026-11-26T10:00:00Z", "a GPU", "fusec", device.limits.arch, device.limits.sm_count, device.l2_bytes, {}};
    for (const double resident : {2.0, 4.0, 8.0}) {
        add(measured, "stream", {{"kernel", "scale"}},
            {{"block", 256}, {"resident", resident}, {"elements", 1e8}, {"seconds", 16e8 / 3.5e12}});
    }
    measured.rows.front().texts["clock"] = "idle";
    Diagnostics diagnostics;
    const auto found = calibrate_gpu(measured, diagnostics);
    ASSERT_TRUE(found.has_value());
    ASSERT_GE(found->left_out.size(), 2U);
    EXPECT_THAT(found->left_out[0], HasSubstr("not measured: probe `launch`, `arguments`, `grid`, `chase`, `width`"));
    EXPECT_EQ(found->left_out[1], "1 row has the clock of an idle GPU, read behind the launches");
}

const CalibratedFigure* find(const MeasuredFigures& in, std::string_view key) {
    const auto found = std::ranges::find(in.figures, key, &CalibratedFigure::key);
    return found == in.figures.end() ? nullptr : &*found;
}

TEST(GpuClocks, UnderLoadCountMoreThanIdleOnes) {
    const auto figures_of = [](const std::vector<std::pair<const char*, double>>& clocks) {
        GpuMeasurements measured;
        for (const auto& [clock, ghz] : clocks) {
            add(measured, "stream", {{"kernel", "read"}, {"clock", clock}},
                {{"block", 256}, {"resident", 8}, {"elements", 1e6}, {"seconds", 1e-5}, {"clock_ghz", ghz}});
        }
        return measured_figures(measured, standard_device("h200").limits);
    };
    const MeasuredFigures mixed = figures_of({{"load", 1.5}, {"idle", 1.98}, {"load", 1.6}, {"idle", 1.98}, {"load", 1.4}, {"idle", 1.98}});
    const CalibratedFigure* const under_load = find(mixed, "speed.clock");
    ASSERT_NE(under_load, nullptr);
    EXPECT_EQ(under_load->value, 1.5);
    EXPECT_EQ(under_load->points, 3);
    EXPECT_THAT(under_load->how, HasSubstr("during each stream"));
    const MeasuredFigures earlier = figures_of({{"idle", 1.98}, {"idle", 1.97}, {"idle", 1.96}});
    EXPECT_EQ(find(earlier, "speed.clock")->value, 1.97);
    EXPECT_THAT(find(earlier, "speed.clock")->how, HasSubstr("behind each stream"));
}

// 32 warps of one chain in 64 cycles are 16 operations a clock; reciprocals may have another rate than the other functions.
TEST(GpuFigures, OfSpecialFunctionsAreTheMedianOfThoseMeasured) {
    const auto rate = [](double reciprocal, std::size_t functions) {
        GpuMeasurements measured;
        const char* const names[] = {"reciprocal_root", "exponential_2", "logarithm_2", "sine", "reciprocal"};
        const double rates[] = {16, 15, 14, 8, reciprocal};
        for (std::size_t i = 0; i < functions; ++i) {
            add(measured, "pipe", {{"operation", names[i]}}, {{"independent", 4}, {"warps", 32}, {"cycles", 32 * 32 / rates[i]}});
        }
        const MeasuredFigures figures = measured_figures(measured, standard_device("h200").limits);
        return *find(figures, "speed.special");
    };
    EXPECT_DOUBLE_EQ(rate(0, 4).value, 14.5);
    EXPECT_THAT(rate(0, 4).how, HasSubstr("the median of four functions"));
    EXPECT_DOUBLE_EQ(rate(16, 5).value, 15);
    EXPECT_THAT(rate(16, 5).how, HasSubstr("the median of five functions"));
    EXPECT_EQ(rate(16, 5).points, 5);
}

// Launches between events, in graphs and with arguments are kept: figures are those of launches in a stream.
TEST(GpuFigures, AreNotMadeOfWhatIsKept) {
    GpuMeasurements measured;
    for (const double threads : {32.0, 256.0}) {
        for (const double blocks : {1.0, 1e3, 1e5, 1e6}) {
            add(measured, "launch", {{"mode", "stream"}}, {{"blocks", blocks}, {"threads", threads}, {"seconds", 3e-6 + blocks * 6e-10}});
        }
    }
    const MeasuredFigures before = measured_figures(measured, standard_device("h200").limits);
    for (const char* mode : {"event", "graph", "stream"}) {
        add(measured, mode == std::string("stream") ? "arguments" : "launch", {{"mode", mode}},
            {{"blocks", 1}, {"threads", 32}, {"pointers", 64}, {"seconds", 1e-6}});
    }
    add(measured, "pipe", {{"operation", "lop3_b32"}}, {{"independent", 8}, {"warps", 32}, {"cycles", 1}});
    add(measured, "shared", {{"way", "store"}}, {{"word", 16}, {"stride", 32}, {"cycles", 1}});
    const MeasuredFigures after = measured_figures(measured, standard_device("h200").limits);
    ASSERT_EQ(before.figures.size(), after.figures.size());
    EXPECT_GE(before.figures.size(), 5U);
    for (std::size_t i = 0; i < before.figures.size(); ++i) {
        EXPECT_EQ(before.figures[i].key, after.figures[i].key);
        EXPECT_EQ(before.figures[i].value, after.figures[i].value) << before.figures[i].key;
    }
}

class GpuMeasurementSchemas : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-schemas-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    std::optional<GpuMeasurements> read(int schema, const std::string& rows) {
        std::ofstream(folder / "m.json") << "{\"schema\": " << schema << R"(, "kind": "gpu-measurements", "name": "mine", "base": "h200",
  "date": "2026-11-26T10:00:00Z", "machine": "NVIDIA H200", "commit": "fusec", "arch": 90, "multiprocessors": 132, "l2_bytes": 52428800,
  "driver": 13000, "runtime": 13000, "peak_clock_ghz": 1.98, "memory_clock_ghz": 3.201, "rows": [
)" << rows << "]}";
        Diagnostics diagnostics;
        auto measured = read_gpu_measurements(folder / "m.json", diagnostics);
        std::ostringstream out;
        render(diagnostics, out, false);
        said = std::move(out).str();
        return measured;
    }

    fs::path folder;
    std::string said;
};

TEST_F(GpuMeasurementSchemas, AreTwo) {
    const auto earlier = read(4, R"({"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95})");
    ASSERT_TRUE(earlier.has_value()) << said;
    EXPECT_FALSE(earlier->rows.front().has_clock_under_load());
    const auto later = read(5, R"({"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95, "clock": "load"},
{"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95, "clock": "idle"},
{"probe": "arguments", "mode": "graph", "pointers": 64, "blocks": 1, "threads": 32, "seconds": 2e-6, "clock_ghz": 1.95, "clock": "load"})");
    ASSERT_TRUE(later.has_value()) << said;
    EXPECT_TRUE(later->rows[0].has_clock_under_load());
    EXPECT_FALSE(later->rows[1].has_clock_under_load());
    EXPECT_EQ(later->of("arguments").front()->number("pointers"), 64);
}

TEST_F(GpuMeasurementSchemas, SayOfTheClockWhatTheyMay) {
    EXPECT_FALSE(read(5, R"({"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95})"));
    EXPECT_THAT(said, HasSubstr("no key `clock`"));
    EXPECT_FALSE(read(5, R"({"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95, "clock": "lead"})"));
    EXPECT_THAT(said, testing::AllOf(HasSubstr("`barrier` has no clock `lead`"), HasSubstr("did you mean `load`?")));
    EXPECT_FALSE(read(4, R"({"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95, "clock": "load"})"));
    EXPECT_THAT(said, HasSubstr("`clock`"));
    EXPECT_FALSE(
        read(5, R"({"probe": "arguments", "mode": "queue", "pointers": 1, "blocks": 1, "threads": 32, "seconds": 2e-6, "clock_ghz": 1.95,
"clock": "load"})"));
    EXPECT_THAT(said, HasSubstr("`arguments` has no mode `queue`"));
}

} // namespace
} // namespace fusec::perfmodel
