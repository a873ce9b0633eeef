// SPDX-License-Identifier: Apache-2.0
// Every command on the demo: what it writes, that it is the same twice, and that public tools accept it.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::HasSubstr;

const std::string demo = std::string(FUSEC_SOURCE_DIR) + "/examples/demo.fus";

class Commands : public testing::Test {
protected:
    test::TemporaryFolder folder;
};

TEST_F(Commands, CompileWritesBothFilesAndOneLine) {
    const test::Outcome outcome = fusec({demo, "-o", "fused.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(std::regex_match(outcome.err,
        std::regex("demo: \\d+ kernels?, [\\d.]+ B/element, predicted [\\d.]+ [mu]s for 1,048,576 elements on h200 \\(\\w+\\), [\\d.]+x "
                   "over one kernel per call, gap 0 over the implementations considered\n")))
        << outcome.err;
    EXPECT_THAT(folder.names(), testing::ElementsAre("fused.cu", "fused.h"));
    EXPECT_THAT(folder.read("fused.h"), HasSubstr("demo_launch_range"));
}

// A gap is over what was searched, and every place that tells it says so: by the report's counts, whatever was left out.
TEST_F(Commands, TheGapSaysWhatItIsOver) {
    struct Searched {
        std::string program;
        std::vector<std::string> options;
        std::string over;
    };
    folder.write("all.fus", "SCALAR a; input a; b = a + a; return b;\n");
    const std::string examples = std::string(FUSEC_SOURCE_DIR) + "/examples/";
    for (const auto& [program, options, over] : {Searched{"all.fus", {}, ""}, {demo, {}, " over the implementations considered"},
             {demo, {"--max-fusions", "5"}, " over the part searched"},     // fusions are left out
             {examples + "hex_inertia.fus", {}, " over the part searched"}, // choices of stored data
             {demo, {"--plan", "none"}, " over the implementations considered"}}) {
        std::vector<std::string> words{program, "-o", "x.cu", "--json", "x.json"};
        words.insert(words.end(), options.begin(), options.end());
        const test::Outcome compiled = fusec(words, folder.path());
        ASSERT_EQ(compiled.code, 0) << compiled.err;
        const std::regex gap("gap [\\d.]+( %)?" + over + "( \\*/)?\n");
        EXPECT_TRUE(std::regex_search(compiled.err, gap)) << compiled.err;
        for (const char* file : {"x.cu", "x.h"}) {
            EXPECT_TRUE(std::regex_search(folder.read(file), gap)) << program << ' ' << file;
        }
        words = {"explore", program, "--top", "1"};
        words.insert(words.end(), options.begin(), options.end());
        if (options.empty() || options.front() != "--plan") {
            EXPECT_TRUE(std::regex_search(fusec(words, folder.path()).out, gap)) << program;
        }
        const json space = json::parse(folder.read("x.json"))["space"];
        EXPECT_EQ(space["complete"] == false, over.ends_with("searched")) << program;
        EXPECT_EQ(space["complete"] == true && space["unexplored"] == 0, over.empty()) << program;
        EXPECT_TRUE(space["unexplored"].is_number_integer()) << program;
    }
}

