// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/emulation/device.hpp"

#include "elementary-lib/emulation/cuda_runtime.h"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace fusec::emulation {

using fusec_emulation::Launch;
using fusec_emulation::Site;

namespace {

constexpr std::size_t default_shared_bytes = 48 * 1024; ///< without cudaFuncSetAttribute
constexpr std::size_t largest_grid_x = 2147483647, largest_grid_yz = 65535;

std::string thread_text(std::size_t thread) {
    return "thread " + std::to_string(thread);
}

std::string line_text(const Site& site) {
    return "line " + std::to_string(site.line);
}

} // namespace

Device::Device(const DeviceOptions& options) : options_(options), random_(options.seed) {}

Device::~Device() = default;

void Device::set_schedule(Schedule schedule, std::uint64_t seed) {
    options_.schedule = schedule;
    random_.seed(seed);
}

int Device::allow_shared_bytes(const void* kernel, int bytes) {
    if (bytes < 0 || static_cast<std::size_t>(bytes) > options_.shared_bytes_per_block) {
        return cudaErrorInvalidValue;
    }
    allowed_bytes_[kernel] = bytes;
    return cudaSuccess;
}

int Device::launch(const Launch& launch) {
    const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
    if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0 || launch.grid.x > largest_grid_x ||
        launch.grid.y > largest_grid_yz || launch.grid.z > largest_grid_yz || threads == 0 || threads > options_.threads_per_block) {
        return cudaErrorInvalidConfiguration;
    }
    const auto allowed = allowed_bytes_.find(launch.kernel);
    if (launch.shared_bytes >
        std::max(default_shared_bytes, allowed == allowed_bytes_.end() ? std::size_t{0} : static_cast<std::size_t>(allowed->second))) {
        return cudaErrorInvalidValue;
    }
    while (threads_.size() < threads) {
        threads_.push_back(std::make_unique<Thread>());
    }
    block_threads_ = threads;
    clocks_.resize((threads + Shadow::warp - 1) / Shadow::warp);
    shadow_.resize((launch.shared_bytes + 3) / 4);
    memory_.resize(std::max(memory_.size(), launch.shared_bytes));
    launch_ = &launch;
    kernel_ = kernel_name(launch.kernel);
    const auto named = tiles_.find(kernel_);
    kernel_tiles_ = named == tiles_.end() ? nullptr : &named->second;
    coordinates_.block_size = launch.block;
    coordinates_.grid_size = launch.grid;
    for (std::size_t i = 0; i < threads; ++i) {
        const auto index = static_cast<unsigned>(i);
        threads_[i]->index = {index % launch.block.x, index / launch.block.x % launch.block.y, index / (launch.block.x * launch.block.y)};
    }
    bool complete = true;
    for (BlockOrder order(launch.grid, options_.schedule, random_); complete && !order.done();) {
        coordinates_.block = order.take();
        complete = run_block();
    }
    launch_ = nullptr;
    return complete ? cudaSuccess : cudaErrorLaunchFailure;
}

void Device::run_thread(void* opaque) {
    Device& device = *static_cast<Device*>(opaque);
    device.launch_->run(device.launch_->arguments);
    Thread& thread = *device.threads_[device.current_];
    if (!thread.copies.empty()) {
        const Copy& copy = thread.copies.front();
        device.report(Fault::unfinished_copy, device.tile_at(copy.offset),
            thread_text(device.current_) + " ends with " + std::to_string(thread.copies.size()) +
                " asynchronous copies that it has not waited for");
    }
    thread.state = State::finished;
}

/// False when the block cannot be run to its end.
bool Device::run_block() {
    shadow_.start_block(++epoch_);
    std::fill(clocks_.begin(), clocks_.end(), 0);
    for (std::size_t i = 0; i < block_threads_; ++i) {
        Thread& thread = *threads_[i];
        thread.state = State::ready;
        thread.site = {};
        thread.copies.clear();
        thread.fiber.start(&Device::run_thread, this);
    }
    for (;;) {
        run_ready_threads();
        const bool exchanges = release_exchanges(), warps = release_warps();
        if (exchanges || warps || release_block()) {
            continue;
        }
        if (std::all_of(threads_.begin(), threads_.begin() + static_cast<std::ptrdiff_t>(block_threads_),
                [](const auto& thread) { return thread->state == State::finished; })) {
            return true;
        }
        report_unreached();
        return false;
    }
}

