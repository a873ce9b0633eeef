// SPDX-License-Identifier: Apache-2.0
// Every declared diagnostic kind has a golden case and a section in docs/diagnostics.md. A golden case is a line below tests/ that
// holds `CHECK` and the kind in brackets, `[kind-name]`: an expectation inside a case file of any phase, or, for what needs a
// situation and not a file (a full disk), a comment `// CHECK: [kind-name]` at the assertion of a unit test.
#include "support/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace fusec {
namespace {

const std::filesystem::path root = FUSEC_SOURCE_DIR;

/// Kinds whose phase has no golden case yet. The test fails for an entry that has one: remove it together with adding the case.
const std::set<std::string> awaiting_a_case = {
    // tests/cli/cases/
};

std::set<std::string> bracketed_in_checks() {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests")) {
        if (!entry.is_regular_file() || entry.path().filename() == "diagnostic_coverage_test.cpp") {
            continue;
        }
        std::ifstream in(entry.path(), std::ios::binary);
        for (std::string line; std::getline(in, line);) {
            if (line.find("CHECK") == std::string::npos) {
                continue;
            }
            for (std::size_t open = line.find('['); open != std::string::npos; open = line.find('[', open + 1)) {
                found.insert(line.substr(open + 1, line.find(']', open) - open - 1));
            }
        }
    }
    return found;
}

TEST(DiagnosticCoverage, EveryKindHasAGoldenCase) {
    const std::set<std::string> cases = bracketed_in_checks();
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
