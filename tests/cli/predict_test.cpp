// SPDX-License-Identifier: Apache-2.0
// `fusec predict`: every predictor on the same kernels, and calibrated devices on the command line.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::HasSubstr;
using testing::StartsWith;

const std::string demo = std::string(FUSEC_SOURCE_DIR) + "/examples/demo.fus";

class Predict : public testing::Test {
protected:
    json predicted(std::vector<std::string> words) const {
        words.insert(words.begin(), {"predict", demo, "--json", "-"});
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    test::TemporaryFolder folder;
};

TEST_F(Predict, SaysTheSameByHoweverManyThreads) {
    ::setenv("FUSEC_THREADS", "1", 1);
    const json alone = predicted({"--all"});
    ::setenv("FUSEC_THREADS", "4", 1);
    const json together = predicted({"--all"});
    ::unsetenv("FUSEC_THREADS");
    EXPECT_EQ(alone["kernels"], together["kernels"]);
}

TEST_F(Predict, SaysWhatThePlanWasChosenBy) {
    const json explored = json::parse(fusec({"explore", demo, "--json", "-"}, folder.path()).out);
    const json report = predicted({});
    const json& kernels = explored["plans"][0]["kernels"];
    ASSERT_EQ(report["kernels"].size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const json& composite = report["kernels"][i]["predictions"]["composite"];
        EXPECT_EQ(report["kernels"][i]["name"], "F");
        const double seconds = kernels[i]["seconds"]; // of 40 bits, as plans are compared
        EXPECT_NEAR(composite["seconds"].get<double>(), seconds, 1e-11 * seconds);
        EXPECT_EQ(composite["bound_by"], kernels[i]["bound_by"]);
        for (const auto& [key, value] : kernels[i].items()) {
            EXPECT_EQ(report["kernels"][i][key], value) << key;
        }
        EXPECT_GT(composite["bounds"].size(), 4U);
    }
}

// Every predictor either answers for every kernel, or is named with what it lacks: none is left out without a word.
TEST_F(Predict, EveryPredictorAnswersOrSaysWhyNot) {
    for (const char* device : {"h200", "a100", "l40", "mi210", "gtx480"}) {
        const json report = predicted({"--all", "--device", device});
        std::vector<std::string> named = report["predictors"];
        EXPECT_THAT(named, testing::IsSupersetOf({"composite", "roofline"}));
        for (const auto& [name, reason] : report["unavailable"].items()) {
            EXPECT_THAT(reason.get<std::string>(), HasSubstr("`" + name + "`"));
            EXPECT_EQ(std::count(named.begin(), named.end(), name), 0);
        }
        EXPECT_GT(report["kernels"].size(), 80U); // of devices without asynchronous copies 95 and more, of the others 142
        for (const json& kernel : report["kernels"]) {
            ASSERT_EQ(kernel["predictions"].size(), named.size());
            for (const auto& [name, said] : kernel["predictions"].items()) {
                EXPECT_GT(said["seconds"].get<double>(), 0) << name;
            }
        }
    }
}

// Of compiled kernels it says so, and what was found, as `explore` does.
TEST_F(Predict, OfCompiledKernels) {
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    const std::vector<std::string> words{"--analysis", "llvm"};
    const json report = predicted(words);
    const json explored = json::parse(fusec({"explore", demo, "--top", "1", "--analysis", "llvm", "--json", "-"}, folder.path()).out);
    unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(report["analysis"], explored["analysis"]);
    EXPECT_FALSE(predicted({}).contains("analysis"));
    const json& kernels = explored["plans"][0]["kernels"];
    ASSERT_EQ(report["kernels"].size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        for (const auto& [key, value] : kernels[i].items()) {
            EXPECT_EQ(report["kernels"][i][key], value) << key;
        }
        const double seconds = report["kernels"][i]["predictions"]["composite"]["seconds"];
        EXPECT_NEAR(report["kernels"][i]["compiled"]["seconds"].get<double>(), seconds, 1e-11 * seconds) << "what is predicted of";
        EXPECT_NE(report["kernels"][i]["seconds"].get<double>(), seconds);
    }
}

// `benchmark` has no time of a routine that the calibrated host was not timed for: no number stands for it.
TEST_F(Predict, NoAnswerIsNull) {
    const std::string program =
        folder.write("seven.fus", "MATRIX7x7 A, B;\nVECTOR3 x, y;\ninput A, B, x, y;\nC = A * B;\nz = x + y;\nreturn C, z;\n");
    std::vector<std::string> line{"predict", program, "--target", "host", "--device", "zen4-1core"};
    const test::Outcome text = fusec(line, folder.path());
    EXPECT_THAT(text.out, testing::ContainsRegex("benchmark +no answer"));
    EXPECT_THAT(text.out, testing::Not(HasSubstr("inf ")));
    EXPECT_THAT(text.out, HasSubstr("benchmark: no answer for 1 kernel, for want of times of routines or lists (`fusec calibrate --for`"));
    line.insert(line.end(), {"--all", "--json", "-"});
    const test::Outcome outcome = fusec(line, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_THAT(report["predictors"].get<std::vector<std::string>>(), testing::Contains("benchmark"));
    std::size_t unanswered = 0;
    for (const json& kernel : report["kernels"]) {
        const json& said = kernel["predictions"]["benchmark"];
        EXPECT_EQ(said["seconds"].is_null(), said["bound_by"].is_null());
        unanswered += said["seconds"].is_null() ? 1U : 0U;
        EXPECT_TRUE(kernel["predictions"]["composite"]["bound_by"].is_string());
    }
    EXPECT_GT(unanswered, 0U);
    EXPECT_LT(unanswered, report["kernels"].size()) << "the sum of vectors was timed";
}

// `explore` says of each kernel of the best plan what its predictor's time is made of, as `predict` does.
TEST_F(Predict, ExploreHasTheTermsOfEachPredictor) {
    for (const std::string name : {"composite", "roofline", "hong-kim", "pipeline", "staircase", "wave"}) {
        const test::Outcome explored = fusec({"explore", demo, "--top", "2", "--predictor", name}, folder.path());
        const test::Outcome said = fusec({"predict", demo, "--predictor", name, "--only", name}, folder.path());
        EXPECT_EQ(explored.code, 0) << explored.err;
        std::vector<std::string> lines;
        std::istringstream in(said.out);
        for (std::string line; std::getline(in, line);) {
            if (const std::size_t terms = line.find(")  "); line.starts_with("    " + name) || line.starts_with("  " + name)) {
                lines.push_back(line.substr(terms + 3));
            }
        }
        ASSERT_FALSE(lines.empty()) << said.out;
        std::size_t after = 0; // in the order of the kernels, before the second plan
        const std::size_t second = explored.out.find("\n2. ");
        for (const std::string& terms : lines) {
            EXPECT_THAT(terms, testing::ContainsRegex("^[a-z0-9]+ [0-9.]+ (us|ms)")) << name;
            after = explored.out.find(name + ": " + terms + "\n", after);
            EXPECT_LT(after, second) << name << "\n" << terms << "\n" << explored.out;
        }
        EXPECT_EQ(explored.out.find(name + ": ", second), std::string::npos) << "of the best plan alone";
        const json report = json::parse(fusec({"explore", demo, "--top", "1", "--predictor", name, "--json", "-"}, folder.path()).out);
        const json alone = predicted({"--predictor", name, "--only", name});
        const json& kernels = report["plans"][0]["kernels"];
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const json& predictions = alone["kernels"][i]["predictions"][name];
            EXPECT_EQ(kernels[i]["bounds"], predictions["bounds"]) << name;
            EXPECT_EQ(kernels[i]["quantities"], predictions["quantities"]) << name;
            EXPECT_FALSE(kernels[i]["bounds"].empty()) << name;
        }
    }
}

TEST_F(Predict, OneAlone) {
    const json report = predicted({"--only", "roofline"});
    EXPECT_EQ(report["predictors"], json({"roofline"}));
    EXPECT_EQ(report["kernels"][0]["predictions"].size(), 1U);
    const test::Outcome unknown = fusec({"predict", demo, "--only", "rooflin"}, folder.path());
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr("[unknown-predictor]"), HasSubstr("did you mean `roofline`?")));
}

