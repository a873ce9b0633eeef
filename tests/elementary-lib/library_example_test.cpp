// SPDX-License-Identifier: Apache-2.0
// docs/library.md, "Adding a function, step by step": the files it shows are those of examples/library/, and its commands do what it says.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fusec {
namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

/// The section's lines, without the heading.
std::vector<std::string> steps() {
    std::istringstream in(text_of(FUSEC_SOURCE_DIR "/docs/library.md"));
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) {
            inside = line == "## Adding a function, step by step";
        } else if (inside) {
            lines.push_back(line);
        }
    }
    return lines;
}

/// The fenced block after the line that ends with the file's name in backticks; fences stand in the item of a list, so Markdown sees code.
std::string shown(const std::string& file) {
    std::string block;
    bool named = false;
    bool inside = false;
    for (const std::string& line : steps()) {
        if (inside && line == "   ```") {
            return block;
        }
        if (inside) {
            block += (line.empty() ? line : line.substr(3)) + "\n";
        }
        inside = inside || (named && line.starts_with("   ```"));
        named = named || line.ends_with("`" + file + "`");
    }
    return "<no block>";
}

// Four blanks in the item of a list are a paragraph of it, not code.
TEST(LibraryPage, ShowsCodeInFences) {
    bool inside = false;
    for (const std::string& line : steps()) {
        inside = inside != line.starts_with("   ```");
        EXPECT_TRUE(inside || !line.starts_with("    ")) << line;
    }
    EXPECT_FALSE(inside);
}

class LibraryExample : public testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directory_symlink(FUSEC_SOURCE_DIR "/examples", folder.path() / "examples"); }

    /// Runs the command of the section that starts so, in a folder with `examples/`.
    test::Outcome run(const std::string& start) const {
        for (const std::string& line : steps()) {
            if (line.starts_with("   fusec " + start)) {
                const std::string path = std::filesystem::path(FUSEC_BINARY).parent_path().string();
                return test::run({"sh", "-c", "PATH='" + path + "':$PATH; " + line}, folder.path());
            }
        }
        ADD_FAILURE() << "no command `fusec " << start << "`";
        return {};
    }
    test::TemporaryFolder folder;
};

TEST_F(LibraryExample, TheFilesAreTheOnesShown) {
    for (const char* file :
        {"examples/library/vector/vnormalize.toml", "examples/library/vector/vnormalize.cuh", "examples/library/normals.fus"}) {
        EXPECT_EQ(shown(file), text_of(std::filesystem::path(FUSEC_SOURCE_DIR) / file)) << file;
    }
}

TEST_F(LibraryExample, ItIsChecked) {
    const test::Outcome check = run("library check");
    EXPECT_EQ(check.code, 0) << check.err;
    EXPECT_EQ(check.err, "");
    EXPECT_THAT(check.out, testing::StartsWith("examples/library: 1 function, 2 implementations in "));
    EXPECT_THAT(check.out, testing::HasSubstr(", 0 instances differ, 0 implementations not run\n"));
}

TEST_F(LibraryExample, ItIsShown) {
    const test::Outcome show = test::fusec({"library", "show", "vnormalize", "--library", "examples/library"}, folder.path());
    EXPECT_EQ(show.code, 0) << show.err;
    EXPECT_EQ(show.out, R"(vnormalize(v) -> c: c = v / |v|
  operand v         VECTOR[N], nonzero
  result c          VECTOR[N]
  shape             N
  reference         c[i] = v[i] / sqrt(sum(k) v[k] * v[k])
  flops             3*N + 1
  divisions         1
  square roots      1
  by element        1 thread, temporaries 2
  by entry          N threads: v all, c entry, where N > 1, temporaries 2, flops N*(2*N + 2), divisions N, square roots N, template `vnormalize_rows`
  metadata          examples/library/vector/vnormalize.toml
  device source     examples/library/vector/vnormalize.cuh
)");
}

TEST_F(LibraryExample, ItIsUsed) {
    const test::Outcome compile = run("examples/library/normals.fus");
    EXPECT_EQ(compile.code, 0) << compile.err;
    EXPECT_THAT(folder.read("normals.cu"), testing::HasSubstr("// n = vnormalize("));
}

TEST_F(LibraryExample, ItIsVerified) {
    const test::Outcome verify = run("verify");
    EXPECT_EQ(verify.code, 0) << verify.err;
    EXPECT_THAT(verify.out, testing::HasSubstr("0 mismatches")) << verify.out;
}

} // namespace
} // namespace fusec
