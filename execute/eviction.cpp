// SPDX-License-Identifier: Apache-2.0
#include "execute/eviction.hpp"

#include "support/diagnostics.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fusec::execute {

namespace {

#if defined(__x86_64__)

constexpr bool known = true;

std::size_t line_bytes() {
    return 64;
}

/// Instructions that wait for none before them; all processors of x86-64 have those that do.
bool has_clflushopt() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_CLFLUSHOPT) != 0;
}

std::size_t drop(const char* line, const char* end, std::size_t step) {
    std::size_t dropped = 0;
    if (static const bool unordered = has_clflushopt(); unordered) {
        for (; line < end; line += step, ++dropped) {
            asm volatile("clflushopt %0" : : "m"(*line) : "memory");
        }
    } else {
        for (; line < end; line += step, ++dropped) {
            asm volatile("clflush %0" : : "m"(*line) : "memory");
        }
    }
    asm volatile("mfence" : : : "memory");
    return dropped;
}

#elif defined(__aarch64__)

constexpr bool known = true;

std::size_t line_bytes() {
    std::uint64_t type = 0;
    asm("mrs %0, ctr_el0" : "=r"(type));
    return std::size_t{4} << (type >> 16U & 0xFU);
}

std::size_t drop(const char* line, const char* end, std::size_t step) {
    std::size_t dropped = 0;
    asm volatile("dsb ish" : : : "memory");
    for (; line < end; line += step, ++dropped) {
        asm volatile("dc civac, %0" : : "r"(line) : "memory");
    }
    asm volatile("dsb ish" : : : "memory");
    return dropped;
}

#else

constexpr bool known = false;

std::size_t line_bytes() {
    return 64;
}

std::size_t drop(const char*, const char*, std::size_t) {
    return 0;
}

#endif

} // namespace

bool can_evict() {
    return known;
}

std::size_t evict_lines(const void* first, std::size_t bytes) {
    internal_check(known, "lines cannot be dropped from the caches of this processor");
    if (bytes == 0) {
        return 0;
    }
    const std::size_t line = line_bytes();
    const char* const at = static_cast<const char*>(first);
    const char* const begin = at - reinterpret_cast<std::uintptr_t>(at) % line;
    return drop(begin, at + bytes, line);
}

} // namespace fusec::execute
