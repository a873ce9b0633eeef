// SPDX-License-Identifier: Apache-2.0
// Texts made to break a compiler: megabytes of brackets, signs and calls, long chains, binary noise, mutated programs. Each must end
// soon in a program or in an error with a place.
#include "tests/frontend/hostile.hpp"
#include "tests/frontend/program_case.hpp"

#include <gtest/gtest.h>

#include <random>

namespace fusec::frontend::testing {
namespace {

void expect_nesting_limit(const std::string& text) {
    const Compiled outcome = compile(text);
    expect_only_error(outcome, kind::nesting_limit, 3);
    const std::string& message = only_error(outcome).message;
    EXPECT_NE(message.find("257"), std::string::npos) << message;
    EXPECT_NE(message.find("256"), std::string::npos) << message;
    EXPECT_LT(outcome.seconds, 2);
}

TEST(HostileInput, AMegabyteOfBracketsSignsOrCallsMeetsTheNestingLimit) {
    const std::string head = "SCALAR a; input a; C = ";
    for (const char* unit : {"(", "-", "f(", "[", "-(", "a+(", "a-(", "a*-f(a,", "mmul(", "- -\n"}) {
        SCOPED_TRACE(unit);
        expect_nesting_limit(head + repeated(unit, megabyte));
    }
    expect_nesting_limit("const MATRIX3x3 C = " + repeated("[", megabyte));
    expect_nesting_limit(repeated("(", megabyte));
    expect_nesting_limit(repeated("-", megabyte));
}

TEST(HostileInput, LongChainsOfOperatorsAreNotNesting) {
    for (const char* unit : {"+a", "*a", "-a", "/a", "+-a", "*a'"}) {
        SCOPED_TRACE(unit);
        const std::string text = "MATRIX1x1 a; input a; C = a" + repeated(unit, 50 * 1000) + "; return C;";
        const Compiled outcome = compile(text);
        EXPECT_EQ(outcome.program.has_value(), std::string_view(unit) != "/a"); // there is no `/` for two matrices
    }
    const Compiled calls = compile("SCALAR a; input a; C = a" + repeated("+a", 200 * 1000) + "; return C;");
    ASSERT_TRUE(calls.program);
    EXPECT_EQ(calls.program->calls.size(), 100U * 1000);
    EXPECT_EQ(calls.program->name_of(CallId{0}), "C.1");
    EXPECT_EQ(calls.program->name_of(CallId{100U * 1000 - 1}), "C");
    const Compiled transposed = compile("MATRIX1x1 a; input a; C = a" + repeated("'", 20 * 1000) + "; return C;");
    ASSERT_TRUE(transposed.program);
    EXPECT_EQ(transposed.program->calls.size(), 20U * 1000);
    const Compiled numbers = compile("SCALAR a; input a; C = a * (1" + repeated("+1", 50 * 1000) + "); return C;");
    ASSERT_TRUE(numbers.program);
    EXPECT_EQ(numbers.program->calls.size(), 1U);
}

/// Time is linear in the text: ten times the text takes at most twenty times as long (quadratic would take a hundred).
TEST(HostileInput, TimeIsLinearInTheText) {
    const auto statements = [](std::size_t count) {
        std::string text = "SCALAR a; input a; x0 = a + a;\n";
        for (std::size_t i = 1; i < count; ++i) {
            text += "x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " * (a - x" + std::to_string(i / 2) + ");\n";
        }
        return text + "return x" + std::to_string(count - 1) + ";\n";
    };
    const auto seconds = [&](std::size_t count) {
        double best = 1e9;
        for (int i = 0; i < 3; ++i) {
            const Compiled outcome = compile(statements(count));
            EXPECT_TRUE(outcome.program);
            best = std::min(best, outcome.seconds);
        }
        return best;
    };
    const double small = seconds(1000);
    const double large = seconds(10000);
    EXPECT_LT(large, 20 * small + 0.01) << small << " s for 1,000 statements, " << large << " s for 10,000";
}

TEST(HostileInput, ManyErrorsEndSoon) {
    EXPECT_TRUE(compile(repeated(";", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("$", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("$ ", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("a ", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("/*", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("1.", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile(repeated("\xC3\xA9", megabyte)).diagnostics.has_errors());
    EXPECT_TRUE(compile("SCALAR a; input a; b = " + repeated("x", megabyte) + "; return b;").diagnostics.has_errors());
    EXPECT_TRUE(compile("SCALAR a; input a; b = " + repeated("mmul33", megabyte) + "(a); return b;").diagnostics.has_errors());
    EXPECT_TRUE(compile("SCALAR a; input a; b = " + repeated("9", megabyte) + "; return b;").diagnostics.has_errors());
    EXPECT_TRUE(compile("VECTOR" + repeated("9", megabyte) + " v; input v; b = v + v; return b;").diagnostics.has_errors());
    std::string undefined = "SCALAR a; input a;\n";
    for (int i = 0; i < 20000; ++i) {
        undefined += "y" + std::to_string(i) + " = mmull(a) + z" + std::to_string(i) + ";\n";
    }
    EXPECT_GE(compile(undefined + "return y1;").diagnostics.error_count(), 40000U);
}

/// Valid programs with bytes replaced, removed, doubled, swapped and spliced. The seed is fixed, so a failure repeats.
TEST(HostileInput, MutatedProgramsCompileOrGiveALocatedError) {
    std::vector<std::string> programs;
    for (const auto& path : program_files(FUSEC_SOURCE_DIR "/tests/frontend/cases")) {
        const ProgramCase program_case = read_case(path);
        if (!path.filename().string().starts_with("fail_") && program_case.program.size() < 2000) {
            programs.push_back(program_case.program);
        }
    }
    ASSERT_GT(programs.size(), 10U);
    constexpr std::string_view inserted = "()[]{};:=,+-*/%'. \n09azAZ_\"\x80\xC3\x01$";
    std::mt19937 random(20240607);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    int compiled = 0;
    for (int round = 0; round < 2600; ++round) {
        std::string text = programs[below(programs.size())];
        for (std::size_t changes = 1 + below(4); changes > 0 && text.size() > 2; --changes) {
            const std::size_t at = below(text.size() - 1);
            const std::size_t length = std::min(1 + below(12), text.size() - at);
            switch (below(6)) {
            case 0:
                text[at] = inserted[below(inserted.size())];
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            case 3:
                std::swap(text[at], text[below(text.size())]);
                break;
            case 4:
                text.insert(at, 1, inserted[below(inserted.size())]);
                break;
            case 5: {
                const std::string& other = programs[below(programs.size())];
                text = text.substr(0, at) + other.substr(below(other.size()));
                break;
            }
            }
        }
        SCOPED_TRACE("round " + std::to_string(round) + ":\n" + text);
        const Compiled outcome = compile(text);
        compiled += outcome.program ? 1 : 0;
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(compiled, 50) << "the mutations are too coarse to reach the checker's successes";
    EXPECT_LT(compiled, 2550) << "the mutations are too fine to make errors";
}

} // namespace
} // namespace fusec::frontend::testing
