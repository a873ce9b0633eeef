// SPDX-License-Identifier: Apache-2.0
// Calibrations of hosts outlive the kernels that they were measured with.
#include "codegen/embedding.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/host_calibrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fusec {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OtherKernels : public testing::Test {
protected:
    /// What a command says with a calibration that names these.
    std::string said(const std::string& kernels, std::vector<std::string> command) const {
        auto mine = test::host_calibration("mine");
        if (!kernels.empty()) {
            mine["kernels"] = kernels;
        }
        folder.write("p.fus", "VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n");
        folder.write("mine.json", mine.dump());
        command.insert(command.end(), {"--target", "host", "--device", "mine.json"});
        const test::Outcome outcome = test::fusec(command, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.err;
    }
    test::TemporaryFolder folder;
};

TEST_F(OtherKernels, AreToldByEveryCommandThatPrices) {
    for (const std::vector<std::string>& command :
        {std::vector<std::string>{"p.fus", "-o", "x.cpp"}, {"predict", "p.fus"}, {"explore", "p.fus"}}) {
        EXPECT_THAT(said("0123456789abcdef", command),
            AllOf(HasSubstr("warning: `mine` was measured with kernels that load, store or loop otherwise than those of this compiler "
                            "[other-kernels]"),
                HasSubstr("hint: `fusec calibrate --target host -o FILE`")));
        EXPECT_THAT(said("", command),
            HasSubstr(
                "warning: `mine` does not say what its kernels load, store and loop with: those of this compiler may take other times "
                "[other-kernels]"));
        EXPECT_THAT(said(codegen::name_of_host_runtime(), command), Not(HasSubstr("other-kernels")));
    }
}

// A description has no kernels, nor is a GPU measured with those of a host.
TEST_F(OtherKernels, AreNoneOfADescriptionAndNoneOfAGpu) {
    folder.write("p.fus", "VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n");
    for (const std::vector<std::string>& device : {std::vector<std::string>{"--target", "host"}, {"--device", "h200-probed"}}) {
        std::vector<std::string> command{"p.fus", "-o", "x.txt"};
        command.insert(command.end(), device.begin(), device.end());
        const test::Outcome outcome = test::fusec(command, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_THAT(outcome.err, Not(HasSubstr("other-kernels")));
    }
}

} // namespace
} // namespace fusec
