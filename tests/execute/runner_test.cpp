// SPDX-License-Identifier: Apache-2.0
// A right unit passes every launch; each fault put into its text is reported as what it is.
#include "hand_unit.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::execute {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Runner : public testing::Test {
protected:
    /// The report for the unit's text with `from` replaced by `to`, which must occur.
    RunReport with(const std::string& from, const std::string& to) {
        std::string source = cross_source();
        const std::size_t at = source.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return run_cross(source.replace(at, from.size(), to), folder.path());
    }

    TemporaryFolder folder;
};

TEST_F(Runner, PassesARightUnit) {
    const RunReport report = run_cross(cross_source(), folder.path());
    EXPECT_THAT(report.texts, IsEmpty());
    EXPECT_EQ(report.faults, 0u);
    // 13 cases; refused: each of 5 lists null, c in the place of each of
    // 3 inputs, s in the place of c, no workspace and one too small.
    EXPECT_EQ(report.launches, 13u + 5u + 3u + 1u + 2u);
    // Elements computed in the 13 cases, times 4 components: 0 1 31 32 33 36 68 35 35, and 33 64 1 0 of the ranges.
    EXPECT_EQ(report.components, 4u * (0 + 1 + 31 + 32 + 33 + 36 + 68 + 35 + 35 + 33 + 64 + 1 + 0));
    EXPECT_LE(report.worst_ratio, 1.0);
}

TEST_F(Runner, ReportsWrongValues) {
    EXPECT_THAT(with("x[j] * y[k] - x[k] * y[j]", "x[j] * y[k] + x[k] * y[j]").texts, Contains(HasSubstr("of `c` is")));
    EXPECT_THAT(
        with("s[first + element] = sum;", "").texts, Contains(HasSubstr("component (0, 0) of element 0 of `s` is not written (n = 1)")));
}

TEST_F(Runner, ReportsAMissingBarrierByDatum) {
    EXPECT_THAT(with("__syncthreads();\n    const unsigned element", "const unsigned element").texts,
        Contains(testing::AllOf(HasSubstr("cross_kernels::d: "), HasSubstr(" on `"))));
    EXPECT_THAT(with("__pipeline_wait_prior(0);\n", "").texts, Contains(HasSubstr("early access on `a`")));
}

TEST_F(Runner, ReportsAccessesOutsideOfLists) {
    // One element past the end: within the page only if the list does not end there, which the cases see to.
    EXPECT_THAT(with("a + first * 3, count)", "a + first * 3, count + 1)").texts, Contains(HasSubstr("access outside of `a`, ")));
    EXPECT_THAT(with("s[first + element] = sum;", "s[first + element] = sum; c[first * 3 + 96] = 0;").texts, Contains(HasSubstr("`c`")));
    EXPECT_THAT(with("const float* const a = arguments->a + first * 3", "const float* const a = arguments->a + first * 3 - 1").texts,
        Contains(HasSubstr("before its start")));
}

TEST_F(Runner, ReportsWritesToInputsAndOutsideOfTheRange) {
    EXPECT_THAT(with("s[first + element] = sum;", "s[first + element] = sum; const_cast<float*>(mu)[0] = 3;").texts,
        Contains(HasSubstr("input `mu` is changed")));
    EXPECT_THAT(with("float* const s = arguments->s + first;", "float* const s = arguments->s;").texts,
        Contains(HasSubstr("written, outside of the range")));
}

TEST_F(Runner, ReportsReturnCodes) {
    EXPECT_THAT(with("if (!fusec::lists_valid<3>(lists, first, count))", "if (false)").texts, Contains(HasSubstr("null")));
    EXPECT_THAT(with("if (workspace_bytes < needed_bytes)", "if (false)").texts,
        Contains(HasSubstr("a launch with a workspace too small returns 0")));
    EXPECT_THAT(with("if (count == 0)\n        return cudaSuccess;", "").texts, Contains(HasSubstr("the launch returns 1 (n = 0)")));
}

TEST_F(Runner, ReportsMisalignedWideAccesses) {
    EXPECT_THAT(with("fusec::aligned16(lists, first)", "true").texts, Contains(HasSubstr("misaligned access")));
}

TEST_F(Runner, ReportsTextThatDoesNotCompileOrEnd) {
    EXPECT_THAT(with("float sum = 0;", "float sum = zero;").texts, Contains(HasSubstr("cannot compile")));
    EXPECT_THAT(with("cross_launch(const", "cross_start(const").texts,
        Contains(testing::AnyOf(HasSubstr("defines no function `cross_launch`"), HasSubstr("cannot compile"))));
    EXPECT_THAT(
        with("return (n * 12 + 255)", "__builtin_trap(); return (n * 12 + 255)").texts, Contains(HasSubstr("illegal instruction (n = 0)")));
    EXPECT_THAT(
        with("const size_t first = start", "for (volatile int forever = 1; forever == 1;) {\n    }\n    const size_t first = start").texts,
        Contains("cross_kernels::d, block 0, thread 0: does not end within 1 s of processor time (n = 1)"));
}

TEST_F(Runner, NamesTheKernelThatDoesNotEnd) {
    // In the block that is not full, of the second of the two kernels.
    EXPECT_THAT(with("s[first + element] = sum;", "while (n == 33) {\n    }\n    s[first + element] = sum;").texts,
        Contains(testing::ContainsRegex("^cross_kernels::s, block 0, thread [0-9]+: does not end within 1 s of processor time .n = 33.$")));
}

TEST_F(Runner, ReportsWhatDoesNotBelongToTheWorkspacesLayout) {
    // Wherever rounding to 256 leaves room behind d: no list, but memory that can be accessed.
    EXPECT_THAT(with("s[first + element] = sum;", "s[first + element] = sum; if (n == 1) const_cast<float*>(d)[3] = d[0];").texts,
        Contains(HasSubstr("memory behind slot 0 of the workspace, 0 bytes past its last element, is overwritten (n = 1)")));
    EXPECT_THAT(
        with("fusec::load_tile_words<Vector, 32, 3>(shared + 0, d + first * 3, count);",
            "fusec::copy_async<Vector, 32, 3>(shared + 0, d + first * 3, count + 1);\n__pipeline_commit();\n__pipeline_wait_prior(0);")
            .texts,
        Contains(HasSubstr("touches global memory behind slot 0 of the workspace")));
    EXPECT_THAT(with("return (n * 12 + 255)", "return (n * 13 + 255)").texts,
        Contains(HasSubstr("the workspace of 64 elements is said to have 1024 bytes; its slots have 768")));
}

} // namespace
} // namespace fusec::execute
