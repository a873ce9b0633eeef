// SPDX-License-Identifier: Apache-2.0
// The audit judges by points that nothing was fitted to: measurements that are changed must not change what is known before.
#include "bench/audit_data.hpp"
#include "bench/audit_host_options.hpp"
#include "bench/audit_judge.hpp"
#include "bench/audit_seeds.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "perfmodel/fit/measured_kernels.hpp"
#include "tests/perfmodel/devices.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace fusec::bench {
namespace {

using perfmodel::Device;
using perfmodel::Point;
using perfmodel::Role;
using perfmodel::StreamKernel;

constexpr std::uint64_t count = 1U << 26U;

/// Streams over three occupancies and two sizes of blocks, as a device with other figures is predicted to have them.
DeviceData measured(const std::string& name, double factor) {
    DeviceData data{perfmodel::standard_device(name), {}, {}, {}};
    data.device.mixed = {}; // as of triads, the audit does not take it from descriptions
    Device other = data.device;
    EXPECT_TRUE(perfmodel::set_figure(other, "stream.copy.tau", other.copy.tau_ns * factor));
    EXPECT_TRUE(perfmodel::set_figure(other, "stream.read.peak", other.read.peak_gb_per_s * 0.95));
    Diagnostics diagnostics;
    const auto truth = perfmodel::make_predictor("composite", other, diagnostics);
    for (const int block : {128, 256}) {
        for (const int resident : {1, 3, 8}) {
            for (const StreamKernel* kernel : {&perfmodel::init_kernel, &perfmodel::read_kernel, &perfmodel::scale_kernel,
                     &perfmodel::triad_kernel, &perfmodel::three_point_kernel}) {
                const bool fit = kernel != &perfmodel::triad_kernel && kernel != &perfmodel::three_point_kernel;
                Point point{name, kernel->name, perfmodel::stream_work(*kernel, block, resident, data.device.limits), count, 0, false,
                    fit ? Role::fit : Role::held_out, 0, "a test"};
                point.seconds = truth->seconds(point.work, count);
                data.points.push_back(std::move(point));
            }
        }
    }
    return data;
}

std::vector<DeviceData> three() {
    return {measured("a100", 1.1), measured("l40", 0.9), measured("v100", 1.2)};
}

void scale(DeviceData& data, Role role, double factor) {
    for (Point& point : data.points) {
        point.seconds *= point.role == role ? factor : 1;
    }
}

const Verdict& of(const std::vector<Verdict>& verdicts, const std::string& predictor, const std::string& device) {
    const auto found =
        std::ranges::find_if(verdicts, [&](const Verdict& verdict) { return verdict.predictor == predictor && verdict.device == device; });
    EXPECT_NE(found, verdicts.end()) << predictor << " " << device;
    return *found;
}

void expect_same_knowledge(const Verdict& a, const Verdict& b) {
    const std::string what = a.predictor + " on " + a.device;
    EXPECT_EQ(a.unavailable, b.unavailable) << what;
    ASSERT_EQ(a.figures.size(), b.figures.size()) << what;
    for (std::size_t i = 0; i < a.figures.size(); ++i) {
        EXPECT_EQ(a.figures[i].after, b.figures[i].after) << what << " " << a.figures[i].key;
    }
    ASSERT_EQ(a.points.size(), b.points.size()) << what;
    for (std::size_t i = 0; i < a.points.size(); ++i) {
        EXPECT_EQ(a.points[i].predicted, b.points[i].predicted) << what;
    }
}

TEST(Audit, FitsDoNotSeeWhatIsHeldOut) {
    std::vector<DeviceData> devices{measured("a100", 1.1)};
    const std::vector<Verdict> before = judge_fitted(devices);
    scale(devices.front(), Role::held_out, 2);
    const std::vector<Verdict> after = judge_fitted(devices);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        expect_same_knowledge(before[i], after[i]);
        ASSERT_EQ(before[i].unavailable, "") << before[i].predictor << ": every predictor is judged";
        EXPECT_NE(before[i].all.mape, after[i].all.mape) << before[i].predictor;
    }
    const std::vector<Verdict> corrected = judge_corrected(devices, after);
    scale(devices.front(), Role::held_out, 3);
    ASSERT_EQ(corrected.size(), 1U);
    expect_same_knowledge(corrected.front(), judge_corrected(devices, after).front());
    EXPECT_EQ(corrected.front().figures.size(), 5U);
    EXPECT_NE(corrected.front().points.front().predicted, of(after, "pipeline", "a100").points.front().predicted);
    // The check can fail: what is fitted to is seen.
    scale(devices.front(), Role::fit, 2);
    EXPECT_NE(corrected.front().figures.front().after, judge_corrected(devices, after).front().figures.front().after);
    const std::vector<Verdict> fitted = judge_fitted(devices);
    EXPECT_NE(of(fitted, "composite", "a100").points.front().predicted, of(after, "composite", "a100").points.front().predicted);
    EXPECT_NE(of(fitted, "benchmark", "a100").points.front().predicted, of(after, "benchmark", "a100").points.front().predicted);
}

