// SPDX-License-Identifier: Apache-2.0
// Golden cases of whole commands: tests/cli/cases/*.case, each with the files it needs, the shell line it runs, the exit code and all of
// standard error.
//
//     FILE: p.fus              the lines after it, each behind `| `, are a file
//     | MATRIX3x3 A;
//     RUN: fusec p.fus -o x.cu     run by sh in a fresh folder; `$SOURCE` is the checkout; several RUN lines are one script
//     EXIT: 1
//     LEAVES: p.fus                what is in the folder afterwards; without it the folder is not looked at
//     CHECK: p.fus:1:1: error: ...  a line of standard error; `{{*}}` stands for any text that differs between machines
//
// FUSEC_UPDATE_CASES=1 writes the CHECK lines that no longer hold anew (without `{{*}}`): read the difference before it is committed.
#include "tests/cli/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fusec {
namespace {

namespace fs = std::filesystem;

const fs::path folder_of_cases = FUSEC_SOURCE_DIR "/tests/cli/cases";

struct MessageCase {
    std::vector<std::pair<std::string, std::string>> files;
    std::string script = "set -e\n";
    int code = -1;
    std::string leaves;
    std::vector<std::string> expected;
    std::string head; ///< all lines but the CHECKs, for an update
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

MessageCase read_case(const fs::path& path) {
    MessageCase result;
    std::ifstream in(path);
    std::string line;
    const auto after = [&](const char* key) { return line.starts_with(key); };
    while (std::getline(in, line)) {
        if (after("CHECK:")) {
            result.expected.push_back(line.size() > 7 ? line.substr(7) : "");
            continue;
        }
        result.head += line + "\n";
        if (after("FILE: ")) {
            result.files.emplace_back(line.substr(6), "");
        } else if (after("|") && !result.files.empty()) {
            result.files.back().second += (line.size() > 2 ? line.substr(2) : "") + "\n";
        } else if (after("RUN: ")) {
            result.script += line.substr(5) + "\n";
        } else if (after("EXIT: ")) {
            result.code = std::stoi(line.substr(6));
        } else if (after("LEAVES: ")) {
            result.leaves = line.substr(8);
        } else if (!after("#") && !line.empty()) {
            ADD_FAILURE() << path << ": `" << line << "` is no part of a case";
        }
    }
    return result;
}

/// True when the line is the pattern with some text for each `{{*}}`.
bool matches(const std::string& pattern, const std::string& line) {
    const std::string any = "{{*}}";
    const std::size_t hole = pattern.find(any);
    if (hole == std::string::npos) {
        return pattern == line;
    }
    if (!line.starts_with(pattern.substr(0, hole))) {
        return false;
    }
    const std::string rest = pattern.substr(hole + any.size());
    for (std::size_t at = hole; at <= line.size(); ++at) {
        if (matches(rest, line.substr(at))) {
            return true;
        }
    }
    return false;
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_of_cases)) {
        if (entry.path().extension() == ".case") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class MessageCases : public testing::TestWithParam<std::string> {};

TEST_P(MessageCases, SayAllOfIt) {
    const fs::path path = folder_of_cases / (GetParam() + ".case");
    const MessageCase wanted = read_case(path);
    const test::TemporaryFolder folder;
    for (const auto& [name, text] : wanted.files) {
        folder.write(name, text);
    }
    const std::string environment =
        "SOURCE='" FUSEC_SOURCE_DIR "'\nPATH=" + fs::path(FUSEC_BINARY).parent_path().string() + ":$PATH\nexport LC_ALL=C\n";
    const test::Outcome outcome = test::run({"sh", "-c", environment + wanted.script}, folder.path());
    const std::vector<std::string> said = lines_of(outcome.err);
    if (std::getenv("FUSEC_UPDATE_CASES") != nullptr) {
        std::ofstream out(path);
        out << wanted.head;
        for (std::size_t i = 0; i < said.size(); ++i) {
            const bool kept = i < wanted.expected.size() && matches(wanted.expected[i], said[i]);
            const std::string& line = kept ? wanted.expected[i] : said[i];
            out << (line.empty() ? "CHECK:" : "CHECK: ") << line << '\n';
        }
        return;
    }
    EXPECT_EQ(outcome.code, wanted.code) << outcome.err;
    EXPECT_FALSE(wanted.expected.empty());
    for (std::size_t i = 0; i < std::max(said.size(), wanted.expected.size()); ++i) {
        const bool same = i < said.size() && i < wanted.expected.size() && matches(wanted.expected[i], said[i]);
        EXPECT_TRUE(same) << "line " << i + 1 << "\n  expected: " << (i < wanted.expected.size() ? wanted.expected[i] : "<end>")
                          << "\n  said:     " << (i < said.size() ? said[i] : "<end>");
    }
    if (!wanted.leaves.empty()) {
        std::string names;
        for (const std::string& name : folder.names()) {
            names += (names.empty() ? "" : " ") + name;
        }
        EXPECT_EQ(names, wanted.leaves);
    }
    EXPECT_LT(outcome.seconds, 60);
}

INSTANTIATE_TEST_SUITE_P(All, MessageCases, testing::ValuesIn(case_names()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

} // namespace
} // namespace fusec
