// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate`: what it takes in, what it writes, and what it refuses. Measuring a host is in host_calibration_test.
#include "support/build_commit.hpp"
#include "support/machine.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/host_calibrations.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::AllOf;
using testing::HasSubstr;

const std::string examples = std::string(FUSEC_SOURCE_DIR) + "/examples/";

class Calibrate : public testing::Test {
protected:
    test::TemporaryFolder folder;
    std::string calibration = test::host_calibration("node").dump(1);
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

// Home folders are shared: what another machine was calibrated to be is not taken for this one without a word.
TEST_F(Calibrate, OfAnotherMachineIsToldWhereItStandsForThisOne) {
    folder.write("p.fus", "VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n");
    const auto summary = [&](const std::string& machine, const std::string& device = "") {
        auto mine = test::host_calibration("host-generic");
        mine["machine"] = machine;
        std::filesystem::create_directories(folder.path() / "config/fusec/calibrations");
        folder.write("config/fusec/calibrations/host-generic.json", mine.dump());
        folder.write("mine.json", test::host_calibration("mine").dump());
        return test::run(
            {"sh", "-c", "XDG_CONFIG_HOME=$PWD/config '" FUSEC_BINARY "' p.fus -o p.cpp --target host" + device}, folder.path());
    };
    const test::Outcome another = summary("some other processor");
    EXPECT_EQ(another.code, 0) << another.err;
    EXPECT_THAT(another.err,
        AllOf(HasSubstr("warning: `host-generic` was measured on `some other processor` with 3 processors, and this is `"),
            HasSubstr("[other-machine]"), HasSubstr(" on host-generic, calibrated (")));
    EXPECT_THAT(
        summary(processor_name()).err, AllOf(testing::Not(HasSubstr("other-machine")), HasSubstr(" on host-generic, calibrated (")));
    EXPECT_THAT(summary("some other processor", " --device mine.json").err,
        AllOf(testing::Not(HasSubstr("other-machine")), HasSubstr(" on mine, calibrated (")));
    EXPECT_THAT(fusec({"p.fus", "-o", "p.cpp", "--target", "host"}, folder.path()).err,
        AllOf(testing::Not(HasSubstr("other-machine")), HasSubstr(" on host-generic (")));
}

// Without a folder of the user nothing is written to that of the compiler.
TEST_F(Calibrate, ImportsNothingWithoutAHome) {
    folder.write("node.json", calibration);
    const auto imported = [&](const std::string& environment, const std::string& output) {
        return test::run({"sh", "-c", environment + " '" FUSEC_BINARY "' calibrate --import node.json" + output}, folder.path());
    };
    for (const char* environment :
        {"env -u XDG_CONFIG_HOME -u HOME", "env XDG_CONFIG_HOME= HOME=", "env XDG_CONFIG_HOME=here HOME=there"}) {
        const test::Outcome refused = imported(environment, "");
        EXPECT_EQ(refused.code, 1) << environment;
        EXPECT_THAT(refused.err,
            AllOf(HasSubstr("neither XDG_CONFIG_HOME nor HOME is an absolute path [unwritable-file]"), HasSubstr("with -o FILE")));
        EXPECT_EQ(imported(environment, " -o copy.json").code, 0) << environment;
    }
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"copy.json", "node.json"}));
    EXPECT_FALSE(std::filesystem::exists(std::string(FUSEC_SOURCE_DIR) + "/perfmodel/calibrations/node.json"));
    // A relative path is none, and HOME stands.
    EXPECT_EQ(imported("env XDG_CONFIG_HOME=here HOME='" + folder.path().string() + "'", "").code, 0);
    EXPECT_EQ(folder.read(".config/fusec/calibrations/node.json"), calibration);
}

TEST_F(Calibrate, SaysWhatTakesWhatItHasWritten) {
    folder.write("node.json", calibration);
    EXPECT_THAT(fusec({"calibrate", "--import", "node.json", "-o", "b.json"}, folder.path()).err,
        HasSubstr("calibrated: use it with `--device b.json`"));
    const test::Outcome other = fusec({"calibrate", "--import", "node.json", "-o", "b.txt"}, folder.path());
    EXPECT_EQ(other.code, 0);
    EXPECT_THAT(other.err, HasSubstr("calibrated: it is in `b.txt`; `--device` takes it by a name that ends in .json"));
    EXPECT_EQ(fusec({"devices", "show", "b.json"}, folder.path()).code, 0);
    EXPECT_NE(fusec({"devices", "show", "b.txt"}, folder.path()).code, 0) << "as it says";
}

