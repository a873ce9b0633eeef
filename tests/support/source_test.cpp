// SPDX-License-Identifier: Apache-2.0
#include "support/source.hpp"

#include <gtest/gtest.h>

namespace fusec {
namespace {

TEST(Source, LinesAndColumnsAtTheirEdges) {
    const SourceText text("a.fus", "ab\n\ncd");
    EXPECT_EQ(text.line_count(), 3U);
    EXPECT_EQ(text.line(0), 1U);
    EXPECT_EQ(text.line(2), 1U) << "a line break belongs to the line it ends";
    EXPECT_EQ(text.line(3), 2U);
    EXPECT_EQ(text.line(4), 3U);
    EXPECT_EQ(text.line(6), 3U) << "the end of the text";
    EXPECT_EQ(text.column(5), 2U);
    EXPECT_EQ(text.column(6), 3U);
    EXPECT_EQ(text.line_text(1), "ab");
    EXPECT_EQ(text.line_text(2), "");
    EXPECT_EQ(text.line_text(3), "cd");
}

TEST(Source, EmptyTextHasOneLine) {
    const SourceText text("a.fus", "");
    EXPECT_EQ(text.line(0), 1U);
    EXPECT_EQ(text.column(0), 1U);
    EXPECT_EQ(text.line_text(1), "");
}

TEST(Source, CarriageReturnsAreNoPartOfALine) {
    const SourceText text("a.fus", "ab\r\ncd\r\n");
    EXPECT_EQ(text.line_text(1), "ab");
    EXPECT_EQ(text.line_text(2), "cd");
    EXPECT_EQ(text.line(4), 2U);
    EXPECT_EQ(text.column(4), 1U);
}

TEST(Source, ACarriageReturnAloneEndsALine) {
    const SourceText text("a.fus", "ab\rcd\r\re");
    EXPECT_EQ(text.line_count(), 4U);
    EXPECT_EQ(text.line_text(1), "ab");
    EXPECT_EQ(text.line_text(2), "cd");
    EXPECT_EQ(text.line_text(3), "");
    EXPECT_EQ(text.line_text(4), "e");
    EXPECT_EQ(text.line(3), 2U);
}

TEST(Source, AByteOrderMarkIsNoPartOfTheFirstLine) {
    const SourceText text("a.fus",
        "\xEF\xBB\xBF"
        "ab\ncd");
    EXPECT_EQ(text.line_text(1), "ab");
    EXPECT_EQ(text.column(3), 1U);
    EXPECT_EQ(text.column(4), 2U);
    EXPECT_EQ(text.line(0), 1U);
    EXPECT_EQ(text.line(6), 2U);
}

TEST(Source, ColumnsCountCodePoints) {
    const SourceText text("a.fus", "\u00e4\u20ac\U0001F600x"); // of 2, 3 and 4 bytes
    EXPECT_EQ(text.column(2), 2U);
    EXPECT_EQ(text.column(5), 3U);
    EXPECT_EQ(text.column(9), 4U);
}

TEST(Source, SpansJoin) {
    const auto text = std::make_shared<const SourceText>("a.fus", "one two three");
    const Span one{text, 0, 3};
    const Span two{text, 4, 7};
    EXPECT_EQ(one.to(two).text(), "one two");
    EXPECT_EQ(Span{}.text(), "");
}

} // namespace
} // namespace fusec
