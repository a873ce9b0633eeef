// SPDX-License-Identifier: Apache-2.0
// Whatever the input, the compiler answers with a located message and the right exit code, quickly, and leaves no partial file.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec {
namespace {

using test::fusec;
using testing::HasSubstr;

constexpr const char* head = "MATRIX3x3 A, B;\nVECTOR3 v;\ndouble MATRIX3x3 Q;\ninput A, B, v, Q;\n";

struct Case {
    std::string name;
    std::string text; ///< of the program after `head`, or the whole program if it starts with '!'
    int code;
    std::string place; ///< "line:column"; empty: no place
    std::string kind;
};

std::string repeated(const std::string& piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
        text += piece;
    }
    return text;
}

std::vector<Case> cases() {
    constexpr std::size_t megabyte = 1000000;
    return {
        {"undeclared_name", "C = A * X;\nreturn C;\n", 1, "5:9", "undefined-name"},
        {"wrong_shape", "C = A + v;\nreturn C;\n", 1, "5:7", "no-such-operator"},
        {"arity", "C = mmul(A);\nreturn C;\n", 1, "5:", "wrong-arity"},
        {"precision", "C = A * Q;\nreturn C;\n", 1, "5:9", "precision-mismatch"},
        {"assigned_twice", "C = A * B;\nC = B * A;\nreturn C;\n", 1, "6:1", "defined-twice"},
        {"cycle_of_names", "C = E * A;\nE = C * A;\nreturn E;\n", 1, "5:5", "used-before-definition"},
        {"missing_return", "C = A * B;\n", 1, "5:10", "missing-return"},
        {"suffix_that_lies", "C = mmul44(A, B);\nreturn C;\n", 1, "5:5", "suffix-mismatch"},
        {"unknown_function", "C = mmull(A, B);\nreturn C;\n", 1, "5:5", "unknown-function"},
        {"not_utf8", "C = A * \xff\xfe;\nreturn C;\n", 1, "5:9", "invalid-utf8"},
        {"empty_file", "!", 1, "1:1", "missing-return"},
        {"megabyte_of_parentheses", "C = " + repeated("(", megabyte), 3, "5:261", "nesting-limit"},
        {"megabyte_of_minus", "C = " + repeated("-", megabyte), 3, "5:261", "nesting-limit"},
        {"megabyte_of_calls", "C = " + repeated("f(", megabyte), 3, "5:", "nesting-limit"},
    };
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsReportedWithItsPlaceAndLeavesNothing) {
    const Case& c = GetParam();
    const test::TemporaryFolder folder;
    folder.write("p.fus", c.text[0] == '!' ? c.text.substr(1) : head + c.text);
    const test::Outcome outcome = fusec({"p.fus", "-o", "fused.cu"}, folder.path());
    EXPECT_EQ(outcome.code, c.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("p.fus:" + c.place));
    EXPECT_THAT(outcome.err, HasSubstr("error: "));
    EXPECT_THAT(outcome.err, HasSubstr(c.kind + "]"));
    EXPECT_THAT(folder.names(), testing::ElementsAre("p.fus"));
    EXPECT_LT(outcome.seconds, 20);
    EXPECT_LT(outcome.err.size(), 20000U);
}

INSTANTIATE_TEST_SUITE_P(All, BadInput, testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

constexpr const char* good = "MATRIX3x3 A, B;\ninput A, B;\nC = A * B;\nreturn C;\n";

class Outputs : public testing::Test {
protected:
    void SetUp() override { folder.write("p.fus", good); }
    test::TemporaryFolder folder;
};

TEST_F(Outputs, UnwritableFolderLeavesNothing) {
    const test::Outcome outcome = fusec({"p.fus", "-o", "absent/fused.cu"}, folder.path());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("cannot write `absent/fused.cu`: No such file or directory [unwritable-file]"));
    EXPECT_THAT(folder.names(), testing::ElementsAre("p.fus"));
}

