// SPDX-License-Identifier: Apache-2.0
// What README.md says is so: its program compiles, its call computes what the formula above it says, its CMake lines build a library with
// nothing but the installed compiler, its commands work.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace fusec {
namespace {

using test::fusec;
using test::run;

const std::string source = FUSEC_SOURCE_DIR;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The text of the only block of README.md marked ```LANGUAGE.
std::string readme_block(const std::string& language) {
    const std::string readme = text_of(source + "/README.md");
    const std::string opening = "```" + language + "\n";
    const std::size_t begin = readme.find(opening);
    EXPECT_NE(begin, std::string::npos) << language;
    EXPECT_EQ(readme.find(opening, begin + 1), std::string::npos) << "two blocks of " << language;
    return readme.substr(begin + opening.size(), readme.find("```", begin + opening.size()) - begin - opening.size());
}

class Readme : public testing::Test {
protected:
    void SetUp() override { folder.write("stress.fus", readme_block("fus")); }
    test::TemporaryFolder folder;
};

TEST_F(Readme, ItsProgramHasTenLinesAtMostAndCompiles) {
    const std::string program = readme_block("fus");
    EXPECT_LE(std::ranges::count(program, '\n'), 10);
    const test::Outcome outcome = fusec({"stress.fus", "-o", "stress.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, testing::StartsWith("stress: ")) << "no warning";
}

/// A program that makes `elements` matrices, calls the README's function and compares with the formula that the README states above its
/// program, written here with the cofactors of F: F^-T = cof(F) / det F.
const std::string caller = R"(
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    const size_t elements = 67; // more than a block, and no multiple of one
    const double lambda = 1.25, mu = 0.75;
    std::vector<double> F, P(9 * elements, -1);
    for (size_t e = 0; e < elements; ++e)
        for (int k = 0; k < 9; ++k)
            F.push_back((k % 4 == 0 ? 1.5 : 0) + 0.1 * std::sin(1.0 + static_cast<double>(e) + k * k));
    if (const int error = stresses(F.data(), &lambda, &mu, P.data(), elements, nullptr)) {
        std::printf("error %d\n", error);
        return 1;
    }
    double worst = 0;
    for (size_t e = 0; e < elements; ++e) {
        const double* const f = &F[9 * e];
        double cofactors[9];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const int r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
                cofactors[3 * i + j] = f[3 * r + t] * f[3 * s + u] - f[3 * r + u] * f[3 * s + t];
            }
        const double det = f[0] * cofactors[0] + f[1] * cofactors[1] + f[2] * cofactors[2];
        for (int k = 0; k < 9; ++k) {
            const double turned = cofactors[k] / det, wanted = mu * (f[k] - turned) + lambda * std::log(det) * turned;
            worst = std::fmax(worst, std::isnan(P[9 * e + k]) ? HUGE_VAL : std::fabs(P[9 * e + k] - wanted));
        }
    }
    std::printf("worst %g\n", worst);
    return worst < 1e-13 ? 0 : 1;
}
)";

/// Of the README's call, built by these words, or of the build that fails.
test::Outcome outcome_of_call(const test::TemporaryFolder& folder, std::vector<std::string> words) {
    folder.write("call.cpp", "#include <cuda_runtime.h>\n" + readme_block("cpp") + caller);
    words.insert(words.end(), {"-o", "call"});
    test::Outcome built = run(words, folder.path());
    return built.code != 0 ? built : run({"./call"}, folder.path());
}

