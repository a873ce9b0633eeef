// SPDX-License-Identifier: Apache-2.0
// Files of measurements: what is read of them, and what is said of damaged ones.
#include "perfmodel/fit/gpu_measurements.hpp"

#include "tests/execute/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class GpuMeasurementFiles : public testing::Test {
protected:
    /// What reading the file reports with `before` replaced by `after`; empty: nothing.
    std::string said(const std::string& before, const std::string& after) const {
        std::string text = example;
        text.replace(text.find(before), before.size(), after);
        std::ofstream(folder / "m.json") << text;
        Diagnostics diagnostics;
        const auto measured = read_gpu_measurements(folder / "m.json", diagnostics);
        EXPECT_EQ(measured.has_value(), !diagnostics.has_errors());
        std::ostringstream out;
        render(diagnostics, out, false);
        return std::move(out).str();
    }

    const std::string example = R"({
  "schema": 4,
  "kind": "gpu-measurements",
  "name": "mine", "base": "h200", "date": "2026-11-23T10:00:00Z", "machine": "NVIDIA H200", "commit": "fusec",
  "arch": 90, "multiprocessors": 132, "l2_bytes": 52428800, "driver": 13000, "runtime": 13000, "peak_clock_ghz": 1.98, "memory_clock_ghz": 3.201,
  "rows": [
    {"probe": "stream", "kernel": "read", "block": 256, "resident": 8, "elements": 26214400, "seconds": 5.1e-05, "clock_ghz": 1.98},
    {"probe": "barrier", "warps": 8, "resident": 2, "cycles": 31.5, "clock_ghz": 1.95}
  ]
})";
    execute::TemporaryFolder temporary;
    const fs::path folder = temporary.path();
};

TEST_F(GpuMeasurementFiles, AreRead) {
    EXPECT_EQ(said("", ""), "");
    EXPECT_TRUE(has_gpu_measurements(folder / "m.json"));
    Diagnostics diagnostics;
    const auto measured = read_gpu_measurements(folder / "m.json", diagnostics);
    ASSERT_EQ(measured->rows.size(), 2U);
    EXPECT_EQ(measured->multiprocessors, 132);
    EXPECT_EQ(measured->of("stream").front()->text("kernel"), "read");
    EXPECT_EQ(measured->of("barrier").front()->number("cycles"), 31.5);
    EXPECT_EQ(measured->of("barrier").front()->number("clock_ghz"), 1.95);
}

TEST_F(GpuMeasurementFiles, TellWhatIsWrongAtItsPlace) {
    EXPECT_THAT(said("\"stream\"", "\"streem\""), HasSubstr("m.json:7:15: error: no probe is called `streem` [invalid-measurement]"));
    EXPECT_THAT(said("5.1e-05", "0"), testing::AllOf(HasSubstr("m.json:7"), HasSubstr("`seconds` has to be positive")));
    EXPECT_THAT(said("5.1e-05", "1e-200"), HasSubstr("`seconds` has to be positive, from 1e-15 to 1e+15"));
    EXPECT_THAT(
        said("1.95}", "1.95e9}"), testing::AllOf(HasSubstr("m.json:8"), HasSubstr("`clock_ghz` has to be positive, from 0.01 to 100")));
    EXPECT_THAT(said(", \"clock_ghz\": 1.95", ""), testing::AllOf(HasSubstr("m.json:8"), HasSubstr("no key `clock_ghz`")));
    EXPECT_THAT(said("3.201", "-3.201"), HasSubstr("m.json:5:140: error: `memory_clock_ghz` has to be 0 or more"));
    EXPECT_THAT(said("\"warps\": 8, ", ""), testing::AllOf(HasSubstr("m.json:8"), HasSubstr("warps")));
    EXPECT_THAT(said("\"warps\": 8", "\"warps\": 8, \"blocks\": 2"), testing::AllOf(HasSubstr("m.json:8"), HasSubstr("blocks")));
    EXPECT_THAT(said("\"warps\": 8", "\"warps\": 1e300"), HasSubstr("`warps` has to be a whole number from 1 to 1e+06"));
    EXPECT_THAT(
        said("\"name\": \"mine\"", "\"name\": \"../mine\""), testing::AllOf(HasSubstr("m.json:4"), HasSubstr("no name of a device")));
    EXPECT_THAT(said("\"base\": \"h200\"", "\"base\": \"h20\""),
        testing::AllOf(HasSubstr("m.json:4"), HasSubstr("no device is described as `h20`: did you mean `h200`? known: a100,")));
    EXPECT_THAT(said("NVIDIA H200", "NVIDIA\\tH200"), testing::AllOf(HasSubstr("m.json:4"), HasSubstr("a control character in `machine`")));
    EXPECT_THAT(said("\"schema\": 4", "\"schema\": 6"),
        testing::AllOf(
            HasSubstr("m.json:2:13: error: measurements of schema 6, this compiler reads schemas 4 and 5"), HasSubstr("a later compiler")));
    EXPECT_THAT(said("  ]\n}", ""), HasSubstr("[invalid-measurement]")) << "a run that was stopped";
    EXPECT_TRUE(has_gpu_measurements(folder / "m.json")) << "and is told as one";
    EXPECT_THAT(said("\"block\": 256", "\"block\": 2048"), HasSubstr("`block` has to be a whole number from 1 to 1024"));
    EXPECT_THAT(said("\"multiprocessors\": 132", "\"multiprocessors\": 0"), HasSubstr("`multiprocessors` has to be from 1 to 1000000"));
}

