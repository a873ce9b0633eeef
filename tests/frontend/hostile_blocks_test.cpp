// SPDX-License-Identifier: Apache-2.0
// Loops, definitions and included files made to break a compiler: megabytes of braces, astronomical loops, deep and exponential chains of
// definitions, files without end. Each must end soon in a program or in an error with a place and the right exit code.
#include "tests/frontend/hostile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::frontend::testing {
namespace {

const std::string head = "SCALAR a; input a;\n";

void expect_limit(const std::string& text, const DiagnosticKind& kind, const std::vector<std::string>& numbers) {
    SCOPED_TRACE(text.substr(0, 60));
    const Compiled compiled = compile(text);
    expect_only_error(compiled, kind, 3);
    for (const std::string& number : numbers) {
        EXPECT_THAT(only_error(compiled).message, ::testing::HasSubstr(number));
    }
}

TEST(HostileBlocks, AMegabyteOfOpeningsMeetsTheNestingLimit) {
    for (const char* unit : {"for q in 0..2 {", "{", "def f(x) {", "for q in 0..2 { a = a; ", "{(", "}{{", "alternatives {",
             "alternatives { b = a + a; } or {", "block b {"}) {
        const std::vector<std::string> numbers{"257", "256"};
        expect_limit(head + repeated(unit, megabyte), kind::nesting_limit, numbers);
    }
}

TEST(HostileBlocks, AMegabyteOfBracesEndsInErrorsOfSyntax) {
    for (const char* unit : {"}", "{}", "{;}", "for {}", "def {}", "alternatives {}", "or {}", "block {}", "alternatives {} or",
             "for q in 0..2 {}}", "{x}", "\"", "\"\"", "..", "1..", "[q", "%"}) {
        SCOPED_TRACE(unit);
        const Compiled compiled = compile(head + repeated(unit, *unit == '}' ? megabyte : megabyte / 5));
        expect_errors_of_noise(compiled);
    }
    EXPECT_TRUE(compile(head + "b = a + a; " + repeated("for q in 0..1 {}", megabyte / 5) + "return b;").program);
}

TEST(HostileBlocks, AMegabyteOfAlternativesMeetsTheLimit) {
    expect_limit(head + repeated("alternatives { b = a + a; } or { b = 2 * a; c = b; }", megabyte / 5) + "d = c; return d;",
        kind::alternatives_limit, {"64"});
    expect_limit(head + "alternatives { b = a + a; } " + repeated("or { b = 2 * a; } ", megabyte / 5) + "return b;",
        kind::alternatives_limit, {"64"});
    std::string nest;
    for (int i = 0; i < 255; ++i) {
        nest += "alternatives { b = a + a; } or {";
    }
    expect_limit(head + nest + "b = 2 * a;" + std::string(255, '}') + "return b;", kind::alternatives_limit, {"64"});
    // Many names that one alternative alone gives, all of them used.
    std::string names, uses;
    for (int i = 0; i < 20000; ++i) {
        names += "b" + std::to_string(i) + " = a + " + std::to_string(i) + "; ";
        uses += "c" + std::to_string(i) + " = b" + std::to_string(i) + "; ";
    }
    EXPECT_FALSE(compile(head + "alternatives {" + names + "} or { b0 = 2 * a; }" + uses + "return c0;").program);
}

TEST(HostileBlocks, AstronomicalLoopsMeetTheIterationLimit) {
    const std::string end = "b = a + a; return b;";
    expect_limit(head + "for q in 0..1000000000 { c = a; }" + end, kind::iteration_limit, {"1000000000", "1000000"});
    expect_limit(head + "for q in 0..1000000001 {}" + end, kind::iteration_limit, {"1000000001", "1000000"});
    expect_limit(head + "for q in -9223372036854775807..9223372036854775807 { c = a; }" + end, kind::iteration_limit,
        {"18446744073709551614", "1000000"});
    expect_limit(head + "for i in 0..1000 { for j in 0..1000 { for k in 0..1000 { c = a; } } }" + end, kind::iteration_limit, {"1000000"});
    expect_limit(head + "for i in 0..1000 { for j in 0..1000 {} }" + end, kind::iteration_limit, {"1000000"});
    std::string nest;
    for (int i = 0; i < 255; ++i) {
        nest += "for q" + std::to_string(i) + " in 0..2 {";
    }
    expect_limit(head + nest + std::string(255, '}') + end, kind::iteration_limit, {"1000000"});
    EXPECT_TRUE(compile(head + "for i in 0..999 { for j in 0..1000 { c = a; } }" + end).program) << "999,999 iterations";
}

/// Few iterations of much text: what is counted is the work.
TEST(HostileBlocks, LongBodiesMeetTheIterationLimit) {
    expect_limit(head + "for q in 0..1000000 { c = 1" + repeated("+1", megabyte / 5) + "; } b = a + a; return b;", kind::iteration_limit,
        {"5000000"});
    std::string body;
    for (int i = 0; i < 20000; ++i) {
        body += "c" + std::to_string(i) + "=a;";
    }
    expect_limit(head + "for q in 0..1000000 {" + body + "} b = a + a; return b;", kind::iteration_limit, {"5000000"});
    expect_limit(
        head + "const VECTOR2 w = [1, 2]; for q in 0..1000000 { c = w[0" + repeated("+0", megabyte / 5) + "]; } b = a + a; return b;",
        kind::iteration_limit, {"5000000"});
    expect_limit("def f(x) { const MATRIX64x64 t = [" + repeated("[" + repeated("1,", 126) + "1],", 63 * 130) + "[" + repeated("1,", 126) +
            "1]]; return x; }" + head + "for q in 0..500000 { c = f(a); } b = a + a; return b;",
        kind::iteration_limit, {"5000000"});
}

TEST(HostileBlocks, ManyCallsMeetTheCallLimit) {
    expect_limit(head + "b = a; for q in 0..1000000 { b += a; } return b;", kind::call_limit, {"100001", "100000"});
    expect_limit(
        head + "b = a; for q in 0..100 { b += a" + repeated("+a", 20000) + "; } return b;", kind::call_limit, {"100001", "100000"});
    expect_limit(head + "b = a" + repeated("+a", 200002) + "; return b;", kind::call_limit, {"100001", "100000"});
    const Compiled most = compile(head + "b = a; for q in 0..100000 { b += a * q; b -= a; } return b;");
    EXPECT_EQ(only_error(most).kind.name, kind::call_limit.name);
    const Compiled exactly = compile(head + "b = a; for q in 0..50000 { b += q * a; } return b;");
    ASSERT_TRUE(exactly.program);
    EXPECT_EQ(exactly.program->calls.size(), 100000U);
    EXPECT_EQ(exactly.program->name_of(CallId{99999}), "b");
    EXPECT_EQ(exactly.program->name_of(CallId{99997}), "b:50000");
    EXPECT_LT(exactly.seconds, 10);
}

std::string chain_of_definitions(int count, const std::string& body) {
    std::string text = "def f0(x) { return x; }\n";
    for (int i = 1; i < count; ++i) {
        std::string line = body;
        for (std::size_t at = line.find("$"); at != std::string::npos; at = line.find("$")) {
            line.replace(at, 1, "f" + std::to_string(i - 1));
        }
        text += "def f" + std::to_string(i) + "(x) {" + line + "}\n";
    }
    return text;
}

TEST(HostileBlocks, DeepChainsOfDefinitionsMeetTheNestingLimit) {
    expect_limit(chain_of_definitions(10000, "return $(x);") + head + "b = f9999(a) + a; return b;", kind::nesting_limit, {"257", "256"});
    const Compiled deepest = compile(chain_of_definitions(256, "return $(x) + x;") + head + "b = f255(a); return b;");
    ASSERT_TRUE(deepest.program) << deepest.text().substr(0, 2000);
    EXPECT_EQ(deepest.program->calls.size(), 255U);
}

/// 2^40 calls of definitions, which make no call of a function or many.
TEST(HostileBlocks, ExponentialDefinitionsMeetALimit) {
    expect_limit(
        chain_of_definitions(41, "y = $(x); return $(y);") + head + "b = f40(a) + a; return b;", kind::iteration_limit, {"1000000"});
    expect_limit(chain_of_definitions(41, "y = $(x); return $(x) + y;") + head + "b = f40(a); return b;", kind::call_limit, {"100000"});
    EXPECT_EQ(compile(chain_of_definitions(41, "return $($(missing));") + head + "b = f40(a); return b;").diagnostics.exit_code(), 1);
}

/// A message per place, not per iteration; then the expansion ends.
TEST(HostileBlocks, ErrorsInExpansionsAreFew) {
    const Compiled looped =
        compile(head + "const VECTOR2 w = [1, 2]; b = a + a; for i in 0..1000 { for j in 0..900 { c = w[i + j] * missing; } } return b;");
    EXPECT_EQ(looped.diagnostics.error_count(), 2U) << looped.text().substr(0, 2000);
    std::string calls;
    for (int i = 0; i < 20000; ++i) {
        calls += "x" + std::to_string(i) + " = f(MATRIX);\n";
    }
    const Compiled called = compile("def f(x) { return x[0] * mmul(x, x) + ssqrt(x); }\n" + head + calls + "return a;");
    EXPECT_TRUE(called.diagnostics.has_errors());
    std::string different = "def f(x) { return missing + x * mdet(x); }\n";
    for (int i = 1; i <= 64; ++i) {
        for (int j = 1; j <= 64; ++j) {
            const std::string shape = std::to_string(i) + "x" + std::to_string(j);
            different += "MATRIX" + shape + " m" + shape + "; input m" + shape + "; r" + shape + " = f(m" + shape + ");\n";
        }
    }
    const Compiled shapes = compile(different + "return r1x1;");
    EXPECT_TRUE(shapes.diagnostics.has_errors());
    EXPECT_LE(shapes.diagnostics.error_count(), 200U);
}

/// Time is linear in the expanded program, also where loops and definitions are deep.
TEST(HostileBlocks, TimeIsLinearInTheExpansion) {
    const auto seconds = [](int iterations) {
        std::string text = "def f(x, y) { z = x * y; for i in 0..3 { z += x * i; } return z; }\n" + head + "b = a * a;\n";
        std::string nest;
        for (int i = 0; i < 200; ++i) {
            nest += "for q" + std::to_string(i) + " in 0..1 {";
        }
        text += nest + "for q in 0.." + std::to_string(iterations) + " { c = f(a, b); b += f(c, a) * q; }" + std::string(200, '}') +
            "return b;";
        double best = 1e9;
        for (int i = 0; i < 2; ++i) {
            const Compiled compiled = compile(text);
            EXPECT_TRUE(compiled.program) << compiled.text();
            best = std::min(best, compiled.seconds);
        }
        return best;
    };
    const double small = seconds(300);
    const double large = seconds(3000);
    EXPECT_LT(large, 20 * small + 0.01) << small << " s for 300 iterations, " << large << " s for 3,000";
}

/// Files that include ever new files.
class EndlessReader final : public FileReader {
public:
    explicit EndlessReader(std::string text) : text_(std::move(text)) {}
    std::string identity(const std::filesystem::path& path) const override { return path.string(); }
    std::optional<std::string> read(const std::filesystem::path&, const Span&, Diagnostics&) override {
        ++reads_;
        return "include \"x" + std::to_string(reads_) + ".fus\"; " + text_;
    }
    std::size_t reads() const { return reads_; }

private:
    std::string text_;
    std::size_t reads_ = 0;
};

TEST(HostileBlocks, FilesWithoutEndMeetTheNestingLimit) {
    EndlessReader reader("def f(x) { return x; }");
    const Compiled compiled = compile("include \"first.fus\"; " + head, &reader);
    expect_only_error(compiled, kind::nesting_limit, 3);
    EXPECT_EQ(reader.reads(), 255U);
}

TEST(HostileBlocks, AMegabyteOfIncludesReadsEachFileOnce) {
    MemoryReader reader(std::map<std::string, std::string>{{"x.fus", "def f(x) { return x + x; }"}});
    const Compiled compiled =
        compile(repeated("include \"x.fus\"; include \"./y/../x.fus\";", megabyte) + head + "b = f(a); return b;", &reader);
    ASSERT_TRUE(compiled.program) << compiled.text().substr(0, 2000);
    EXPECT_EQ(reader.reads(), 1U);
    MemoryReader none(std::map<std::string, std::string>{});
    EXPECT_LE(compile(repeated("include \"y.fus\";", megabyte) + head, &none).diagnostics.error_count(), 101U);
}

} // namespace
} // namespace fusec::frontend::testing
