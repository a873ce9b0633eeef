// SPDX-License-Identifier: Apache-2.0
// Every declared diagnostic kind has a golden case and a section in docs/diagnostics.md. A golden case is an expected line of a message
// that ends in `[kind-name]`, in a case file: of tests/cli/cases behind `CHECK:`, of tests/frontend/cases behind `// CHECK:`. For what
// needs a machine and not a file (a GPU), an assertion of a unit test that compares with the kind's name does. A comment does not count.
#include "support/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace fusec {
namespace {

const std::filesystem::path root = FUSEC_SOURCE_DIR;

/// Kinds whose phase has no golden case yet. The test fails for an entry that has one: remove it together with adding the case.
const std::set<std::string> awaiting_a_case = {
    // tests/cli/cases/
};

/// The kind of the message that a line of a case file expects; empty if it is no such line.
std::string expected_kind(const std::string& line, const std::string& extension) {
    const std::string start = extension == ".case" ? "CHECK: " : "// CHECK: ";
    const std::size_t open = line.rfind('[');
    const bool message = line.starts_with(start) && line.ends_with(']') && open != std::string::npos;
    return message ? line.substr(open + 1, line.size() - open - 2) : std::string();
}

/// What an assertion of a unit test compares a kind's name with: `kind::no_gpu.name`, or the name itself; empty if the line is none.
std::string asserted_kind(std::string line) {
    line.erase(std::min(line.find("//"), line.size()));
    static const std::regex assertion(R"re((EXPECT|ASSERT)_EQ\(.*kind\.name, (kind::([a-z0-9_]+)\.name|"([a-z0-9-]+)")\))re");
    std::smatch match;
    if (!std::regex_search(line, match, assertion)) {
        return {};
    }
    std::string name = match[3].matched ? match[3].str() : match[4].str();
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::set<std::string> kinds_with_a_case() {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests")) {
        const std::string extension = entry.path().extension().string();
        const bool case_file = extension == ".case" || (extension == ".fus" && entry.path().parent_path().filename() == "cases");
        if (!entry.is_regular_file() || (!case_file && extension != ".cpp") || entry.path().filename() == "diagnostic_coverage_test.cpp") {
            continue;
        }
        std::ifstream in(entry.path(), std::ios::binary);
        for (std::string line; std::getline(in, line);) {
            found.insert(case_file ? expected_kind(line, extension) : asserted_kind(line));
        }
    }
    return found;
}

TEST(DiagnosticCoverage, OnlyExpectationsCount) {
    EXPECT_EQ(expected_kind("CHECK: p.fus:1:2: error: wrong [some-kind]", ".case"), "some-kind");
    EXPECT_EQ(expected_kind("// CHECK: p.fus:1:2: error: wrong [some-kind]", ".fus"), "some-kind");
    EXPECT_EQ(expected_kind("// CHECK: [some-kind] is not said here", ".fus"), "");
    EXPECT_EQ(expected_kind("# CHECK: error: wrong [some-kind]", ".case"), "");
    EXPECT_EQ(expected_kind("CHECK: C = A[0] + 1", ".case"), "");
    EXPECT_EQ(asserted_kind("    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::some_kind.name);"), "some-kind");
    EXPECT_EQ(asserted_kind("    EXPECT_EQ(diagnostics.all().front().kind.name, \"some-kind\");"), "some-kind");
    EXPECT_EQ(asserted_kind("    // EXPECT_EQ(diagnostics.all()[0].kind.name, kind::some_kind.name);"), "");
    EXPECT_EQ(asserted_kind("    ASSERT_TRUE(good); // CHECK: [some-kind]"), "");
}

TEST(DiagnosticCoverage, EveryKindHasAGoldenCase) {
    const std::set<std::string> cases = kinds_with_a_case();
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        const std::string name(kind.name);
        EXPECT_NE(cases.contains(name), awaiting_a_case.contains(name))
            << (cases.contains(name) ? "has a golden case and is listed as awaiting one: [" : "no golden case of [") << name << "]";
    }
}

TEST(DiagnosticCoverage, EveryKindHasASectionWithCauseAndCure) {
    std::ifstream in(root / "docs/diagnostics.md");
    std::set<std::string> sections;
    std::set<std::string> causes;
    std::set<std::string> cures;
    std::string current;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("### `")) {
            current = line.substr(5, line.find('`', 5) - 5);
            EXPECT_TRUE(sections.insert(current).second) << "two sections for " << current;
        } else if (line.starts_with("Cause: ")) {
            causes.insert(current);
        } else if (line.starts_with("Cure: ")) {
            cures.insert(current);
        }
    }
    std::set<std::string> declared;
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        const std::string name(kind.name);
        declared.insert(name);
        EXPECT_TRUE(sections.contains(name)) << "docs/diagnostics.md has no section for " << name;
        EXPECT_TRUE(causes.contains(name)) << "docs/diagnostics.md gives no cause of " << name;
        EXPECT_TRUE(cures.contains(name)) << "docs/diagnostics.md gives no cure of " << name;
    }
    EXPECT_EQ(sections, declared) << "docs/diagnostics.md describes a kind that is not declared";
}

TEST(DiagnosticCoverage, KindNamesAreDistinctKebabCase) {
    std::set<std::string> names;
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        EXPECT_TRUE(names.insert(std::string(kind.name)).second) << kind.name;
        EXPECT_THAT(std::string(kind.name), ::testing::MatchesRegex("[a-z0-9]+(-[a-z0-9]+)*"));
    }
}

} // namespace
} // namespace fusec