TEST_F(Calibrate, SaysWhatIsMissing) {
    const auto said = [&](const std::vector<std::string>& words, const std::string& text) {
        std::vector<std::string> line{"calibrate"};
        line.insert(line.end(), words.begin(), words.end());
        const test::Outcome outcome = fusec(line, folder.path());
        EXPECT_EQ(outcome.code, 2) << text;
        EXPECT_THAT(outcome.err, HasSubstr(text));
    };
    said({}, "nothing to do: give --target host -o FILE, --target cuda --emit DIR, or --import FILE");
    said({"--target", "host"}, "give the file to write with -o FILE");
    said({"--target", "host", "-o", "x.json", "--device", "h100-pcie"}, "--device: this host is measured");
    said({"--target", "host", "-o", "x.json", "--emit", "d"}, "--emit: only the probes of a GPU are emitted");
    const test::Outcome nowhere = fusec({"calibrate", "--target", "host", "-o", ""}, folder.path()); // before it measures
    EXPECT_EQ(nowhere.code, 1);
    EXPECT_THAT(nowhere.err, HasSubstr("cannot write ``"));
    said({"--target", "cuda"}, "give the folder for the probes with --emit DIR");
    said({"--target", "cuda", "--emit", "d", "-o", "x.json"}, "the calibration is written by --import");
    said({"--import", "x.json", "--for", "p.fus"}, "--for: programs are named where probes are made");
    said({"--emit", "d"}, "--target");
    said({"--target", "cuda", "--emit", "d", "--device", "host-generic"}, "is not a device of `--target cuda`");
    said({"--target", "cuda", "--emit", "d", "--device", "h2000"}, "h2000");
    said({"--target", "cuda", "--emit", "-"}, "--emit: several files are written, which needs a folder, found `-`");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "-"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "d"));
    said({"--import", "x.json", "--name", "mine"}, "--name: the name of what is imported is in the file");
    said({"--target", "host", "--import", "x.json"}, "--import");
    said({"--target", "host", "-o", "x.json", "--name", "my node"}, "the name of a device, of letters, digits, `-` and `_`, expected");
}

TEST_F(Calibrate, RefusesTheNameOfAnotherDeviceBeforeItMeasures) {
    const test::Outcome refused = fusec({"calibrate", "--target", "host", "-o", "x.json", "--name", "h200"}, folder.path());
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("--name h200: the name of another device than the one that is calibrated, `host-generic`"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.json"));
}

TEST_F(Calibrate, FindsAnUnwritablePlaceBeforeItMeasures) {
    const test::Outcome refused = fusec({"calibrate", "--target", "host", "-o", "/dev/null/none/x.json"}, folder.path());
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("cannot write `/dev/null/none/x.json`: Not a directory [unwritable-file]"));
    EXPECT_LT(refused.seconds, 5);
}