TEST_F(Readme, ItsCallComputesTheStressOnTheHost) {
    ASSERT_EQ(fusec({"stress.fus", "--target", "host", "-o", "stress.cpp"}, folder.path()).code, 0);
    // Only for the name cudaStream_t, which the README's function takes.
    const test::Outcome outcome = outcome_of_call(
        folder, {"g++", "-std=c++20", "-Wall", "-Wextra", "-I" + source + "/elementary-lib/emulation", "stress.cpp", "call.cpp"});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

TEST_F(Readme, ItsCallComputesTheStressOnEmulatedCuda) {
    ASSERT_EQ(fusec({"stress.fus", "-o", "stress.cu"}, folder.path()).code, 0);
    folder.write("device.cpp",
        "#include \"elementary-lib/emulation/device.hpp\"\n#include <cuda_runtime.h>\nfusec::emulation::Device device;\n"
        "struct Attach {\n    Attach() { fusec_emulation_attach(&device); }\n    ~Attach() { device.finding_count() == 0 ? void() : "
        "abort(); }\n"
        "} attached;\n");
    std::vector<std::string> words{"g++", "-std=c++20", "-rdynamic", "-I" + source, "-I" + source + "/elementary-lib/emulation"};
#if defined(__SANITIZE_ADDRESS__)
    words.emplace_back("-fsanitize=address,undefined");
#endif
    words.insert(words.end(),
        {"-x", "c++", "stress.cu", "device.cpp", "call.cpp", "-x", "none", FUSEC_EMULATION_LIBRARY, FUSEC_SUPPORT_LIBRARY, "-ldl"});
    const test::Outcome outcome = outcome_of_call(folder, words);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

/// The line of the README that holds `mark`, without its indentation.
std::string readme_line(const std::string& mark) {
    std::istringstream lines(text_of(source + "/README.md"));
    std::string line;
    while (std::getline(lines, line) && !(line.starts_with("    ") && line.find(mark) != std::string::npos)) {
    }
    return line.substr(std::min<std::size_t>(4, line.size()));
}

/// Where nvcc is, or nothing.
std::string nvcc() {
    const test::Outcome found = run({"sh", "-c", "command -v nvcc || ls /usr/local/cuda/bin/nvcc"}, source);
    return found.code == 0 ? found.out.substr(0, found.out.find('\n')) : "";
}

/// As the README says: the compiler installed from a clone that has built it, and a project with its lines.
class ReadmeProject : public Readme {
protected:
    void SetUp() override {
        Readme::SetUp();
        std::filesystem::create_directory_symlink(FUSEC_BUILD_FOLDER, folder.path() / "build");
        const std::string install = readme_line("cmake --install");
        ASSERT_EQ(install, "cmake --install build --prefix \"$HOME/fusec\"");
        const test::Outcome installed = sh(install);
        ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
        std::filesystem::remove(folder.path() / "build");
        std::filesystem::remove_all(folder.path() / "fusec/share/fusec/elementary-lib/emulation"); // the build needs none of it
    }
    /// A project in these languages with the README's lines as they stand, then `more`.
    void write_project(const std::string& languages, const std::string& more) const {
        folder.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\nproject(readme LANGUAGES " + languages + ")\n" + readme_block("cmake") + more);
    }
    /// A line of a shell whose home is the folder, and which finds no `fusec` by its name.
    test::Outcome sh(const std::string& line) const {
        return run({"sh", "-c", "export HOME='" + folder.path().string() + "' PATH=/usr/local/bin:/usr/bin:/bin\n" + line}, folder.path());
    }
};

// The architecture that the README sets is the one that the text asks for, and the header and the refusal say how to set it.
TEST_F(Readme, ItsArchitectureIsTheOneOfTheText) {
    ASSERT_EQ(fusec({"stress.fus", "-o", "stress.cu", "--device", "h200"}, folder.path()).code, 0);
    std::smatch set;
    const std::string lines = readme_block("cmake");
    ASSERT_TRUE(std::regex_search(lines, set, std::regex("set_target_properties\\(stress PROPERTIES CUDA_ARCHITECTURES ([0-9]+)\\)")))
        << lines;
    const std::string sm = "sm_" + set[1].str();
    EXPECT_THAT(folder.read("stress.cu"), testing::HasSubstr("#error \"made for " + sm + " and later: compile with -arch=" + sm + "\"\n"));
    EXPECT_THAT(folder.read("stress.h"), testing::HasSubstr(" for " + sm + " or later"));
}

TEST_F(ReadmeProject, BuildsWithNvccAsItStands) {
    const std::string compiler = nvcc();
    if (compiler.empty()) {
        GTEST_SKIP() << "nvcc is neither on PATH nor in /usr/local/cuda/bin: no CMake project with the language CUDA";
    }
    const auto built = [&](const char* out) {
        const test::Outcome configured = sh("cmake -S . -B " + std::string(out) + " -G Ninja -DCMAKE_CUDA_COMPILER=" + compiler);
        EXPECT_EQ(configured.code, 0) << configured.out << configured.err;
        return sh("cmake --build " + std::string(out));
    };
    write_project("CXX CUDA", "");
    const test::Outcome build = built("out");
    EXPECT_EQ(build.code, 0) << build.out << build.err;
    EXPECT_THAT(run({"nm", "-C", "out/libstress.a"}, folder.path()).out, testing::HasSubstr(" T stress_launch\n"));
}

// CUDA text is compiled by the host's compiler against the emulation's headers, which is all that is added to the README's lines.
TEST_F(ReadmeProject, BuildsALibraryAndMakesItAgainWhenAFileThatWasReadChanges) {
    write_project("CXX",
        "set_source_files_properties(stress.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS \"-xc++;-std=c++17\" INCLUDE_DIRECTORIES " + source +
            "/elementary-lib/emulation)\n");
    folder.write("material.fus", "def stretch(F) { return F - minv(F)'; }\n");
    std::string program = "include \"material.fus\";\n" + readme_block("fus");
    program.replace(program.find("(F - T)"), 7, "stretch(F)");
    for (const char* const generator : {"Ninja", "Unix Makefiles"}) {
        SCOPED_TRACE(generator);
        folder.write("stress.fus", program);
        const test::Outcome configured = sh("cmake -S . -B out -G '" + std::string(generator) + "'");
        ASSERT_EQ(configured.code, 0) << configured.err;
        test::Outcome built = sh("cmake --build out");
        ASSERT_EQ(built.code, 0) << built.out << built.err;
        EXPECT_THAT(run({"nm", "-C", "out/libstress.a"}, folder.path()).out, testing::HasSubstr(" T stress_launch\n"));
        EXPECT_THAT(sh("cmake --build out").out + sh("cmake --build out").err, testing::Not(testing::HasSubstr("Generating")));
        for (const char* const file : {"material.fus", "stress.fus", "fusec/share/fusec/elementary-lib/matrix/minv.cuh",
                 "fusec/share/fusec/elementary-lib/matrix/minv.toml", "fusec/share/fusec/devices/h200.toml"}) {
            const std::string before = folder.read("out/stress.cu");
            const auto later = std::filesystem::last_write_time(folder.path() / "out/stress.cu") + std::chrono::seconds(1);
            std::filesystem::last_write_time(folder.path() / file, std::filesystem::file_time_type::clock::now());
            while (std::filesystem::file_time_type::clock::now() < later) { // generators compare times, some by whole seconds
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            std::ofstream(folder.path() / file, std::ios::app) << (std::string(file).ends_with(".toml") ? "# \n" : "// \n");
            built = sh("cmake --build out");
            EXPECT_EQ(built.code, 0) << built.out << built.err;
            EXPECT_THAT(built.out, testing::HasSubstr("Generating stress.cu")) << file;
            EXPECT_EQ(folder.read("out/stress.cu"), before) << "only comments have changed";
        }
        // A change of what is computed changes what is built.
        const std::string before = folder.read("out/stress.cu");
        folder.write("material.fus", "def stretch(F) { return F + minv(F)'; }\n");
        built = sh("sleep 1; touch material.fus; cmake --build out");
        EXPECT_EQ(built.code, 0) << built.out << built.err;
        EXPECT_NE(folder.read("out/stress.cu"), before);
        folder.write("material.fus", "def stretch(F) { return F - minv(F)'; }\n");
        std::filesystem::remove_all(folder.path() / "out");
    }
}

// Every `fusec ...` in the README's running text works on its program; the long ones among them with fewer candidates.
TEST_F(Readme, ItsCommandsWork) {
    const std::string readme = text_of(source + "/README.md");
    const std::regex command("`fusec ((run|explore|verify) stress\\.fus[^`]*)`");
    int commands = 0;
    for (std::sregex_iterator it(readme.begin(), readme.end(), command), end; it != end; ++it) {
        std::istringstream line((*it)[1]);
        std::vector<std::string> words;
        for (std::string word; line >> word;) {
            words.push_back(word);
        }
        if (line.str().find("--all") != std::string::npos) { // some thousand kernels otherwise
            words.insert(words.end(), {"--max-fusion", "1"});
        }
        SCOPED_TRACE(line.str());
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        ++commands;
    }
    EXPECT_EQ(commands, 3);
}

} // namespace
} // namespace fusec
