// SPDX-License-Identifier: Apache-2.0
#include "execute/displacement.hpp"

#include <cstring>
#include <thread>
#include <utility>

#include <sched.h>

namespace fusec::execute {

namespace {

constexpr std::size_t line = 64;

/// From now on this thread runs on that processor alone. Where the system refuses, it runs where it did, and Displacement::Share tells.
void bind_thread(int processor) {
    const auto held = static_cast<std::size_t>(processor) + 1;
    if (cpu_set_t* const set = CPU_ALLOC(held)) {
        const std::size_t bytes = CPU_ALLOC_SIZE(held);
        CPU_ZERO_S(bytes, set);
        CPU_SET_S(static_cast<std::size_t>(processor), bytes, set);
        sched_setaffinity(0, bytes, set);
        CPU_FREE(set);
    }
}

} // namespace

Displacement::Displacement(double bytes, std::vector<int> processors)
    : memory_(static_cast<std::size_t>(bytes)), processors_(processors.empty() ? std::vector<int>{-1} : std::move(processors)) {
    if (memory_.size() > 0) {
        std::memset(memory_.data(), 1, memory_.size()); // not one page of zeros that the system shows everywhere
    }
}

std::vector<Displacement::Share> Displacement::read() const {
    const std::size_t lines = memory_.size() / line, count = processors_.size();
    std::vector<Share> shares(count);
    const auto read_share = [&](std::size_t i) {
        std::size_t sum = 0;
        for (int pass = 0; pass < passes; ++pass) {
            for (std::size_t at = lines * i / count; at < lines * (i + 1) / count; ++at) {
                sum += static_cast<unsigned char>(memory_.data()[at * line]);
            }
        }
        shares[i] = {processors_[i], sched_getcpu(), sum};
    };
    if (count == 1) {
        read_share(0);
        return shares;
    }
    std::vector<std::jthread> readers;
    for (std::size_t i = 0; i < count; ++i) {
        readers.emplace_back([&, i] {
            bind_thread(processors_[i]);
            read_share(i);
        });
    }
    readers.clear();
    return shares;
}

} // namespace fusec::execute
