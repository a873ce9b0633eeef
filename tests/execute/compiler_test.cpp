// SPDX-License-Identifier: Apache-2.0
#include "execute/compiler.hpp"

#include "execute/loaded_library.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

namespace fusec::execute {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Compiler : public testing::Test {
protected:
    /// Sets a variable of the environment until the test ends.
    void set(const char* variable, const char* value) {
        const char* const old = std::getenv(variable);
        restore_.push_back({variable, old == nullptr ? std::nullopt : std::optional<std::string>(old)});
        value == nullptr ? ::unsetenv(variable) : ::setenv(variable, value, 1);
    }
    void TearDown() override {
        std::reverse(restore_.begin(), restore_.end()); // a variable may have been set twice
        for (auto& [variable, value] : restore_) {
            value ? ::setenv(variable, value->c_str(), 1) : ::unsetenv(variable);
        }
    }
    std::size_t libraries() const {
        return static_cast<std::size_t>(std::count_if(fs::directory_iterator(folder.path()), fs::directory_iterator{}, [](const auto& entry) { return entry.path().extension() == ".so"; }));
    }
    std::string messages() const {
        std::string text;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            text += std::string(diagnostic.kind.name) + ": " + diagnostic.message + "; " + diagnostic.hint + "\n";
        }
        return text;
    }

    TemporaryFolder folder;
    Diagnostics diagnostics;

private:
    std::vector<std::pair<const char*, std::optional<std::string>>> restore_;
};

BuildRequest host_request(const std::string& text) {
    return {{{"unit.cpp", "#include \"unit.h\"\nextern \"C\" int answer() { return " + text + "; }\n"}, {"unit.h", "#define SIX 6\n"}}, BuildKind::host_checked, {}};
}

TEST_F(Compiler, BuildsLoadsAndCachesByContent) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler) << messages();
    const auto first = build_library(host_request("SIX * 7"), *compiler, folder.path(), diagnostics);
    ASSERT_TRUE(first) << messages();
    const auto library = LoadedLibrary::open(*first, diagnostics);
    ASSERT_TRUE(library) << messages();
    EXPECT_EQ(reinterpret_cast<int (*)()>(library->symbol("answer"))(), 42);
    EXPECT_EQ(library->symbol("question"), nullptr);

    // The same content: the same file, not compiled again, so a compiler that cannot run does not matter.
    const auto written = fs::last_write_time(*first);
    EXPECT_EQ(build_library(host_request("SIX * 7"), *compiler, folder.path(), diagnostics), first);
    EXPECT_EQ(fs::last_write_time(*first), written);
    // Another text, another header, another kind, another compiler: other libraries.
    BuildRequest header = host_request("SIX * 7");
    header.files[1].text = "#define SIX 7\n";
    BuildRequest product = host_request("SIX * 7");
    product.kind = BuildKind::host_product;
    HostCompiler renamed = *compiler;
    renamed.version += " (another)";
    for (const auto& built : {build_library(host_request("SIX * 8"), *compiler, folder.path(), diagnostics), build_library(header, *compiler, folder.path(), diagnostics), build_library(product, *compiler, folder.path(), diagnostics), build_library(host_request("SIX * 7"), renamed, folder.path(), diagnostics)}) {
        ASSERT_TRUE(built) << messages();
        EXPECT_NE(built, first);
    }
    EXPECT_EQ(libraries(), 5u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 5) << "something was left behind";
}

TEST_F(Compiler, SeesAChangeInAnIncludedFolder) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    const fs::path headers = folder.path() / "include";
    fs::create_directory(headers);
    BuildRequest request{{{"unit.cpp", "#include <value.h>\nextern \"C\" int answer() { return VALUE; }\n"}}, BuildKind::host_checked, {headers}};
    std::vector<fs::path> built;
    for (const int value : {1, 2, 1}) {
        std::ofstream(headers / "value.h") << "#define VALUE " << value << "\n";
        const auto library = build_library(request, *compiler, folder.path(), diagnostics);
        ASSERT_TRUE(library) << messages();
        built.push_back(*library);
    }
    EXPECT_NE(built[0], built[1]);
    EXPECT_EQ(built[0], built[2]);
}

TEST_F(Compiler, SaysWhatTheCompilerSaysAndKeepsTheLog) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    EXPECT_FALSE(build_library(host_request("undeclared_name"), *compiler, folder.path(), diagnostics));
    ASSERT_EQ(diagnostics.error_count(), 1u);
    EXPECT_THAT(messages(), HasSubstr("host-compile-failed")); // CHECK: [host-compile-failed]
    EXPECT_THAT(messages(), HasSubstr("undeclared_name"));
    EXPECT_THAT(messages(), HasSubstr("unit.cpp:2"));
    const std::string hint = diagnostics.all()[0].hint;
    const fs::path kept = hint.substr(hint.find('`') + 1, hint.rfind('`') - hint.find('`') - 1);
    EXPECT_TRUE(fs::exists(kept / "log.txt"));
    EXPECT_TRUE(fs::exists(kept / "unit.cpp"));
    EXPECT_EQ(libraries(), 0u);
}

TEST_F(Compiler, NamesTheCompilersItLookedFor) {
    set("CXX", "no-such-compiler");
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(), HasSubstr("looked for `no-such-compiler` (from $CXX)"));
    set("CXX", nullptr);
    set("PATH", folder.path().c_str());
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(), HasSubstr("looked for `c++`, `g++`, `clang++` in $PATH"));
    EXPECT_EQ(diagnostics.all()[0].kind.name, "no-host-compiler"); // CHECK: [no-host-compiler]
    EXPECT_EQ(diagnostics.exit_code(), 1);
}

TEST_F(Compiler, SaysWhyALibraryCannotBeLoaded) {
    std::ofstream(folder.path() / "library.so") << "no library";
    EXPECT_FALSE(LoadedLibrary::open(folder.path() / "library.so", diagnostics));
    ASSERT_EQ(diagnostics.error_count(), 1u);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "unloadable-library"); // CHECK: [unloadable-library]
    EXPECT_THAT(messages(), HasSubstr("library.so"));
}

TEST_F(Compiler, ServesJobsSideBySide) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    std::vector<std::optional<fs::path>> built(4);
    std::vector<std::thread> jobs;
    for (auto& path : built) {
        jobs.emplace_back([&path, &compiler, this] {
            Diagnostics own;
            path = build_library(host_request("1"), *compiler, folder.path(), own);
        });
    }
    for (std::thread& job : jobs) {
        job.join();
    }
    for (const auto& path : built) {
        ASSERT_TRUE(path);
        EXPECT_EQ(path, built[0]);
    }
    EXPECT_TRUE(LoadedLibrary::open(*built[0], diagnostics)) << messages();
    EXPECT_EQ(libraries(), 1u);
}

TEST_F(Compiler, ReportsACacheThatCannotBeWritten) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    EXPECT_FALSE(build_library(host_request("1"), *compiler, "/dev/null/cache", diagnostics));
    EXPECT_THAT(messages(), HasSubstr("cannot write to the cache `/dev/null/cache`"));
}

} // namespace
} // namespace fusec::execute
