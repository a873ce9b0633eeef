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