// The sources of the probes, whose measurements they are, and what to do with them.
TEST_F(Calibrate, WritesTheProbesOfAGpu) {
    std::filesystem::create_directory(folder.path() / "probes");
    folder.write("probes/README", "mine");
    const test::Outcome outcome =
        fusec({"calibrate", "--target", "cuda", "--emit", "probes", "--device", "a100", "--name", "node-7"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
        AllOf(HasSubstr("cd 'probes'"), HasSubstr("nvcc -std=c++17 -O3 -arch=sm_80 async_copy.cu chases.cu"),
            HasSubstr("fusec calibrate --import measured.json")));
    for (const auto& source : std::filesystem::directory_iterator(std::string(FUSEC_SOURCE_DIR) + "/perfmodel/probes/cuda")) {
        EXPECT_TRUE(std::filesystem::exists(folder.path() / "probes" / source.path().filename())) << source.path();
    }
    EXPECT_THAT(folder.read("probes/calibration.h"),
        AllOf(HasSubstr("FUSEC_CALIBRATION_NAME \"node-7\""), HasSubstr("FUSEC_CALIBRATION_BASE \"a100\"")));
    EXPECT_THAT(folder.read("probes/calibration.h"),
        AllOf(HasSubstr("FUSEC_CALIBRATION_ARCH 80"), HasSubstr("FUSEC_CALIBRATION_MULTIPROCESSORS 108")));
    std::string version = fusec({"--version"}, folder.path()).out;
    version.pop_back();
    EXPECT_THAT(version, testing::MatchesRegex("fusec [0-9.]+(, commit [0-9a-f]{40}[+]?)?"));
    EXPECT_EQ(version.find("commit") != std::string::npos, !std::string(build_commit()).empty());
    EXPECT_THAT(folder.read("probes/calibration.h"), HasSubstr("FUSEC_CALIBRATION_BY \"" + version + "\"\n"));
    EXPECT_EQ(folder.read("probes/README"), "mine");
    EXPECT_THAT(folder.read("probes/README.probes"), HasSubstr("nvcc -std=c++17 -O3 -arch=sm_80 async_copy.cu"));
    const std::string path = (folder.path() / "moved").string(); // which another machine does not have
    EXPECT_THAT(fusec({"calibrate", "--target", "cuda", "--emit", path}, folder.path()).err, HasSubstr("cd '" + path + "'\nnvcc"));
    for (const auto& written : std::filesystem::directory_iterator(path)) {
        EXPECT_THAT(folder.read("moved/" + written.path().filename().string()), testing::Not(HasSubstr(folder.path().string())));
    }
    EXPECT_THAT(fusec({"calibrate", "--target", "cuda", "--emit", "my own's"}, folder.path()).err, HasSubstr(R"(cd 'my own'\''s')"));
    folder.write("file", "");
    const test::Outcome refused = fusec({"calibrate", "--target", "cuda", "--emit", "file"}, folder.path());
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("[unwritable-file]"));
    EXPECT_EQ(fusec({"calibrate", "--target", "cuda", "--emit", "d", "--name", "h200", "--device", "a100"}, folder.path()).code, 1);
}

// What nobody will measure of a program that was named is said: its kernels update a list, and cannot be launched again to the same effect.
TEST_F(Calibrate, SaysWhichKernelsNobodyWillMeasure) {
    folder.write("step.fus", "VECTOR3 x, v;\ninout x;\ninput v;\nx = x + v;\n");
    folder.write("sum.fus", "VECTOR3 x, v;\ninput x, v;\ny = x + v;\nreturn y;\n");
    const test::Outcome outcome =
        fusec({"calibrate", "--target", "cuda", "--emit", "probes", "--for", "step.fus", "--for", "sum.fus"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(
        outcome.err, testing::ContainsRegex("`step.fus`: of [0-9]+ kernels that predictors would be judged by [0-9]+ are left out"));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("`sum.fus`: of")));
}

// Probes are of a description; of a name that both have, that is meant.
TEST_F(Calibrate, TellsACalibrationFromADescription) {
    const auto emit = [&](const std::string& device, const std::string& environment = "") {
        return test::run(
            {"sh", "-c", environment + " '" FUSEC_BINARY "' calibrate --target cuda --emit d --device '" + device + "'"}, folder.path());
    };
    folder.write("node.json", calibration);
    for (const auto& [device, hint] :
        {std::pair("h200-probed", "it lies over `h200`: `--device h200 --name h200-probed`"), {"node.json", "it is one of a host"}}) {
        const test::Outcome refused = emit(device);
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(refused.err,
            AllOf(HasSubstr("`" + std::string(device) + "` is a calibration, and probes are written for a description [unknown-device]"),
                HasSubstr("hint: " + std::string(hint))));
    }
    folder.write("bad.json", "{");
    EXPECT_EQ(emit("bad.json").code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "d"));
    std::filesystem::create_directories(folder.path() / "fusec/calibrations");
    folder.write("fusec/calibrations/a100.json", "{");
    EXPECT_EQ(emit("a100", "XDG_CONFIG_HOME=$PWD").code, 0);
}

