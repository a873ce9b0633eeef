// SPDX-License-Identifier: Apache-2.0
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fusec {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-files-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    std::string content(const fs::path& path) {
        Diagnostics ignored;
        return read_file(path, ignored).value_or("<unreadable>");
    }

    fs::path folder;
    Diagnostics diagnostics;
};

TEST_F(Files, WritesAllOrNothing) {
    std::ofstream(folder / "a") << "old";
    EXPECT_FALSE(write_files({{folder / "a", "new"}, {folder / "absent" / "b", "new"}}, diagnostics));
    EXPECT_EQ(content(folder / "a"), "old");
    EXPECT_EQ(diagnostics.exit_code(), 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 1) << "a temporary was left behind";
}

TEST_F(Files, FollowsSymbolicLinksAndKeepsThem) {
    std::ofstream(folder / "target") << "old";
    fs::create_symlink("target", folder / "link");
    EXPECT_TRUE(write_files({{folder / "link", "new"}}, diagnostics));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(content(folder / "target"), "new");
}

TEST_F(Files, ReportsAFullDeviceAndKeepsIt) {
    EXPECT_FALSE(write_files({{"/dev/full", "text"}, {folder / "a", "text"}}, diagnostics));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_FALSE(fs::exists(folder / "a"));
    EXPECT_THAT(diagnostics.all().front().message, testing::HasSubstr("No space left on device"));
}

TEST_F(Files, ReadsNothingFromADirectory) {
    EXPECT_FALSE(read_file(folder, diagnostics).has_value());
    EXPECT_EQ(diagnostics.all().front().kind.name, "unreadable-file");
}

} // namespace
} // namespace fusec
