// SPDX-License-Identifier: Apache-2.0
// Context switch: a few instructions on x86-64 with the System V ABI (swapcontext makes a system call per switch, which dominates an
// emulated kernel), ucontext elsewhere.
#include "elementary-lib/emulation/fiber.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__ELF__) && !defined(FUSEC_FIBER_UCONTEXT)
#define FUSEC_FIBER_X86_64 1
#else
#define FUSEC_FIBER_X86_64 0
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FUSEC_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUSEC_FIBER_ASAN 1
#endif
#endif
#ifdef FUSEC_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define FUSEC_FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FUSEC_FIBER_TSAN 1
#endif
#endif
#ifdef FUSEC_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if FUSEC_FIBER_X86_64
// Saves the callee-saved registers on the current stack, stores the stack pointer to *save, and continues at `load`.
extern "C" void fusec_fiber_switch(void** save, void* load);
asm(R"(
    .text
    .globl fusec_fiber_switch
    .hidden fusec_fiber_switch
    .type fusec_fiber_switch, @function
fusec_fiber_switch:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size fusec_fiber_switch, .-fusec_fiber_switch
)");
#endif

namespace fusec::emulation {

/// Where the fiber and its resumer continue, and what the sanitizers know of the two stacks.
struct Fiber::Context {
#if FUSEC_FIBER_X86_64
    void* inside = nullptr;
    void* outside = nullptr;
#else
    ucontext_t inside{};
    ucontext_t outside{};
#endif
#ifdef FUSEC_FIBER_ASAN
    void* inside_fake_stack = nullptr;
    void* outside_fake_stack = nullptr;
    const void* outside_stack = nullptr;
    std::size_t outside_stack_bytes = 0;
#endif
#ifdef FUSEC_FIBER_TSAN
    void* inside_fiber = nullptr;
    void* outside_fiber = nullptr;
#endif
};

namespace {

/// The fiber that a first resume() is entering; a fresh context has no way to take an argument.
thread_local Fiber* starting = nullptr;

std::size_t page_bytes() {
    static const std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

} // namespace

void run_started_fiber() {
    Fiber::run_from_start(starting);
}

Fiber::Fiber(std::size_t stack_bytes) : mapped_bytes_(stack_bytes + page_bytes()), context_(std::make_unique<Context>()) {
    void* const mapped =
        ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    stack_ = mapped;
    ::mprotect(stack_, page_bytes(), PROT_NONE);
}

Fiber::~Fiber() {
#ifdef FUSEC_FIBER_TSAN
    if (context_->inside_fiber != nullptr) {
        __tsan_destroy_fiber(context_->inside_fiber);
    }
#endif
    ::munmap(stack_, mapped_bytes_);
}

void Fiber::start(void (*function)(void*), void* argument) {
    const bool dropped = !finished_;
    function_ = function;
    argument_ = argument;
    finished_ = false;
    char* const low = static_cast<char*>(stack_) + page_bytes();
    char* const top = static_cast<char*>(stack_) + mapped_bytes_;
#ifdef FUSEC_FIBER_ASAN
    if (dropped) { // its frames leave their red zones behind
        __asan_unpoison_memory_region(low, static_cast<std::size_t>(top - low));
    }
    context_->inside_fake_stack = nullptr;
#endif
#ifdef FUSEC_FIBER_TSAN
    if (context_->inside_fiber != nullptr) {
        __tsan_destroy_fiber(context_->inside_fiber);
    }
    context_->inside_fiber = __tsan_create_fiber(0);
#endif
#if FUSEC_FIBER_X86_64
    static_cast<void>(low);
    static_cast<void>(dropped);
    // From the top: a null return address for unwinders, the entry (entered by `ret`, so that the stack pointer is 8 modulo 16 as
    // after a call), and six zeros for the registers.
    void** slot = reinterpret_cast<void**>(top);
    *--slot = nullptr;
    *--slot = reinterpret_cast<void*>(&run_started_fiber);
    for (int i = 0; i < 6; ++i) {
        *--slot = nullptr;
    }
    context_->inside = slot;
#else
    ::getcontext(&context_->inside);
    context_->inside.uc_stack.ss_sp = low;
    context_->inside.uc_stack.ss_size = static_cast<std::size_t>(top - low);
    context_->inside.uc_link = nullptr;
    ::makecontext(&context_->inside, run_started_fiber, 0);
#endif
}

void Fiber::run_from_start(Fiber* fiber) {
#ifdef FUSEC_FIBER_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &fiber->context_->outside_stack, &fiber->context_->outside_stack_bytes);
#endif
    fiber->function_(fiber->argument_);
    fiber->finished_ = true;
    fiber->suspend();
    std::abort(); // a finished fiber is never resumed
}

void Fiber::resume() {
    Context& context = *context_;
    starting = this;
#ifdef FUSEC_FIBER_ASAN
    char* const low = static_cast<char*>(stack_) + page_bytes();
    __sanitizer_start_switch_fiber(&context.outside_fake_stack, low, mapped_bytes_ - page_bytes());
#endif
#ifdef FUSEC_FIBER_TSAN
    context.outside_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(context.inside_fiber, 0);
#endif
#if FUSEC_FIBER_X86_64
    fusec_fiber_switch(&context.outside, context.inside);
#else
    ::swapcontext(&context.outside, &context.inside);
#endif
#ifdef FUSEC_FIBER_ASAN
    __sanitizer_finish_switch_fiber(context.outside_fake_stack, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
    Context& context = *context_;
#ifdef FUSEC_FIBER_ASAN
    // A finished run leaves its fake stack to be freed.
    __sanitizer_start_switch_fiber(finished_ ? nullptr : &context.inside_fake_stack, context.outside_stack, context.outside_stack_bytes);
#endif
#ifdef FUSEC_FIBER_TSAN
    __tsan_switch_to_fiber(context.outside_fiber, 0);
#endif
#if FUSEC_FIBER_X86_64
    fusec_fiber_switch(&context.inside, context.outside);
#else
    ::swapcontext(&context.inside, &context.outside);
#endif
#ifdef FUSEC_FIBER_ASAN
    __sanitizer_finish_switch_fiber(context.inside_fake_stack, &context.outside_stack, &context.outside_stack_bytes);
#endif
}

} // namespace fusec::emulation
