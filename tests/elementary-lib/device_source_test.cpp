// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fusec::library {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The template of the implementation `element` of a function `f`.
std::string found(const std::string& source) {
    Function function;
    function.name = "f";
    function.source = source;
    Implementation element;
    element.routine = "element";
    return std::string(implementation_source(function, element));
}

constexpr const char* plain =
    "template <class Lane, class A, class C>\nFUSEC_DEVICE void f_element(Lane, const A& a, C& c) {\n    c() = a();\n}";

TEST(DeviceSource, TemplatesAreFoundWhereverTheyStand) {
    const std::string text = plain;
    for (const std::string before : {"", "#pragma once\n", "// f_element(\n", "namespace fusec {\n", "struct x { int i; }; ",
             "/* template <class A> void f_element() {} */", "#define OPEN {\n"}) {
        const std::string after = before.starts_with("namespace") ? "\n}\n" : "\nint last() { return 1; }\n";
        EXPECT_EQ(found(before + text + after), text) << before;
        EXPECT_FALSE(fault_of(before + text + after)) << before;
    }
    // On one line, and with the brace of the body on its own line, indented.
    for (const std::string shape : {"template<class A>FUSEC_DEVICE void f_element(A& a){a()=1;}",
             "  template <class A>\n  FUSEC_DEVICE void f_element (A& a)\n  {\n    a() = 1;\n  }"}) {
        const std::string trimmed = shape.substr(shape.find("template"));
        EXPECT_EQ(found(shape + " int b;"), trimmed);
    }
}

TEST(DeviceSource, BracesInCommentsLiteralsAndDirectivesDoNotCount) {
    for (const char* const line : {"// }", "// } \\\n } still a comment", "/* } \n } */", "const char* s = \"}\";",
             "const char* s = \"\\\"}\";", "const char c = '}';", "const char c = '\\'', d = '}';", "const char* s = R\"(})\";",
             "const char* s = u8R\"x(}\" )\" })x\";", "const int i = 1'000'000; /*'}'*/", "const auto w = L'}';", "#pragma unroll }",
             "    #define CLOSE } \\\n } }", "const int r = 'R' + 1;"}) {
        const std::string text =
            std::string("template <class A>\nFUSEC_DEVICE void f_element(A& a) {\n") + line + "\nif (a() > 0) { a() = 0; }\n}";
        EXPECT_EQ(found("int before = 0;\n" + text + "\ntemplate <class A> void f_other(A& a) { a() = 2; }"), text) << line;
        EXPECT_FALSE(fault_of(text)) << line << ": " << fault_of(text)->message;
    }
}

TEST(DeviceSource, TheDefinitionOfThatNameIsTaken) {
    const std::string text =
        "template <class A, int N = int{3}>\nFUSEC_DEVICE auto f_element(A& a, int b = int{1}) -> decltype(A{}) {\n    return [&] { "
        "return a; }();\n}";
    // A declaration, a call, names that only begin or end alike, and a default argument in braces come before it.
    const std::string source = "template <class A> FUSEC_DEVICE auto f_element(A& a, int b);\n"
                               "template <class A> FUSEC_DEVICE void f_elements(A& a) { f_element(a, 1); }\n"
                               "template <class A> FUSEC_DEVICE void of_element(A& a) { f_element(a, 2); }\n"
                               "template <class A> struct helper { template <class B> void call(B b) { f_element(b); } };\n" +
        text + "\n";
    EXPECT_EQ(found(source), text);
    EXPECT_THAT(template_names(source), ElementsAre("f_elements", "of_element", "f_element"));
    EXPECT_EQ(found("template <class A> void f_row(A& a) { f_element(a); }"), "");
    EXPECT_THAT(template_names("int i;"), IsEmpty());
}

