// SPDX-License-Identifier: Apache-2.0
// The analysis as a process of its own: the same answers and messages as in this one, and what becomes of a process that fails.
#include "analysed.hpp"
#include "perfmodel/analysis/analyser_json.hpp"
#include "perfmodel/analysis/device_latencies.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

namespace fusec::perfmodel::analysis {
namespace {

using testing::HasSubstr;

AnalysisRequest demo_request() {
    AnalysisRequest request;
    request.text = demo_text();
    request.assemble = false;
    request.kernels = {{"demo_kernels::demo_F", 32, 32}};
    return request;
}

/// An environment variable for the time of a test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

std::string one_kind(const Diagnostics& diagnostics) {
    return diagnostics.all().size() == 1 ? std::string(diagnostics.all().front().kind.name) : messages(diagnostics);
}

TEST(Analyser, ReckonsWithTheDevicesLatencies) {
    Diagnostics diagnostics;
    AnalysisRequest request = demo_request();
    std::map<std::string, double> paths;
    for (const char* name : {"h200", "a100"}) {
        const auto device = find_device(name, diagnostics);
        ASSERT_TRUE(device) << messages(diagnostics);
        request.latencies = device_latencies(*device).table;
        EXPECT_EQ(request.latencies.cycles[InstructionClass::global_load], device->dram_latency_ns * device->clock_ghz);
        EXPECT_EQ(request.latencies.cycles[InstructionClass::constant_load], figure(*device, "latency.l1"));
        EXPECT_EQ(request.latencies.cycles[InstructionClass::division_f32], hopper_latencies().cycles[InstructionClass::division_f32])
            << "as long an FMA";
        const auto analysis = analyse(request, diagnostics);
        ASSERT_TRUE(analysis) << messages(diagnostics);
        paths[name] = analysis->kernels.at(0).profile.critical_path_cycles;
    }
    // DRAM answers after 611 cycles of an H200 and 553 of an A100.
    EXPECT_NEAR(paths.at("h200") - paths.at("a100"), 348 * 1.755 - 392 * 1.41, 2);
}

TEST(Analyser, AnswersAsThisProcessDoes) {
    Diagnostics diagnostics;
    const auto there = analyse(demo_request(), diagnostics);
    const auto here = analyse_here(demo_request(), diagnostics);
    ASSERT_TRUE(there && here) << messages(diagnostics);
    EXPECT_EQ(there->source, here->source);
    ASSERT_EQ(there->kernels.size(), 1U);
    const KernelProfile& a = there->kernels[0].profile;
    const KernelProfile& b = here->kernels[0].profile;
    EXPECT_EQ(a.kernel, "demo_kernels::demo_F<float4>") << "the first form of the text";
    EXPECT_EQ(a.block, b.block);
    EXPECT_EQ(a.warps, b.warps);
    EXPECT_EQ(a.longest.counts, b.longest.counts);
    EXPECT_EQ(a.critical_path_cycles, b.critical_path_cycles);
    EXPECT_EQ(a.longest.dependency_depth, b.longest.dependency_depth);
    EXPECT_EQ(a.live_registers, b.live_registers);
    EXPECT_EQ(a.warp_barriers, b.warp_barriers);
    EXPECT_EQ(a.unknowns, b.unknowns);
    ASSERT_EQ(a.accesses.size(), b.accesses.size());
    for (std::size_t i = 0; i < a.accesses.size(); ++i) {
        EXPECT_EQ(a.accesses[i].space, b.accesses[i].space);
        EXPECT_EQ(a.accesses[i].pattern, b.accesses[i].pattern);
        EXPECT_EQ(a.accesses[i].l1_passes, b.accesses[i].l1_passes);
        EXPECT_EQ(a.accesses[i].count, b.accesses[i].count);
        EXPECT_EQ(a.accesses[i].transactions, b.accesses[i].transactions);
        EXPECT_EQ(a.accesses[i].where, b.accesses[i].where);
    }
    EXPECT_GT(a.block.sum(), 0);
}

TEST(Analyser, MessagesComeThrough) {
    AnalysisRequest wrong = demo_request();
    wrong.text.files[0].text += "int broken = undeclared_name;\n";
    Diagnostics refused;
    EXPECT_FALSE(analyse(wrong, refused));
    EXPECT_EQ(one_kind(refused), "device-compile-failed");
    EXPECT_THAT(messages(refused), HasSubstr("undeclared_name"));

    AnalysisRequest missing = demo_request();
    missing.kernels[0].name = "demo_kernels::nothing";
    Diagnostics unknown;
    EXPECT_FALSE(analyse(missing, unknown));
    EXPECT_EQ(one_kind(unknown), "static-analysis");
    EXPECT_THAT(messages(unknown), HasSubstr("demo_kernels::nothing"));
}

TEST(Analyser, WithoutClangTheMessageSaysWhatToInstall) {
    const Variable clang("FUSEC_CLANG", "/nonexistent/clang");
    Diagnostics diagnostics;
    EXPECT_FALSE(analyse(demo_request(), diagnostics));
    EXPECT_EQ(one_kind(diagnostics), "no-device-compiler");
    EXPECT_THAT(diagnostics.all().front().hint, HasSubstr("clang-19"));
}

TEST(Analyser, AProcessThatIsNotThereOrFailsIsToldAsWhatItIs) {
    Diagnostics absent;
    {
        const Variable program("FUSEC_ANALYSER", "/nonexistent/analyser");
        EXPECT_FALSE(analyse(demo_request(), absent));
    }
    EXPECT_EQ(one_kind(absent), "static-analysis");
    EXPECT_THAT(messages(absent), HasSubstr("`/nonexistent/analyser` is not there"));

    Diagnostics none;
    const TemporaryFolder folder("test", none);
    const std::filesystem::path script = folder.path() / "analyser";
    std::ofstream(script) << "#!/bin/sh\necho out of order\nexit 7\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    Diagnostics failing;
    {
        const Variable program("FUSEC_ANALYSER", script.string());
        EXPECT_FALSE(analyse(demo_request(), failing));
    }
    EXPECT_EQ(one_kind(failing), "static-analysis");
    EXPECT_THAT(messages(failing), HasSubstr("ended without an answer (exit code 7): out of order"));
}

TEST(Analyser, RequestsComeBackAsTheyWere) {
    AnalysisRequest request = demo_request();
    request.text.architecture = "sm_80";
    request.text.contract = false;
    request.text.include_folders = {"/some/where"};
    request.cache = "/a/cache";
    const AnalysisRequest back = read_request(to_json(request));
    EXPECT_EQ(to_json(back), to_json(request));
    EXPECT_EQ(back.text.architecture, "sm_80");
    EXPECT_FALSE(back.text.contract);
    EXPECT_EQ(back.cache, "/a/cache");
    EXPECT_FALSE(back.assemble);
    EXPECT_EQ(back.kernels.at(0).threads, 32U);
}

// nvcc's report against ptxas' own of the same text, where they are installed: the demo calls no function that nvcc alone would know.
TEST(Analyser, RegistersAreThoseOfNvcc) {
    const auto nvcc = find_nvcc();
    if (!nvcc) {
        GTEST_SKIP() << "nvcc is not installed";
    }
    AnalysisRequest request = demo_request();
    request.assemble = true;
    Diagnostics diagnostics;
    const TemporaryFolder cache("cache", diagnostics);
    request.cache = cache.path();
    const auto first = analyse(request, diagnostics), again = analyse(request, diagnostics);
    ASSERT_TRUE(first && again) << messages(diagnostics);
    EXPECT_EQ(first->assembled, Analysis::By::nvcc);
    EXPECT_EQ(first->assembler, nvcc->string());
    ASSERT_TRUE(first->kernels[0].assembled && again->kernels[0].assembled);
    EXPECT_GT(first->kernels[0].assembled->registers, 32);
    EXPECT_LE(first->kernels[0].assembled->registers, 255);
    EXPECT_EQ(first->kernels[0].assembled->spill_store_bytes, 0);
    EXPECT_EQ(again->kernels[0].assembled->registers, first->kernels[0].assembled->registers) << "from the cache";
    std::size_t reports = 0;
    for (const auto& entry : std::filesystem::directory_iterator(cache.path())) {
        reports += entry.path().extension() == ".report";
    }
    EXPECT_EQ(reports, 1U);
}

} // namespace
} // namespace fusec::perfmodel::analysis