TEST_F(Predict, TextNamesBoundsAndKernels) {
    const test::Outcome plan = fusec({"predict", demo}, folder.path());
    EXPECT_THAT(plan.out, StartsWith("1,048,576 elements on h200, by its description\n"));
    EXPECT_THAT(plan.out, testing::AllOf(HasSubstr("loads A, B, c, D, E; stores F"), HasSubstr("composite"), HasSubstr("(dram)  dram ")));
    const test::Outcome all = fusec({"predict", demo, "--all"}, folder.path());
    EXPECT_THAT(all.out, StartsWith("1,048,576 elements on h200, by its description\n"));
    EXPECT_THAT(all.out, HasSubstr("{M1, v1} -> "));
}

// A calibration is used by the name of its file, is in what the build depends on, and names itself in the text.
TEST_F(Predict, CalibratedDevice) {
    folder.write("node.json",
        R"({"schema": 1, "kind": "calibration", "name": "node", "base": "h200", "date": "2026-11-20T10:00:00Z", "machine": "a GPU",
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "figures": [{"key": "speed.dram", "value": 2400, "unit": "GB/s", "points": 3, "residual": 0.01, "how": "copies"}]})");
    const json plain = predicted({"--only", "roofline"}), calibrated = predicted({"--only", "roofline", "--device", "node.json"});
    EXPECT_EQ(calibrated["device"], "node");
    EXPECT_EQ(calibrated["calibration"].get<std::string>().size(), 16U);
    EXPECT_EQ(plain["calibration"], "");
    const auto dram = [](const json& report) { return report["kernels"][0]["predictions"]["roofline"]["bounds"]["dram"].get<double>(); };
    EXPECT_DOUBLE_EQ(dram(calibrated), 2 * dram(plain));
    const test::Outcome compiled = fusec({demo, "-o", "fused.cu", "--device", "node.json", "--depfile", "fused.d"}, folder.path());
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    EXPECT_THAT(
        folder.read("fused.cu"), HasSubstr("--device node.json (calibration " + calibrated["calibration"].get<std::string>() + ")"));
    EXPECT_THAT(folder.read("fused.d"), testing::AllOf(HasSubstr("node.json"), HasSubstr("h200.toml")));
    const test::Outcome shown = fusec({"devices", "show", "node.json"}, folder.path());
    EXPECT_THAT(
        shown.out, testing::AllOf(HasSubstr("(calibrated)"), HasSubstr("calibration of 2026-11-20T10:00:00Z (a GPU): copies; 3 points")));
}

