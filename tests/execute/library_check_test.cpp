// SPDX-License-Identifier: Apache-2.0
// `fusec library check`: the standard library passes; planted faults in copies of it are found.
#include "execute/library_check.hpp"
#include "tests/execute/reference_program.hpp"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

namespace fusec::execute {
namespace {

namespace fs = std::filesystem;

class LibraryCheckTest : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("fusec_library_check_test_" + std::to_string(getpid()));
        fs::create_directories(folder / "family");
        Diagnostics diagnostics;
        compiler = find_host_compiler(diagnostics);
        ASSERT_TRUE(compiler);
    }
    void TearDown() override { fs::remove_all(folder); }

    LibraryCheckOptions options() const {
        LibraryCheckOptions made;
        made.cache = folder / "cache";
        made.runtime_folder = library::standard_library_folder() / "runtime";
        made.emulation_folder = emulation_folder(library::standard_library_folder());
        made.step_seconds = step_seconds;
        return made;
    }
    static std::string text(const fs::path& path) {
        std::ostringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }
    /// Copies a function of the standard library, with replacements in its device source or metadata, and checks the copy.
    LibraryCheckResult check_copy(const std::string& family, const std::string& name, const std::string& from, const std::string& to,
        const std::string& extension = ".cuh") {
        for (const char* each : {".toml", ".cuh"}) {
            std::string content = text(library::standard_library_folder() / family / (name + each));
            if (each == extension) {
                EXPECT_NE(content.find(from), std::string::npos) << from;
                for (std::size_t at = content.find(from); at != std::string::npos; at = content.find(from, at + to.size())) {
                    content.replace(at, from.size(), to);
                }
            }
            std::ofstream(folder / "family" / (name + each)) << content;
        }
        return check_folder();
    }
    LibraryCheckResult check_folder() {
        Diagnostics diagnostics;
        const auto catalog = library::Catalog::load({folder / "family"}, diagnostics);
        LibraryCheckResult result;
        if (catalog) {
            result = check_library(*catalog, *compiler, options(), diagnostics);
        }
        std::ostringstream out;
        render(diagnostics, out, false);
        report = out.str();
        return result;
    }

    fs::path folder;
    std::optional<HostCompiler> compiler;
    std::string report;
    double step_seconds = longest_step_seconds;
};

TEST_F(LibraryCheckTest, TheStandardLibraryPasses) {
    Diagnostics diagnostics;
    const LibraryCheckResult result = check_library(standard_catalog(), *compiler, options(), diagnostics);
    std::ostringstream out;
    render(diagnostics, out, false);
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(result.functions, standard_catalog().size());
    std::size_t implementations = 0;
    for (std::size_t i = 0; i < standard_catalog().size(); ++i) {
        implementations += standard_catalog().function(FunctionId(i)).implementations.size();
    }
    EXPECT_EQ(result.implementations, implementations) << "none left out";
    EXPECT_EQ(result.unchecked, 0U);
    EXPECT_EQ(result.mismatches, 0U);
    // In float the reference is all but exact. Errors come near the bounds, so these say something; they are 0 where nothing is rounded.
    // In double both round, often alike.
    const std::set<std::string> exact{"mneg", "mselect_eq", "mselect_le", "mselect_lt", "mtrans", "sabs", "smax", "smin", "sneg",
        "sselect_eq", "sselect_le", "sselect_lt", "vneg", "vselect_eq", "vselect_le", "vselect_lt"};
    for (const auto& [which, ratio] : result.worst_ratio) {
        EXPECT_LE(ratio, 1) << which.first;
        if (which.second == Precision::f32) {
            EXPECT_EQ(ratio == 0, exact.contains(which.first)) << which.first;
            EXPECT_TRUE(ratio == 0 || ratio > 0.02) << which.first << ": " << ratio;
        }
    }
    EXPECT_EQ(result.worst_ratio.size(), 2 * result.functions);
    std::printf("             %zu functions, %zu implementations, %zu instances, %zu components\n", result.functions,
        result.implementations, result.instances, result.components);
}

TEST_F(LibraryCheckTest, ACopyWithoutAFaultPasses) {
    const LibraryCheckResult result = check_copy("matrix", "mmul", "C = A B", "C = A B");
    EXPECT_EQ(report, "");
    EXPECT_EQ(result.mismatches, 0U);
    EXPECT_GT(result.instances, 50U);
}

/// What the check says of a planted fault. In a build with AddressSanitizer, one that leaves an operand does not run to its end.
testing::Matcher<const std::string&> says(const std::string& found) {
#if defined(__SANITIZE_ADDRESS__)
    return testing::AnyOf(testing::HasSubstr(found), testing::HasSubstr("does not run to its end"));
#else
    return testing::HasSubstr(found);
#endif
}

