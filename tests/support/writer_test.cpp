// SPDX-License-Identifier: Apache-2.0
#include "support/writer.hpp"

#include <gtest/gtest.h>

namespace fusec {
namespace {

TEST(Writer, BlocksIndentAndCloseThemselves) {
    Writer out;
    {
        const auto space = out.block("namespace a", " // namespace a");
        {
            const auto function = out.block("void f()");
            out.line("g();");
            out.line();
        }
        const auto bare = out.block("");
    }
    EXPECT_EQ(out.text(),
        "namespace a {\n"
        "    void f() {\n"
        "        g();\n"
        "\n"
        "    }\n"
        "    {\n"
        "    }\n"
        "} // namespace a\n");
}

TEST(Writer, LinesKeepTheirOwnIndentation) {
    Writer out;
    out.indent();
    out.lines("if (a) {\n    b;\n}\n\nc;");
    out.dedent();
    out.line("d;");
    EXPECT_EQ(out.text(),
        "    if (a) {\n"
        "        b;\n"
        "    }\n"
        "\n"
        "    c;\n"
        "d;\n");
}

TEST(Writer, TakesTheText) {
    Writer out;
    out.lines("");
    EXPECT_EQ(out.text(), "");
    out.line("a");
    EXPECT_EQ(out.take(), "a\n");
}

} // namespace
} // namespace fusec