void Device::run_ready_threads() {
    order_.resize(block_threads_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    switch (options_.schedule) {
    case Schedule::forward:
        break;
    case Schedule::reverse:
        std::reverse(order_.begin(), order_.end());
        break;
    case Schedule::shuffled:
        std::shuffle(order_.begin(), order_.end(), random_);
        break;
    }
    for (const std::size_t index : order_) {
        Thread& thread = *threads_[index];
        if (thread.state == State::ready) {
            current_ = index;
            coordinates_.thread = thread.index;
            thread.fiber.resume();
        }
    }
}

bool Device::release_warps() {
    bool released = false;
    for (std::size_t first = 0; first < block_threads_; first += Shadow::warp) {
        const std::size_t last = std::min(first + Shadow::warp, block_threads_);
        bool waiting = false, all = true;
        for (std::size_t i = first; i < last; ++i) {
            waiting = waiting || threads_[i]->state == State::at_warp_barrier;
            all = all && (threads_[i]->state == State::at_warp_barrier || threads_[i]->state == State::finished);
        }
        if (waiting && all) {
            ++clocks_[first / Shadow::warp];
            release(first, last, "__syncwarp");
            released = true;
        }
    }
    return released;
}

/// Whether all threads of the mask of the thread's exchange have come to one.
bool Device::complete(std::size_t thread) {
    const Exchange& exchange = threads_[thread]->exchange;
    const std::size_t first = thread / Shadow::warp * Shadow::warp;
    for (unsigned lane = 0; lane < Shadow::warp; ++lane) {
        if ((exchange.mask >> lane & 1) != 0 && (first + lane >= block_threads_ || threads_[first + lane]->state != State::at_exchange)) {
            return false;
        }
    }
    return true;
}

/// Lets the threads of every complete exchange go on with the values that they asked for.
bool Device::release_exchanges() {
    bool released = false;
    for (std::size_t i = 0; i < block_threads_; ++i) {
        if (threads_[i]->state != State::at_exchange || !complete(i)) {
            continue;
        }
        const std::size_t first = i / Shadow::warp * Shadow::warp;
        const unsigned mask = threads_[i]->exchange.mask;
        for (unsigned lane = 0; lane < Shadow::warp; ++lane) {
            if ((mask >> lane & 1) == 0) {
                continue;
            }
            Thread& thread = *threads_[first + lane];
            Exchange& exchange = thread.exchange;
            if (exchange.mask != mask || exchange.bytes != threads_[i]->exchange.bytes || thread.site.line != threads_[i]->site.line ||
                std::strcmp(thread.site.file, threads_[i]->site.file) != 0) {
                current_ = first + lane;
                report(Fault::divergent_exchange, {},
                    "threads meet at different exchanges: " + thread_text(i) + " in " + line_text(threads_[i]->site) + ", " +
                        thread_text(first + lane) + " in " + line_text(thread.site));
            }
            if ((mask >> exchange.source & 1) == 0) {
                current_ = first + lane;
                report(Fault::bad_exchange, {},
                    thread_text(current_) + " takes the value of " + thread_text(first + exchange.source) +
                        ", which is not in the mask of the exchange");
                exchange.taken = {};
            } else {
                exchange.taken = threads_[first + exchange.source]->exchange.given;
            }
            thread.state = State::ready;
        }
        released = true;
    }
    return released;
}

bool Device::release_block() {
    bool waiting = false;
    for (std::size_t i = 0; i < block_threads_; ++i) {
        const State state = threads_[i]->state;
        if (state != State::at_block_barrier && state != State::finished) {
            return false;
        }
        waiting = waiting || state == State::at_block_barrier;
    }
    if (waiting) {
        ++epoch_;
        release(0, block_threads_, "__syncthreads");
    }
    return waiting;
}

/// Lets the waiting threads first..last-1 go on; they must all stand at one barrier of the text.
void Device::release(std::size_t first, std::size_t last, const char* barrier) {
    std::size_t leader = last;
    for (std::size_t i = first; i < last; ++i) {
        Thread& thread = *threads_[i];
        if (thread.state == State::finished) {
            continue;
        }
        thread.state = State::ready;
        if (leader == last) {
            leader = i;
        } else if (thread.site.line != threads_[leader]->site.line || std::strcmp(thread.site.file, threads_[leader]->site.file) != 0) {
            current_ = i;
            report(Fault::divergent_barrier, {},
                std::string("threads meet at different `") + barrier + "`: " + thread_text(leader) + " in " +
                    line_text(threads_[leader]->site) + ", " + thread_text(i) + " in " + line_text(thread.site));
        }
    }
}

void Device::report_unreached() {
    for (std::size_t i = 0; i < block_threads_; ++i) {
        if (threads_[i]->state == State::at_exchange) {
            return report_unreached_exchange(i);
        }
    }
    // Nothing is ready, and neither the block nor any warp can be released: both kinds of barrier are waited at.
    const auto waits = [&](State state) {
        std::size_t found = block_threads_;
        for (std::size_t i = block_threads_; i-- > 0;) {
            found = threads_[i]->state == state ? i : found;
        }
        return found;
    };
    const std::size_t block = waits(State::at_block_barrier), warp = waits(State::at_warp_barrier);
    internal_check(block < block_threads_ && warp < block_threads_, "a block stopped without two kinds of barrier being waited at");
    current_ = block;
    report(Fault::unreached_barrier, {},
        "`__syncthreads` in " + line_text(threads_[block]->site) + " is not reached by all threads: " + thread_text(block) +
            " waits there, " + thread_text(warp) + " waits at `__syncwarp` in " + line_text(threads_[warp]->site));
}

void Device::report_unreached_exchange(std::size_t thread) {
    const Exchange& exchange = threads_[thread]->exchange;
    const std::size_t first = thread / Shadow::warp * Shadow::warp;
    current_ = thread;
    std::string absent;
    for (unsigned lane = 0; lane < Shadow::warp && absent.empty(); ++lane) {
        const std::size_t other = first + lane;
        if ((exchange.mask >> lane & 1) == 0) {
            continue;
        }
        if (other >= block_threads_) {
            absent = thread_text(other) + " does not exist";
        } else if (threads_[other]->state == State::finished) {
            absent = thread_text(other) + " has ended";
        } else if (threads_[other]->state != State::at_exchange) {
            absent = thread_text(other) + " waits at a barrier in " + line_text(threads_[other]->site);
        }
    }
    report(Fault::unreached_exchange, {},
        "the exchange in " + line_text(threads_[thread]->site) + " is not reached by all threads of its mask: " + thread_text(thread) +
            " waits there, " + absent);
}

void Device::shuffle(unsigned mask, unsigned source, void* value, unsigned bytes, Site site) {
    Thread& thread = *threads_[current_];
    thread.site = site;
    if ((mask >> current_ % Shadow::warp & 1) == 0) {
        report(Fault::bad_exchange, {}, thread_text(current_) + " is not in the mask of its exchange");
        std::memset(value, 0, bytes);
        return;
    }
    ++exchanges_;
    thread.exchange.mask = mask;
    thread.exchange.source = source % Shadow::warp;
    thread.exchange.bytes = bytes;
    std::memcpy(thread.exchange.given.data(), value, bytes);
    thread.state = State::at_exchange;
    thread.fiber.suspend();
    std::memcpy(value, thread.exchange.taken.data(), bytes);
}

void Device::stop_at_barrier(State state, Site site) {
    Thread& thread = *threads_[current_];
    thread.state = state;
    thread.site = site;
    thread.fiber.suspend();
}

void Device::block_barrier(Site site) {
    stop_at_barrier(State::at_block_barrier, site);
}

void Device::warp_barrier(unsigned mask, Site site) {
    if (mask != 0xffffffffu) {
        threads_[current_]->site = site;
        report(Fault::unsupported, {}, "`__syncwarp` of part of a warp is not modelled");
    }
    stop_at_barrier(State::at_warp_barrier, site);
}

Moment Device::now() const {
    return {epoch_, clocks_[current_ / Shadow::warp], static_cast<std::uint16_t>(current_)};
}

bool Device::accessible(std::ptrdiff_t offset, unsigned bytes, const char* what) {
    const auto size = static_cast<std::ptrdiff_t>(launch_->shared_bytes);
    if (offset < 0 || offset > size || static_cast<std::ptrdiff_t>(bytes) > size - offset) {
        report(Fault::shared_bounds, tile_at(offset),
            thread_text(current_) + what + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of " + std::to_string(size) +
                " bytes of shared memory");
        return false;
    }
    if (offset % static_cast<std::ptrdiff_t>(bytes) != 0) {
        report(Fault::misaligned, tile_at(offset),
            thread_text(current_) + what + std::to_string(bytes) + " bytes at " + std::to_string(offset) + ", which is no multiple of " +
                std::to_string(bytes));
        return false;
    }
    return true;
}

void Device::check(const AccessResult& result, std::ptrdiff_t offset, const char* what) {
    const auto text = [&](const char* why) { return thread_text(current_) + what + "the word at byte " + std::to_string(offset) + why; };
    switch (result.conflict) {
    case Conflict::none:
        break;
    case Conflict::uninitialised:
        report(Fault::uninitialised, tile_at(offset), text(", which nobody has written"));
        break;
    case Conflict::written_by_other:
        report(Fault::race, tile_at(offset), text((" that " + thread_text(result.other) + " writes, without a barrier between").c_str()));
        break;
    case Conflict::read_by_other:
        report(Fault::race, tile_at(offset), text((" that " + thread_text(result.other) + " reads, without a barrier between").c_str()));
        break;
    case Conflict::copy_under_way:
        report(Fault::early_access, tile_at(offset),
            text((" before " + thread_text(result.other) + " has waited for its asynchronous copy").c_str()));
        break;
    }
}

void Device::read(std::ptrdiff_t offset, void* value, unsigned bytes) {
    if (!accessible(offset, bytes, " reads ")) {
        std::memset(value, 0, bytes);
        return;
    }
    const Moment moment = now();
    for (std::ptrdiff_t at = offset; at < offset + static_cast<std::ptrdiff_t>(bytes); at += 4) {
        check(shadow_.read(static_cast<std::size_t>(at) / 4, moment), at, " reads ");
    }
    std::memcpy(value, memory_.data() + offset, bytes);
}

void Device::write(std::ptrdiff_t offset, const void* value, unsigned bytes) {
    if (!accessible(offset, bytes, " writes ")) {
        return;
    }
    const Moment moment = now();
    for (std::ptrdiff_t at = offset; at < offset + static_cast<std::ptrdiff_t>(bytes); at += 4) {
        check(shadow_.write(static_cast<std::size_t>(at) / 4, moment), at, " writes ");
    }
    std::memcpy(memory_.data() + offset, value, bytes);
}

void Device::copy_async(std::ptrdiff_t offset, const void* source, unsigned bytes) {
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        report(Fault::unsupported, tile_at(offset), "an asynchronous copy of " + std::to_string(bytes) + " bytes (4, 8 and 16 exist)");
        return;
    }
    if (source == nullptr) {
        report(Fault::global_bounds, {}, thread_text(current_) + " copies from a null pointer");
        return;
    }
    check_alignment(source, bytes);
    if (!accessible(offset, bytes, " copies ")) {
        return;
    }
    const Moment moment = now();
    for (std::ptrdiff_t at = offset; at < offset + static_cast<std::ptrdiff_t>(bytes); at += 4) {
        check(shadow_.start_copy(static_cast<std::size_t>(at) / 4, moment), at, " copies to ");
    }
    threads_[current_]->copies.push_back({offset, source, bytes, false});
}

