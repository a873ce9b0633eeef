// SPDX-License-Identifier: Apache-2.0
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST_F(Files, WritesThroughLinksWhoseTargetIsAbsent) {
    fs::create_directory(folder / "sub");
    fs::create_symlink("sub/second", folder / "first");
    fs::create_symlink("../target", folder / "sub" / "second");
    EXPECT_TRUE(write_files({{folder / "first", "new"}}, diagnostics));
    EXPECT_TRUE(fs::is_symlink(folder / "first"));
    EXPECT_TRUE(fs::is_symlink(folder / "sub" / "second"));
    EXPECT_EQ(content(folder / "target"), "new");
}

TEST_F(Files, ALinkToItselfIsAnError) {
    fs::create_symlink("loop", folder / "loop");
    EXPECT_FALSE(write_files({{folder / "loop", "new"}}, diagnostics));
    EXPECT_TRUE(fs::is_symlink(folder / "loop"));
    EXPECT_THAT(diagnostics.all().front().message, testing::HasSubstr("Too many levels of symbolic links"));
}

TEST_F(Files, KeepsThePermissionsOfWhatItReplaces) {
    std::ofstream(folder / "a") << "old";
    fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
    EXPECT_TRUE(write_files({{folder / "a", "new"}}, diagnostics));
    EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms::owner_all);
}

TEST_F(Files, ADirectoryIsNoTarget) {
    EXPECT_FALSE(write_files({{folder / "a", "new"}, {folder, "new"}}, diagnostics));
    EXPECT_FALSE(fs::exists(folder / "a"));
    EXPECT_THAT(diagnostics.all().front().message, testing::HasSubstr("Is a directory"));
}

TEST_F(Files, ReportsAFullDeviceAndKeepsIt) {
    EXPECT_FALSE(write_files({{"/dev/full", "text"}, {folder / "a", "text"}}, diagnostics));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_FALSE(fs::exists(folder / "a"));
    EXPECT_THAT(diagnostics.all().front().message, testing::HasSubstr("No space left on device"));
    EXPECT_EQ(diagnostics.all().front().kind.name, "unwritable-file");
}

TEST_F(Files, TwoNamesOfOneFileThatIsNotThereYet) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    EXPECT_FALSE(write_files({{"a", "1"}, {"./a", "2"}}, diagnostics));
    std::filesystem::current_path(before);
    EXPECT_EQ(diagnostics.all().at(0).kind.name, "output-collision");
}

// What takes minutes asks first: the same answers, and nothing is left or changed.
TEST_F(Files, CanBeAskedForBeforeTheyAreWritten) {
    const auto names = [&] {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(folder)) {
            found.push_back(entry.path().filename().string());
        }
        std::ranges::sort(found);
        return found;
    };
    std::ofstream(folder / "old") << "old";
    fs::create_directory(folder / "directory");
    fs::create_symlink("absent", folder / "link");
    fs::create_symlink("circle", folder / "circle");
    const std::vector<std::string> before = names();
    for (const fs::path& path : {folder / "old", folder / "new", folder / "link", fs::path("/dev/null"), fs::path("/dev/full"),
             folder / "directory", folder / "circle", folder / "none" / "new", fs::path(), fs::path("/proc/new"), folder / "old" / "new"}) {
        Diagnostics asked, wrote;
        const bool possible = can_write_files({path}, asked);
        EXPECT_EQ(names(), before) << path;
        if (path == "/dev/full") { // nobody knows before
            EXPECT_TRUE(possible);
            continue;
        }
        if (!possible) {
            EXPECT_FALSE(write_files({{path, "text"}}, wrote)) << path;
            EXPECT_EQ(asked.all().front().message, wrote.all().front().message);
            EXPECT_EQ(names(), before) << path;
        }
        EXPECT_EQ(possible, path == folder / "old" || path == folder / "new" || path == folder / "link" || path == "/dev/null") << path;
    }
    Diagnostics same, input;
    EXPECT_FALSE(can_write_files({folder / "new", folder / "." / "new"}, same));
    EXPECT_EQ(same.all().front().kind.name, "output-collision");
    EXPECT_FALSE(can_write_files({folder / "old"}, input, {folder / "old"}));
    EXPECT_EQ(input.all().front().kind.name, "output-collision");
}

TEST_F(Files, AnEndlessTextIsALimit) {
    EXPECT_FALSE(read_text("/dev/zero", diagnostics));
    EXPECT_EQ(diagnostics.all().at(0).kind.name, "file-size-limit");
    EXPECT_EQ(diagnostics.exit_code(), 3);
}

TEST_F(Files, StreamsAreDevicesAndPipes) {
    EXPECT_TRUE(is_stream("/dev/null"));
    EXPECT_FALSE(is_stream(folder));
    EXPECT_FALSE(is_stream(folder / "absent"));
}

TEST_F(Files, ReadsNothingFromADirectory) {
    EXPECT_FALSE(read_file(folder, diagnostics).has_value());
    EXPECT_EQ(diagnostics.all().front().kind.name, "unreadable-file");
}

} // namespace
} // namespace fusec
