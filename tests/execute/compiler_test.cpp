// SPDX-License-Identifier: Apache-2.0
#include "execute/compiler.hpp"

#include "execute/loaded_library.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
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
        return static_cast<std::size_t>(std::count_if(fs::directory_iterator(folder.path()), fs::directory_iterator{},
            [](const auto& entry) { return entry.path().extension() == ".so"; }));
    }
    std::string messages() const {
        std::string text;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            text += std::string(diagnostic.kind.name) + ": " + diagnostic.message + "; " + diagnostic.hint + "\n";
        }
        return text;
    }

    /// A program of the shell.
    fs::path script(const std::string& text) const {
        const fs::path path = folder.path() / "script";
        std::ofstream(path) << "#!/bin/sh\n" << text;
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }

    TemporaryFolder folder;
    Diagnostics diagnostics;

private:
    std::vector<std::pair<const char*, std::optional<std::string>>> restore_;
};

BuildRequest host_request(const std::string& text) {
    return {{{"unit.cpp", "#include \"unit.h\"\nextern \"C\" int answer() { return " + text + "; }\n"}, {"unit.h", "#define SIX 6\n"}},
        BuildKind::host_checked, {}};
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
    for (const auto& built : {build_library(host_request("SIX * 8"), *compiler, folder.path(), diagnostics),
             build_library(header, *compiler, folder.path(), diagnostics), build_library(product, *compiler, folder.path(), diagnostics),
             build_library(host_request("SIX * 7"), renamed, folder.path(), diagnostics)}) {
        ASSERT_TRUE(built) << messages();
        EXPECT_NE(built, first);
    }
    EXPECT_EQ(libraries(), 5u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 5) << "something was left behind";
}

// Loading one would end the process by a signal, or run other code.
TEST_F(Compiler, MakesADamagedLibraryAnew) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler) << messages();
    const auto library = build_library(host_request("SIX * 7"), *compiler, folder.path(), diagnostics);
    ASSERT_TRUE(library) << messages();
    const std::uintmax_t size = fs::file_size(*library);
    const auto flip = [&](std::uintmax_t at) {
        std::fstream file(*library, std::ios::binary | std::ios::in | std::ios::out);
        file.seekg(static_cast<std::streamoff>(at));
        const int byte = file.get();
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(byte ^ 1));
    };
    const std::vector<std::function<void()>> damages{[&] { fs::resize_file(*library, 0); }, [&] { fs::resize_file(*library, size / 2); },
        [&] { fs::resize_file(*library, size - 1); }, [&] { flip(size / 2); }, [&] { flip(size - 2); },
        [&] { std::ofstream(*library, std::ios::app) << "more"; },
        [&] {
            fs::remove(*library);
            fs::create_directories(*library / "inside");
        },
        [&] {
            fs::remove(*library);
            fs::create_symlink("nowhere", *library);
        }};
    for (std::size_t i = 0; i < damages.size(); ++i) {
        damages[i]();
        Diagnostics told;
        EXPECT_EQ(build_library(host_request("SIX * 7"), *compiler, folder.path(), told), library) << "damage " << i;
        ASSERT_EQ(told.all().size(), 1U) << "damage " << i;
        EXPECT_EQ(told.all()[0].kind.name, "damaged-cache-entry");
        EXPECT_FALSE(told.has_errors());
        const auto loaded = LoadedLibrary::open(*library, diagnostics);
        ASSERT_TRUE(loaded) << messages();
        EXPECT_EQ(reinterpret_cast<int (*)()>(loaded->symbol("answer"))(), 42);
    }
}

TEST_F(Compiler, SeesAChangeInAnIncludedFolder) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    const fs::path headers = folder.path() / "include";
    fs::create_directory(headers);
    BuildRequest request{
        {{"unit.cpp", "#include <value.h>\nextern \"C\" int answer() { return VALUE; }\n"}}, BuildKind::host_checked, {headers}};
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

TEST_F(Compiler, SaysWhatTheCompilerSaysAndLeavesNothing) {
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    EXPECT_FALSE(build_library(host_request("undeclared_name"), *compiler, folder.path(), diagnostics));
    ASSERT_EQ(diagnostics.error_count(), 1u);
    EXPECT_THAT(messages(), HasSubstr("host-compile-failed"));
    EXPECT_THAT(messages(), HasSubstr("undeclared_name"));
    EXPECT_THAT(messages(), HasSubstr("unit.cpp:2"));
    EXPECT_TRUE(fs::is_empty(folder.path())) << "sources and log of a failed build stay in the cache";

    // The log is in the notes, its beginning if it is long: 30 lines of a compiler that fails.
    const fs::path program =
        script("if [ \"$1\" = --version ]; then echo 1.0; exit; fi\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 "
               "24 25 26 27 28 29 30; do echo line $i; done\nexit 1\n");
    EXPECT_FALSE(build_library(host_request("1"), {program, "1.0", {}}, folder.path(), diagnostics));
    const std::vector<DiagnosticNote>& notes = diagnostics.all().back().notes;
    ASSERT_EQ(notes.size(), 21u);
    EXPECT_EQ(notes[0].message, "line 1");
    EXPECT_EQ(notes[19].message, "line 20");
    EXPECT_EQ(notes[20].message, "... and 10 more lines");
}

