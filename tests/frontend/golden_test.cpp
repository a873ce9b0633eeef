// SPDX-License-Identifier: Apache-2.0
// Every program in tests/frontend/cases says what its expectation says. `frontend_golden_test --update` rewrites the expectations:
// read the difference before committing it.
#include "tests/frontend/program_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

namespace fusec::frontend::testing {
namespace {

const std::filesystem::path cases = FUSEC_SOURCE_DIR "/tests/frontend/cases";

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, SaysWhatItsExpectationSays) {
    const ProgramCase program_case = read_case(GetParam());
    const std::vector<std::string> said = outcome(program_case);
    EXPECT_FALSE(program_case.expected.empty()) << "no expectation";
    EXPECT_THAT(said, ::testing::ContainerEq(program_case.expected));
    const bool fails = !said.empty() && said.back().starts_with("exit ");
    EXPECT_EQ(fails, program_case.path.filename().string().starts_with("fail_"))
        << "a case is named `fail_...` if and only if it is an error";
}

std::string name_of(const ::testing::TestParamInfo<std::filesystem::path>& info) {
    std::string name = info.param.stem().string();
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Frontend, Golden, ::testing::ValuesIn(program_files(cases)), name_of);

} // namespace
} // namespace fusec::frontend::testing

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--update") {
        using namespace fusec::frontend::testing;
        for (const auto& path : program_files(cases)) {
            const ProgramCase program_case = read_case(path);
            write_case(program_case, outcome(program_case));
        }
        return 0;
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
