// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace fusec {
namespace {

/// What is printed for an error over bytes [begin, end) of `text`, without the first line.
std::string excerpt(const std::string& text, std::size_t begin, std::size_t end) {
    Diagnostics diagnostics;
    diagnostics.report(kind::syntax_error, {std::make_shared<const SourceText>("a.fus", text), begin, end}, "m");
    std::ostringstream out;
    render(diagnostics, out, false);
    return out.str().substr(out.str().find('\n') + 1);
}

std::string rendered(const Diagnostics& diagnostics, std::size_t most = 50) {
    std::ostringstream out;
    render(diagnostics, out, false, most);
    return out.str();
}

TEST(Rendering, AllOfAMessage) {
    const auto source = std::make_shared<const SourceText>("a.fus", "SCALAR a;\nSCALAR a;\n");
    Diagnostics diagnostics;
    Diagnostic& d = diagnostics.report(kind::syntax_error, {source, 17, 18}, "`a` is declared twice");
    d.note({source, 7, 8}, "first declared here");
    d.hint = "rename one";
    EXPECT_EQ(rendered(diagnostics),
        "a.fus:2:8: error: `a` is declared twice [syntax-error]\n"
        "  SCALAR a;\n"
        "         ^\n"
        "a.fus:1:8: note: first declared here\n"
        "  SCALAR a;\n"
        "         ^\n"
        "  hint: rename one\n");
}

TEST(Rendering, ColorChangesNothingElse) {
    Diagnostics diagnostics;
    diagnostics.report(kind::syntax_error, {std::make_shared<const SourceText>("a.fus", "abc"), 0, 3}, "m").hint = "h";
    std::ostringstream colored;
    render(diagnostics, colored, true);
    std::string text = colored.str();
    EXPECT_NE(text.find("\033[1;31merror: "), std::string::npos);
    for (std::size_t escape = 0; (escape = text.find("\033[")) != std::string::npos;) {
        text.erase(escape, text.find('m', escape) - escape + 1);
    }
    EXPECT_EQ(text, rendered(diagnostics));
}

TEST(Rendering, AMessageWithoutAPlace) {
    Diagnostics diagnostics;
    diagnostics.report(kind::unwritable_file, {}, "cannot write `x`");
    EXPECT_EQ(rendered(diagnostics), "fusec: error: cannot write `x` [unwritable-file]\n");
}

TEST(Rendering, CaretRanges) {
    EXPECT_EQ(excerpt("C = foo(A);", 4, 7), "  C = foo(A);\n      ^~~\n");
    EXPECT_EQ(excerpt("C = foo(A);", 4, 4), "  C = foo(A);\n      ^\n") << "an empty range";
    EXPECT_EQ(excerpt("C = ", 4, 4), "  C = \n      ^\n") << "the end of the text";
    EXPECT_EQ(excerpt("", 0, 0), "  \n  ^\n");
    EXPECT_EQ(excerpt("a =\nb;", 3, 4), "  a =\n     ^\n") << "the line break";
    EXPECT_EQ(excerpt("f(a,\n  b)", 0, 9), "  f(a,\n  ^~~~\n") << "several lines";
    EXPECT_EQ(excerpt("f(a,\r\n  b)", 0, 9), "  f(a,\n  ^~~~\n");
}

TEST(Rendering, TabsStayInTheRuler) {
    EXPECT_EQ(excerpt("\tx\t= y;", 5, 6), "  \tx\t= y;\n  \t \t  ^\n");
}

TEST(Rendering, CodePointsTakeOneColumn) {
    // Two letters of two bytes before the range, one inside.
    EXPECT_EQ(excerpt("\u00e4\u00f6 = \u00fcx;", 7, 10), "  \u00e4\u00f6 = \u00fcx;\n       ^~\n");
}

TEST(Rendering, BytesThatAreNotTextAreReplaced) {
    // A lone continuation byte, a cut sequence, an escape that would color the terminal: one column each.
    EXPECT_EQ(excerpt("a\x80z", 1, 2), "  a\uFFFDz\n   ^\n");
    EXPECT_EQ(excerpt("a\xE2\x82z", 3, 4), "  a\uFFFD\uFFFDz\n     ^\n");
    EXPECT_EQ(excerpt("a\033[31mz", 6, 7), "  a\uFFFD[31mz\n        ^\n");
    EXPECT_EQ(excerpt(std::string("a\0z", 3), 2, 3), "  a\uFFFDz\n    ^\n");
    // A range that begins inside a code point marks that code point.
    EXPECT_EQ(excerpt("a\u20acz", 2, 3), "  a\u20acz\n   ^\n");
}

TEST(Rendering, LongLinesAreCutAroundTheCaret) {
    const std::string head(300, 'a');
    const std::string tail(300, 'b');
    const std::string cut = excerpt(head + "X" + tail, 300, 301);
    EXPECT_EQ(cut, "  ..." + std::string(80, 'a') + "X" + std::string(79, 'b') + "...\n     " + std::string(80, ' ') + "^\n");
    // Near the front nothing is cut there; a range that leaves the window ends with it.
    EXPECT_EQ(excerpt("X" + tail, 0, 200), "  X" + std::string(159, 'b') + "...\n  ^" + std::string(159, '~') + "\n");
    EXPECT_EQ(excerpt(head + "X", 300, 301), "  ..." + std::string(80, 'a') + "X\n     " + std::string(80, ' ') + "^\n");
    // Cut between code points, never inside one.
    std::string letters;
    for (int i = 0; i < 400; ++i) {
        letters += "\u00e4";
    }
    std::string window;
    for (int i = 0; i < 160; ++i) {
        window += "\u00e4";
    }
    EXPECT_EQ(excerpt(letters, 400, 402), "  ..." + window + "...\n     " + std::string(80, ' ') + "^\n");
}

TEST(Rendering, AMegabyteOnOneLineIsQuick) {
    const std::string text = excerpt("C = " + std::string(1 << 20, '('), 1 << 20, (1 << 20) + 4);
    EXPECT_LT(text.size(), 400U);
}

TEST(Rendering, SortsByPlaceAndDropsRepeats) {
    const auto source = std::make_shared<const SourceText>("a.fus", "one\ntwo\n");
    Diagnostics diagnostics;
    diagnostics.report(kind::syntax_error, {source, 4, 7}, "second");
    diagnostics.report(kind::syntax_error, {source, 0, 3}, "first");
    diagnostics.report(kind::syntax_error, {source, 4, 7}, "second");
    EXPECT_EQ(rendered(diagnostics),
        "a.fus:1:1: error: first [syntax-error]\n  one\n  ^~~\n"
        "a.fus:2:1: error: second [syntax-error]\n  two\n  ^~~\n");
    EXPECT_EQ(diagnostics.error_count(), 3U);
}

TEST(Rendering, SaysHowManyErrorsAreLeftOut) {
    Diagnostics diagnostics;
    for (const char* message : {"a", "b", "c"}) {
        diagnostics.report(kind::syntax_error, {}, message);
    }
    EXPECT_EQ(
        rendered(diagnostics, 2), "fusec: error: a [syntax-error]\nfusec: error: b [syntax-error]\nfusec: 1 more error is not shown\n");
    EXPECT_EQ(rendered(diagnostics, 1), "fusec: error: a [syntax-error]\nfusec: 2 more errors are not shown\n");
}

TEST(Diagnostics, ExitCodeIsThatOfTheFirstError) {
    const DiagnosticKind warning{"w", Severity::warning, Fault::user};
    const DiagnosticKind remark{"r", Severity::remark, Fault::user};
    for (const auto& [fault, code] :
        {std::pair(Fault::user, 1), std::pair(Fault::usage, 2), std::pair(Fault::limit, 3), std::pair(Fault::mismatch, 4)}) {
        Diagnostics diagnostics;
        diagnostics.report(warning, {}, "w");
        diagnostics.report(remark, {}, "r");
        EXPECT_EQ(diagnostics.exit_code(), 0);
        EXPECT_FALSE(diagnostics.has_errors());
        diagnostics.report({"e", Severity::error, fault}, {}, "e");
        diagnostics.report({"later", Severity::error, fault == Fault::user ? Fault::limit : Fault::user}, {}, "later");
        EXPECT_EQ(diagnostics.exit_code(), code);
        EXPECT_TRUE(diagnostics.has_errors());
    }
}

TEST(Diagnostics, KindsAreDeclaredOnceAndInKebabCase) {
    std::set<std::string_view> names;
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        EXPECT_EQ(kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos) << kind.name;
    }
    EXPECT_GE(names.size(), 10U);
}

TEST(Nearest, FindsAMisspelling) {
    const std::vector<std::string> names{"mmul", "mtmul", "madd", "mvmul", "venorm"};
    EXPECT_EQ(nearest("mmull", names), "mmul");
    EXPECT_EQ(nearest("venrom", names), "venorm") << "two letters of six swapped";
    EXPECT_EQ(nearest("mxmul", names), "mmul") << "of equally near ones the first in the alphabet";
    EXPECT_EQ(nearest("mmul", names), "mmul");
}

TEST(Nearest, IsEmptyWhenNothingIsNear) {
    EXPECT_EQ(nearest("inverse", {"mmul", "madd"}), "");
    EXPECT_EQ(nearest("ab", {"ac"}), "") << "one letter of two is more than a third";
    EXPECT_EQ(nearest("abc", {"abd"}), "abd");
    EXPECT_EQ(nearest("", {"a"}), "");
    EXPECT_EQ(nearest("a", {}), "");
}

} // namespace
} // namespace fusec