// What is outside of an operand is reported even where the result is right: 0 times anything, a scalar of which any index is the one.
TEST_F(LibraryCheckTest, IndicesOutsideAreFound) {
    for (const auto& [family, name, from, to, found] : {
             std::array{"vector", "vcross", "c(i) = a(j)", "c(i) = a(5) * 0 + a(j)",
                 "`vcross` by `element` does not stay within its operands: it uses `a(5)`, and `a` is VECTOR3"},
             std::array{"vector", "vdot", "c() = sum", "c(1) = sum",
                 "`vdot` by `element` does not stay within its operands: it uses `c(1)`, and `c` is SCALAR"},
             std::array{"matrix", "mmul", "C& c) {", "C& c) {\n    const auto unused = b(-1, 0);\n    (void)unused;",
                 "it uses `B(-1, 0)`, and `B` is MATRIX"},
             std::array{"matrix", "mtrans", "c(i, j) = a(j, i)", "c(i, j) = a(j, i) + 0 * a(j, C::rows)",
                 "does not stay within its operands: it uses `A("},
         }) {
        const LibraryCheckResult result = check_copy(family, name, from, to);
        EXPECT_GE(result.mismatches, 1U) << to;
        EXPECT_THAT(report, testing::HasSubstr(found));
    }
}

struct Planted {
    const char* what;
    const char* family;
    const char* name;
    const char* from;
    const char* to;
    const char* found; ///< part of the report
};

TEST_F(LibraryCheckTest, PlantedFaultsAreFound) {
    const std::vector<Planted> planted{
        {"transposed index", "matrix", "mmul", "sum += a(i, k) * b(k, j);", "sum += a(i, k) * b(j, k);",
            "`mmul` by `element` does not stay within its operands: it uses `B("},
        {"transposed result", "matrix", "mtrans", "c(i, j) = a(j, i);", "c(i, j) = a(i, j);",
            "`mtrans` by `element` does not stay within its operands: it uses `A("},
        {"wrong sign", "matrix", "mmul", "sum += a(i, k)", "sum -= a(i, k)", "`mmul` by `rows4` computes C("},
        {"wrong sign of one cofactor", "matrix", "minv", "c(0, 1) = -a(0, 1) * reciprocal;", "c(0, 1) = a(0, 1) * reciprocal;",
            "`minv` by `element` computes C(0, 1)"},
        {"missing last k", "matrix", "mmul", "k < A::columns", "k < A::columns - 1", "`mmul` by `row` computes C("},
        {"missing last component", "vector", "vneg", "i < C::rows", "i < C::rows - 1", "`vneg` by `element` computes c("},
        {"a column that the map does not give", "matrix", "mmul", "const int j = lane.index;",
            "const int j = lane.index == 0 ? 0 : lane.index - 1;", "`mmul` by `column` computes C("},
        {"an error of 1e-6", "scalar", "sdiv", "a() / b()", "a() / b() * 1.000001f", "`sdiv` by `element` computes c"},
    };
    for (const Planted& one : planted) {
        const LibraryCheckResult result = check_copy(one.family, one.name, one.from, one.to);
        EXPECT_GT(result.mismatches, 0U) << one.what;
        EXPECT_THAT(report, says(one.found)) << one.what;
        EXPECT_THAT(report, testing::HasSubstr("[library-mismatch]")) << one.what;
        fs::remove_all(folder / "family");
        fs::create_directories(folder / "family");
    }
}

TEST_F(LibraryCheckTest, AWrongMapIsFound) {
    // mmul by rows needs all of B; a thread that holds one row of it only computes nonsense.
    const LibraryCheckResult result = check_copy(
        "matrix", "mmul", "map = { A = \"row\", B = \"all\", C = \"row\" }", "map = { A = \"row\", B = \"row\", C = \"row\" }", ".toml");
    EXPECT_GT(result.mismatches, 0U);
    EXPECT_THAT(report, says("`mmul` by `row` computes C("));
    EXPECT_THAT(report, says("operands in registers"));
}

TEST_F(LibraryCheckTest, AWrongReferenceIsFound) {
    EXPECT_GT(check_copy("matrix", "mtrace", "sum(i) A[i,i]", "sum(i) A[i,0]", ".toml").mismatches, 0U);
    EXPECT_THAT(report, testing::HasSubstr("`mtrace` by `element` computes c = "));
    check_copy("matrix", "mtmul", "A[k,i] * B[k,j]", "A[i,k] * B[k,j]", ".toml");
    EXPECT_THAT(report, testing::HasSubstr("mtmul.toml:5:14: error: the index `k` of `mtmul` runs over dimensions of "));
}

TEST_F(LibraryCheckTest, WhatDoesNotCompileIsLocated) {
    check_copy("scalar", "sadd", "a() + b()", "a() + d");
    EXPECT_THAT(report, testing::HasSubstr("[host-compile-failed]"));
    EXPECT_THAT(report, testing::HasSubstr("family/sadd.cuh:6:")) << "the line of the device source";
}