// What `--all` checks of an example on both executors; that it sees a kernel that does not agree is shown in verify_all_test.
TEST_F(Commands, EveryCandidateOfAnExampleAgrees) {
    const test::Outcome outcome =
        fusec({"verify", std::string(FUSEC_SOURCE_DIR) + "/examples/tet_geometry.fus", "--all", "--json", "-"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json results = json::parse(outcome.out)["results"];
    ASSERT_EQ(results.size(), 2U);
    for (const json& row : results) {
        EXPECT_EQ(row["mismatches"], 0);
        EXPECT_EQ(row["checked"].get<int>(), row["candidates"].get<int>() + 1) << "and the plan";
        EXPECT_GT(row["components"], 0);
    }
}

// `-o -` leaves no place for a header: the text holds it, and stands alone.
TEST_F(Commands, StandardOutputIsOneTextThatCompiles) {
    const test::Outcome outcome = fusec({demo, "--target", "host", "-o", "-"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(folder.names().empty());
    folder.write("one.cpp", outcome.out);
    const test::Outcome compiled =
        test::run({"g++", "-std=c++20", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-c", "one.cpp"}, folder.path());
    EXPECT_EQ(compiled.code, 0) << compiled.err;
}

// The demo against NumPy, from NumPy's files to NumPy's files.
TEST_F(Commands, RunAgreesWithNumPy) {
    folder.write("make.py",
        "import numpy as np\n"
        "g = np.random.default_rng(1)\n"
        "for name, shape in dict(A=(3, 3), B=(3, 3), c=(3,), D=(5, 5), E=(5, 5)).items():\n"
        "    np.save(name + '.npy', g.uniform(-1, 1, (1000,) + shape).astype('<f4'))\n");
    folder.write("check.py",
        "import numpy as np\n"
        "A, B, c, D, E = (np.load(x + '.npy').astype('f8') for x in 'ABcDE')\n"
        "F = np.load('F.npy')\n"
        "wanted = (D @ E + D) * np.linalg.norm((A @ B @ c[..., None])[..., 0], axis=1)[:, None, None]\n"
        "assert F.shape == (1000, 5, 5) and F.dtype == np.float32\n"
        "assert np.abs(F - wanted).max() < 1e-5, np.abs(F - wanted).max()\n");
    ASSERT_EQ(test::run({"/usr/bin/python3", "make.py"}, folder.path()).code, 0);
    std::vector<std::string> words{"run", demo, "--output", "F=F.npy"};
    for (const char* name : {"A", "B", "c", "D", "E"}) {
        words.insert(words.end(), {"--input", std::string(name) + "=" + name + ".npy"});
    }
    const test::Outcome outcome = fusec(words, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const test::Outcome check = test::run({"/usr/bin/python3", "check.py"}, folder.path());
    EXPECT_EQ(check.code, 0) << check.err;
}

TEST_F(Commands, OutputIsTheGoldenFile) {
    ASSERT_EQ(fusec({demo, "-o", "demo.cu"}, folder.path()).code, 0);
    const test::Outcome difference =
        test::run({"diff", "-u", std::string(FUSEC_SOURCE_DIR) + "/tests/cli/golden/demo.cu", "demo.cu"}, folder.path());
    EXPECT_EQ(difference.code, 0) << difference.out << "update with: ./fusec examples/demo.fus -o tests/cli/golden/demo.cu";
    const test::Outcome header =
        test::run({"diff", "-u", std::string(FUSEC_SOURCE_DIR) + "/tests/cli/golden/demo.h", "demo.h"}, folder.path());
    EXPECT_EQ(header.code, 0) << header.out;
}

TEST_F(Commands, TheDemoIsShort) {
    for (const char* runtime : {"embed", "include"}) {
        ASSERT_EQ(fusec({demo, "-o", "fused.cu", "--runtime", runtime}, folder.path()).code, 0);
        const std::string text = folder.read("fused.cu");
        EXPECT_LE(std::ranges::count(text, '\n'), 150) << runtime;
        EXPECT_THAT(text, HasSubstr("\n// F = (D E + D) ||A B c||\n"));
    }
}

TEST_F(Commands, SameInputSameBytes) {
    for (const char* target : {"cuda", "host"}) {
        ASSERT_EQ(fusec({demo, "-o", "a.cu", "--json", "a.json", "--target", target}, folder.path()).code, 0);
        folder.write("elsewhere/demo.fus", folder.read(demo));
        const test::Outcome second =
            fusec({"elsewhere/demo.fus", "-o", "b/../c.cu", "--json", "c.json", "--target", target}, folder.path());
        EXPECT_EQ(second.code, 1) << "b does not exist";
        ASSERT_EQ(fusec({"elsewhere/demo.fus", "-o", "elsewhere/a.cu", "--json", "c.json", "--target", target}, folder.path()).code, 0);
        EXPECT_EQ(folder.read("a.cu"), folder.read("elsewhere/a.cu"));
        json a = json::parse(folder.read("a.json"));
        json c = json::parse(folder.read("c.json"));
        a["space"].erase("seconds");
        c["space"].erase("seconds");
        EXPECT_EQ(a, c);
    }
}

TEST_F(Commands, ExploreJsonHasTheContractsKeys) {
    const test::Outcome outcome = fusec({"explore", demo, "--top", "5", "--json", "-"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["schema"], 1);
    EXPECT_EQ(report["space"]["calls"], 6);
    EXPECT_EQ(report["space"]["fusions"], 21);
    EXPECT_GE(report["space"]["candidates"], 300);
    EXPECT_EQ(report["space"]["complete"], true);
    ASSERT_EQ(report["plans"].size(), 5U);
    double before = 0;
    for (const json& plan : report["plans"]) {
        EXPECT_GE(plan["seconds"], before);
        before = plan["seconds"];
        double sum = 0;
        for (const json& kernel : plan["kernels"]) {
            for (const char* key : {"name", "calls", "loads", "stores", "implementation", "threads", "instances_per_block", "shared_bytes",
                     "registers", "bytes_per_element", "flops_per_element", "seconds", "bound_by"}) {
                EXPECT_TRUE(kernel.contains(key)) << key;
            }
            sum += kernel["seconds"].get<double>();
        }
        EXPECT_NEAR(sum, before, 1e-9 * before);
    }
    EXPECT_LE(report["optimum"]["bound"], report["optimum"]["seconds"]);
}

TEST_F(Commands, AutomaticIsNeverPredictedWorse) {
    const auto seconds = [&](const std::string& mode) {
        const test::Outcome outcome = fusec({demo, "--json", "-", "--plan", mode}, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out)["optimum"]["seconds"].get<double>();
    };
    const double best = seconds("auto");
    for (const char* mode : {"none", "max", "greedy"}) {
        EXPECT_LE(best, seconds(mode) * (1 + 1e-12)) << mode;
    }
}

TEST_F(Commands, PlanFileGivesTheSameKernels) {
    ASSERT_EQ(fusec({demo, "-o", "a.cu", "--save-plan", "plan.json", "--plan", "greedy"}, folder.path()).code, 0);
    const test::Outcome outcome = fusec({demo, "-o", "b.cu", "--save-plan", "again.json", "--plan", "plan.json"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(folder.read("plan.json"), folder.read("again.json"));
    const auto body = [&](const std::string& name) {
        const std::string text = folder.read(name);
        return text.substr(text.find("namespace"));
    };
    EXPECT_EQ(body("a.cu"), body("b.cu"));
    folder.write("bad.json", "{\"schema\": 1, \"kernels\": [");
    const test::Outcome bad = fusec({demo, "-o", "c.cu", "--plan", "bad.json"}, folder.path());
    EXPECT_EQ(bad.code, 1);
    EXPECT_THAT(bad.err, HasSubstr("bad.json:1:"));
}

TEST_F(Commands, DumpsEveryStage) {
    const test::Outcome outcome = fusec({demo, "--dump", "ast,dag,candidates,plan,ir", "--time-stages"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("s1 = venorm(v1) : float SCALAR"));
    EXPECT_THAT(outcome.err, testing::ContainsRegex("\nparse +[0-9.]+ ms  program text to syntax tree\n"));
    EXPECT_THAT(outcome.err, testing::ContainsRegex("\nlower +[0-9.]+ ms  kernel IR\ntotal +[0-9.]+ ms\n"));
}

TEST_F(Commands, GraphvizAcceptsThePictures) {
    ASSERT_EQ(fusec({demo, "--dot", "dag", "dag.dot", "--dot", "plan", "plan.dot"}, folder.path()).code, 0);
    for (const char* name : {"dag.dot", "plan.dot"}) {
        const test::Outcome picture = test::run({"dot", "-Tsvg", name}, folder.path());
        EXPECT_EQ(picture.code, 0) << picture.err;
        EXPECT_THAT(picture.out, HasSubstr("venorm"));
    }
}

TEST_F(Commands, GraphvizAcceptsNamesThatItReserves) {
    folder.write("graph.fus", "VECTOR3 node, edge, strict;\ninput node, edge;\nstrict = node + edge;\nreturn strict;\n");
    ASSERT_EQ(fusec({"graph.fus", "--dot", "dag", "dag.dot", "--dot", "plan", "plan.dot"}, folder.path()).code, 0);
    for (const char* name : {"dag.dot", "plan.dot"}) {
        const test::Outcome picture = test::run({"dot", "-Tsvg", name}, folder.path());
        EXPECT_EQ(picture.code, 0) << picture.err;
        EXPECT_THAT(picture.out, HasSubstr("strict"));
    }
}

TEST_F(Commands, WhyTellsGainAndReason) {
    const test::Outcome gain = fusec({"why", demo, "M1", "v1"}, folder.path());
    EXPECT_EQ(gain.code, 0) << gain.err;
    EXPECT_THAT(gain.out, HasSubstr("fusing `M1` and `v1` gains"));
    const test::Outcome large = fusec({"why", demo, "M1", "F", "--max-fusion", "3"}, folder.path());
    EXPECT_EQ(large.code, 0) << large.err;
    EXPECT_THAT(large.out, HasSubstr("4 calls, --max-fusion is 3"));
    const test::Outcome unknown = fusec({"why", demo, "M1", "v2"}, folder.path());
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.err, HasSubstr("its calls are M1, v1, s1, M2, M3, F"));
}

TEST_F(Commands, DevicesGiveFiguresWithSources) {
    const test::Outcome list = fusec({"devices"}, folder.path());
    for (const char* name :
        {"h200", "h100", "h100-pcie", "a100", "a100-40", "a40", "l40", "rtx4090", "v100", "gh200", "mi210", "gtx480", "host-generic"}) {
        EXPECT_THAT(list.out, HasSubstr(name));
    }
    const test::Outcome show = fusec({"devices", "show", "h200"}, folder.path());
    EXPECT_EQ(show.code, 0) << show.err;
    EXPECT_GE(std::ranges::count(show.out, '\n'), 20);
    EXPECT_THAT(show.out,
        testing::ContainsRegex("does not give:\n(.*\n)*  speed.block_dispatch +0.5698[0-9]* ns +assumption: one block per clock\n"));
    EXPECT_THAT(fusec({"devices", "show", "host-generic"}, folder.path()).out, testing::Not(HasSubstr("does not give")));
}

TEST_F(Commands, LibraryListsAndShows) {
    const test::Outcome list = fusec({"library", "list"}, folder.path());
    EXPECT_EQ(list.code, 0) << list.err;
    for (const char* name : {"mmul", "mcholsolve", "venorm", "smax"}) {
        EXPECT_THAT(list.out, HasSubstr(name));
    }
    const test::Outcome show = fusec({"library", "show", "mmul"}, folder.path());
    EXPECT_THAT(show.out, HasSubstr("sum(k) A[i,k] * B[k,j]"));
    EXPECT_EQ(fusec({"library", "show", "mmull"}, folder.path()).code, 1);
}

// A guard is there for inputs on its other side: they are drawn too, and what is not taken need be no number. A text without the guard is caught.
TEST_F(Commands, DomainsBehindSelectionsAreDrawnOnBothSides) {
    folder.write("both.fus",
        "SCALAR q;\nVECTOR2 v, w;\ninput q, v;\ny = select(q >= 0, ssqrt(q), -ssqrt(-q));\nz = select(q > 0, 1 / q, 0);\n"
        "w[0] = select(v[0] > 0, v[1] / ssqrt(v[0]), v[1]);\nw[1] = v[0];\nreturn y, z, w;\n");
    for (const char* plan : {"auto", "none"}) {
        const test::Outcome outcome = fusec({"verify", "both.fus", "--all", "--plan", plan}, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_THAT(outcome.err, testing::Not(HasSubstr("[one-sided-selection]")));
    }
    folder.write("g.fus", "SCALAR q;\ninput q;\ny = select(q > 0, ssqrt(q), 0);\nreturn y;\n");
    ASSERT_EQ(fusec({"g.fus", "--runtime", "include", "-o", "g.cu"}, folder.path()).code, 0);
    std::string text = folder.read("g.cu");
    const std::string guarded = "fusec::select(0.0f < q_view(), y_1, 0.0f)";
    ASSERT_NE(text.find(guarded), std::string::npos);
    EXPECT_EQ(fusec({"verify", "g.fus", "--source", "g.cu"}, folder.path()).code, 0);
    folder.write("g.cu", text.replace(text.find(guarded), guarded.size(), "y_1"));
    const test::Outcome caught = fusec({"verify", "g.fus", "--source", "g.cu"}, folder.path());
    EXPECT_EQ(caught.code, 4);
    EXPECT_THAT(caught.err, HasSubstr("[verify-mismatch]"));
}

// Keys and values of the report, whatever the names are that go into it: a device may be called anything.
TEST_F(Commands, VerifyReportIsJson) {
    std::string device = test::run({"cat", std::string(FUSEC_SOURCE_DIR) + "/perfmodel/devices/h200.toml"}, folder.path()).out;
    const std::string name = "name = \"h200\"";
    ASSERT_NE(device.find(name), std::string::npos);
    device.replace(device.find(name), name.size(), "name = \"my \\\"h200\\\" \\\\ \\u00fc\"");
    folder.write("mine.toml", device);
    folder.write("p.fus", "SCALAR a;\ninput a;\nb = a + a;\nreturn b;\n");
    const test::Outcome outcome =
        fusec({"verify", "p.fus", "--device", "mine.toml", "--executor", "emulated", "--seed", "7", "--json", "-"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["schema"], 1);
    EXPECT_EQ(report["all"], false);
    EXPECT_EQ(report["seed"], 7);
    ASSERT_EQ(report["results"].size(), 1u);
    const json& result = report["results"][0];
    EXPECT_EQ(result["device"], "my \"h200\" \\ \u00fc");
    EXPECT_EQ(result["program"], "p");
    EXPECT_EQ(result["executor"], "emulated");
    EXPECT_EQ(result["calls"], 1);
    EXPECT_EQ(result["checked"], 1);
    EXPECT_EQ(result["texts"], 1);
    EXPECT_EQ(result["mismatches"], 0);
    EXPECT_EQ(result["ill_conditioned"], false);
    EXPECT_GT(result["components"].get<int>(), 100);
    EXPECT_LE(result["worst_error"].get<double>(), 1);
    std::vector<std::string> keys;
    for (const auto& [key, value] : result.items()) {
        keys.push_back(key);
    }
    EXPECT_THAT(keys,
        testing::UnorderedElementsAre("program", "calls", "executor", "device", "fusions", "candidates", "checked", "texts",
            "texts_optimised", "launches", "components", "mismatches", "drawn", "redrawn", "ill_conditioned", "worst_error",
            "processor_seconds"));
    // The line beside it counts in the number of what it counts.
    EXPECT_THAT(outcome.err, HasSubstr("p on emulated: 1 checked as 1 text in "));
    EXPECT_THAT(outcome.err, HasSubstr(" components, 0 mismatches, "));
}

} // namespace
} // namespace fusec