TEST(Audit, ADeviceThatIsLeftOutIsJudgedByOthersAlone) {
    std::vector<DeviceData> devices = three();
    const std::vector<Verdict> before = judge_left_out(devices, judge_fitted(devices), Known::bandwidth_of_l2_too);
    scale(devices.front(), Role::fit, 3);
    scale(devices.front(), Role::held_out, 2);
    const std::vector<Verdict> after = judge_left_out(devices, judge_fitted(devices), Known::bandwidth_of_l2_too);
    std::size_t judged = 0;
    for (const Verdict& verdict : before) {
        if (verdict.device == "a100") {
            expect_same_knowledge(verdict, of(after, verdict.predictor, "a100"));
            judged += verdict.unavailable.empty() ? 1U : 0U;
        }
    }
    EXPECT_EQ(judged, perfmodel::predictor_kinds().size() - 1) << "all but `benchmark`, which is made of measurements of the device";
    EXPECT_NE(of(before, "benchmark", "a100").unavailable, "");
    EXPECT_NE(of(before, "composite", "l40").points.front().predicted, of(after, "composite", "l40").points.front().predicted);
}

// Whatever its description says beside data sheet, latencies and the bandwidth of L2: the launch too, of predictors that do not fit it.
TEST(Audit, NothingElseIsKnownOfADeviceThatIsLeftOut) {
    std::vector<DeviceData> devices = three();
    const std::vector<Verdict> fitted = judge_fitted(devices);
    const std::vector<Verdict> before = judge_left_out(devices, fitted, Known::bandwidth_of_l2_too);
    std::set<std::string> changed{"speed.launch"};
    for (const perfmodel::PredictorKind& kind : perfmodel::predictor_kinds()) {
        changed.insert(kind.fits.begin(), kind.fits.end());
    }
    // Of the description: what no data sheet, manual or measurement of latencies says.
    for (const perfmodel::Figure& given : devices.front().device.figures) {
        if (given.key.starts_with("speed.") || given.key.starts_with("stream.")) {
            changed.insert(given.key);
        }
    }
    EXPECT_TRUE(changed.contains("speed.block_turnaround"));
    for (const char* known : {"speed.clock", "speed.l2_bytes", "speed.l2", "speed.dram", "speed.fma_f32", "speed.fma_f64", "speed.special",
             "speed.issue_slots", "speed.shared_wavefronts", "speed.dram_latency", "speed.shared_latency", "latency.l2"}) {
        changed.erase(known);
    }
    std::erase_if(
        changed, [](const std::string& key) { return key.starts_with("stream.mixed."); }); // which the audit takes from no description
    changed.erase("speed.overlap_exponent"); // which is that of others' sweeps before anything is judged (audit_data.cpp)
    changed.erase("benchmark.remap");        // without it there is no `benchmark`
    for (const std::string& key : changed) {
        const double value = perfmodel::figure(devices.front().device, key).value_or(1);
        EXPECT_TRUE(perfmodel::set_figure(devices.front().device, key, 1.5 * value)) << key;
    }
    const std::vector<Verdict> after = judge_left_out(devices, fitted, Known::bandwidth_of_l2_too);
    for (const Verdict& verdict : before) {
        if (verdict.device == "a100") {
            expect_same_knowledge(verdict, of(after, verdict.predictor, "a100"));
        } else if (verdict.predictor == "hong-kim" || verdict.predictor == "staircase") {
            EXPECT_NE(verdict.points.front().predicted, of(after, verdict.predictor, verdict.device).points.front().predicted)
                << verdict.predictor << " on " << verdict.device << " has the others' launch";
        }
    }
}