TEST_F(LibraryCheckTest, WhatDoesNotEndWellIsReported) {
    const LibraryCheckResult result = check_copy("scalar", "sadd", "c() = a() + b();", "__builtin_trap();");
    EXPECT_EQ(result.mismatches, 1U);
    EXPECT_THAT(report, testing::HasSubstr("`sadd` by `element` does not run to its end: signal "));
}

TEST_F(LibraryCheckTest, WhatDoesNotEndIsNamedSoon) {
    // Only rows of 2 or more do not end: what has been run before them says nothing of theirs.
    step_seconds = 0.3;
    const LibraryCheckResult result = check_copy("matrix", "madd", "constexpr int share = C::rows / Lane::count;",
        "constexpr int share = C::rows / Lane::count;\n    for (volatile int forever = Lane::count; forever == 2;) {\n    }");
    EXPECT_EQ(result.mismatches, 1U);
    EXPECT_THAT(report,
        testing::ContainsRegex("madd.cuh:[0-9]+:[0-9]+: error: `madd` by `row` does not end within 1 s of processor time "
                               "\\[library-mismatch\\]"));
    EXPECT_THAT(report, testing::ContainsRegex("hint: with float, M = 2, N = [0-9]+, operands in memory; what comes after it was not run"));
}

TEST_F(LibraryCheckTest, AnIndexOutOfRangeIsLocatedInTheReference) {
    check_copy("vector", "vadd", "a[i] + b[i]", "a[i] + b[i+1]", ".toml");
    EXPECT_THAT(report, testing::HasSubstr("family/vadd.toml:"));
    EXPECT_THAT(report, testing::HasSubstr("the reference of `vadd` reads component ("));
    EXPECT_THAT(report, testing::HasSubstr("[library-reference]"));
}

TEST_F(LibraryCheckTest, AnUnsuitableDomainIsReported) {
    check_copy("scalar", "slog", "domain = \"positive\"", "domain = \"any\"", ".toml");
    EXPECT_THAT(report, testing::HasSubstr("draws for 32 cases of `slog` were ill conditioned"));
}

TEST_F(LibraryCheckTest, ASynchronisingRoutineIsSaidToBeUnchecked) {
    const LibraryCheckResult result = check_copy("matrix", "mmul", "map = { A = \"row\", B = \"all\", C = \"row\" }",
        "map = { A = \"row\", B = \"all\", C = \"row\" }\nbarrier = true", ".toml");
    EXPECT_EQ(result.unchecked, 1U);
    EXPECT_THAT(report,
        testing::HasSubstr("`mmul` by `row` synchronises its threads, so it is checked on emulated CUDA by `fusec verify` and not here "
                           "[library-unchecked]"));
}

// Each defect of an exchange is found where it is made: a value that is not exchanged, a thread that stays away, another thread's value,
// threads with different results, and a count that is not the metadata's.
TEST_F(LibraryCheckTest, DefectsOfExchangesAreFound) {
    const auto found = [&](const std::string& family, const std::string& name, const std::string& from, const std::string& to,
                           const std::string& text, const std::string& extension = ".cuh") {
        EXPECT_GT(check_copy(family, name, from, to, extension).mismatches, 0U) << to;
        EXPECT_THAT(report, testing::HasSubstr(text)) << to;
    };
    found("matrix", "mfnorm", "fusec::sqrt(fusec::sum_over(lane, sum))", "fusec::sqrt(sum + 0 * fusec::sum_over(lane, sum))",
        "`mfnorm` by `row` computes c = ");
    found("vector", "vdot", "c() = fusec::sum_over(lane, sum);", "c() = lane.index == 0 ? fusec::sum_over(lane, sum) : sum;",
        "unreached exchange");
    found("vector", "vdot", "c() = fusec::sum_over(lane, sum);",
        "const auto all = fusec::sum_over(lane, sum); c() = lane.index == 1 ? sum : all;", "computes c = inf");
    found("vector", "vdot", "c() = fusec::sum_over(lane, sum);", "c() = fusec::sum_over(lane, fusec::value_from(lane, 0, sum));",
        "does not exchange as many values as its metadata say: a thread exchanges 2, not 1");
    found("matrix", "mtrace", "exchanges = \"log2(N)\"", "exchanges = \"N\"",
        "does not exchange as many values as its metadata say: a thread exchanges 1, not 2", ".toml");
}

TEST_F(LibraryCheckTest, AnImplementationThatNoShapeReachesIsSaidToBeUnchecked) {
    LibraryCheckResult result = check_copy("matrix", "mmul", "M > 1 && N > 1", "M > 40", ".toml");
    EXPECT_EQ(result.unchecked, 1U);
    EXPECT_THAT(report, testing::HasSubstr("`mmul` by `entry` is not checked: no shape up to 16 is within its limit [library-unchecked]"));
    result = check_copy("matrix", "mmul", "M > 1 && N > 1", "M == 13 && N == 11", ".toml");
    EXPECT_EQ(result.unchecked, 0U) << "a shape is searched for";
    EXPECT_EQ(report, "");
}

} // namespace
} // namespace fusec::execute
