// SPDX-License-Identifier: Apache-2.0
// The GPU executor on a machine without one: what is missing is named. Where nvcc is installed, the driver and a unit build with it.
#include "execute/gpu_driver.hpp"

#include "hand_unit.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace fusec::execute {
namespace {

using testing::HasSubstr;

class Gpu : public testing::Test {
protected:
    void SetUp() override { ::unsetenv("NVCC"); }
    void TearDown() override { ::unsetenv("NVCC"); }
    TemporaryFolder folder;
};

TEST_F(Gpu, NamesTheCompilerThatIsMissing) {
    ::setenv("NVCC", "/nowhere/nvcc", 1);
    Diagnostics diagnostics;
    EXPECT_FALSE(find_cuda_compiler(diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::no_cuda_compiler.name);
    EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("`/nowhere/nvcc`"));
    EXPECT_EQ(diagnostics.exit_code(), 1);
}

TEST_F(Gpu, SaysWhatACompilerThatCannotCompileGave) {
    Diagnostics diagnostics;
    EXPECT_FALSE(find_gpu({"/bin/false", "none"}, folder.path(), 90, diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::no_gpu.name);
    EXPECT_THAT(diagnostics.all()[0].message,
        HasSubstr("`/bin/false` and a CUDA device that runs code for sm_90: there is no device: `/bin/false` cannot compile "
                  "`fusec_gpu_driver.cu`"));
    EXPECT_EQ(diagnostics.exit_code(), 1);
}

TEST_F(Gpu, TheDriverAndAUnitBuildWithNvccAndTheDeviceIsAskedFor) {
    Diagnostics diagnostics;
    const auto nvcc = find_cuda_compiler(diagnostics);
    if (!nvcc) {
        GTEST_SKIP() << diagnostics.all().at(0).message;
    }
    const bool found = find_gpu(*nvcc, folder.path(), 90, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        EXPECT_THAT(diagnostic.message, testing::AnyOf(HasSubstr("cudaGetDeviceCount"), HasSubstr(" is sm_")))
            << "the driver does not build or load";
    }
    EXPECT_EQ(diagnostics.all().empty(), found);

    // The whole way for a unit of our own: built with the driver, loaded, and run to the first CUDA call, which fails without a device.
    const std::vector<RunCase> cases = standard_cases(cross_tile, 1);
    RunSetup setup{*nvcc, folder.path(), std::string(FUSEC_SOURCE_DIR) + "/elementary-lib", 1, 300, 20, 90};
    const RunReport report = run_texts({cross_job(cross_source())}, BuildKind::gpu, setup).at(0);
    if (found) {
        EXPECT_EQ(report.faults, 0u) << report.texts.at(0);
        EXPECT_GT(report.components, 0u);
    } else {
        EXPECT_EQ(report.faults, 1u);
        EXPECT_THAT(report.texts, testing::ElementsAre(testing::AllOf(HasSubstr("cudaMalloc: "), HasSubstr("n = 0"))));
    }
}

} // namespace
} // namespace fusec::execute
