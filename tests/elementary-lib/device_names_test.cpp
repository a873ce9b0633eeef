// SPDX-License-Identifier: Apache-2.0
// What the template of an implementation uses and a program's file would not have.
#include "elementary-lib/device_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace fusec::library {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// `NAME`, or `NAME from DEFINITION`, of each, for a template f_element whose body begins with these lines.
std::vector<std::string> foreign(const std::string& body, const std::string& before = "") {
    const std::string source = before +
        "\ntemplate <class Lane, class A, class C>\nFUSEC_DEVICE void f_element(Lane lane, const A& a, C& c) {\n    " + body +
        "\n    c() = a();\n}\n";
    EXPECT_FALSE(fault_of(source)) << source;
    std::vector<std::string> found;
    for (const ForeignName& name : foreign_names(source, {"f_element", "f_row"})) {
        EXPECT_EQ(source.substr(name.place.begin, name.place.end - name.place.begin), name.name);
        found.push_back(name.name);
        if (name.defined) {
            const std::size_t begin = source.rfind('\n', name.defined->begin) + 1;
            found.back() += " from " + source.substr(begin, name.defined->end - begin);
        }
    }
    return found;
}

TEST(DeviceNames, WhatAProgramsFileHasIsKnown) {
    for (const char* const body : {
             "c() = fusec::sqrt(a()) + fusec::select(a() > 0, a(), -a()) + sqrt(a()) + std::fma(a(), a(), a()) + ::fabs(a());",
             "using T = typename C::value_type; T half(0.5), x = T(1), y{2}; c() = half * x * y + T(a());",
             "const A& done = a; c() = done(0) + done.half(1) + (&done)->half(2);",
             "const auto twice = [&](const auto& x, int i) { return x(i) + x(i); }; c() = twice(a, 0);",
             "auto&& same = a; auto* where = &a; c() = same(0) + (*where)(1);",
             "const auto [x, y] = a.both(); c() = x(0) + y(1);",
             "fusec::registers<typename C::value_type, 3, 3> tmp; tmp(0, 0) = a(); c() = tmp(0, 0);",
             "registers<float, 3, 3> tmp(a); c() = tmp(0, 0);",
             "if (lane.index == 0) { c() = float(1) + static_cast<float>(2) + sizeof(A) + int(C::rows); } else return;",
             "for (const auto& each : a) { c() += each(0); } while (false) {}",
             "FUSEC_UNROLL for (int i = 0; i < A::rows; ++i) c(i) = a(i);",
             "c() = A::zero() + typename A::value_type(3) + decltype(a())(1) + std::min(a(), a());",
             "__syncwarp(); c() = __fmaf_rn(a(), a(), a());",
             "static_assert(sizeof(A) > 1, \"helper(\"); // helper(a)",
             "struct own { int operator()(int i) const { return i; } }; c() = own{}(1);",
             "c() = a() < lane.index && a() > (1);",
             "#define SQUARE(x) ((x) * (x))",
         }) {
        EXPECT_THAT(foreign(body), IsEmpty()) << body;
    }
    // What only looks like another's name: its own parameter, variable, member.
    EXPECT_THAT(foreign("int helper = 1; c() = helper;", "inline int helper() { return 1; }"), IsEmpty());
    EXPECT_THAT(foreign("c() = a.helper(1) + A::helper(2);", "inline int helper(int i) { return i; }"), IsEmpty());
    EXPECT_THAT(foreign("", "#if 0\n#define a 3\nstruct c {};\n#endif"), IsEmpty());
}

TEST(DeviceNames, HelpersOfTheSourceAreForeign) {
    EXPECT_THAT(foreign("c() = helper(a());", "template <class T> FUSEC_DEVICE T helper(T x) { return x; }"),
        ElementsAre("helper from template <class T> FUSEC_DEVICE T helper"));
    EXPECT_THAT(foreign("c() = helper(a()) + helper(1);", "inline float helper(float x) { return other(x); }"),
        ElementsAre("helper from inline float helper"));
    EXPECT_THAT(foreign("return f_row(lane, a, c);", "template <class L, class A, class C> void f_row(L, const A&, C&) {}"),
        ElementsAre("f_row from template <class L, class A, class C> void f_row"));
    EXPECT_THAT(foreign("c() = helper<3>(a());", "template <int N, class T> FUSEC_DEVICE T helper(T x) { return x; }"), testing::SizeIs(1));
    EXPECT_THAT(foreign("c() = own::helper(a());", "namespace own {\ninline int helper(int x) { return x; }\n}"),
        ElementsAre("own::helper from inline int helper"));
    EXPECT_THAT(foreign("c() = half * a();", "constexpr float half = 0.5f;"), ElementsAre("half from constexpr float half"));
    EXPECT_THAT(foreign("pair p; c() = p.x;", "struct pair { float x, y; };"), ElementsAre("pair from struct pair"));
    EXPECT_THAT(foreign("number x = a();", "using number = float;"), ElementsAre("number from using number"));
    EXPECT_THAT(foreign("c() = TWICE(a());", "#define TWICE(x) (2 * (x))"), ElementsAre("TWICE from #define TWICE"));
    EXPECT_THAT(foreign("holder<A> h{a}; c() = h.value;", "template <class T> struct holder { T value; };"),
        ElementsAre("holder from template <class T> struct holder"));
}

TEST(DeviceNames, CallsOfNothingKnownAreForeign) {
    EXPECT_THAT(foreign("c() = helper(a());"), ElementsAre("helper"));
    EXPECT_THAT(foreign("c() = 2 * helper (a()) + own::other<3>(a(), deep(a()));"), ElementsAre("helper", "own::other", "deep"));
    EXPECT_THAT(foreign("return helper(a);"), ElementsAre("helper"));
    EXPECT_THAT(foreign("if (a() > 0) helper(a); else other(a);"), ElementsAre("helper", "other"));
    EXPECT_THAT(foreign("c() = fusec::square(a()) + fusec::sqrtf(a());"), ElementsAre("fusec::square", "fusec::sqrtf"));
    EXPECT_THAT(foreign("c() = ::helper(a());"), testing::SizeIs(1));
    EXPECT_THAT(foreign("c() = a() * helper(a()) > limit(a());"), ElementsAre("helper", "limit"));
    // Only templates of implementations are looked at.
    EXPECT_THAT(foreign("", "template <class A> void unused(A a) { helper(a); }"), IsEmpty());
}

// The functions that a source may call are those of the runtime's headers of functions and of exchanges, in any dialect.
TEST(DeviceNames, TheRuntimesFunctionsAreThoseOfItsHeaders) {
    std::set<std::string> chunks;
    for (const std::string header : {"math.cuh", "exchange.cuh"}) {
        std::ifstream in(FUSEC_SOURCE_DIR "/elementary-lib/runtime/fusec/" + header);
        std::ostringstream text;
        text << in.rdbuf();
        const std::string content = text.str();
        const std::regex chunk(R"(// \[chunk (\w+))");
        for (std::sregex_iterator match(content.begin(), content.end(), chunk), end; match != end; ++match) {
            chunks.insert((*match)[1]);
        }
        EXPECT_EQ(chunks.erase("end"), 1U);
    }
    for (const char* const of_kernels : {"instance_mask", "store_whole"}) {
        EXPECT_EQ(chunks.erase(of_kernels), 1U);
    }
    const auto& known = runtime_functions();
    EXPECT_EQ(std::set<std::string>(known.begin(), known.end()), chunks);
    EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
}

} // namespace
} // namespace fusec::library