TEST_F(Compiler, NamesTheCompilersItLookedFor) {
    set("CXX", "no-such-compiler");
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(), HasSubstr("no C++ compiler found: looked for `no-such-compiler` (from $CXX)"));
    set("CXX", " "); // as if unset
    set("PATH", folder.path().c_str());
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(), HasSubstr("no C++ compiler found: looked for `c++`, `g++`, `clang++` in $PATH"));
    EXPECT_EQ(diagnostics.all()[0].kind.name, "no-host-compiler");
    EXPECT_EQ(diagnostics.exit_code(), 1);
}

TEST_F(Compiler, TellsACompilerThatFailsFromOneThatIsMissing) {
    const fs::path program = script("echo cannot find the license >&2\nexit 3\n");
    set("CXX", (program.string() + " -m64").c_str());
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(),
        HasSubstr("no C++ compiler works of `" + program.string() + " -m64` (from $CXX): `" + program.string() +
            " -m64 --version` ends with exit code 3: cannot find the license"));
    // One of those in $PATH fails, the others are not there: the first is named with its fault.
    fs::rename(program, folder.path() / "g++");
    set("CXX", nullptr);
    set("PATH", folder.path().c_str());
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(messages(),
        HasSubstr("no C++ compiler works of `c++`, `g++`, `clang++` in $PATH: `" + (folder.path() / "g++").string() +
            " --version` ends with exit code 3"));
    // A folder is no program.
    set("CXX", (folder.path().string() + "/").c_str());
    EXPECT_FALSE(find_host_compiler(diagnostics));
    EXPECT_THAT(diagnostics.all().back().message, HasSubstr("no C++ compiler found"));
}

// As make and CMake read the variable: `ccache g++`, `g++ -m64`.
TEST_F(Compiler, TakesTheWordsOfCxxAsArguments) {
    set("CXX", nullptr);
    const auto plain = find_host_compiler(diagnostics);
    ASSERT_TRUE(plain) << messages();
    set("CXX", (plain->program.string() + "  -DANSWER=42 ").c_str());
    const auto with_argument = find_host_compiler(diagnostics);
    ASSERT_TRUE(with_argument) << messages();
    EXPECT_EQ(with_argument->arguments, std::vector<std::string>{"-DANSWER=42"});
    const auto built = build_library(host_request("ANSWER"), *with_argument, folder.path(), diagnostics);
    ASSERT_TRUE(built) << messages();
    EXPECT_EQ(reinterpret_cast<int (*)()>(LoadedLibrary::open(*built, diagnostics)->symbol("answer"))(), 42);
    // The arguments are part of the key: another value, another library.
    HostCompiler other = *with_argument;
    other.arguments = {"-DANSWER=43"};
    const auto second = build_library(host_request("ANSWER"), other, folder.path(), diagnostics);
    ASSERT_TRUE(second) << messages();
    EXPECT_NE(second, built);
    // A launcher before the compiler; no shell reads the words, so `$` and `;` stand for themselves.
    const fs::path launcher = script("exec \"$@\"\n");
    set("CXX", (launcher.string() + " " + plain->program.string() + " -DX=$HOME;false").c_str());
    const auto launched = find_host_compiler(diagnostics);
    ASSERT_TRUE(launched) << messages();
    EXPECT_EQ(launched->version, plain->version);
    EXPECT_EQ(launched->arguments, (std::vector<std::string>{plain->program.string(), "-DX=$HOME;false"}));
    // A path with a blank that is a program is one word.
    const fs::path blank = folder.path() / "my compiler";
    fs::create_symlink(plain->program, blank);
    set("CXX", blank.c_str());
    const auto spaced = find_host_compiler(diagnostics);
    ASSERT_TRUE(spaced) << messages();
    EXPECT_EQ(spaced->program, blank);
    EXPECT_TRUE(spaced->arguments.empty());
}

TEST_F(Compiler, SaysWhyALibraryCannotBeLoaded) {
    std::ofstream(folder.path() / "library.so") << "no library";
    EXPECT_FALSE(LoadedLibrary::open(folder.path() / "library.so", diagnostics));
    ASSERT_EQ(diagnostics.error_count(), 1u);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "unloadable-library");
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
