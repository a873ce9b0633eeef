// SPDX-License-Identifier: Apache-2.0
// A description of a device may say anything: what cannot be is a located error of the file, what can be is compiled for.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace fusec {
namespace {

using test::fusec;
using testing::HasSubstr;

constexpr const char* program = "MATRIX3x3 A, B;\nVECTOR3 v;\ninput A, B, v;\nw = A * B * v;\nreturn w;\n";

std::vector<std::string> lines_of(const std::string& device) {
    std::ifstream in(std::string(FUSEC_DEVICES) + "/" + device + ".toml");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

class DeviceFigures : public testing::TestWithParam<const char*> {
protected:
    /// Compiles for the description whose line `changed` has another value.
    test::Outcome compile(std::vector<std::string> lines, std::size_t changed, const std::string& value) {
        static const std::regex figure("value = [^,]*");
        lines[changed] = std::regex_replace(lines[changed], figure, "value = " + value);
        std::string text;
        for (const std::string& line : lines) {
            text += line + "\n";
        }
        folder.write("d.toml", text);
        const bool host = std::string(GetParam()) == "host-generic";
        return fusec({"p.fus", "-o", "x.cu", "--device", "d.toml", "--target", host ? "host" : "cuda"}, folder.path());
    }

    test::TemporaryFolder folder;
};

TEST_P(DeviceFigures, AreInRangeOrLocatedErrors) {
    folder.write("p.fus", program);
    const std::vector<std::string> lines = lines_of(GetParam());
    int compiled = 0;
    int refused = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find("value = ") == std::string::npos) {
            continue;
        }
        for (const char* value : {"0", "-1", "1000000000", "1e300", "1e-12", "7"}) {
            std::filesystem::remove(folder.path() / "x.cu");
            const test::Outcome outcome = compile(lines, i, value);
            const std::string what = lines[i].substr(0, lines[i].find("unit")) + "with " + value + "\n" + outcome.err;
            const bool written = std::filesystem::exists(folder.path() / "x.cu");
            if (outcome.code == 0) {
                EXPECT_TRUE(written) << what;
                ++compiled;
                continue;
            }
            ++refused;
            EXPECT_FALSE(written) << what;
            // Of a real device with too little shared memory there is no kernel, of one that is too old no text.
            const bool no_text = (outcome.code == 2 && outcome.err.find("[target-mismatch]") != std::string::npos) ||
                outcome.err.find("[no-kernel]") != std::string::npos;
            if (!no_text) {
                EXPECT_EQ(outcome.code, 1) << what;
                const bool contradicts = outcome.err.find(" of a multiprocessor") != std::string::npos; // told of the block's figure
                EXPECT_THAT(outcome.err, HasSubstr("d.toml:" + (contradicts ? "" : std::to_string(i + 1) + ":"))) << what;
                EXPECT_THAT(outcome.err, HasSubstr("[invalid-figure]")) << what;
            }
        }
    }
    EXPECT_GT(compiled, 10);
    EXPECT_GT(refused, 40);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceFigures, testing::Values("h200", "host-generic"),
    [](const auto& test) { return std::string(test.param) == "h200" ? "cuda" : "host"; });

TEST(DeviceFigure, WarpsOfCudaCodeHave32Threads) {
    const test::TemporaryFolder folder;
    folder.write("p.fus", program);
    for (const char* size : {"64", "33", "48"}) {
        std::string text;
        for (const std::string& line : lines_of("h200")) {
            text += std::regex_replace(line, std::regex("^(warp_size *= \\{ value = )32"), std::string("$01") + size) + "\n";
        }
        folder.write("d.toml", text);
        const test::Outcome outcome = fusec({"p.fus", "-o", "x.cu", "--device", "d.toml"}, folder.path());
        EXPECT_EQ(outcome.code, 1);
        EXPECT_THAT(
            outcome.err, HasSubstr("`limits.warp_size` is " + std::string(size) + ", needed 32 for `limits.arch` = 90 [invalid-figure]"));
    }
}

} // namespace
} // namespace fusec
