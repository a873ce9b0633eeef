// SPDX-License-Identifier: Apache-2.0
// Every word of the headers that generated text includes, taken as the name of a program and of a datum: what becomes of it collides with
// nothing in those headers that are installed, as the host's compiler sees them.
#include "frontend/identifiers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include <unistd.h>

namespace fusec::frontend {
namespace {

namespace fs = std::filesystem;

const char* const of_the_host = "#include <algorithm>\n#include <cstddef>\n#include <cstdint>\n#include <math.h>\n#include <string.h>\n"
                                "#include <utility>\n#include <type_traits>\n#ifdef __x86_64__\n#include <immintrin.h>\n#endif\n";
const char* const of_cuda = "#include <cuda_runtime.h>\n";

class HeaderNames : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("fusec_header_names_" + std::to_string(::getpid()));
        fs::create_directory(folder_);
        const fs::path toolkit = "/usr/local/cuda/include";
        if (fs::exists(toolkit / "cuda_runtime.h")) {
            includes_ += of_cuda;
            flags_ = " -I" + toolkit.string();
        } else {
            std::cout << "no CUDA in /usr/local/cuda: the host's headers only\n";
        }
        write("headers.cpp", includes_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    /// What the compiler says to these words; 0 is success.
    int compiler(const std::string& words) const {
        return std::system(("cd '" + folder_.string() + "' && g++ -std=c++20 -fopenmp -w" + flags_ + " " + words).c_str());
    }
    std::set<std::string> words_of(const std::string& text) const {
        std::set<std::string> words;
        std::string word;
        for (const char c : text + " ") {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
                word += c;
            } else {
                if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
                    words.insert(word);
                }
                word.clear();
            }
        }
        return words;
    }

    std::string includes_ = of_the_host, flags_;
    fs::path folder_;
};

TEST_F(HeaderNames, LeaveTheNamespacesOfProgramsFree) {
    ASSERT_EQ(compiler("-E -P headers.cpp -o words"), 0);
    std::set<std::string> namespaces;
    for (const std::string& word : words_of(read("words"))) {
        namespaces.insert(namespace_name(program_name(word)));
    }
    EXPECT_GT(namespaces.size(), 1000U);
    std::string text = includes_;
    for (const std::string& name : namespaces) {
        text += "namespace " + name + " { const int launch = 0; }\n";
    }
    write("namespaces.cpp", text);
    EXPECT_EQ(compiler("-fsyntax-only -fmax-errors=20 namespaces.cpp 2>errors"), 0) << read("errors");
}

TEST_F(HeaderNames, LeaveTheNamesOfDataFree) {
    ASSERT_EQ(compiler("-E -dM headers.cpp -o macros"), 0);
    IdentifierPool pool;
    std::string text = includes_ + "struct lists {\n";
    std::istringstream lines(read("macros"));
    std::size_t members = 0;
    for (std::string define, name, line; lines >> define >> name; ++members) {
        std::getline(lines, line);
        name.resize(std::min(name.find('('), name.size()));
        text += "    const float* " + pool.take(without_implementation_form(as_identifier(name, "value"))) + ";\n";
    }
    EXPECT_GT(members, 300U);
    write("members.cpp", text + "};\n");
    EXPECT_EQ(compiler("-fsyntax-only -fmax-errors=20 members.cpp 2>errors"), 0) << read("errors");
}

} // namespace
} // namespace fusec::frontend
