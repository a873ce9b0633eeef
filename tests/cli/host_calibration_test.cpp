// SPDX-License-Identifier: Apache-2.0
// A host's calibration from few and small probes: what it holds, and that it is one. Times are not judged.
#include "cli/host_calibration.hpp"
#include "cli/host_calibrator.hpp"
#include "cli/pipeline.hpp"
#include "cli/version.hpp"
#include "codegen/embedding.hpp"
#include "perfmodel/predictor.hpp"
#include "perfmodel/routine_times.hpp"
#include "perfmodel/stream.hpp"
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fusec::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;

class HostCalibrationTest : public testing::Test {
protected:
    HostCalibrationOptions options_for(const std::string& program) {
        folder.write("routines.fus",
            "program routines;\nVECTOR3 a, b;\nMATRIX3x3 A;\ninput a, b, A;\nd = vdot(a, b);\nc = A * a;\nD = minv(A);\nreturn d, c, D;\n");
        folder.write("streams.fus",
            "program streams;\nVECTOR16 a, b;\nVECTOR4 u;\ninput a, b, u;\nr = vdot(a, a);\ns = a + b;\nc = -b;\nw = vouter(u, u);\n"
            "return r, s, c, w;\n");
        const std::string file = folder.write("p.fus", program);
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
        setup.rounds = 8; // of few and short samples, noise hides routines
        setup.sample_seconds = 2e-4;
        return {
            .name = "mine", .programs = {file}, .routines = {}, .kernels = 2, .probes = folder.path(), .widest_list = 3, .bytes = 1 << 20};
    }
    std::optional<HostCalibration> calibrate(const std::string& program) {
        return calibrate_host(options_for(program), setup, folder.path(), diagnostics);
    }

    test::TemporaryFolder folder;
    execute::TimingSetup setup;
    Diagnostics diagnostics;
};

