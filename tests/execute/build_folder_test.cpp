// SPDX-License-Identifier: Apache-2.0
#include "execute/build_folder.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace fusec::execute {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(BuildFolder, IsTheCacheWhereThatCanBeWritten) {
    const TemporaryFolder folder;
    Diagnostics diagnostics;
    {
        const auto opened = BuildFolder::open(folder.path() / "cache", diagnostics);
        ASSERT_TRUE(opened);
        EXPECT_EQ(opened->path(), folder.path() / "cache");
        EXPECT_TRUE(fs::is_empty(opened->path()));
    }
    EXPECT_TRUE(fs::is_directory(folder.path() / "cache")) << "the cache stays";
    EXPECT_TRUE(diagnostics.all().empty());
}

TEST(BuildFolder, IsAPrivateOneWhereTheCacheCannotBeWritten) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "in the way\n";
    Diagnostics diagnostics;
    fs::path path;
    {
        auto opened = BuildFolder::open(folder.path() / "file" / "cache", diagnostics);
        ASSERT_TRUE(opened);
        path = opened->path();
        EXPECT_TRUE(fs::is_directory(path));
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << "nobody else may give code to run";
        std::ofstream(path / "library.so") << "text";
        // A child that ends takes its copy of the object along, and nothing else.
        if (const pid_t child = ::fork(); child == 0) {
            opened.reset();
            ::_exit(0);
        } else {
            ::waitpid(child, nullptr, 0);
        }
        EXPECT_TRUE(fs::exists(path / "library.so"));
        // Neither does what is left of an object that was moved.
        const auto moved = std::move(opened);
        opened.reset(); // NOLINT(bugprone-use-after-move): what is left of it is the point
        EXPECT_TRUE(fs::exists(path / "library.so"));
    }
    EXPECT_FALSE(fs::exists(path)) << "the folder outlives the command";
    ASSERT_EQ(diagnostics.all().size(), 1u);
    const Diagnostic& remark = diagnostics.all().front();
    EXPECT_EQ(remark.kind.name, "no-cache");
    EXPECT_THAT(remark.message,
        AllOf(HasSubstr("cannot write to the cache `" + (folder.path() / "file" / "cache").string() + "`: Not a directory"),
            HasSubstr(path.string())));
    EXPECT_EQ(diagnostics.exit_code(), 0);
}

TEST(BuildFolder, IsAnErrorWhereNothingCanBeWritten) {
    const TemporaryFolder folder;
    const char* const old = std::getenv("TMPDIR");
    const std::string before = old == nullptr ? "" : old;
    Diagnostics diagnostics;
    for (const char* const parent : {"/dev/null/absent", "/proc"}) { // no folder; a folder in which none can be made
        ::setenv("TMPDIR", parent, 1);
        EXPECT_FALSE(BuildFolder::open("/dev/null/cache", diagnostics));
    }
    old == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
    ASSERT_EQ(diagnostics.error_count(), 2u);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "unwritable-file");
    EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("nor to the temporary directory `/dev/null/absent`: Not a directory"));
    EXPECT_THAT(diagnostics.all()[1].message, HasSubstr("nor to the temporary directory `/proc`: "));
}

} // namespace
} // namespace fusec::execute
