// SPDX-License-Identifier: Apache-2.0
// A host's calibration from few and small probes: what it holds, and that it is one. Times are not judged.
#include "cli/host_calibration.hpp"
#include "cli/host_probes.hpp"
#include "cli/measurements.hpp"
#include "cli/pipeline.hpp"

#include "execute/build_folder.hpp"
#include "perfmodel/predictor.hpp"
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace fusec::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;

class HostCalibrationTest : public testing::Test {
protected:
    std::optional<HostCalibration> calibrate(const std::string& program) {
        folder.write("routines.fus",
            "program routines;\nVECTOR3 a, b;\nMATRIX3x3 A;\ninput a, b, A;\nd = vdot(a, b);\nc = A * a;\nD = minv(A);\nreturn d, c, D;\n");
        folder.write("streams.fus",
            "program streams;\nVECTOR16 a, b;\nVECTOR4 u;\ninput a, b, u;\nr = vdot(a, a);\ns = a + b;\nc = -b;\nw = vouter(u, u);\n"
            "return r, s, c, w;\n");
        const std::string file = folder.write("p.fus", program);
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
        setup.rounds = 2;
        setup.sample_seconds = 1e-5;
        return calibrate_host(
            {.name = "mine", .programs = {file}, .routines = {}, .kernels = 2, .probes = folder.path(), .widest_list = 3, .bytes = 1 << 20},
            setup, folder.path(), diagnostics);
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
    // Of the probes in both precisions, and of the program's calls.
    EXPECT_THAT(calibration.routines,
        testing::AllOf(Contains(Key(HasSubstr("vdot_element(float VECTOR3, float VECTOR3)"))),
            Contains(Key(HasSubstr("minv_element(double MATRIX3x3)"))), Contains(Key(HasSubstr("msym_element(float MATRIX3x3)")))));
    // Lists of one to three words of either precision, and those of the kernels: nine and sixteen words, and four.
    for (const char* list : {"4 bytes, 4 at a time", "12 bytes, 4 at a time", "24 bytes, 8 at a time", "36 bytes, 4 at a time",
             "72 bytes, 8 at a time", "64 bytes, 4 at a time", "16 bytes, 4 at a time"}) {
        for (const char* way : {"cached load ", "cached store ", "load ", "store "}) {
            EXPECT_THAT(calibration.routines, Contains(Key(way + std::string(list))));
        }
        EXPECT_THAT(calibration.routines, Contains(Key("store " + std::string(list) + ", streaming")));
    }
    std::vector<std::string> keys;
    for (const perfmodel::CalibratedFigure& figure : calibration.figures) {
        keys.push_back(figure.key);
        EXPECT_TRUE(std::isfinite(figure.value));
        EXPECT_GE(figure.points, 1);
    }
    EXPECT_THAT(keys,
        testing::IsSupersetOf(
            {"limits.vector_bytes", "speed.cores", "speed.launch", "speed.l2", "speed.dram", "stream.read.peak", "stream.mixed.peak",
                "stream.copy.peak", "stream.write.peak", "speed.overlap_exponent", "compute.fused_share", "benchmark.remap"}));
    // Four streams, six chains, the program's plan and two other kernels.
    ASSERT_GE(found->points.size(), 4U + 6 + 1 + 1);
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
            if (point.place == "p") {
                const double seconds = predictor->cost(point.work, point.elements).seconds;
                EXPECT_TRUE(std::isfinite(seconds)) << name << " of " << point.kernel;
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

class CompileToMeasure : public testing::Test {
protected:
    std::uint64_t elements_of(const std::string& program) {
        Compilation c;
        c.options.program = folder.write("p.fus", program);
        c.options.target = fusion::Target::host;
        c.options.device = "host-generic";
        c.options.plan = "none";
        EXPECT_TRUE(compile_to_measure(c, std::nullopt, diagnostics));
        return c.options.elements;
    }
    test::TemporaryFolder folder;
    Diagnostics diagnostics;
};

TEST_F(CompileToMeasure, TakesAsManyElementsAsTheListsLeaveRoomFor) {
    EXPECT_EQ(
        elements_of("double MATRIX64x64 A;\ninput A;\nB = -A;\nreturn B;\n"), (std::uint64_t{2} << 30U) / (std::uint64_t{2} * 64 * 64 * 8));
    EXPECT_EQ(elements_of("VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n"), 1048576U) << "at most";
}

// What a unit of few elements writes is read by a unit of more: the list behind those few stays as the reference has it.
TEST_F(CompileToMeasure, UnitsOfDifferentElementsShareTheirLists) {
    HostProbes probes("host-generic", folder.path());
    Compilation* const c =
        probes.compile_text("p", "VECTOR4 a;\ninput a;\nb = -a;\nr = venorm(b);\nreturn r;\n", "none", Precision::f32, diagnostics);
    ASSERT_NE(c, nullptr);
    const std::vector<fusion::Candidate>& kernels = c->plans.front().kernels;
    ASSERT_EQ(kernels.size(), 2U);
    execute::TimingSetup setup;
    setup.compiler = execute::find_host_compiler(diagnostics).value();
    setup.cache = folder.path() / "cache";
    setup.library_folder = library::standard_library_folder();
    setup.rounds = 1;
    setup.sample_seconds = 1e-5;
    const HostProbe few = HostProbes::probe(*c, kernels.front(), "few", 1, true);
    const HostProbe many = HostProbes::probe(*c, kernels.back(), "many", 1 << 16, true);
    ASSERT_LT(few.unit.elements, 64U);
    ASSERT_GT(many.unit.elements, 64U);
    EXPECT_TRUE(execute::time_units({few.unit, many.unit}, setup, diagnostics).has_value()) << diagnostics.all().front().message;
}

TEST_F(HostCalibrationTest, ReportsAProgramThatIsWrong) {
    EXPECT_FALSE(calibrate("VECTOR3 a;\ninput a;\nreturn b;\n").has_value());
    EXPECT_TRUE(diagnostics.has_errors());
}

} // namespace
} // namespace fusec::cli
