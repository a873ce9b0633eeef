// SPDX-License-Identifier: Apache-2.0
#include "fusion/workers.hpp"

#include "support/diagnostics.hpp"
#include "support/processors.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace fusec::fusion {

namespace {

constexpr std::size_t most_workers = 64;

std::size_t workers_wanted() {
    if (const char* text = std::getenv("FUSEC_THREADS")) {
        if (const long wanted = std::strtol(text, nullptr, 10); wanted > 0) {
            return std::min(static_cast<std::size_t>(wanted), most_workers);
        }
    }
    return std::min<std::size_t>(threads_at_once(), most_workers);
}

} // namespace

struct Workers::State {
    std::mutex mutex;
    std::condition_variable_any begun, done;
    // What is being done, guarded by the mutex.
    const Work* work = nullptr;
    std::uint64_t run = 0; ///< number of the call
    std::size_t items = 0, grain = 1, next = 0;
    std::size_t busy = 0; ///< workers with a part
    std::size_t failed_at = 0;
    std::exception_ptr failure;
    std::size_t asked = 1;
    std::vector<std::jthread> threads; ///< last: they end before the rest

    /// Takes part after part until none is left. Pre: the lock is held; it is while parts are taken.
    void take_parts(std::size_t worker, std::unique_lock<std::mutex>& lock) {
        while (next < items) {
            const std::size_t begin = next;
            const std::size_t end = std::min(items, begin + grain);
            next = end;
            ++busy;
            const Work& mine = *work;
            lock.unlock();
            std::exception_ptr thrown;
            try {
                mine(worker, begin, end);
            } catch (...) {
                thrown = std::current_exception();
            }
            lock.lock();
            --busy;
            if (thrown && (!failure || begin < failed_at)) {
                failure = thrown;
                failed_at = begin;
            }
        }
    }

    void serve(const std::stop_token& stop, std::size_t worker) {
        std::unique_lock lock(mutex);
        std::uint64_t served = 0;
        while (begun.wait(lock, stop, [&] { return run != served; })) {
            served = run;
            take_parts(worker, lock);
            if (busy == 0) {
                done.notify_one();
            }
        }
    }
};

Workers::Workers(std::size_t count) : state_(std::make_unique<State>()) {
    internal_check(count > 0, "workers: the caller is one");
    state_->asked = count;
    try {
        for (std::size_t worker = 1; worker < count; ++worker) {
            state_->threads.emplace_back([state = state_.get(), worker](const std::stop_token& stop) { state->serve(stop, worker); });
        }
    } catch (const std::system_error&) {
        // The system gives no more threads: those there are do the work, with the same result. `asked` tells.
    }
}

Workers::~Workers() = default;

namespace {

std::unique_ptr<Workers>& workers_of_process() {
    static std::unique_ptr<Workers> workers = std::make_unique<Workers>(workers_wanted());
    return workers;
}

} // namespace

Workers& Workers::shared() {
    return *workers_of_process();
}

void Workers::use(std::size_t count) {
    workers_of_process() = std::make_unique<Workers>(count);
}

std::size_t Workers::count() const {
    return state_->threads.size() + 1;
}

std::size_t Workers::asked() const {
    return state_->asked;
}

void Workers::run(std::size_t items, std::size_t grain, const Work& work) {
    State& s = *state_;
    std::unique_lock lock(s.mutex);
    s.work = &work;
    s.items = items;
    s.grain = std::max<std::size_t>(1, grain);
    s.next = 0;
    s.failure = nullptr;
    if (items > s.grain) { // else there is one part, and it is the caller's
        ++s.run;
        s.begun.notify_all();
    }
    s.take_parts(0, lock);
    s.done.wait(lock, [&] { return s.busy == 0; });
    s.work = nullptr;
    if (s.failure) {
        std::rethrow_exception(std::exchange(s.failure, nullptr));
    }
}

} // namespace fusec::fusion
