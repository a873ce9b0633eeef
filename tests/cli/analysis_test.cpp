// SPDX-License-Identifier: Apache-2.0
// `--analysis llvm`: plans priced by what compilers make of their kernels.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::HasSubstr;

const std::string source = FUSEC_SOURCE_DIR;
const std::string demo = source + "/examples/demo.fus";

class Analysis : public testing::Test {
protected:
    /// Nothing of the machine's own caches.
    void SetUp() override { ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
    void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }
    json explored(const std::string& program, std::vector<std::string> words) const {
        words.insert(words.begin(), {"explore", program, "--json", "-"});
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    test::TemporaryFolder folder;
};

TEST_F(Analysis, LeavesTheCacheOfCompiledTextsWithinItsBound) {
    const std::filesystem::path place = folder.path() / "fusec/device-code";
    std::filesystem::create_directories(place);
    const std::filesystem::path old = place / "old.bc", other = place / "other.txt";
    for (const std::filesystem::path& file : {old, other}) {
        std::ofstream(file) << "";
        std::filesystem::resize_file(file, std::uintmax_t{2} << 30U); // has no blocks
        const std::array<timespec, 2> long_ago{{{1000, 0}, {1000, 0}}};
        ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), long_ago.data(), 0), 0);
    }
    explored(demo, {});
    EXPECT_TRUE(std::filesystem::exists(old));
    explored(demo, {"--analysis", "llvm"});
    EXPECT_FALSE(std::filesystem::exists(old));
    EXPECT_TRUE(std::filesystem::exists(other)) << "not the cache's";
    const auto files = std::distance(std::filesystem::directory_iterator(place), std::filesystem::directory_iterator());
    EXPECT_GT(files, 1) << "what was made now stays";
}

TEST_F(Analysis, KernelsOfTheBestPlansAreCountedInTheirText) {
    const json plain = explored(demo, {});
    const json report = explored(demo, {"--analysis", "llvm"});
    EXPECT_FALSE(plain.contains("analysis"));
    EXPECT_THAT(report["analysis"]["source"].get<std::string>(), testing::StartsWith("llvm (clang 19."));
    ASSERT_EQ(report["plans"].size(), plain["plans"].size());
    double before = 0;
    for (const json& plan : report["plans"]) {
        double sum = 0, flops = 0;
        for (const json& kernel : plan["kernels"]) {
            const json& compiled = kernel["compiled"];
            sum += compiled["seconds"].get<double>();
            flops += compiled["flops_per_element"].get<double>();
            EXPECT_GT(compiled["instructions_per_element"].get<double>(), compiled["flops_per_element"].get<double>() / 2);
            const json& mix = compiled["mix_per_element"];
            const auto count = [&](const std::string& name) { return mix["instructions"].value(name, 0.0); };
            EXPECT_NEAR(2 * count("fma_f32") + count("add_f32") + count("mul_f32") + count("square_root_f32"),
                compiled["flops_per_element"].get<double>(), 1e-9);
            double all = 0;
            for (const auto& [name, number] : mix["instructions"].items()) {
                EXPECT_GT(number.get<double>(), 0) << name;
                all += number.get<double>();
            }
            EXPECT_GT(all, compiled["flops_per_element"].get<double>() / 2);
            EXPECT_EQ(mix["bytes"]["global"]["store"].get<double>() + mix["bytes"]["global"]["load"].get<double>(),
                kernel["bytes_per_element"].get<double>());
            for (const json& loop : compiled["loops"]) {
                EXPECT_GE(loop["iterations"].get<double>(), loop["entries"].get<double>()) << loop;
            }
            // Barriers of a block were measured on another device, and are nothing to a kernel without.
            EXPECT_THAT(
                compiled["estimated"].get<std::vector<std::string>>(), testing::Each(testing::HasSubstr("`h200` has no `speed.barrier`")));
            // A load from memory, 611 cycles of an H200, and what waits for it.
            EXPECT_GT(compiled["critical_path_cycles"].get<double>(), 348 * 1.755);
            EXPECT_GT(compiled["dependency_depth"].get<int>(), 3);
            EXPECT_GE(compiled["live_registers"].get<int>(), 2) << "two operands of an instruction";
            double stored = 0;
            for (const json& access : compiled["accesses"]) {
                EXPECT_GE(access["transactions"], access["least_transactions"]) << access;
                if (access["space"] == "global" && access["store"].get<bool>()) {
                    stored += access["per_block"].get<double>() * access["bytes"].get<double>();
                }
            }
            EXPECT_GT(stored, 0);
            if (plan["kernels"].size() == 1) {
                EXPECT_GE(compiled["live_registers"].get<int>(), 9) << "a product of 3x3 matrices is in registers";
                EXPECT_EQ(stored, 100 * kernel["instances_per_block"].get<double>()) << "F has 25 words";
            }
        }
        EXPECT_DOUBLE_EQ(plan["compiled_seconds"].get<double>(), sum);
        EXPECT_GE(sum, before) << "plans are in the order of these seconds";
        before = sum;
        // M1 = A B, v1 = M1 c, s1 = ||v1||, M2 = D E, M3 = M2 + D, F = s1 M3.
        EXPECT_DOUBLE_EQ(flops, 9 * 5 + 3 * 5 + 5 + 1 + 25 * 9 + 25 + 25);
    }
}

