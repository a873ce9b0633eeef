// SPDX-License-Identifier: Apache-2.0
// --depfile: every file that a compile opens is in its rule, as make and ninja read it.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

namespace fusec {
namespace {

namespace fs = std::filesystem;
using test::fusec;
using test::run;

class Depfile : public testing::Test {
protected:
    void SetUp() override {
        folder.write("a folder/part.fus", "def twice(x) { return x + x; }\n");
        folder.write("p.fus", "include \"a folder/part.fus\";\nVECTOR3 a;\ninput a;\nb = vscaled(twice(a));\nreturn b;\n");
        fs::create_directories(folder.path() / "my$lib/#1");
        folder.write("my$lib/#1/vscaled.toml",
            "summary = \"w = v + v\"\nshape = [\"N\"]\nreference = \"w[i] = v[i] + v[i]\"\nflops = \"N\"\n[[input]]\nname = \"v\"\ntype = "
            "\"VECTOR[N]\"\n[output]\nname = \"w\"\ntype = \"VECTOR[N]\"\n[[implementation]]\nname = \"element\"\nthreads = \"1\"\n");
        folder.write("my$lib/#1/vscaled.cuh",
            "template <class Lane, class V, class W>\nFUSEC_DEVICE void vscaled_element(Lane, const V& v, W& w) {\n"
            "    FUSEC_UNROLL for (int i = 0; i < V::rows; ++i)\n        w(i) = v(i) + v(i);\n}\n");
        fs::copy_file(FUSEC_SOURCE_DIR "/perfmodel/devices/a100.toml", folder.path() / "mine.toml");
        const test::Outcome planned = fusec({"p.fus", "--library", "my$lib", "--save-plan", "plan.json"}, folder.path());
        ASSERT_EQ(planned.code, 0) << planned.err;
    }
    const std::vector<std::string> words{
        "p.fus", "--library", "my$lib", "--device", "mine.toml", "--plan", "plan.json", "-o", "the output.cu", "--depfile", "the.d"};
    test::TemporaryFolder folder;
};

/// The files that the rule names, with its escapes undone.
std::set<std::string> files_of(const std::string& rule) {
    std::set<std::string> files;
    std::istringstream lines(rule.substr(rule.find("\n") + 1));
    for (std::string line; std::getline(lines, line);) {
        std::string name;
        const std::string_view text = std::string_view(line).substr(2, line.ends_with(" \\") ? line.size() - 4 : std::string::npos);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool escape = i + 1 < text.size() && ((text[i] == '\\' && (text[i + 1] == ' ' || text[i + 1] == '#')) || text[i] == '$');
            name += text[escape ? ++i : i];
        }
        files.insert(name);
    }
    return files;
}

/// The files of users and of the compiler that a traced process has opened to read: not those of the system.
std::set<std::string> files_opened(const std::string& trace) {
    std::set<std::string> files;
    const std::regex opened("openat\\(AT_FDCWD, \"([^\"]*)\", O_RDONLY[^)]*\\) = \\d+");
    const std::regex system("/(usr|lib|lib64|etc|proc|sys|dev)/.*");
    for (std::sregex_iterator it(trace.begin(), trace.end(), opened), end; it != end; ++it) {
        if (it->str().find("O_DIRECTORY") == std::string::npos && !std::regex_match((*it)[1].str(), system)) {
            files.insert((*it)[1]);
        }
    }
    return files;
}

TEST_F(Depfile, NamesEveryFileThatIsOpened) {
    // A build with sanitizers cannot look for leaks while it is traced.
    std::vector<std::string> traced{
        "strace", "-E", "ASAN_OPTIONS=detect_leaks=0", "-f", "-s", "4096", "-e", "trace=openat", "-o", "trace", FUSEC_BINARY};
    traced.insert(traced.end(), words.begin(), words.end());
    const bool traces = run({"strace", "-o", "trace", "true"}, folder.path()).code == 0;
    const test::Outcome outcome = traces ? run(traced, folder.path()) : fusec(words, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string rule = folder.read("the.d");
    if (traces) {
        EXPECT_EQ(files_of(rule), files_opened(folder.read("trace")));
    } else {
        std::cout << "strace cannot run here: the rule is not compared with the files opened\n";
    }
    EXPECT_THAT(rule, testing::StartsWith("the\\ output.cu: \\\n  p.fus \\\n  a\\ folder/part.fus \\\n  plan.json \\\n  mine.toml \\\n"));
    EXPECT_THAT(rule, testing::HasSubstr(" my$$lib/\\#1/vscaled.toml \\\n  my$$lib/\\#1/vscaled.cuh"));
    EXPECT_THAT(rule, testing::HasSubstr("/elementary-lib/vector/vadd.toml \\\n"));

    // make reads the rule as it is meant: each file that is newer than the output makes it again.
    folder.write("Makefile", "all: the\\ output.cu\nthe\\ output.cu:\n\t@echo made again\ninclude the.d\n");
    EXPECT_EQ(run({"make", "-s"}, folder.path()).out, "");
    for (const char* const file :
        {"p.fus", "a folder/part.fus", "plan.json", "mine.toml", "my$lib/#1/vscaled.toml", "my$lib/#1/vscaled.cuh"}) {
        const auto before = fs::last_write_time(folder.path() / file);
        fs::last_write_time(folder.path() / file, fs::last_write_time(folder.path() / "the output.cu") + std::chrono::seconds(5));
        EXPECT_EQ(run({"make", "-s"}, folder.path()).out, "made again\n") << file;
        fs::last_write_time(folder.path() / file, before);
    }
}

// The lines a user writes for ninja: an included file that changes makes the output again, and nothing else does.
TEST_F(Depfile, NinjaBuildsAgainWhenAnIncludedFileChanges) {
    folder.write("build.ninja",
        "rule fusec\n  command = " FUSEC_BINARY " $in -o $out --library 'my$$lib' --depfile $out.d && echo run >> log\n  depfile = $out.d\n"
        "build p.cu: fusec p.fus\n");
    const auto build = [&] {
        const test::Outcome built = run({"ninja", "p.cu"}, folder.path());
        EXPECT_EQ(built.code, 0) << built.out << built.err;
        return folder.read("log");
    };
    EXPECT_EQ(build(), "run\n");
    EXPECT_EQ(build(), "run\n") << "nothing has changed";
    const std::string before = folder.read("p.cu");
    const auto change = [&](const std::string& file, const std::string& text) {
        folder.write(file, text);
        fs::last_write_time(folder.path() / file, fs::last_write_time(folder.path() / "p.cu") + std::chrono::seconds(2));
    };
    change("a folder/part.fus", "def twice(x) { return x + x + x; }\n");
    EXPECT_EQ(build(), "run\nrun\n");
    EXPECT_NE(folder.read("p.cu"), before);
}

TEST_F(Depfile, AnErrorLeavesTheEarlierRule) {
    folder.write("the.d", "earlier\n");
    folder.write("p.fus", "VECTOR3 a;\ninput a;\nb = nothing(a);\nreturn b;\n");
    EXPECT_EQ(fusec(words, folder.path()).code, 1);
    EXPECT_EQ(folder.read("the.d"), "earlier\n");
}

} // namespace
} // namespace fusec
