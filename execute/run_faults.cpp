// SPDX-License-Identifier: Apache-2.0
#include "execute/run_faults.hpp"

#include "execute/process.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

namespace fusec::execute {

namespace {

const FaultScene* scene = nullptr;

/// `demo_kernels::fusec::twice_element` of `void demo_kernels::fusec::twice_element<...>(...)`.
std::string bare_name(const char* symbol) {
    int status = 0;
    char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? demangled : symbol;
    std::free(demangled);
    name.resize(std::min(name.find_first_of("<("), name.size()));
    return name.substr(name.rfind(' ') + 1);
}

/// The innermost function of the host code that has a name, with its kernel: `twice_element in demo_kernels::demo_F`. Empty when none has.
std::string host_function() {
    std::array<void*, 64> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    Dl_info own{}, info{};
    std::string routine;
    for (int i = 0; i < depth && ::dladdr(scene->code, &own) != 0; ++i) {
        if (::dladdr(frames[static_cast<std::size_t>(i)], &info) == 0 || info.dli_fbase != own.dli_fbase || info.dli_sname == nullptr) {
            continue;
        }
        const std::string name = bare_name(info.dli_sname);
        const std::size_t runtime = name.find("::fusec::");
        if (runtime == std::string::npos) {
            return routine.empty() ? name : routine + " in " + name;
        }
        routine = routine.empty() ? name.substr(runtime + 9) : routine;
    }
    return routine;
}

/// The fault with the kernel that runs and its launch.
std::string told(const std::string& fault) {
    const std::string running = scene->device != nullptr ? scene->device->running() : host_function();
    return (running.empty() ? "" : running + ": ") + fault + " (" + scene->launch + ")";
}

/// Runs on a stack of its own; the process ends here, so that what is not async-signal-safe (strings) can at worst fault once more, which
/// ends the process as well.
void on_memory_fault(int signal, siginfo_t* info, void*) {
    std::signal(signal, SIG_DFL);
    std::string text = signal == SIGFPE ? "arithmetic exception"
        : signal == SIGILL              ? "illegal instruction"
                                        : "access outside of every list";
    if (scene->lists != nullptr && (signal == SIGSEGV || signal == SIGBUS)) {
        for (const auto& list : *scene->lists) {
            if (const auto place = list->describe(info->si_addr)) {
                text = "access outside of " + *place;
            }
        }
    }
    end_child(told(text).c_str());
}

void install_fault_handler() {
    static std::array<unsigned char, 65536> stack;
    stack_t alternate{};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_memory_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        ::sigaction(signal, &action, nullptr);
    }
}

} // namespace

void catch_faults(const FaultScene& faults) {
    scene = &faults;
    void* frame = nullptr;
    ::backtrace(&frame, 1); // the first call loads a library, which no handler may do
    install_fault_handler();
}

void limit_launch(double seconds) {
    limit_step(seconds, told);
}

} // namespace fusec::execute
