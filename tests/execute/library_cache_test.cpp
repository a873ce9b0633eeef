// SPDX-License-Identifier: Apache-2.0
// The cache's folder: where it is, who may own it, what leaves it.
#include "execute/compiler.hpp"

#include "support/last_use.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fusec::execute {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A variable of the environment, set until the end of the scope.
class Variable {
public:
    Variable(const char* name, const char* value)
        : name_(name), old_(std::getenv(name) == nullptr ? std::nullopt : std::optional<std::string>(std::getenv(name))) {
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    }
    ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

class LibraryCache : public testing::Test {
protected:
    /// A folder that everybody may write to, as the system's temporary directory.
    fs::path open_to_all() {
        const fs::path path = folder.path() / "tmp";
        fs::create_directory(path);
        ::chmod(path.c_str(), S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX);
        return path;
    }
    std::string refusal(const fs::path& cache) {
        Diagnostics diagnostics;
        EXPECT_FALSE(prepare_cache_folder(cache, diagnostics));
        EXPECT_EQ(diagnostics.all().at(0).kind.name, "unwritable-file");
        return diagnostics.all().at(0).message;
    }
    /// A file of that many bytes, used so long ago.
    void put(const std::string& name, std::size_t bytes, std::time_t age) {
        const fs::path path = folder.path() / name;
        std::ofstream(path) << std::string(bytes, 'x');
        const timespec used{std::time(nullptr) - age, 0};
        const std::array<timespec, 2> times{used, used};
        ::utimensat(AT_FDCWD, path.c_str(), times.data(), 0);
    }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            found.insert(entry.path().filename().string());
        }
        return found;
    }

    TemporaryFolder folder;
};