// A list that is staged is timed beside others that are staged, so that no slow list is part of its time.
TEST_F(Calibrate, TimesListsBesideOthersThatAreMovedAlike) {
    ASSERT_EQ(
        fusec({"calibrate", "--target", "cuda", "--emit", "probes", "--device", "h200", "--for", examples + "demo.fus"}, folder.path())
            .code,
        0);
    std::size_t rows = 0;
    for (const auto& written : std::filesystem::directory_iterator(folder.path() / "probes")) {
        const std::string text = folder.read("probes/" + written.path().filename().string());
        const std::string begin = "{\"transfer\", \"", work = "R\"work(";
        for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
            const std::string name = text.substr(at + begin.size(), text.find('"', at + begin.size()) - at - begin.size());
            if (name.find("in place") == std::string::npos) {
                const std::size_t from = text.find(work, at);
                EXPECT_THAT(text.substr(from, text.find(")work", from) - from), testing::Not(HasSubstr("\"staged\":false"))) << name;
                ++rows;
            }
        }
    }
    EXPECT_GT(rows, 10U);
}

/// Streams whose bandwidth does not depend on the occupancy.
std::string streams() {
    std::string rows;
    for (const auto& [kernel, bytes] : {std::pair("init", 8), {"read", 8}, {"scale", 16}, {"triad", 32}}) {
        for (const int resident : {2, 4, 8}) {
            rows += (rows.empty() ? "" : ",\n") +
                fmt::format(
                    R"({{"probe": "stream", "kernel": "{}", "block": 256, "resident": {}, "elements": 1e8, "seconds": {}, "clock_ghz": 1.4}})",
                    kernel, resident, bytes * 1e8 / 1.5e12);
        }
    }
    return rows;
}