void Device::commit_copies() {
    for (Copy& copy : threads_[current_]->copies) {
        copy.committed = true;
    }
}

void Device::wait_batches(std::size_t batches) {
    if (batches != 0) {
        report(Fault::unsupported, {}, "a wait that leaves batches of copies under way");
        return;
    }
    const Moment moment = now();
    std::erase_if(threads_[current_]->copies, [&](const Copy& copy) {
        if (copy.committed) {
            std::memcpy(memory_.data() + copy.offset, copy.source, copy.bytes);
            for (std::ptrdiff_t at = copy.offset; at < copy.offset + static_cast<std::ptrdiff_t>(copy.bytes); at += 4) {
                shadow_.finish_copy(static_cast<std::size_t>(at) / 4, moment);
            }
        }
        return copy.committed;
    });
}

void Device::wait_copies() {
    commit_copies();
    wait_batches(0);
}

void Device::check_global(const void* address, unsigned bytes) {
    const auto* const byte = static_cast<const unsigned char*>(address);
    const auto range = std::partition_point(forbidden_.begin(), forbidden_.end(), [&](const Forbidden& each) { return each.last <= byte; });
    if (range != forbidden_.end() && byte + bytes > range->first) {
        report(Fault::global_bounds, {}, thread_text(current_) + " touches global memory " + range->what);
    }
}

void Device::check_alignment(const void* address, unsigned bytes) {
    check_global(address, bytes);
    if (const std::uintptr_t rest = reinterpret_cast<std::uintptr_t>(address) % bytes; rest != 0) {
        report(Fault::misaligned, {},
            thread_text(current_) + " accesses " + std::to_string(bytes) + " bytes of global memory at an address that is " +
                std::to_string(rest) + " modulo " + std::to_string(bytes));
    }
}

} // namespace fusec::emulation