TEST_F(LibraryCache, IsWhereTheSystemSays) {
    const Variable cache("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(default_cache_folder(), "/caches/fusec");
    const Variable relative("XDG_CACHE_HOME", "relative"), home("HOME", "/home/somebody");
    EXPECT_EQ(default_cache_folder(), "/home/somebody/.cache/fusec");
    const Variable none("HOME", nullptr), temporary("TMPDIR", folder.path().c_str());
    EXPECT_EQ(default_cache_folder(), folder.path() / ("fusec-" + std::to_string(::getuid())));
}

TEST_F(LibraryCache, IsMadeForItsOwnerAlone) {
    Diagnostics diagnostics;
    const fs::path cache = open_to_all() / "fusec";
    EXPECT_TRUE(prepare_cache_folder(cache, diagnostics));
    EXPECT_TRUE(prepare_cache_folder(cache, diagnostics)) << "a folder that is there";
    EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(prepare_cache_folder(folder.path() / "several" / "levels", diagnostics));
    EXPECT_TRUE(diagnostics.all().empty());
}

TEST_F(LibraryCache, IsRefusedWhereOthersCouldGiveCode) {
    const fs::path cache = open_to_all() / "fusec";
    fs::create_directory(cache);
    ::chmod(cache.c_str(), S_IRWXU | S_IRWXG);
    EXPECT_THAT(refusal(cache), HasSubstr("others may write to it"));
    ::chmod(cache.c_str(), S_IRWXU | S_IWOTH);
    EXPECT_THAT(refusal(cache), HasSubstr("others may write to it"));
    // Nothing is built there, and nothing that lies there is loaded.
    Diagnostics diagnostics;
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    EXPECT_FALSE(build_library({{{"unit.cpp", "int x;\n"}}, BuildKind::emulated, {}}, *compiler, cache, diagnostics));
    EXPECT_TRUE(fs::is_empty(cache));

    const fs::path elsewhere = folder.path() / "elsewhere", link = open_to_all() / "link";
    fs::create_directory(elsewhere);
    fs::create_symlink(elsewhere, link);
    EXPECT_THAT(refusal(link), HasSubstr("it is no directory"));
    if (::geteuid() == 0) {
        const fs::path foreign = open_to_all() / "foreign";
        fs::create_directory(foreign);
        ASSERT_EQ(::chown(foreign.c_str(), 12345, 12345), 0);
        EXPECT_THAT(refusal(foreign), HasSubstr("belongs to another user"));
    }
    // Where only the owner of the parent may write, that owner's word is enough.
    ::chmod(elsewhere.c_str(), S_IRWXU | S_IRWXG);
    EXPECT_TRUE(prepare_cache_folder(elsewhere, diagnostics));
}

TEST_F(LibraryCache, LosesWhatWasNotUsedForLongest) {
    put("oldest.so", 300, 9000);
    put("old.so", 300, 8000);
    put("used.so", 300, 7000);
    put("recent.so", 300, 10);
    put("other.txt", 5000, 9000); // not the cache's
    evict(folder.path(), {.bytes = 1200, .kept = std::chrono::seconds(60)});
    EXPECT_EQ(names().size(), 5u) << "the bound is not exceeded";
    mark_used(folder.path() / "oldest.so");
    evict(folder.path(), {.bytes = 1000, .kept = std::chrono::seconds(60)});
    EXPECT_EQ(names(), (std::set<std::string>{"oldest.so", "recent.so", "other.txt"})) << "600 of 800 bytes are left";
    evict(folder.path(), {.bytes = 100, .kept = std::chrono::seconds(60)});
    EXPECT_EQ(names(), (std::set<std::string>{"oldest.so", "recent.so", "other.txt"})) << "both were used within the minute";
    // Two clocks: a file's may be a second ahead of time()'s.
    evict(folder.path(), {.bytes = 100, .kept = std::chrono::hours(-1)});
    EXPECT_EQ(names(), (std::set<std::string>{"other.txt"}));
}

TEST_F(LibraryCache, LosesDeviceCodeUnderTheSameBound) {
    fs::create_directory(device_code_folder(folder.path()));
    put("library.so", 300, 8000);
    put("device-code/code.bc", 300, 9000);
    put("device-code/said.report", 300, 7000);
    put("device-code/recent.bc", 300, 10);
    put("device-code/other.txt", 5000, 9000); // not the cache's
    const auto left = [&] {
        std::set<std::string> found = names();
        for (const auto& entry : fs::directory_iterator(device_code_folder(folder.path()))) {
            found.insert(entry.path().filename().string());
        }
        return found;
    };
    evict(folder.path(), {.bytes = 1200, .kept = std::chrono::seconds(60)});
    EXPECT_EQ(left().size(), 6u) << "the bound is not exceeded";
    evict(folder.path(), {.bytes = 1000, .kept = std::chrono::seconds(60)});
    EXPECT_EQ(left(), (std::set<std::string>{"device-code", "said.report", "recent.bc", "other.txt"})) << "600 of 800 bytes are left";
    evict(folder.path(), {.bytes = 100, .kept = std::chrono::hours(-1)});
    EXPECT_EQ(left(), (std::set<std::string>{"device-code", "other.txt"}));
}

TEST_F(LibraryCache, LosesWhatBuildsHaveLeftBehind) {
    for (const auto& [name, age] : {std::pair("building-0ldOne", 100000), {"calibrating-Xb41aG", 100000}, {"timing-Xb41aG", 100000},
             {"building-n3wOne", 100}, {"else-where", 100000}, {"-0ldOne", 100000}}) {
        fs::create_directory(folder.path() / name);
        const timespec made{std::time(nullptr) - age, 0};
        const std::array<timespec, 2> times{made, made};
        ::utimensat(AT_FDCWD, (folder.path() / name).c_str(), times.data(), 0);
    }
    evict(folder.path());
    EXPECT_EQ(names(), (std::set<std::string>{"building-n3wOne", "else-where", "-0ldOne"}));
}

TEST_F(LibraryCache, NamesTheProcessor) {
    EXPECT_FALSE(native_processor().empty());
    if (fs::exists("/proc/cpuinfo")) {
        EXPECT_TRUE(native_processor().find("flags") != std::string::npos || native_processor().find("Features") != std::string::npos)
            << native_processor();
    }
}

} // namespace
} // namespace fusec::execute
