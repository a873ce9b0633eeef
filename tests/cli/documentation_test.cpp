// SPDX-License-Identifier: Apache-2.0
// What docs/cli.md and docs/language.md say is so: among others, docs/cli.md names exactly the options that --help lists.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

std::set<std::string> options_in(const std::string& text) {
    std::set<std::string> options;
    const std::regex option("(^|[^A-Za-z0-9-])(--[a-z][a-z-]*[a-z])");
    for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it) {
        options.insert((*it)[2]);
    }
    return options;
}

TEST(CommandLineDocumentation, NamesTheOptionsOfHelp) {
    const test::TemporaryFolder folder;
    const std::vector<std::vector<std::string>> commands = {{}, {"run"}, {"explore"}, {"why"}, {"verify"}, {"predict"}, {"bench"},
        {"calibrate"}, {"devices"}, {"devices", "show"}, {"library"}, {"library", "list"}, {"library", "show"}, {"library", "check"}};
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

/// The lines of a block of a document: indented by four blanks, or between fences; the one that holds `mark`.
std::string line_with(const std::string& document, const std::string& mark) {
    std::istringstream lines(document);
    std::string line;
    while (std::getline(lines, line) && line.find(mark) == std::string::npos) {
    }
    return line;
}

TEST(CommandLineDocumentation, ShowsTheSummaryOfTheDemo) {
    const test::TemporaryFolder folder;
    const test::Outcome outcome = fusec({source + "/examples/demo.fus", "-o", "fused.cu"}, folder.path());
    EXPECT_EQ("    " + outcome.err, line_with(text_of(source + "/docs/cli.md"), "    demo: ") + "\n");
}

// The declarations in docs/cli.md declare what the header declares: C takes both.
TEST(CommandLineDocumentation, DeclaresTheInterface) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(fusec({source + "/examples/demo.fus", "-o", "fused.cu"}, folder.path()).code, 0);
    const std::string documentation = text_of(source + "/docs/cli.md");
    const std::size_t begin = documentation.find("struct demo_arguments {");
    ASSERT_NE(begin, std::string::npos);
    std::string declarations = documentation.substr(begin, documentation.find("```", begin) - begin);
    const std::regex member("(const float|float)\\* (\\w+);");
    const std::string members = declarations.substr(0, declarations.find('\n'));
    std::string uses;
    for (std::sregex_iterator it(members.begin(), members.end(), member), end; it != end; ++it) {
        uses += "    { " + (*it)[1].str() + "** of_that_type = &lists->" + (*it)[2].str() + "; (void)of_that_type; }\n";
    }
    EXPECT_EQ(std::ranges::count(uses, '\n'), 2) << "the first member and the last";
    declarations.erase(0, declarations.find('\n'));
    EXPECT_EQ(std::ranges::count(declarations, '('), 3) << declarations;
    folder.write("twice.c", "#include \"fused.h\"\n" + declarations + "void use(struct demo_arguments* lists) {\n" + uses + "}\n");
    const test::Outcome compiled =
        run({"gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-prototypes", "-c", "twice.c"}, folder.path());
    EXPECT_EQ(compiled.code, 0) << compiled.err;
}

/// Every word in backticks.
std::set<std::string> quoted_words(const std::string& text) {
    std::set<std::string> words;
    const std::regex word("`([a-z_]+)`");
    for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
        words.insert((*it)[1]);
    }
    return words;
}

// The keys of both JSON reports are those of docs/cli.md.
TEST(CommandLineDocumentation, NamesTheKeysOfTheReports) {
    const test::TemporaryFolder folder;
    const std::string documentation = text_of(source + "/docs/cli.md");
    const nlohmann::json report =
        nlohmann::json::parse(fusec({"explore", source + "/examples/demo.fus", "--json", "-"}, folder.path()).out);
    const auto documented = [&](const std::string& row) { return line_with(documentation, row).substr(row.size()); };
    const auto keys = [](const nlohmann::json& object) {
        std::set<std::string> names;
        for (const auto& [key, value] : object.items()) {
            names.insert(key);
        }
        return names;
    };
    const auto within = [&](const std::string& row, const nlohmann::json& object) {
        const std::string text = documented(row);
        for (const std::string& key : keys(object)) {
            EXPECT_TRUE(text.find("`" + key) != std::string::npos) << row << " does not name " << key;
        }
    };
    within("| `space` |", report["space"]);
    within("| `optimum` |", report["optimum"]);
    within("| `plans[]` |", report["plans"][0]);
    within("| `plans[].kernels[]` |", report["plans"][0]["kernels"][0]);
    EXPECT_EQ(keys(report),
        (std::set<std::string>{"schema", "program", "device", "calibration", "predictor", "elements", "space", "optimum", "plans"}));

    folder.write("p.fus", "SCALAR a;\ninput a;\nb = a + a;\nreturn b;\n");
    const test::Outcome verified = fusec({"verify", "p.fus", "--executor", "emulated", "--json", "-"}, folder.path());
    const nlohmann::json counts = nlohmann::json::parse(verified.out);
    const std::size_t begin = documentation.find("writes the same:");
    std::set<std::string> named = quoted_words(documentation.substr(begin, documentation.find("`bench/results", begin) - begin));
    std::set<std::string> written = keys(counts);
    written.erase("results"); // the documentation writes `results[]`
    written.merge(keys(counts["results"][0]));
    EXPECT_EQ(named, written);
}