TEST_F(HostCalibrationTest, HoldsFiguresAndTimesOfEveryRoutine) {
    const auto found = calibrate("MATRIX3x3 A, B;\ninput A, B;\nC = A * B;\nD = msym(C);\nreturn D;\n");
    ASSERT_TRUE(found.has_value()) << diagnostics.all().front().message;
    const perfmodel::Calibration& calibration = found->calibration;
    EXPECT_EQ(calibration.name, "mine");
    EXPECT_EQ(calibration.base, "host-generic");
    EXPECT_EQ(calibration.date.size(), 20U);
    EXPECT_EQ(calibration.commit, cli::version_and_commit());
    EXPECT_EQ(calibration.kernels, codegen::name_of_host_runtime());
    // Of the probes in both precisions, and of the program's calls.
    // A disturbed machine may hide some; those are named, and have no time.
    for (const char* routine :
        {"vdot_element(float VECTOR3, float VECTOR3)", "minv_element(double MATRIX3x3)", "msym_element(float MATRIX3x3)"}) {
        const bool timed = testing::Matches(Contains(Key(HasSubstr(routine))))(calibration.routines);
        EXPECT_NE(timed, testing::Matches(Contains(HasSubstr(routine)))(found->hidden)) << routine;
    }
    for (const auto& [routine, time] : calibration.routines) {
        EXPECT_GT(time.ns.front(), 0) << routine;
        ASSERT_TRUE(time.residual.has_value()) << routine;
        EXPECT_TRUE(*time.residual >= 0 && std::isfinite(*time.residual)) << routine;
    }
    // A small routine that has a time has one in a chain too, which is no less; a large one has none.
    for (const auto& [routine, time] : calibration.routines) {
        const auto in_turn = calibration.routines.find(routine + perfmodel::in_chain);
        if (routine.starts_with("vdot_element(float VECTOR3, float VECTOR3)") && !routine.ends_with(perfmodel::in_chain)) {
            ASSERT_NE(in_turn, calibration.routines.end()) << routine;
            EXPECT_GE(in_turn->second.ns.front(), time.ns.front()) << routine;
        }
        EXPECT_FALSE(routine.starts_with("minv_element(double MATRIX3x3)") && in_turn != calibration.routines.end()) << routine;
    }
    EXPECT_TRUE(std::ranges::any_of(calibration.routines, [](const auto& each) { return each.second.residual > 0; }))
        << "samples of real time that all agree";
    const auto timed_or_told = [&](const std::string& name) {
        return calibration.routines.contains(name) || std::ranges::count(found->hidden, name) > 0;
    };
    // Lists of one to three words of either precision, and those of the kernels: nine and sixteen words, and four.
    for (const char* list : {"4 bytes, 4 at a time", "12 bytes, 4 at a time", "24 bytes, 8 at a time", "36 bytes, 4 at a time",
             "72 bytes, 8 at a time", "64 bytes, 4 at a time", "16 bytes, 4 at a time"}) {
        for (const char* way : {"cached load ", "cached store ", "load ", "store "}) {
            EXPECT_TRUE(timed_or_told(way + std::string(list))) << way << list;
        }
        EXPECT_TRUE(timed_or_told("store " + std::string(list) + ", streaming")) << list;
    }
    std::vector<std::string> keys;
    for (const perfmodel::CalibratedFigure& figure : calibration.figures) {
        keys.push_back(figure.key);
        EXPECT_TRUE(std::isfinite(figure.value));
        EXPECT_GE(figure.points, 1);
    }
    EXPECT_THAT(keys, testing::IsSupersetOf(perfmodel::figures_of_a_host()));
    // Some chain took a time that can be, or it is said that none did.
    EXPECT_NE(std::ranges::count(keys, "compute.overlap") == 1,
        testing::Matches(Contains(HasSubstr("`compute.overlap`, which is not set")))(found->notes));
    // Some list is too long for the first level, or it is said that none is.
    EXPECT_NE(std::ranges::count(keys, "compute.first_level") == 1,
        testing::Matches(Contains(HasSubstr("`compute.first_level` is not set")))(found->notes));
    // The same of memory beside a busy core.
    EXPECT_NE(std::ranges::count(keys, "compute.pacing") == 1,
        testing::Matches(Contains(HasSubstr("`compute.pacing` is not set")))(found->notes));
    // The same of several lists.
    EXPECT_NE(
        std::ranges::count(keys, "stream.lists") == 1, testing::Matches(Contains(HasSubstr("`stream.lists` is not set")))(found->notes));
    // A cache beyond the second level is found, or it is said that none shows.
    EXPECT_NE(std::ranges::count(keys, "speed.l3_bytes") == 1,
        testing::Matches(Contains(HasSubstr("no cache beyond the second level")))(found->notes));
    EXPECT_EQ(std::ranges::count(keys, "speed.l3"), std::ranges::count(keys, "speed.l3_bytes"));
    EXPECT_GE(std::ranges::count_if(found->points, [](const perfmodel::Point& point) { return point.work.repeated; }), 3);
    // Four streams, six chains, three squares of several lists, six sums of long ones, the program's plan and two other kernels.
    ASSERT_GE(found->points.size(), 4U + 6 + 3 + 6 + 1 + 1);
    EXPECT_EQ(std::ranges::count(found->points, "probe sums", &perfmodel::Point::kernel), 6);
    // Of as many bytes in the same mix, in one list, two and four.
    std::vector<int> lists;
    for (const perfmodel::Point& point : found->points) {
        if (point.kernel == "probe squares") {
            lists.push_back(point.work.read_lists);
            EXPECT_EQ(point.work.read_bytes, 48);
            EXPECT_EQ(point.work.write_bytes, 4);
            EXPECT_NEAR(perfmodel::followed_lists(point.work), point.work.read_lists, 1e-12);
        }
    }
    EXPECT_THAT(lists, testing::ElementsAre(1, 2, 4));
    ASSERT_EQ(found->predicted.size(), found->points.size());
    EXPECT_TRUE(std::ranges::all_of(found->predicted, [](double seconds) { return seconds > 0 && std::isfinite(seconds); }));
}

// The device that it makes is one on which composite and benchmark answer for every kernel that was measured.
TEST_F(HostCalibrationTest, MakesADeviceThatPredictorsTake) {
    const auto found = calibrate("VECTOR3 a, b;\ninput a, b;\nd = vdot(a, b);\nreturn d;\n");
    ASSERT_TRUE(found.has_value()) << diagnostics.all().front().message;
    const std::string file = folder.write("mine.json", to_json(found->calibration));
    const auto device = perfmodel::find_calibrated_device(file, diagnostics);
    ASSERT_TRUE(device.has_value()) << diagnostics.all().front().message;
    for (const char* name : {"composite", "benchmark"}) {
        const auto predictor = perfmodel::make_predictor(name, *device, diagnostics);
        ASSERT_NE(predictor, nullptr) << name;
        for (const perfmodel::Point& point : found->points) {
            if (point.kernel == "p") {
                const double seconds = predictor->cost(point.work, point.elements).seconds;
                const bool hidden = std::ranges::any_of(point.work.steps, [&](const fusion::WorkStep& step) {
                    return step.routine != nullptr && std::ranges::count(found->hidden, *step.routine) != 0;
                });
                EXPECT_EQ(std::isfinite(seconds), name != std::string("benchmark") || !hidden) << name << " of " << point.place;
                EXPECT_GT(seconds, 0);
            }
        }
    }
}