TEST_F(Outputs, FullDeviceIsAnErrorAndStaysADevice) {
    const std::vector<std::vector<std::string>> commands = {{"p.fus", "--json", "/dev/full", "-o", "fused.cu"},
        {"p.fus", "-o", "/dev/full"}, {"p.fus", "-o", "/dev/full", "--save-plan", "plan.json"}};
    for (const std::vector<std::string>& command : commands) {
        const test::Outcome outcome = fusec(command, folder.path());
        EXPECT_EQ(outcome.code, 1);
        EXPECT_THAT(outcome.err, HasSubstr("cannot write `/dev/full`: No space left on device [unwritable-file]"));
        EXPECT_THAT(folder.names(), testing::ElementsAre("p.fus"));
        EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    }
}

TEST_F(Outputs, FullStandardOutputOfAHelpTextIsAnError) {
    for (const char* option : {"--help", "--version", "run --help"}) {
        const test::Outcome outcome = test::run({"sh", "-c", std::string(FUSEC_BINARY) + " " + option + " > /dev/full"}, folder.path());
        EXPECT_EQ(outcome.code, 1) << option;
        EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output [unwritable-file]"));
    }
}

TEST_F(Outputs, ANameMayBeAsLongAsTheSystemAllows) {
    const std::string stem(248, 'x'); // with its ending 251 bytes; the header's has one more
    const test::Outcome outcome = fusec({"p.fus", "-o", stem + ".cu"}, folder.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(folder.names(), testing::ElementsAre("p.fus", stem + ".cu", stem + ".h"));
}

TEST_F(Outputs, CollisionsOfARunAreFoundBeforeItRuns) {
    folder.write("A.npy", "no NumPy file: reading it would be another error");
    const std::vector<std::vector<std::string>> commands = {{"run", "p.fus", "--input", "A=A.npy", "--output", "C=A.npy"},
        {"run", "p.fus", "--input", "A=A.npy", "--output", "C=./A.npy"}, {"run", "p.fus", "--output", "C=p.fus"}};
    for (const std::vector<std::string>& command : commands) {
        const test::Outcome outcome = fusec(command, folder.path());
        EXPECT_EQ(outcome.code, 2);
        EXPECT_THAT(outcome.err, HasSubstr("is also an input [output-collision]"));
        EXPECT_THAT(outcome.err, testing::Not(HasSubstr("is random"))); // no list was made
        EXPECT_THAT(outcome.err, testing::Not(HasSubstr("numpy-file")));
    }
}

TEST_F(Outputs, FullStandardOutputIsAnError) {
    const test::Outcome outcome = test::run({"sh", "-c", std::string(FUSEC_BINARY) + " explore p.fus > /dev/full"}, folder.path());
    EXPECT_EQ(outcome.code, 1) << outcome.err;
}

TEST_F(Outputs, FullStandardOutputOfADumpLeavesNothing) {
    const test::Outcome outcome =
        test::run({"sh", "-c", std::string(FUSEC_BINARY) + " p.fus --dump ast -o fused.cu > /dev/full"}, folder.path());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
    EXPECT_THAT(folder.names(), testing::ElementsAre("p.fus"));
}

TEST_F(Outputs, FailureKeepsEarlierFiles) {
    folder.write("fused.cu", "precious");
    folder.write("p.fus", "MATRIX3x3 A;\ninput A;\n");
    EXPECT_EQ(fusec({"p.fus", "-o", "fused.cu"}, folder.path()).code, 1);
    EXPECT_EQ(folder.read("fused.cu"), "precious");
}

TEST_F(Outputs, AbsentProgramIsAnError) {
    const test::Outcome outcome = fusec({"absent.fus", "-o", "fused.cu"}, folder.path());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("[unreadable-file]"));
}

