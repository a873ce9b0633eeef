// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fusec {

namespace {

/// Appends what is there; false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
    char buffer[65536];
    const ssize_t size = ::read(descriptor, buffer, sizeof buffer);
    if (size > 0) {
        text.append(buffer, static_cast<std::size_t>(size));
    }
    return size > 0 || (size < 0 && errno == EINTR);
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

} // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& folder) {
    ProcessResult result;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return result;
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::dup2(nothing, 0);
        ::dup2(ends[1], 1);
        ::dup2(ends[1], 2);
        if (::chdir(folder.c_str()) == 0) {
            ::execv(arguments[0], arguments.data());
        }
        ::_exit(127);
    }
    ::close(ends[1]);
    if (child > 0) {
        result.started = true;
        while (read_some(ends[0], result.output)) {
        }
        const int status = wait_for(child);
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    ::close(ends[0]);
    return result;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(name, ignored) && ::access(name.c_str(), X_OK) == 0
            ? std::optional<std::filesystem::path>(name)
            : std::nullopt;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path program = std::filesystem::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return std::nullopt;
}

} // namespace fusec
