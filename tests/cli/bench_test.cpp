// SPDX-License-Identifier: Apache-2.0
// `fusec bench`: what is measured, that it computes what it has to, and what the report says. No time is compared with another.
#include "tests/cli/command.hpp"
#include "tests/cli/host_calibrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <set>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::AllOf;
using testing::HasSubstr;

const std::string examples = std::string(FUSEC_SOURCE_DIR) + "/examples/";

class Bench : public testing::Test {
protected:
    json measured(const std::string& program, std::vector<std::string> words) const {
        words.insert(words.begin(), {"bench", program, "--rounds", "2", "--json", "-"});
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    static std::set<std::string> keys_of(const json& object) {
        std::set<std::string> keys;
        for (const auto& item : object.items()) {
            keys.insert(item.key());
        }
        return keys;
    }
    static void expect_times(const json& seconds, std::size_t rounds) {
        ASSERT_EQ(seconds.size(), rounds);
        for (const json& each : seconds) {
            EXPECT_GT(each.get<double>(), 0);
            EXPECT_LT(each.get<double>(), 100);
        }
    }
    test::TemporaryFolder folder;
};

// The plans of all modes, each kernel mix once, and the kernels of the first with every predictor's answer.
TEST_F(Bench, PlansAndTheKernelsOfTheChosenOne) {
    const std::string demo = examples + "demo.fus";
    const json report = measured(demo, {"-n", "4096"});
    EXPECT_EQ(report["elements"], 4096);
    EXPECT_EQ(report["device"], "host-generic");
    EXPECT_EQ(keys_of(report["machine"]), (std::set<std::string>{"processor", "threads", "usable"}));
    EXPECT_GE(report["machine"]["usable"], 1);
    EXPECT_LE(report["machine"]["usable"], report["machine"]["threads"]);
    const json explored =
        json::parse(fusec({"explore", demo, "--target", "host", "-n", "4096", "--top", "1", "--json", "-"}, folder.path()).out);
    const json& chosen = explored["plans"][0];
    ASSERT_GE(report["plans"].size(), 2U);
    EXPECT_EQ(report["plans"][0]["plan"], "auto");
    EXPECT_EQ(report["plans"][0]["predicted_seconds"], chosen["seconds"]);
    EXPECT_EQ(report["plans"][1]["plan"], "none");
    EXPECT_EQ(report["plans"][1]["kernels"], 6);
    for (const json& plan : report["plans"]) {
        expect_times(plan["measured_seconds"], 2);
    }
    ASSERT_EQ(report["kernels"].size(), chosen["kernels"].size());
    for (std::size_t i = 0; i < report["kernels"].size(); ++i) {
        EXPECT_EQ(report["kernels"][i]["calls"], chosen["kernels"][i]["calls"]);
        EXPECT_TRUE(report["kernels"][i]["predictions"].contains("composite"));
        expect_times(report["kernels"][i]["measured_seconds"], 2);
    }
}

TEST_F(Bench, SaysHowManyProcessorsItUses) {
    const char* const before = std::getenv("OMP_NUM_THREADS");
    const std::string kept = before == nullptr ? "" : before;
    setenv("OMP_NUM_THREADS", "1", 1);
    EXPECT_EQ(measured(examples + "demo.fus", {"-n", "1000"})["machine"]["usable"], 1);
    before == nullptr ? unsetenv("OMP_NUM_THREADS") : setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

TEST_F(Bench, AllCandidatesOrASample) {
    folder.write("p.fus", "MATRIX3x3 A, B;\nVECTOR3 c;\ninput A, B, c;\nM = A * B;\nv = M * c;\ns = venorm(v);\nreturn s;\n");
    const json predicted =
        json::parse(fusec({"predict", "p.fus", "--target", "host", "-n", "1000", "--all", "--json", "-"}, folder.path()).out);
    const json all = measured("p.fus", {"-n", "1000", "--all"});
    ASSERT_EQ(all["kernels"].size(), predicted["kernels"].size());
    for (std::size_t i = 0; i < all["kernels"].size(); ++i) {
        EXPECT_EQ(all["kernels"][i]["calls"], predicted["kernels"][i]["calls"]);
        expect_times(all["kernels"][i]["measured_seconds"], 2);
    }
    // The kernels of the plan, then those of the sample that are others.
    const json planned = measured("p.fus", {"-n", "1000"})["kernels"];
    const json some = measured("p.fus", {"-n", "1000", "--sample", "3"})["kernels"];
    // The times, and whether a sample is of several launches (which follows from the time of one), differ between two runs.
    const auto without_times = [](json kernel) {
        kernel.erase("measured_seconds");
        kernel.erase("repeated");
        return kernel;
    };
    ASSERT_GE(some.size(), 3U);
    ASSERT_LE(some.size(), planned.size() + 3);
    std::set<json> seen;
    for (std::size_t i = 0; i < some.size(); ++i) {
        if (i < planned.size()) {
            EXPECT_EQ(without_times(some[i]), without_times(planned[i]));
        }
        EXPECT_TRUE(seen.insert(without_times(some[i])).second) << i << " is there twice";
    }
    EXPECT_EQ(measured("p.fus", {"-n", "1000", "--sample", "1000"})["kernels"].size(), all["kernels"].size());
}

// Kernels that update lists in place, and kernels that read what those update, are both given the old values.
TEST_F(Bench, ListsThatAreUpdated) {
    const json report = measured(examples + "explicit_step.fus", {"-n", "1000", "--sample", "6"});
    EXPECT_GE(report["kernels"].size(), 6U);
}

TEST_F(Bench, TextHasTheFastestPlanAndTheErrors) {
    const test::Outcome outcome = fusec({"bench", examples + "demo.fus", "-n", "1000", "--rounds", "3"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
        AllOf(HasSubstr("plans of demo for 1,000 elements: median (least) of 3 samples"), HasSubstr("  1.00  "), HasSubstr("6 kernels"),
            HasSubstr("{M1, v1, s1, M2, M3, F} -> F"), HasSubstr("composite: mean error "),
            HasSubstr("`wave` predicts kernels of a GPU, and `host-generic` is a host")));
    EXPECT_THAT(outcome.err, HasSubstr("predicted for `host-generic`, which is no measured machine"));
}

// A predictor that lacks times of routines or lists has no time for a kernel, and no error.
TEST_F(Bench, SaysWhereAPredictorHasNoAnswer) {
    folder.write("mine.json", test::host_calibration("mine").dump());
    const test::Outcome outcome =
        fusec({"bench", examples + "demo.fus", "--device", folder.path() / "mine.json", "-n", "1000", "--rounds", "3"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
        AllOf(HasSubstr("   no answer  {M1, v1, s1, M2, M3, F} -> F"), HasSubstr("benchmark: no answer for any kernel"),
            HasSubstr("composite: mean error "), testing::Not(HasSubstr("inf "))));
}

// Its predictions stand beside times of this machine; a plain compile for another machine is what it is.
TEST_F(Bench, WarnsOfACalibrationOfAnotherMachine) {
    folder.write("p.fus", "VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n");
    const json here = measured("p.fus", {"-n", "1000"})["machine"];
    const auto said = [&](const std::string& machine, int cores, bool measures = true) {
        auto mine = test::host_calibration("mine");
        mine["machine"] = machine;
        mine["figures"][0]["value"] = cores;
        folder.write("mine.json", mine.dump());
        const test::Outcome outcome = measures
            ? fusec({"bench", "p.fus", "-n", "1000", "--rounds", "1", "--device", "mine.json"}, folder.path())
            : fusec({"p.fus", "-o", "x.cpp", "--target", "host", "--device", "mine.json"}, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.err;
    };
    const std::string processor = here["processor"];
    const int usable = here["usable"];
    EXPECT_THAT(said(processor, usable), testing::Not(HasSubstr("other-machine")));
    EXPECT_THAT(said("a \"host\"", usable),
        AllOf(HasSubstr("warning: `mine` was measured on `a \"host\"` with " + std::to_string(usable) + " processor"),
            HasSubstr(", and this is `" + processor + "` with " + std::to_string(usable) + " processor"), HasSubstr("[other-machine]")));
    EXPECT_THAT(said(processor, usable + 1),
        AllOf(HasSubstr("` with " + std::to_string(usable + 1) + " processors, and this is"), HasSubstr("[other-machine]")));
    EXPECT_THAT(said("another", usable + 1, false), testing::Not(HasSubstr("other-machine")));
}

TEST_F(Bench, SaysWhatItCannotMeasure) {
    const std::string demo = examples + "demo.fus";
    const auto said = [&](const std::vector<std::string>& words, int code, const std::string& text) {
        std::vector<std::string> line{"bench", demo};
        line.insert(line.end(), words.begin(), words.end());
        const test::Outcome outcome = fusec(line, folder.path());
        EXPECT_EQ(outcome.code, code) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(text));
        EXPECT_EQ(outcome.out, "");
    };
    said({"--device", "h200"}, 2, "device `h200` is not a device of `--target host` [target-mismatch]");
    said({"--all", "--sample", "3"}, 2, "[usage]");
    said({"--seed", "3"}, 2, "[usage]");
    said({"--rounds", "0"}, 2, "[usage]");
    said({"--dump", "plan"}, 2, "[usage]");
    said({"--time-stages"}, 2, "[usage]");
    said({"-n", "100000000000"}, 3, "[memory-limit]");
}

} // namespace
} // namespace fusec