// On a GPU that the description fits.
TEST_F(Calibrate, TakesInWhatProbesMeasured) {
    const std::string rows = streams();
    const std::string head = R"({"schema": 4, "kind": "gpu-measurements", "name": "node", "base": "a100", "date": "2026-11-23T10:00:00Z",
        "machine": "NVIDIA A100", "commit": "fusec", "arch": 80, "multiprocessors": 108, "l2_bytes": 41943040, "driver": 1,
        "runtime": 1, "peak_clock_ghz": 1.41, "memory_clock_ghz": 1.2, "rows": [)";
    folder.write("measured.json", head + rows + "]}");
    const test::Outcome outcome = fusec({"calibrate", "--import", "measured.json", "-o", "node.json"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
        AllOf(HasSubstr("stream.copy.peak"), HasSubstr("triad"), HasSubstr("mean error"),
            HasSubstr("`speed.dram` stays that of the description")));
    const json written = json::parse(folder.read("node.json"));
    EXPECT_EQ(written["kind"], "calibration");
    EXPECT_EQ(written["base"], "a100");
    const auto copies =
        std::ranges::find(written["figures"], "stream.copy.peak", [](const json& figure) { return figure["key"].get<std::string>(); });
    ASSERT_NE(copies, written["figures"].end());
    EXPECT_NEAR((*copies)["value"].get<double>(), 1500, 75);
    const test::Outcome predicted =
        fusec({"predict", examples + "demo.fus", "--device", "node.json", "--only", "composite"}, folder.path());
    EXPECT_EQ(predicted.code, 0) << predicted.err;

    const std::string other = std::string(head).replace(head.find("108"), 3, "132");
    folder.write("other.json", other + rows + "]}");
    const test::Outcome refused = fusec({"calibrate", "--import", "other.json", "-o", "x.json"}, folder.path());
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("sm_80 with 132 multiprocessors, which is not what `a100` describes"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.json"));
}

/// a100 with each `before` replaced by its `after`.
std::string like_a100(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::ifstream file(std::string(FUSEC_SOURCE_DIR) + "/perfmodel/devices/a100.toml");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (const auto& [before, after] : changes) {
        const std::size_t at = text.find(before);
        EXPECT_NE(at, std::string::npos) << before;
        text.replace(at, before.size(), after);
    }
    return text;
}

/// What the probes write of a text in calibration.h, as JSON: by their own function, built by the C++ compiler.
std::string emitted_text(const test::TemporaryFolder& folder, const std::string& probes, const std::string& macro) {
    const std::string source = folder.read(probes + "/probe.cu");
    const std::size_t quoted = source.find("std::string quoted(");
    EXPECT_NE(quoted, std::string::npos);
    folder.write("print.cpp",
        "#include \"" + probes + "/calibration.h\"\n#include <cstdio>\n#include <string>\n" +
            source.substr(quoted, source.find("\n}\n", quoted) + 3 - quoted) + "int main() { std::fputs(quoted(" + macro +
            ").c_str(), stdout); }\n");
    const test::Outcome built = test::run({"c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "print.cpp", "-o", "print"}, folder.path());
    EXPECT_EQ(built.code, 0) << built.err;
    return json::parse(test::run({(folder.path() / "print").string()}, folder.path()).out).get<std::string>();
}

// A description that does not come with the compiler goes along, from the probes to the calibration, so that nobody has to name it again.
TEST_F(Calibrate, CarriesADescriptionOfOnesOwn) {
    const std::string text = like_a100({{"name = \"a100\"", R"(name = 'my "a100" \\ ??/ ü')"}, {"value = 108", "value = 100"}});
    folder.write("mine.toml", text);
    const std::vector<std::string> emit{"calibrate", "--target", "cuda", "--emit", "probes", "--device", "mine.toml"};
    const test::Outcome unnamed = fusec(emit, folder.path());
    EXPECT_EQ(unnamed.code, 1);
    EXPECT_THAT(
        unnamed.err, AllOf(HasSubstr("the description is called `my \"a100\""), HasSubstr("`--name NAME` names the calibrated device")));
    std::vector<std::string> named = emit;
    named.insert(named.end(), {"--name", "node"});
    const test::Outcome emitted = fusec(named, folder.path());
    ASSERT_EQ(emitted.code, 0) << emitted.err;
    EXPECT_EQ(emitted_text(folder, "probes", "FUSEC_CALIBRATION_DESCRIPTION"), text);
    const std::string base = emitted_text(folder, "probes", "FUSEC_CALIBRATION_BASE");
    EXPECT_EQ(base, "my \"a100\" \\\\ ?\?/ ü");

    const json measured{{"schema", 4}, {"kind", "gpu-measurements"}, {"name", "node"}, {"base", base}, {"description", text},
        {"date", "2026-11-23T10:00:00Z"}, {"machine", "a GPU"}, {"commit", "fusec"}, {"arch", 80}, {"multiprocessors", 100},
        {"l2_bytes", 41943040}, {"driver", 1}, {"runtime", 1}, {"peak_clock_ghz", 1.41}, {"memory_clock_ghz", 0},
        {"rows", json::parse("[" + streams() + "]")}};
    folder.write("measured.json", measured.dump(2));
    std::filesystem::remove(folder.path() / "mine.toml");
    const test::Outcome imported = fusec({"calibrate", "--import", "measured.json", "-o", "node.json"}, folder.path());
    ASSERT_EQ(imported.code, 0) << imported.err;
    const test::Outcome shown = fusec({"devices", "show", "node.json"}, folder.path());
    EXPECT_THAT(shown.out, testing::ContainsRegex("limits.sm_count +100 "));
    EXPECT_THAT(shown.out, HasSubstr("calibration of 2026-11-23T10:00:00Z (a GPU)"));
    const test::Outcome predicted =
        fusec({"predict", examples + "demo.fus", "--device", "node.json", "--only", "composite"}, folder.path());
    EXPECT_EQ(predicted.code, 0) << predicted.err;
    folder.write("again.json", folder.read("node.json"));
    EXPECT_EQ(fusec({"calibrate", "--import", "again.json", "-o", "-"}, folder.path()).out, folder.read("node.json"));
}

// By its name the compiler's own description would be meant.
TEST_F(Calibrate, TellsADescriptionFromTheCompilersOfTheSameName) {
    folder.write("same.toml", like_a100({}));
    ASSERT_EQ(fusec({"calibrate", "--target", "cuda", "--emit", "same", "--device", "same.toml"}, folder.path()).code, 0);
    EXPECT_EQ(emitted_text(folder, "same", "FUSEC_CALIBRATION_DESCRIPTION"), "");
    folder.write("other.toml", like_a100({{"value = 108", "value = 100"}}));
    const test::Outcome refused = fusec({"calibrate", "--target", "cuda", "--emit", "other", "--device", "other.toml"}, folder.path());
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(
        refused.err, HasSubstr("the description is called `a100`: the name of one that comes with the compiler and differs from it"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "other"));
}

} // namespace
} // namespace fusec
