// SPDX-License-Identifier: Apache-2.0
// What README.md and docs/cli.md say is so: the README's program compiles, its C++ and CMake parts build against the output, its commands
// work, and docs/cli.md names exactly the options that --help lists.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace fusec {
namespace {

using test::fusec;
using test::run;

const std::string source = FUSEC_SOURCE_DIR;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The text of the only block of README.md marked ```LANGUAGE.
std::string readme_block(const std::string& language) {
    const std::string readme = text_of(source + "/README.md");
    const std::string opening = "```" + language + "\n";
    const std::size_t begin = readme.find(opening);
    EXPECT_NE(begin, std::string::npos) << language;
    EXPECT_EQ(readme.find(opening, begin + 1), std::string::npos) << "two blocks of " << language;
    return readme.substr(begin + opening.size(), readme.find("```", begin + opening.size()) - begin - opening.size());
}

std::set<std::string> options_in(const std::string& text) {
    std::set<std::string> options;
    const std::regex option("(^|[^A-Za-z0-9-])(--[a-z][a-z-]*[a-z])");
    for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it) {
        options.insert((*it)[2]);
    }
    return options;
}

class Readme : public testing::Test {
protected:
    void SetUp() override { folder.write("stress.fus", readme_block("fus")); }

    /// Flags to compile CUDA text without a CUDA toolkit: the emulation's headers stand in for it.
    const std::vector<std::string> emulated{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I" + source + "/elementary-lib/emulation"};
    test::TemporaryFolder folder;
};

TEST_F(Readme, ItsProgramHasTenLinesAtMostAndCompiles) {
    const std::string program = readme_block("fus");
    EXPECT_LE(std::ranges::count(program, '\n'), 10);
    const test::Outcome outcome = fusec({"stress.fus", "-o", "stress.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, testing::StartsWith("stress: ")) << "no warning";
}

TEST_F(Readme, ItsCallBuildsAgainstTheOutput) {
    ASSERT_EQ(fusec({"stress.fus", "-o", "stress.cu"}, folder.path()).code, 0);
    folder.write("call.cpp", "#include <cuda_runtime.h>\n" + readme_block("cpp"));
    std::vector<std::string> words{"g++", "-c", "call.cpp", "-o", "call.o"};
    words.insert(words.end(), emulated.begin(), emulated.end());
    const test::Outcome compiled = run(words, folder.path());
    EXPECT_EQ(compiled.code, 0) << compiled.err;
}

// The lines as they stand, in a project where `fusec` is the program under test and CUDA text is compiled by the host's compiler.
TEST_F(Readme, ItsCMakeLinesBuildALibrary) {
    const std::string project = "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES CXX)\n"
                                "add_executable(fusec IMPORTED)\nset_target_properties(fusec PROPERTIES IMPORTED_LOCATION " FUSEC_BINARY ")\n" +
                                readme_block("cmake") +
                                "set_source_files_properties(stress.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS \"-xc++;-std=c++17\" INCLUDE_DIRECTORIES " + source + "/elementary-lib/emulation)\n";
    folder.write("CMakeLists.txt", project);
    const test::Outcome configured = run({"cmake", "-S", ".", "-B", "build", "-G", "Ninja"}, folder.path());
    ASSERT_EQ(configured.code, 0) << configured.err;
    const test::Outcome built = run({"cmake", "--build", "build"}, folder.path());
    ASSERT_EQ(built.code, 0) << built.out << built.err;
    const test::Outcome symbols = run({"nm", "-C", "build/libstress.a"}, folder.path());
    EXPECT_THAT(symbols.out, testing::HasSubstr(" T stress_launch\n"));
}

// Every `fusec ...` in the README's running text works on its program; the long ones among them with fewer candidates.
TEST_F(Readme, ItsCommandsWork) {
    const std::string readme = text_of(source + "/README.md");
    const std::regex command("`fusec ((run|explore|verify) stress\\.fus[^`]*)`");
    int commands = 0;
    for (std::sregex_iterator it(readme.begin(), readme.end(), command), end; it != end; ++it) {
        std::istringstream line((*it)[1]);
        std::vector<std::string> words;
        for (std::string word; line >> word;) {
            words.push_back(word);
        }
        if (line.str().find("--all") != std::string::npos) { // some thousand kernels otherwise
            words.insert(words.end(), {"--max-fusion", "1"});
        }
        SCOPED_TRACE(line.str());
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        ++commands;
    }
    EXPECT_EQ(commands, 3);
}

TEST(CommandLineDocumentation, NamesTheOptionsOfHelp) {
    const test::TemporaryFolder folder;
    const std::vector<std::vector<std::string>> commands = {{}, {"run"}, {"explore"}, {"why"}, {"verify"}, {"devices"}, {"devices", "show"}, {"library"}, {"library", "list"}, {"library", "show"}, {"library", "check"}};
    std::set<std::string> listed;
    for (std::vector<std::string> words : commands) {
        words.emplace_back("--help");
        const test::Outcome help = fusec(words, folder.path());
        EXPECT_EQ(help.code, 0);
        listed.merge(options_in(help.out));
    }
    std::set<std::string> documented = options_in(text_of(source + "/docs/cli.md"));
    EXPECT_EQ(documented, listed);
}

// Each command that --help lists has its own section or line in docs/cli.md.
TEST(CommandLineDocumentation, NamesTheCommandsOfHelp) {
    const test::TemporaryFolder folder;
    const std::string help = fusec({"--help"}, folder.path()).out;
    const std::string documentation = text_of(source + "/docs/cli.md");
    std::istringstream lines(help.substr(help.find("Subcommands:")));
    int commands = 0;
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line) && !line.empty(); ++commands) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        EXPECT_THAT(documentation, testing::HasSubstr("    fusec " + name)) << name;
    }
    EXPECT_GE(commands, 6);
}

} // namespace
} // namespace fusec
