// SPDX-License-Identifier: Apache-2.0
// A fiber: a function with a stack of its own that can stop in the middle and go on later. The threads of an emulated block are
// fibers, so that they can wait for each other in one operating system thread.
#pragma once

#include <cstddef>
#include <memory>

namespace fusec::emulation {

/// Restartable: one stack serves any number of runs. Known to AddressSanitizer and ThreadSanitizer. Not movable, single-threaded.
class Fiber {
public:
    /// Maps a stack of `stack_bytes` (a multiple of the page) below which a page is inaccessible. Throws std::bad_alloc.
    explicit Fiber(std::size_t stack_bytes = default_stack_bytes);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Starts `function(argument)` at the next resume; a run that was suspended is dropped without unwinding.
    void start(void (*function)(void*), void* argument);
    /// Runs until the function suspends or returns. Pre: started and not finished; called from outside of any fiber.
    void resume();
    /// Gives control back to the caller of resume(). Pre: called by the running fiber.
    void suspend();
    bool finished() const { return finished_; }

    /// Pages are only backed once touched, so a roomy stack costs nothing; unoptimised code needs a few element matrices per frame.
    static constexpr std::size_t default_stack_bytes = std::size_t{1} << 20;

private:
    struct Context;
    static void run_from_start(Fiber* fiber);
    friend void run_started_fiber();

    void* stack_ = nullptr; ///< lowest address, the inaccessible page included
    std::size_t mapped_bytes_ = 0;
    void (*function_)(void*) = nullptr;
    void* argument_ = nullptr;
    bool finished_ = true;
    std::unique_ptr<Context> context_;
};

} // namespace fusec::emulation