TEST_F(Outputs, UsageErrorsExitWithTwo) {
    EXPECT_EQ(fusec({}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"p.fus"}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--no-such-option"}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--arch", "sm_60"}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--arch", "sm_100"}, folder.path()).code, 2) << "newer than the device";
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--target", "host", "--device", "h200"}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "-n", "-5"}, folder.path()).code, 2);
    for (const char* seed : {"-1", "+1", "1.5", "1e3", "0x10", "", " 1", "18446744073709551616"}) {
        const test::Outcome outcome = fusec({"run", "p.fus", "--seed", seed}, folder.path());
        EXPECT_EQ(outcome.code, 2) << seed;
        EXPECT_THAT(outcome.err, HasSubstr("--seed: a whole number from 0 to 18446744073709551615 expected, found `")) << seed;
        EXPECT_EQ(fusec({"verify", "p.fus", "--seed", seed}, folder.path()).code, 2) << seed;
        EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--max-fusion", seed}, folder.path()).code, 2) << seed;
        EXPECT_EQ(fusec({"explore", "p.fus", "--top", seed}, folder.path()).code, 2) << seed;
    }
    EXPECT_EQ(fusec({"p.fus", "-o", "x.cu", "--max-fusions", "-18446744073709551615"}, folder.path()).code, 2);
    EXPECT_EQ(fusec({"--help"}, folder.path()).code, 0);
    EXPECT_EQ(fusec({"--version"}, folder.path()).code, 0);
}

TEST_F(Outputs, UnknownDeviceAndPredictorAreNamed) {
    const test::Outcome device = fusec({"p.fus", "-o", "x.cu", "--device", "h2000"}, folder.path());
    EXPECT_EQ(device.code, 2);
    EXPECT_THAT(device.err, HasSubstr("h200"));
    const test::Outcome predictor = fusec({"p.fus", "-o", "x.cu", "--predictor", "guess"}, folder.path());
    EXPECT_EQ(predictor.code, 2);
    EXPECT_THAT(predictor.err, HasSubstr("composite"));
}

TEST_F(Outputs, BrokenLibraryIsLocated) {
    folder.write("mylib/vector/twice.toml", "summary = \"2 v\"\nshape = [\"N\"\n");
    const test::Outcome toml = fusec({"p.fus", "-o", "x.cu", "--library", "mylib"}, folder.path());
    EXPECT_EQ(toml.code, 1);
    EXPECT_THAT(toml.err, HasSubstr("twice.toml:"));
    folder.write("mylib/vector/twice.toml", R"(summary = "2 v"
shape = ["N"]
reference = "w[i] = 2 * v[i]"
flops = "N"
[[input]]
name = "v"
type = "VECTOR[N]"
[output]
name = "w"
type = "VECTOR[N]"
[[implementation]]
name = "element"
threads = "1"
)");
    const test::Outcome absent = fusec({"p.fus", "-o", "x.cu", "--library", "mylib"}, folder.path());
    EXPECT_EQ(absent.code, 1);
    EXPECT_THAT(absent.err, HasSubstr("twice.cuh"));
    EXPECT_THAT(absent.err, HasSubstr("[missing-device-source]"));
}

TEST_F(Outputs, WrongNumpyFilesAreLocated) {
    folder.write("A.npy", "not a NumPy file");
    const test::Outcome outcome = fusec({"run", "p.fus", "--input", "A=A.npy"}, folder.path());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("error: `A.npy`, byte 0: no NumPy file: it does not begin with `\\x93NUMPY` [numpy-file]\n"));
    const test::Outcome unknown = fusec({"run", "p.fus", "--input", "Z=A.npy"}, folder.path());
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.err, HasSubstr("program `p` has no input `Z` [unknown-list]\n"));
    const test::Outcome endless = fusec({"run", "p.fus", "--input", "A=/dev/zero"}, folder.path());
    EXPECT_EQ(endless.code, 1);
    EXPECT_THAT(endless.err, HasSubstr("cannot read `/dev/zero`: it is no regular file [unreadable-file]\n"));
}

} // namespace
} // namespace fusec