// What no figure would be read from is not passed over.
TEST_F(GpuMeasurementFiles, HaveWhatTheProbesWrite) {
    const auto with = [&](const std::string& row) { return said("{\"probe\": \"barrier\"", row + ",\n    {\"probe\": \"barrier\""); };
    const std::string chase = R"({"probe": "chase", "space": "global", "bytes": 4096, "cycles": 30, "clock_ghz": 1.9})";
    EXPECT_EQ(with(chase), "");
    EXPECT_THAT(with(std::string(chase).replace(chase.find("global"), 6, "globel")),
        testing::AllOf(
            HasSubstr("m.json:8:33: error: `chase` has no space `globel` [invalid-measurement]"), HasSubstr("did you mean `global`?")));
    EXPECT_THAT(with(R"({"probe": "launch", "mode": "queue", "blocks": 1, "threads": 32, "seconds": 2e-6, "clock_ghz": 1.9})"),
        testing::AllOf(HasSubstr("m.json:8:33: error: `launch` has no mode `queue`"), HasSubstr("it has stream, event, graph")));
    EXPECT_THAT(with(R"({"probe": "pipe", "operation": "fma_f16", "independent": 1, "warps": 1, "cycles": 4, "clock_ghz": 1.9})"),
        HasSubstr("`pipe` has no operation `fma_f16`"));
    EXPECT_THAT(said("\"driver\": 13000", "\"driver\": \"new\""),
        testing::AllOf(HasSubstr("m.json:5:71: error: "), HasSubstr("where a whole number from 0 on is expected")));
    EXPECT_THAT(said("\"runtime\": 13000", "\"runtime\": 0"), HasSubstr("`runtime` has to be from 1 to 1000000"));
    EXPECT_THAT(said("\"runtime\": 13000, ", ""), HasSubstr("no key `runtime`"));
}

/// The text of a probe's source.
std::string probe_source(const std::string& name) {
    std::ifstream file(std::string(FUSEC_SOURCE_DIR) + "/perfmodel/probes/cuda/" + name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Every operation that the probes measure is one that the compiler reads.
TEST_F(GpuMeasurementFiles, HaveTheOperationsOfTheProbes) {
    const std::string source = probe_source("pipes.cu"), begin = "\nFUSEC_OPERATION(";
    std::string rows;
    int operations = 0;
    for (std::size_t at = source.find(begin); at != std::string::npos; at = source.find(begin, at + 1), ++operations) {
        const std::size_t name = at + begin.size();
        rows += R"({"probe": "pipe", "operation": ")" + source.substr(name, source.find(',', name) - name) +
            R"(", "independent": 1, "warps": 1, "cycles": 4, "clock_ghz": 1.9}, )";
    }
    EXPECT_GT(operations, 20);
    EXPECT_EQ(said("{\"probe\": \"barrier\"", rows + "{\"probe\": \"barrier\""), "");
}

// Probes that an earlier compiler emitted knew less of a kernel's work: what to do about it is said, and not which key the work lacks.
TEST_F(GpuMeasurementFiles, OfEarlierProbesSayWhatToDo) {
    const auto with_kernel_of = [&](const std::string& schema) {
        std::string text = example;
        text.replace(text.find("\"schema\": 4"), 11, "\"schema\": " + schema);
        const std::string kernel =
            R"({"probe": "kernel", "role": "held-out", "name": "F", "program": "demo", "seed": 0, "block": 128, "elements": 1000,
     "extra_shared": 0, "resident": 6, "registers": 40, "repetitions": 1, "seconds": 1e-4, "clock_ghz": 1.7, "work": {"steps": [{}]}},
    )";
        text.insert(text.find("{\"probe\": \"barrier\""), kernel);
        return said(example, text);
    };
    EXPECT_THAT(with_kernel_of("4"), testing::AllOf(HasSubstr("m.json:9:"), HasSubstr("no key `"), testing::Not(HasSubstr("schema"))));
    EXPECT_THAT(with_kernel_of("3"),
        testing::AllOf(HasSubstr("m.json:2:13: error: measurements of schema 3, this compiler reads schemas 4 and 5 [invalid-measurement]"),
            HasSubstr("`fusec calibrate --target cuda --emit DIR` writes the probes anew"), testing::Not(HasSubstr("no key"))));
}

// The probes write the schema that the compiler reads.
TEST(GpuProbes, WriteTheSchemaThatIsRead) {
    EXPECT_THAT(probe_source("probe.cu"), HasSubstr("\\\"schema\\\": " + std::to_string(gpu_measurements_schema) + ",\\n"));
}

TEST_F(GpuMeasurementFiles, OfAnotherKindAreNone) {
    std::ofstream(folder / "c.json") << R"({"schema": 1, "kind": "calibration"})";
    EXPECT_FALSE(has_gpu_measurements(folder / "c.json"));
    EXPECT_FALSE(has_gpu_measurements(folder / "none.json"));
}

} // namespace
} // namespace fusec::perfmodel
