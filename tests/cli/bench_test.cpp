// SPDX-License-Identifier: Apache-2.0
// `fusec bench`: what is measured, that it computes what it has to, and what the report says. No time is compared with another.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

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
    const json some = measured("p.fus", {"-n", "1000", "--sample", "3"});
    EXPECT_EQ(some["kernels"].size(), 3U);
}

// Kernels that update lists in place, and kernels that read what those update, are both given the old values.
TEST_F(Bench, ListsThatAreUpdated) {
    const json report = measured(examples + "explicit_step.fus", {"-n", "1000", "--sample", "6"});
    EXPECT_EQ(report["kernels"].size(), 6U);
}

TEST_F(Bench, TextHasTheFastestPlanAndTheErrors) {
    const test::Outcome outcome = fusec({"bench", examples + "demo.fus", "-n", "1000", "--rounds", "3"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
        AllOf(HasSubstr("plans of demo for 1,000 elements: median (least) of 3 samples"), HasSubstr("  1.00  "), HasSubstr("6 kernels"),
            HasSubstr("{M1, v1, s1, M2, M3, F} -> F"), HasSubstr("composite: mean error "),
            HasSubstr("`wave` predicts kernels of a GPU, and `host-generic` is a host")));
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

class Calibrate : public testing::Test {
protected:
    test::TemporaryFolder folder;
    std::string calibration =
        R"({"schema": 1, "kind": "calibration", "name": "node", "base": "host-generic", "date": "2026-11-20T10:00:00Z",
        "machine": "a host", "commit": "fusec 0.1.0",
        "figures": [{"key": "speed.cores", "value": 3, "unit": "cores", "points": 1, "residual": 0, "how": "what the system says"}]})";
};

// What is imported is found by its name; what is damaged is refused, and what was there stays.
TEST_F(Calibrate, Imports) {
    folder.write("node.json", calibration);
    const char* const given = std::getenv("XDG_CONFIG_HOME");
    const std::string before = given == nullptr ? "" : given;
    setenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str(), 1);
    const test::Outcome imported = fusec({"calibrate", "--import", "node.json"}, folder.path());
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(imported.err, HasSubstr("config/fusec/calibrations/node.json`: `--device node` is calibrated from now on"));
    EXPECT_THAT(fusec({"devices", "show", "node"}, folder.path()).out, HasSubstr("what the system says"));
    folder.write("bad.json", calibration.substr(0, 100));
    folder.write("odd.json", std::string(calibration).replace(calibration.find("speed.cores"), 11, "speed.corse"));
    folder.write("named.json", std::string(calibration).replace(calibration.find("node"), 4, "h200"));
    for (const char* bad : {"bad.json", "odd.json", "none.json", "named.json"}) {
        const test::Outcome refused = fusec({"calibrate", "--import", bad}, folder.path());
        EXPECT_EQ(refused.code, 1) << bad;
        EXPECT_THAT(refused.err, HasSubstr(bad == std::string("named.json") ? "is called `h200`" : bad));
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "config/fusec/calibrations/h200.json"));
    EXPECT_EQ(folder.read("config/fusec/calibrations/node.json"), calibration);
    setenv("XDG_CONFIG_HOME", before.c_str(), 1);
}

TEST_F(Calibrate, SaysWhatIsMissing) {
    const auto said = [&](const std::vector<std::string>& words, const std::string& text) {
        std::vector<std::string> line{"calibrate"};
        line.insert(line.end(), words.begin(), words.end());
        const test::Outcome outcome = fusec(line, folder.path());
        EXPECT_EQ(outcome.code, 2);
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(text), HasSubstr("[usage]")));
    };
    said({}, "nothing to do: give --target host -o FILE, or --import FILE");
    said({"--target", "host"}, "give the file to write with -o FILE");
    said({"--target", "cuda", "-o", "x.json"}, "--target");
    said({"--target", "host", "--import", "x.json"}, "--import");
    said({"--target", "host", "-o", "x.json", "--name", "my node"}, "the name of a device, of letters, digits, `-` and `_`, expected");
}

TEST_F(Calibrate, RefusesTheNameOfAnotherDeviceBeforeItMeasures) {
    const test::Outcome refused = fusec({"calibrate", "--target", "host", "-o", "x.json", "--name", "h200"}, folder.path());
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("--name h200: the name of another device than the one that is calibrated, `host-generic`"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.json"));
}

} // namespace
} // namespace fusec