// One of the user's stands in for a description of its name: the text says so, of a plan and of all kernels.
TEST_F(Predict, SaysThatACalibrationStandsInForADevice) {
    std::filesystem::create_directories(folder.path() / "fusec/calibrations");
    folder.write("fusec/calibrations/l40.json",
        R"({"schema": 1, "kind": "calibration", "name": "l40", "base": "l40", "date": "2026-11-20T10:00:00Z", "machine": "a GPU",
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "figures": [{"key": "speed.dram", "value": 400, "unit": "GB/s", "points": 3, "residual": 0.01, "how": "copies"}]})");
    const std::vector<std::string> plan{"predict", demo, "--device", "l40"}, all{"predict", demo, "--device", "l40", "--all"};
    EXPECT_THAT(fusec(plan, folder.path()).out, StartsWith("1,048,576 elements on l40, by its description\n"));
    const char* const given = std::getenv("XDG_CONFIG_HOME");
    const std::string before = given == nullptr ? "" : given;
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    const std::string hash = predicted({"--device", "l40"})["calibration"];
    const std::string said = "1,048,576 elements on l40, by the calibration " + hash + "\n";
    EXPECT_THAT(fusec(plan, folder.path()).out, StartsWith(said));
    EXPECT_THAT(fusec(all, folder.path()).out, StartsWith(said));
    ::setenv("XDG_CONFIG_HOME", before.c_str(), 1);
    EXPECT_EQ(hash.size(), 16U);
}