// Its own data sheet and latencies stay, for every predictor, whatever the fits of the others have made of theirs.
TEST(Audit, WhatIsKnownOfADeviceThatIsLeftOutStays) {
    const std::vector<DeviceData> devices = three();
    std::vector<Verdict> fitted = judge_fitted(devices);
    const std::vector<Verdict> before = judge_left_out(devices, fitted, Known::bandwidth_of_l2_too);
    const std::set<std::string> known{"speed.dram", "speed.dram_latency", "latency.l2", "speed.l2"};
    std::set<std::string> predictors; // that the others' fits determine such a figure for
    for (Verdict& verdict : fitted) {
        for (perfmodel::FittedFigure& figure : verdict.figures) {
            if (figure.determined && known.contains(figure.key)) {
                figure.after *= 1.5;
                predictors.insert(verdict.predictor);
            }
        }
    }
    EXPECT_TRUE(predictors.contains("pipeline") && predictors.contains("wave") && predictors.contains("roofline"));
    const std::vector<Verdict> after = judge_left_out(devices, fitted, Known::bandwidth_of_l2_too);
    for (const Verdict& verdict : before) {
        expect_same_knowledge(verdict, of(after, verdict.predictor, verdict.device));
        for (const perfmodel::FittedFigure& figure : verdict.figures) {
            EXPECT_FALSE(known.contains(figure.key)) << verdict.predictor << " on " << verdict.device << " loses " << figure.key;
        }
    }
}

// Without its own bandwidth of L2: the others' mean share of the data sheet's bandwidth, for every predictor.
TEST(Audit, ADeviceThatIsLeftOutMayHaveTheL2OfOthers) {
    std::vector<DeviceData> devices = three();
    const std::vector<Verdict> fitted = judge_fitted(devices);
    const auto share = [&](std::size_t of) { return devices[of].device.l2_gb_per_s / devices[of].device.dram_gb_per_s; };
    const double expected = devices[0].device.dram_gb_per_s * (share(1) + share(2)) / 2;
    ASSERT_TRUE(perfmodel::set_figure(devices[0].device, "speed.l2", 1));
    for (const Verdict& verdict : judge_left_out(devices, fitted, Known::data_sheet_and_latencies)) {
        if (verdict.device == "a100") {
            const auto l2 = std::ranges::find(verdict.figures, "speed.l2", &perfmodel::FittedFigure::key);
            ASSERT_NE(l2, verdict.figures.end()) << verdict.predictor;
            EXPECT_NEAR(l2->after, expected, 1e-9 * expected) << verdict.predictor;
            EXPECT_TRUE(verdict.points.empty() || verdict.points.front().predicted < 0.1) << "not with 1 GB/s: " << verdict.predictor;
        }
    }
}

// The same where a device is fitted to: what it was described or measured to be plays no part then, and does else.
TEST(Audit, ADeviceThatIsFittedToMayHaveTheL2OfOthers) {
    std::vector<DeviceData> devices = three();
    const auto predicted = [&](Known known) {
        const std::vector<Verdict> verdicts = judge_fitted(devices, known);
        std::vector<double> seconds;
        for (const Judged& point : of(verdicts, "composite", "a100").points) {
            seconds.push_back(point.predicted);
        }
        return seconds;
    };
    const std::vector<double> own = predicted(Known::bandwidth_of_l2_too), others = predicted(Known::data_sheet_and_latencies);
    ASSERT_FALSE(own.empty());
    ASSERT_TRUE(perfmodel::set_figure(devices[0].device, "speed.l2", 1));
    EXPECT_EQ(predicted(Known::data_sheet_and_latencies), others);
    EXPECT_NE(predicted(Known::bandwidth_of_l2_too), own);
}

// The launch of those that start-up was measured on, not of the third.
TEST(Audit, TheLaunchOfALeftOutDeviceIsWhatOthersMeasured) {
    std::vector<DeviceData> devices = three();
    EXPECT_TRUE(perfmodel::set_figure(devices[1].device, "speed.launch", 7));
    devices[1].points.push_back(devices[1].points.front());
    devices[1].points.back().kernel = "start-up";
    const std::vector<Verdict> verdicts = judge_left_out(devices, {}, Known::bandwidth_of_l2_too);
    const Verdict& verdict = of(verdicts, "staircase", "a100");
    const auto launch =
        std::ranges::find_if(verdict.figures, [](const perfmodel::FittedFigure& figure) { return figure.key == "speed.launch"; });
    ASSERT_NE(launch, verdict.figures.end());
    EXPECT_EQ(launch->after, 7);
}

