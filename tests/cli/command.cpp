// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fusec::test {

namespace fs = std::filesystem;

namespace {

std::string read_all(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return in ? std::move(text).str() : "<absent>";
}

} // namespace

Outcome run(const std::vector<std::string>& words, const fs::path& folder) {
    const TemporaryFolder streams;
    const std::string out = (streams.path() / "out").string();
    const std::string err = (streams.path() / "err").string();
    const pid_t child = ::fork();
    if (child == 0) {
        std::vector<char*> argv;
        std::vector<std::string> copies = words;
        for (std::string& word : copies) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        const int output = ::open(out.c_str(), O_CREAT | O_WRONLY, 0600);
        const int error = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
        if (output < 0 || error < 0 || ::dup2(output, 1) < 0 || ::dup2(error, 2) < 0 || ::chdir(folder.c_str()) != 0) {
            ::_exit(126);
        }
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
    Outcome outcome;
    outcome.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_all(out);
    outcome.err = read_all(err);
    return outcome;
}

Outcome fusec(const std::vector<std::string>& arguments, const fs::path& folder) {
    std::vector<std::string> words{FUSEC_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run(words, folder);
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "fusec-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
}

std::string TemporaryFolder::read(const std::string& name) const {
    return read_all(path_ / name);
}

std::vector<std::string> TemporaryFolder::names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(path_)) {
        result.push_back(entry.path().filename().string());
    }
    std::sort(result.begin(), result.end());
    return result;
}

} // namespace fusec::test