// Every plan but the best reads shared memory and computes by other shares than the metadata say, so that they change places.
TEST_F(Analysis, OrdersPlansByTheirCompiledKernels) {
    const json report = explored(source + "/examples/hex_force.fus", {"--analysis", "llvm"});
    const json& plans = report["plans"];
    ASSERT_GT(plans.size(), 2U);
    bool reordered = false;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        EXPECT_LE(plans[i - 1]["compiled_seconds"], plans[i]["compiled_seconds"]);
        reordered |= plans[i - 1]["seconds"] > plans[i]["seconds"];
    }
    EXPECT_TRUE(reordered) << "the metadata order the plans as their compiled kernels do";
}

// The 16x16 products of demo16 that write to a tile read their operands for every entry, as no compiler keeps them over a write: the metadata
// say so too (fusion/operand_reuse.hpp). Before they did, the chosen plan's kernels were twice as dear as estimated.
TEST_F(Analysis, CompiledKernelsReadTilesAsOftenAsEstimated) {
    const json report = explored(source + "/examples/demo16.fus", {"--analysis", "llvm"});
    for (const json& plan : report["plans"]) {
        EXPECT_NEAR(plan["compiled_seconds"].get<double>() / plan["seconds"].get<double>(), 1, 0.2);
    }
}

TEST_F(Analysis, TheTextSaysThatItWasChosenSo) {
    const test::Outcome outcome = fusec({demo, "--analysis", "llvm", "-o", "fused.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(folder.read("fused.cu"), HasSubstr("--analysis llvm"));
    EXPECT_THAT(folder.read("fused.cu"), HasSubstr("its compiled kernels 0.10"));
    const test::Outcome predicted = fusec({"predict", demo, "--analysis", "llvm", "--json", "-"}, folder.path());
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    const test::Outcome estimated = fusec({"predict", demo, "--json", "-"}, folder.path());
    const auto of = [](const test::Outcome& said, const char* predictor) {
        return json::parse(said.out)["kernels"][0]["predictions"][predictor]["seconds"].get<double>();
    };
    for (const char* predictor : {"composite", "pipeline", "wave", "hong-kim"}) {
        EXPECT_NE(of(predicted, predictor), of(estimated, predictor)) << predictor << " has not seen the compiled kernel";
    }
}

TEST_F(Analysis, WithoutAClangNothingElseIsUsedInItsPlace) {
    ::setenv("FUSEC_CLANG", "/nonexistent/clang", 1);
    const test::Outcome outcome = fusec({demo, "--analysis", "llvm", "-o", "fused.cu"}, folder.path());
    ::unsetenv("FUSEC_CLANG");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("[no-device-compiler]"));
    EXPECT_EQ(folder.read("fused.cu"), "<absent>");
    const test::Outcome host = fusec({demo, "--target", "host", "--analysis", "llvm", "-o", "fused.cpp"}, folder.path());
    EXPECT_EQ(host.code, 2);
    EXPECT_THAT(host.err, HasSubstr("--analysis llvm"));
}

} // namespace
} // namespace fusec