// A triad is three loads of a double and a store, each of which takes as long as alone with so much shared memory and such blocks. The stencil
// reads a list in a way that was not measured.
TEST(Audit, BenchmarkAddsTransfersThatWereMeasured) {
    const DeviceData data = measured("a100", 1);
    const std::vector<Verdict> verdicts = judge_fitted({data});
    const Verdict& verdict = of(verdicts, "benchmark", "a100");
    EXPECT_EQ(verdict.unanswered, 6U);
    ASSERT_EQ(verdict.points.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        const double init = data.points[5 * i].seconds, read = data.points[5 * i + 1].seconds;
        EXPECT_NEAR(verdict.points[i].predicted, 3 * read + init + data.device.launch_us * 1e-6, 1e-9);
    }
}

// Of the six launches of a kernel, the order that the predictor has them in, and what its choice costs.
TEST(Audit, LaunchesOfAKernelAreRanked) {
    const DeviceData data = measured("a100", 1);
    std::vector<Point> points;
    std::ranges::copy_if(data.points, std::back_inserter(points), [](const Point& point) { return point.kernel == "triad"; });
    const std::vector<double> seconds{6, 5, 4, 3, 2, 1}, predicted{1, 2, 3, 4, 6, 5};
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seconds = seconds[i];
    }
    Verdict verdict{.predictor = "any", .device = "a100"};
    judge(verdict, points, predicted);
    ASSERT_EQ(verdict.kernels.size(), 1U);
    EXPECT_EQ(verdict.kernels.front().fastest, (std::vector<double>{5, 6, 4, 3, 2}));
    EXPECT_EQ(verdict.kernels.front().loss, 5);
    Verdict tied{.predictor = "any", .device = "a100"};
    judge(tied, points, {2, 2, 2, 2, 1, 3});
    EXPECT_EQ(tied.kernels.front().fastest, (std::vector<double>{6, 1, 3.5, 3.5, 3.5})) << "four of equal predictions are second to fifth";
    points.front().elements *= 2; // no alternative to the others
    Verdict other{.predictor = "any", .device = "a100"};
    judge(other, points, predicted);
    EXPECT_TRUE(other.kernels.front().fastest.empty());
}

// Two rows of `scale` at occupancies 128 / 2048 and 1: t0 is the time over the operations of all stairs.
TEST(Audit, TheStairIsThatOfScale) {
    const DeviceData data = measured("a100", 1);
    const auto line = stair_of_scale(data);
    ASSERT_TRUE(line);
    for (const auto& [index, block, resident] : {std::tuple{0, 128, 1}, {5, 256, 8}}) {
        const Point& point = data.points[static_cast<std::size_t>(5 * index + 2)];
        ASSERT_EQ(point.kernel, "scale");
        const double occupancy = block * resident / 2048.0;
        const double stairs = std::ceil(std::ceil(static_cast<double>(count) / block / 108) / resident);
        const double operations = 32 * point.work.instructions * block * resident * 108;
        EXPECT_NEAR(line->t0(occupancy), point.seconds / stairs / operations * 1e12, 1e-6);
    }
    DeviceData one = data;
    std::erase_if(one.points, [](const Point& point) { return point.work.elements_per_block != 128; });
    std::erase_if(one.points, [&](const Point& point) { return point.work.shared_bytes != one.points.front().work.shared_bytes; });
    EXPECT_FALSE(stair_of_scale(one)) << "one occupancy makes no line";
}

/// Excerpts of public files, and latencies of other devices beside them.
class AuditData : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
    void SetUp() override {
        folder = std::filesystem::path(testing::TempDir()) / ("audit-data-" + std::to_string(::getpid()));
        const std::filesystem::path data = std::filesystem::path(FUSEC_SOURCE_DIR) / "tests/perfmodel/data/gpu-benches";
        std::filesystem::create_directories(folder);
        std::filesystem::copy(data, folder, std::filesystem::copy_options::recursive);
        std::ifstream file(data / "gpu-latency/l40.txt");
        const std::string latencies((std::istreambuf_iterator<char>(file)), {});
        for (const char* device : {"v100", "a100_80", "gh200"}) {
            write(std::string("gpu-latency/") + device + ".txt", latencies);
        }
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    static std::string l2(double gb_per_s) {
        std::string text = "     data set   exec time     spread       Eff. bw\n";
        for (const int kb : {4096, 5120, 6144}) {
            text += "512 kB " + std::to_string(kb) + " kB 10ms 0.4% " + std::to_string(gb_per_s) + " GB/s 0 GB/s 0 GB/s 0 GB/s 0 GB/s\n";
        }
        return text;
    }
    std::map<std::string, Replaced> bandwidths_of_l2() {
        std::map<std::string, Replaced> found;
        for (const DeviceData& data : read_audit_data(folder, diagnostics)) {
            for (const Replaced& each : data.replaced) {
                if (each.key == "speed.l2") {
                    found.emplace(data.device.name, each);
                    EXPECT_EQ(perfmodel::figure(data.device, "speed.l2"), each.used);
                }
            }
        }
        return found;
    }
    std::filesystem::path folder;
    Diagnostics diagnostics;
};

