// SPDX-License-Identifier: Apache-2.0
#include "support/toml_nesting.hpp"

#include "support/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace fusec {
namespace {

std::string times(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

std::size_t place(const std::string& text) {
    const auto found = too_deep_toml(text);
    return found ? found->at : std::string::npos;
}

TEST(TomlNestings, KeysHaveSixteenParts) {
    EXPECT_EQ(place("[" + times("a.", 15) + "a]\n"), std::string::npos);
    EXPECT_EQ(place("[" + times("a.", 16) + "a]\n"), 33U);
    EXPECT_EQ(place("x = 1\n" + times("\"a.b\" . ", 16) + "a = 1\n"), 6U + 16 * 8 - 1);
    EXPECT_EQ(place("x = { " + times("a.", 20) + "a = 1 }"), 6U + 32);
    EXPECT_EQ(place("[" + times("a.", 2000000) + "a]\n"), 33U);
    EXPECT_EQ(place(times("x.y = 1.5\n", 40)), std::string::npos) << "dots of other keys and of numbers";
    EXPECT_EQ(place("x = [" + times("1.5, ", 40) + "]\n"), std::string::npos);
}

TEST(TomlNestings, ValuesNestSixteenDeep) {
    EXPECT_EQ(place("x = " + times("[", 16) + times("]", 16) + "\n"), std::string::npos);
    EXPECT_EQ(place("x = " + times("[", 17) + times("]", 17) + "\n"), 4U + 16);
    EXPECT_EQ(place("x = " + times("{ a = ", 17) + "1" + times("}", 17)), 4U + 16 * 6);
    EXPECT_EQ(place("x = " + times("[\n", 100000)), 4U + 32) << "over lines";
    EXPECT_EQ(place(times("[[a]]\nx = [[1]]\n", 40)), std::string::npos) << "one after another";
    EXPECT_EQ(place(times("[a\n", 40)), std::string::npos) << "headers that are not closed, which the parser says";
}

TEST(TomlNestings, StringsAndCommentsAreNoKeys) {
    const std::string deep = times("a.", 40) + times("[", 40);
    EXPECT_EQ(place("x = \"" + deep + "\\\"" + deep + "\"\ny = '" + deep + "\\'\n# " + deep + "\n"), std::string::npos);
    EXPECT_EQ(place("x = \"\"\"\n" + deep + "\n\"" + deep + "\"\"\"\n"), std::string::npos);
    EXPECT_EQ(place("x = '''\n" + deep + "\n'" + deep + "'''\n"), std::string::npos);
    EXPECT_EQ(place("x = \"\\\\\"\n[" + deep), 9U + 1 + 32) << "behind a string that ends with a backslash";
    EXPECT_EQ(place("x = \"" + deep), std::string::npos);
}

// Nothing that comes with the compiler nests so.
TEST(TomlNestings, FilesOfTheTreeAreFlat) {
    Diagnostics diagnostics;
    int files = 0;
    for (const char* folder : {"perfmodel/devices", "elementary-lib"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(FUSEC_SOURCE_DIR "/") + folder)) {
            if (entry.path().extension() == ".toml") {
                EXPECT_FALSE(too_deep_toml(read_text(entry.path(), diagnostics).value())) << entry.path();
                ++files;
            }
        }
    }
    EXPECT_GT(files, 50);
}

} // namespace
} // namespace fusec
