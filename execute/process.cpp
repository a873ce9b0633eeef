// SPDX-License-Identifier: Apache-2.0
#include "execute/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fusec::execute {

namespace {

using Clock = std::chrono::steady_clock;

/// The end of a child's text that says the function has returned; a child that ends before leaves it out.
constexpr char completed_mark = '\x06';
constexpr char ended_mark = '\x05'; ///< an exit code could be anybody's: sanitizers have theirs

/// Where the child of run_children writes; -1 outside of one.
int result_pipe = -1;

bool write_all(int descriptor, const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(descriptor, data, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        data += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

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

/// Of this process and, apart, of each that it starts; the signal at the end of the time is SIGXCPU.
void limit_processor_time(double seconds) {
    const auto whole = static_cast<rlim_t>(std::ceil(seconds));
    const rlimit limit{whole, whole + 1};
    ::setrlimit(RLIMIT_CPU, &limit);
}

/// Written when the limit is set, since the handler may not allocate.
std::array<char, 80> step_fault{};
std::string (*step_told)(const std::string& fault) = nullptr;

void on_step_limit(int) {
    if (step_told == nullptr) {
        end_child(step_fault.data());
    }
    // What composes the text is not async-signal-safe: a step that holds a lock of the allocator would wait for ever.
    std::signal(SIGALRM, SIG_DFL);
    ::alarm(2);
    end_child(step_told(step_fault.data()).c_str());
}

struct Child {
    std::size_t index = 0;
    pid_t process = -1;
    Clock::time_point deadline;
};

} // namespace

void send_from_child(const std::string& text) {
    write_all(result_pipe, text.data(), text.size());
}

void limit_step(double seconds, std::string (*told)(const std::string& fault)) {
    step_told = told;
    std::snprintf(step_fault.data(), step_fault.size(), "does not end within %ld s of processor time", std::max(1L, std::lround(seconds)));
    struct sigaction action{};
    action.sa_handler = on_step_limit;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(SIGPROF, &action, nullptr);
    itimerval limit{};
    limit.it_value.tv_sec = static_cast<time_t>(seconds);
    limit.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    ::setitimer(ITIMER_PROF, &limit, nullptr);
}

void end_child(const char* text) {
    write_all(result_pipe, text, std::strlen(text));
    write_all(result_pipe, &ended_mark, 1);
    ::_exit(1);
}

std::vector<ChildResult> run_children(
    const std::vector<std::function<std::string()>>& functions, unsigned jobs, double seconds, double patience) {
    std::vector<ChildResult> results(functions.size());
    std::map<int, Child> running; // by the descriptor that its text comes from
    std::size_t next = 0;
    const auto exceeded = [](double limit) { return "exceeded " + std::to_string(static_cast<long>(std::ceil(limit))) + " s"; };
    const auto finish = [&](int descriptor, const char* fault) {
        const Child child = running.at(descriptor);
        if (fault != nullptr) {
            ::kill(child.process, SIGKILL);
        }
        const int status = wait_for(child.process);
        ChildResult& result = results[child.index];
        if (fault != nullptr) {
            result.fault = fault;
        } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
            result.fault = exceeded(seconds) + " of processor time";
        } else if (WIFSIGNALED(status)) {
            result.fault = "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
        } else if (WEXITSTATUS(status) == 0 && !result.text.empty() && result.text.back() == completed_mark) {
            result.text.pop_back();
            result.completed = true;
        } else if (WEXITSTATUS(status) == 1 && !result.text.empty() && result.text.back() == ended_mark) {
            result.text.pop_back();
            result.fault = "ended";
        } else {
            result.fault = "exit code " + std::to_string(WEXITSTATUS(status));
        }
        ::close(descriptor);
        running.erase(descriptor);
    };
    while (next < functions.size() || !running.empty()) {
        while (next < functions.size() && running.size() < std::max(jobs, 1u)) {
            int ends[2];
            if (::pipe2(ends, O_CLOEXEC) != 0) {
                results[next++].fault = std::string("no pipe: ") + std::strerror(errno);
                continue;
            }
            const pid_t child = ::fork();
            if (child == 0) {
                ::close(ends[0]);
                result_pipe = ends[1];
                limit_processor_time(seconds);
                const std::string text = functions[next]() + completed_mark;
                ::_exit(write_all(ends[1], text.data(), text.size()) ? 0 : 1);
            }
            ::close(ends[1]);
            if (child < 0) {
                ::close(ends[0]);
                results[next++].fault = std::string("no process: ") + std::strerror(errno);
                continue;
            }
            running[ends[0]] = {next++, child,
                Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience * seconds))};
        }
        std::vector<pollfd> waiting;
        Clock::time_point first = Clock::time_point::max();
        for (const auto& [descriptor, child] : running) {
            waiting.push_back({descriptor, POLLIN, 0});
            first = std::min(first, child.deadline);
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count() + 1;
        ::poll(waiting.data(), waiting.size(), waiting.empty() ? 0 : static_cast<int>(std::clamp<long>(left, 0, 1000000)));
        for (const pollfd& entry : waiting) {
            const Child& child = running.at(entry.fd);
            if (entry.revents != 0) {
                if (!read_some(entry.fd, results[child.index].text)) {
                    finish(entry.fd, nullptr);
                }
            } else if (Clock::now() >= child.deadline) {
                finish(entry.fd, exceeded(patience * seconds).c_str());
            }
        }
    }
    return results;
}

} // namespace fusec::execute