// The learned correction of `pipeline`: what it was trained on is in every answer, and a part of it is refused.
TEST_F(Predict, TheCorrectionOfPipelineNamesItsData) {
    const std::string head =
        R"({"schema": 1, "kind": "calibration", "name": "node", "base": "h200", "date": "2026-11-20T10:00:00Z", "machine": "a GPU",
            "commit": "0123456789abcdef0123456789abcdef01234567", "figures": [
)";
    const auto given = [](const std::string& figure, double value) {
        return R"({"key": "pipeline.correction_)" + figure + R"(", "value": )" + std::to_string(value) + R"(, "unit": ")" +
            (figure == "intercept" ? "ln of a ratio" : "exponent") +
            R"(", "points": 3, "residual": 0.1, "how": "trained on copies of a test"})";
    };
    std::string figures = given("intercept", 0.5);
    folder.write("part.json", head + figures + "]}");
    for (const char* other : {"launch", "cycles", "uncoalesced", "blocks"}) {
        figures += ",\n" + given(other, 0);
    }
    folder.write("node.json", head + figures + "]}");
    const std::string label = "correction: log-linear, calibration of 2026-11-20T10:00:00Z (a GPU): trained on copies of a test; 3 points";
    const json corrected = predicted({"--only", "pipeline", "--device", "node.json"});
    const json last = corrected["kernels"][0]["predictions"]["pipeline"]["quantities"].back();
    EXPECT_THAT(last["name"].get<std::string>(), HasSubstr(label));
    EXPECT_NEAR(last["value"].get<double>(), std::exp(0.5), 1e-9);
    EXPECT_THAT(fusec({"predict", demo, "--only", "pipeline", "--device", "node.json"}, folder.path()).out, HasSubstr(label));
    const auto explored = [&](const std::string& device, std::vector<std::string> more) {
        more.insert(more.begin(), {"explore", demo, "--predictor", "pipeline", "--top", "1", "--device", device});
        return fusec(more, folder.path());
    };
    EXPECT_THAT(explored("node.json", {}).out, HasSubstr("\npipeline: " + label));
    EXPECT_THAT(explored("h200", {}).out, HasSubstr("\npipeline: correction: uncorrected\n"));
    EXPECT_EQ(json::parse(explored("h200", {"--json", "-"}).out)["predictor_label"], "correction: uncorrected");
    const test::Outcome part = explored("part.json", {});
    EXPECT_EQ(part.code, 1);
    EXPECT_THAT(part.err,
        testing::AllOf(
            HasSubstr("part.json:3:1: error: `pipeline.correction_intercept` without `pipeline.correction_launch` [missing-figure]"),
            HasSubstr("all of them or none")));
}

TEST_F(Predict, TheLinesOfALaunchBelongTogether) {
    folder.write(
        "part.json", R"({"schema": 1, "kind": "calibration", "name": "h200", "base": "h200", "date": "2026-11-25T00:00:00Z", "machine": "m",
 "commit": "c", "figures": [{"key": "wave.launch_x1_4", "value": 0.6, "unit": "ns", "points": 7, "residual": 0, "how": "h"}]})");
    const test::Outcome part = fusec({"predict", demo, "--device", "part.json"}, folder.path());
    EXPECT_EQ(part.code, 1);
    EXPECT_THAT(part.err,
        testing::AllOf(HasSubstr("`wave.launch_x1_4` without `wave.launch_x1_1` [missing-figure]"),
            HasSubstr("four sizes of block, two figures each: all of them or none")));
}

} // namespace
} // namespace fusec