/// By hand: 3 and 5 times what the data sheets have are 4 times of it in the mean.
TEST_F(AuditData, L2WithoutAFileIsTheMeanShareOfThoseThatHaveOne) {
    const auto dram = [](const char* device) { return perfmodel::standard_device(device).dram_gb_per_s; };
    write("gpu-l2-cache/a100_80.txt", l2(3 * dram("a100")));
    write("gpu-l2-cache/l40.txt", l2(5 * dram("l40")));
    const auto found = bandwidths_of_l2();
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.all().front().message;
    EXPECT_NEAR(found.at("a100").used, 3 * dram("a100"), 1e-3);
    EXPECT_NEAR(found.at("l40").used, 5 * dram("l40"), 1e-3);
    EXPECT_NE(found.at("l40").reason.find("read bandwidth of gpu-l2-cache"), std::string::npos);
    for (const char* device : {"gh200", "v100"}) {
        EXPECT_NEAR(found.at(device).used, 4 * dram(device), 1e-3) << device;
        EXPECT_NE(found.at(device).reason.find("gpu-l2-cache has nothing of this device"), std::string::npos) << device;
    }
}

/// What was measured on the device that is left out went into the figures of those without a file, too.
TEST_F(AuditData, L2OfTheDeviceThatIsLeftOutIsNotKnownThroughOthers) {
    write("gpu-l2-cache/a100_80.txt", l2(3 * perfmodel::standard_device("a100").dram_gb_per_s));
    const auto said = [&](double of_l40) {
        write("gpu-l2-cache/l40.txt", l2(of_l40));
        const std::vector<DeviceData> devices = read_audit_data(folder, diagnostics);
        std::map<std::string, double> bandwidths;
        for (const Verdict& verdict : judge_left_out(devices, judge_fitted(devices), Known::data_sheet_and_latencies)) {
            for (const perfmodel::FittedFigure& figure : verdict.figures) {
                if (verdict.predictor == "composite" && verdict.device == "l40" && figure.key == "speed.l2") {
                    bandwidths[verdict.device] = figure.after;
                }
            }
        }
        return bandwidths;
    };
    const auto slow = said(4000), fast = said(8000);
    ASSERT_TRUE(slow.contains("l40"));
    EXPECT_NEAR(slow.at("l40"), 3 * perfmodel::standard_device("l40").dram_gb_per_s, 1e-2)
        << "the A100's share, the only other that was measured";
    EXPECT_EQ(slow, fast);
}

TEST_F(AuditData, TellsADamagedBandwidthOfL2) {
    std::string text = l2(5000);
    text.replace(text.find("5000"), 4, "5o00");
    write("gpu-l2-cache/a100_80.txt", text);
    EXPECT_TRUE(bandwidths_of_l2().empty());
    ASSERT_TRUE(diagnostics.has_errors());
    EXPECT_NE(diagnostics.all().front().message.find("GB/s"), std::string::npos) << diagnostics.all().front().message;
}

TEST_F(AuditData, NeedABandwidthOfL2) {
    EXPECT_TRUE(read_audit_data(folder, diagnostics).empty());
    ASSERT_TRUE(diagnostics.has_errors());
    EXPECT_NE(diagnostics.all().front().message.find("no bandwidth of L2"), std::string::npos) << diagnostics.all().front().message;
}

TEST_F(AuditData, NamesWhatIsNotRead) {
    write("gpu-stream/mi210.txt", "");
    write("gpu-small-kernels/l40_graph.txt", "");
    const std::vector<std::string> left = files_not_read(folder);
    EXPECT_EQ(std::ranges::count(left, "gpu-stream/mi210.txt"), 1);
    EXPECT_EQ(std::ranges::count(left, "gpu-small-kernels/l40_graph.txt"), 1);
    EXPECT_EQ(std::ranges::count(left, "gpu-latency/l40.txt"), 0);
}