// Plans are searched with the measured times of routines: the plan's time is within its bound, and no plan of one kernel per call is faster.
TEST_F(HostCalibrationTest, PlansAreFoundOnIt) {
    const auto found = calibrate("VECTOR3 a, b;\ninput a, b;\nd = vdot(a, b);\nreturn d;\n");
    ASSERT_TRUE(found.has_value()) << diagnostics.all().front().message;
    Compilation c;
    c.options.program = std::string(FUSEC_SOURCE_DIR) + "/examples/stvk.fus";
    c.options.target = fusion::Target::host;
    c.options.device = folder.write("mine.json", to_json(found->calibration));
    ASSERT_TRUE(run_pipeline(c, diagnostics, "plan")) << diagnostics.all().front().message;
    const fusion::Plan& plan = c.plans.front();
    EXPECT_GT(plan.bound, 0);
    EXPECT_LE(plan.bound, plan.seconds * (1 + 1e-9));
    EXPECT_LE(plan.seconds, c.unfused_seconds * (1 + 1e-9));
}

/// Times of kernels whose bytes come at so many GB/s, whatever start-up and cores take beside that.
std::vector<std::vector<execute::UnitTimes>> times_at(const HostCalibrator& calibrator, double gb_per_s) {
    std::vector<std::vector<execute::UnitTimes>> times;
    for (const std::vector<execute::TimedUnit>& group : calibrator.groups_from_memory()) {
        times.emplace_back();
        for (const execute::TimedUnit& unit : group) {
            const double seconds = execute::timing_bytes({unit}) / gb_per_s * 1e-9;
            times.back().push_back({{seconds, seconds}, 1, {seconds}});
        }
    }
    return times;
}

/// The least GB/s of a kernel from memory, by its measured or its predicted time, whichever is longer: a start-up or a cache that something held up counts.
double slowest_gb_per_s(const HostCalibration& made) {
    double slowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < made.points.size(); ++i) {
        const perfmodel::Point& point = made.points[i];
        if (point.role == perfmodel::Role::fit) {
            const double bytes = (point.work.read_bytes + point.work.write_bytes) * static_cast<double>(point.elements);
            slowest = std::min(slowest, bytes / std::max(point.seconds, made.predicted[i]) * 1e-9);
        }
    }
    return slowest;
}

/// Memory that is fitted again to times of a bandwidth that is known gets that bandwidth; what was measured in the caches stays what it was.
TEST_F(HostCalibrationTest, FitsMemoryAgainToOtherTimes) {
    HostCalibrationOptions options = options_for("MATRIX3x3 A, B;\ninput A, B;\nC = A * B;\nreturn C;\n");
    options.bytes *= 8; // beside which a start-up is short
    HostCalibrator calibrator(options, setup, folder.path(), diagnostics);
    ASSERT_TRUE(calibrator.calibrate());
    const perfmodel::Calibration before = calibrator.made().calibration;
    const auto figure = [](const perfmodel::Calibration& of, const std::string& key) {
        const auto found = std::ranges::find(of.figures, key, &perfmodel::CalibratedFigure::key);
        return found == of.figures.end() ? 0 : found->value;
    };
    ASSERT_FALSE(before.routines.empty());
    const char* const of_memory[] = {"speed.dram", "stream.read.peak", "stream.mixed.peak", "stream.copy.peak", "stream.write.peak"};
    // However busy the machine was, start-up and cores take a fifth at most beside such memory.
    const double slow = 0.1 * slowest_gb_per_s(calibrator.made());
    ASSERT_TRUE(slow > 0 && std::isfinite(slow));
    for (const double gb_per_s :
        {2 * slow, slow, 2 * slow}) { // down and up again: whatever was there before, measured or fitted, decides nothing
        ASSERT_TRUE(calibrator.fit_again(times_at(calibrator, gb_per_s)));
        const perfmodel::Calibration& again = calibrator.made().calibration;
        for (const char* key : of_memory) {
            EXPECT_GT(figure(again, key), 0.9 * gb_per_s) << key;
            EXPECT_LT(figure(again, key), 1.3 * gb_per_s) << key;
        }
        EXPECT_EQ(figure(again, "compute.overlap"), figure(before, "compute.overlap")); // may be set or not
        for (const char* key : {"speed.l2", "speed.launch", "speed.issue_slots", "speed.clock"}) {
            EXPECT_GT(figure(before, key), 0) << key;
            EXPECT_EQ(figure(again, key), figure(before, key)) << key;
        }
        EXPECT_EQ(again.name, "mine");
        for (const auto& [name, times] : before.routines) {
            if (!name.starts_with("load ") && !name.starts_with("store ")) { // lists from memory
                ASSERT_TRUE(again.routines.contains(name)) << name;
                EXPECT_EQ(again.routines.at(name), times) << name;
            }
        }
    }
}

TEST_F(HostCalibrationTest, ReportsAProgramThatIsWrong) {
    EXPECT_FALSE(calibrate("VECTOR3 a;\ninput a;\nreturn b;\n").has_value());
    EXPECT_TRUE(diagnostics.has_errors());
}

} // namespace
} // namespace fusec::cli