TEST(DeviceSource, GroupsThatAreNeverTakenAreNoCode) {
    const std::string old = "template <class A>\nFUSEC_DEVICE void f_element(A& a) { a() = 0; }\n";
    const std::string text = "template <class A>\nFUSEC_DEVICE void f_element(A& a) {\n    a() = 1;\n}";
    for (const auto& [before, after] : {std::pair<std::string, std::string>{"#if 0\n" + old + "#endif\n", ""},
             {"#if 0\n" + old + "#else\n", "\n#endif\n"}, {"#if 0\n}}} don't \" '\n#if X\n#else\n(\n#endif\n" + old + "#endif // 0\n", ""},
             {"#if 1\n", "\n#else\n{{\n#endif"}, {"  # if  false /* never */ \n" + old + "#elif 1\n", "\n#elif Y\n[\n#else\n(\n#endif"},
             {"#if 0\n/*\n#endif\n*/ " + old + "#endif\n", ""}, {"#define TEXT \"/*\"\n#if 0 \\\n // still\n" + old + "#endif\n", ""}}) {
        EXPECT_EQ(found(before + text + after), text) << before;
        EXPECT_FALSE(fault_of(before + text + after)) << before << fault_of(before + text + after)->message;
        EXPECT_THAT(template_names(before + text + after), ElementsAre("f_element")) << before;
    }
    // Conditions that are not known: both groups are read, here the first is taken.
    EXPECT_THAT(template_names("#if X\n" + old + "#else\n" + text + "\n#endif\n"), ElementsAre("f_element", "f_element"));
    EXPECT_THAT(template_names("#ifdef X\n" + old + "#elif 0\n{\n#endif\n"), ElementsAre("f_element"));
}

// What stands between the parameters of a template and its body: the name is the word before its own parameters.
TEST(DeviceSource, TheNameIsThatOfTheFunction) {
    for (const std::string head :
        {"FUSEC_DEVICE void f_element(A& a)", "decltype(g(A{})) f_element(A& a)", "requires (sizeof(A) > 4) void f_element(A& a)",
            "requires C<A> && (!D<A>) void f_element(A& a)", "requires std::same_as<A, int> || own::D<A> void f_element(A& a)",
            "requires requires(A a) { a(); f_row(a); } void f_element(A& a)",
            "requires requires { typename A::value_type; } void f_element(A& a)", "void f_element(A& a) requires (A::rows > 1)",
            "void f_element(A& a) requires requires(A b) { b(); }",
            "[[nodiscard]] auto f_element(A& a) noexcept(noexcept(a())) -> decltype(a())",
            "alignas(16) std::array<A, 3> f_element (A& a, int b = int(1))", "__attribute__((noinline)) void f_element(A& a, B b = B{})"}) {
        const std::string text = "template <class A, int N = (3 > 2)>\n" + head + " {\n    return a(h(1));\n}";
        EXPECT_EQ(found("int before;\n" + text + "\nint after() { return f_other(); }"), text);
        EXPECT_THAT(template_names(text + text), ElementsAre("f_element", "f_element")) << head;
    }
    for (const std::string none :
        {"template <class A> constexpr A zero{f_element(0)};", "template <class A> using f_element = decltype(g(A{}));",
            "template <class A> constexpr A one = f_element(1);", "template <class A> void f_element(A& a) = delete;",
            "template <class A> concept f_element = requires(A a) { a(); };", "template <class A> struct x { void f_element(A& a) {} };"}) {
        EXPECT_EQ(found(none), "") << none;
        EXPECT_THAT(template_names(none + plain), ElementsAre("f_element")) << none;
    }
}

TEST(DeviceSource, FaultsAreLocated) {
    struct Case {
        std::string source;
        std::string at; ///< the text of the fault
        std::size_t begin;
        std::string message;
        std::optional<std::size_t> opened;
    };
    const std::vector<Case> cases = {
        {"template <class A> void f(A& a) { if (a) { }", "{", 32, "this `{` is never closed", {}},
        {"void f() { }\n}\n", "}", 13, "this `}` closes nothing", {}},
        {"void f() { g(1; }", "}", 16, "this `}` closes a `(`", 12},
        {"int a[3}", "}", 7, "this `}` closes a `[`", 5},
        {"void f() {}\n/* for\never", "/* for", 12, "this comment is never closed", {}},
        {"auto s = \"abc;\nint x;", "\"abc;", 9, "this string is never closed", {}},
        {"auto s = 'a;\n", "'a;", 9, "this character literal is never closed", {}},
        {"auto s = R\"x(abc)\";\n", "\"x(abc)\";", 10, "this raw string is never closed", {}},
        {"int a;\n  #if X // so\nint b;\n", "#if X // so", 9, "this condition is never closed", {}},
        {"auto s = \"ends in \\", "\"ends in \\", 9, "this string is never closed", {}},
    };
    for (const Case& one : cases) {
        const auto fault = fault_of(one.source);
        ASSERT_TRUE(fault) << one.source;
        EXPECT_EQ(fault->message, one.message) << one.source;
        EXPECT_EQ(fault->begin, one.begin) << one.source;
        EXPECT_EQ(one.source.substr(fault->begin, fault->end - fault->begin), one.at);
        EXPECT_EQ(fault->opened, one.opened) << one.source;
    }
}

} // namespace
} // namespace fusec::library