TEST(AuditOfAHost, TakesItsOptions) {
    const auto options = host_audit_options({"--out", "r.json", "a.fus", "--points-out", "points.jsonl", "b.fus", "--sample", "7"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->out, "r.json");
    EXPECT_EQ(options->points_out, "points.jsonl");
    EXPECT_EQ(options->programs, (std::vector<std::filesystem::path>{"a.fus", "b.fus"}));
    EXPECT_EQ(options->sample, 7U);
    EXPECT_EQ(options->rounds, HostAuditOptions{}.rounds);
    const auto none = host_audit_options({"--out", "r.json", "a.fus", "b.fus"});
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->points_out.empty()) << "nothing is written then";
    EXPECT_EQ(none->withheld, Withheld::kernels);
    EXPECT_FALSE(none->held_out(0));
    EXPECT_TRUE(none->held_out(1));
    EXPECT_FALSE(none->held_out(2));
    const auto other = host_audit_options({"--out", "r.json", "a.fus", "b.fus", "--hold-out", "first"});
    ASSERT_TRUE(other);
    EXPECT_TRUE(other->held_out(0));
    EXPECT_FALSE(other->held_out(1));
    EXPECT_TRUE(other->held_out(2));
    EXPECT_EQ(host_audit_options({"--out", "r.json", "a.fus", "b.fus", "--withhold", "programs"})->withheld, Withheld::programs);
}

TEST(AuditOfAHost, RefusesOthers) {
    const std::vector<std::string> good{"--out", "r.json", "a.fus", "b.fus"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), good.begin(), good.end());
        return host_audit_options(more).has_value();
    };
    EXPECT_TRUE(with({"--rounds", "3"}));
    EXPECT_FALSE(with({"--points", "points.jsonl"})) << "that is an option of --data, and without a value";
    EXPECT_FALSE(with({"--points-out"}));
    EXPECT_FALSE(with({"--rounds", "0"}));
    EXPECT_FALSE(with({"--rounds", "-3"}));
    EXPECT_FALSE(with({"--sample", "3x"}));
    EXPECT_FALSE(with({"--withhold", "routines"}));
    EXPECT_TRUE(with({"--hold-out", "second"}));
    EXPECT_FALSE(with({"--hold-out", "third"}));
    EXPECT_FALSE(host_audit_options({"a.fus", "b.fus"})) << "no result";
    EXPECT_FALSE(host_audit_options({"--out", "r.json", "a.fus"})) << "one program cannot be held out from another";
}

// A line each, from which the kernel's work comes back as it was.
TEST(AuditOfAHost, LeavesItsPoints) {
    std::vector<Point> points = measured("a100", 1).points;
    points.resize(3);
    points[1].place = "a \"quoted\" place\n";
    points[2].work.steps.resize(3);
    points[2].work.steps[2].after = {0, 1};
    std::istringstream lines(points_text(points));
    std::size_t read = 0;
    for (std::string line; std::getline(lines, line); ++read) {
        ASSERT_LT(read, points.size());
        const nlohmann::json found = nlohmann::json::parse(line);
        EXPECT_EQ(found["place"], points[read].place);
        EXPECT_EQ(found["kernel"], points[read].kernel);
        EXPECT_EQ(found["fitted"], points[read].role == Role::fit);
        EXPECT_EQ(found["elements"], points[read].elements);
        EXPECT_EQ(found["seconds"], points[read].seconds);
        Diagnostics diagnostics;
        const auto work = parse_json(std::make_shared<const SourceText>("w", found["work"].dump()), kind::invalid_measurement, diagnostics);
        ASSERT_TRUE(work);
        JsonReader json(kind::invalid_measurement, diagnostics);
        const fusion::KernelWork again = perfmodel::read_kernel_work(json, *work);
        EXPECT_EQ(perfmodel::to_json(again), perfmodel::to_json(points[read].work));
        ASSERT_EQ(again.steps.size(), points[read].work.steps.size());
        for (std::size_t i = 0; i < again.steps.size(); ++i) {
            EXPECT_EQ(again.steps[i].after, points[read].work.steps[i].after) << i;
        }
    }
    EXPECT_EQ(read, 3U);
}

} // namespace
} // namespace fusec::bench