// The table of names in docs/language.md: a program that uses the left column declares the right one.
TEST(LanguageDocumentation, NamesInTheOutputAreThoseOfTheTable) {
    const std::string documentation = text_of(source + "/docs/language.md");
    const std::string opening = "| in the program | in the output |\n| --- | --- |\n";
    const std::size_t begin = documentation.find(opening) + opening.size();
    std::istringstream rows(documentation.substr(begin, documentation.find("\n\n", begin) - begin));
    const std::regex row("\\| `(\\w+)` \\| `(\\w+)` \\|");
    std::string inputs, sum;
    std::set<std::string> declared;
    for (std::string line; std::getline(rows, line);) {
        std::smatch parts;
        ASSERT_TRUE(std::regex_match(line, parts, row)) << line;
        inputs += (inputs.empty() ? "" : ", ") + parts[1].str();
        sum += (sum.empty() ? "" : " + ") + parts[1].str();
        declared.insert("const float* " + parts[2].str() + "; */* SCALAR" +
            (parts[1] == parts[2] ? std::string() : "; `" + parts[1].str() + "` of the program") + " */");
    }
    EXPECT_EQ(declared.size(), 9u);
    const test::TemporaryFolder folder;
    folder.write("p.fus", "SCALAR " + inputs + ";\ninput " + inputs + ";\ny = " + sum + ";\nreturn y;\n");
    const test::Outcome outcome = fusec({"p.fus", "-o", "p.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string header = std::regex_replace(folder.read("p.h"), std::regex("; +/"), "; */"); // comments stand in a column
    for (const std::string& declaration : declared) {
        EXPECT_THAT(header, testing::HasSubstr("    " + declaration + "\n"));
    }
}

// The names that docs/language.md gives to the functions of programs, by the `program` line and by the file: C and C++ call them.
TEST(LanguageDocumentation, NamesOfProgramsAreThoseOfItsTable) {
    const std::string documentation = text_of(source + "/docs/language.md");
    const std::string opening = "| program | function of C | in C++ |\n| --- | --- | --- |\n";
    const std::size_t begin = documentation.find(opening) + opening.size();
    std::istringstream rows(documentation.substr(begin, documentation.find("\n\n", begin) - begin));
    const std::regex row("\\| `program (\\w+);` \\| `(\\w+)_launch` \\| `(\\w+)::launch` \\|");
    const std::string rest = "SCALAR F;\ninput F;\ny = F + F;\nreturn y;\n";
    int programs = 0;
    for (std::string line; std::getline(rows, line); ++programs) {
        SCOPED_TRACE(line);
        std::smatch parts;
        ASSERT_TRUE(std::regex_match(line, parts, row));
        const std::string name = parts[1], c = parts[2];
        const test::TemporaryFolder folder;
        folder.write("line.fus", "program " + name + ";\n" + rest);
        folder.write(name + ".fus", rest);
        for (const std::string& stem : {std::string("line"), name}) {
            ASSERT_EQ(fusec({stem + ".fus", "--target", "host", "-o", "fused.cpp"}, folder.path()).code, 0);
            const std::string calls = "_arguments lists = {0, 0};\n    return (int)" + c + "_workspace_bytes(0) + " + c +
                "_launch(&lists, 0, 0, 0, 0) + " + c + "_launch_range(&lists, 0, 0, 0, 0, 0)";
            folder.write("c.c", "#include \"fused.h\"\nint in_c(void) {\n    struct " + c + calls + ";\n}\n");
            folder.write("main.cpp",
                "#include \"fused.h\"\n#include <math.h>\n#include <stdlib.h>\nextern \"C\" int in_c(void);\nint main() {\n    " +
                    parts[3].str() + "::arguments lists{};\n    return in_c() + " + parts[3].str() + "::launch(lists, 0);\n}\n");
            const test::Outcome built = run({"sh", "-c",
                                                "gcc -std=c11 -Wall -Wextra -Werror -c c.c && g++ -std=c++20 -Wall -Wextra -Werror "
                                                "main.cpp fused.cpp c.o -o main && ./main"},
                folder.path());
            EXPECT_EQ(built.code, 0) << stem << ": " << built.err;
        }
    }
    EXPECT_GE(programs, 7);
}

// What docs/language.md says beside its programs about the calls they become.
TEST(LanguageDocumentation, CallsAreThoseOfTheComments) {
    const std::string documentation = text_of(source + "/docs/language.md");
    const auto calls_of = [&](const std::string& mark) {
        const std::size_t at = documentation.find(mark), begin = documentation.rfind("```fus\n", at) + 7;
        const test::TemporaryFolder folder;
        folder.write("p.fus", documentation.substr(begin, documentation.find("```", at) - begin));
        return fusec({"p.fus", "--dump", "dag"}, folder.path()).out;
    };
    EXPECT_EQ(calls_of("// f.1 = A * B, f.2 = A', f.3 = f.1 + f.2, f = f.3 * c"),
        "f.1 = mmul(A, B) : float MATRIX3x3\nf.2 = mtrans(A) : float MATRIX3x3\nf.3 = madd(f.1, f.2) : float MATRIX3x3\nf = "
        "mvmul(f.3, c) : float VECTOR3\n");
    const std::string folded = calls_of("// one call: smul(1.5, a)");
    EXPECT_THAT(folded, testing::HasSubstr("b = smul(1.5, a) : float SCALAR\n"));
    EXPECT_THAT(folded, testing::HasSubstr("c = smul(c.1, a) : float SCALAR\n")); // `c.1` is the folded h * h
    EXPECT_EQ(std::ranges::count(folded, '\n'), 3) << folded;
}

} // namespace
} // namespace fusec
