// SPDX-License-Identifier: Apache-2.0
// Values in lanes that a compiler must take for changed, in kernels that repeat a routine to time it (`fusec calibrate`).
//
// Embedded text needs <type_traits>.
#pragma once

#include "simd.hpp"

#include <type_traits>

namespace fusec {

// [chunk opaque_lanes needs device]
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int simd_registers = 32;
#else
constexpr int simd_registers = 16;
#endif

// A value as a kernel of many calls finds it: who reads it reads again, who wrote it has written. In registers, where the Words components of it
// and of smaller operands and results fit them and each fills one; else, and where it is the same for all elements, in memory.
template <int Words, class Value>
FUSEC_DEVICE void opaque_lanes(Value& value) {
    if constexpr (Words <= simd_registers && sizeof(value.data[0]) >= 16 && !std::is_const_v<Value>) {
#pragma GCC unroll 32
        for (auto& component : value.data) {
#if defined(__x86_64__)
            asm volatile("" : "+v"(component.lanes));
#elif defined(__aarch64__)
            asm volatile("" : "+w"(component.lanes));
#else
            asm volatile("" : "+m"(component.lanes));
#endif
        }
    } else {
        asm volatile("" : : "r"(&value) : "memory");
    }
}

// [chunk wait_lanes needs device]
// The value as it is, of which each component is known no sooner than one of `made`, in turns: `nothing` is 0, as compilers must not know.
template <class Value, class Made>
FUSEC_DEVICE void wait_lanes(Value& value, const Made& made, int nothing) {
    using Component = std::remove_reference_t<decltype(value.data[0])>;
    using mask = typename Component::mask;
    const mask none = mask{} + nothing;
    constexpr size_t words = sizeof(value.data) / sizeof(Component), made_words = sizeof(made.data) / sizeof(Component);
#pragma GCC unroll 64
    for (size_t word = 0; word < words; ++word)
        value.data[word].lanes =
            (typename Component::vector)((mask)value.data[word].lanes ^ ((mask)made.data[word % made_words].lanes & none));
}

// [chunk opaque_lists needs device]
// What pointers lead to: uniforms.
FUSEC_DEVICE void opaque_lists() {
    asm volatile("" ::: "memory");
}

// [chunk end]
} // namespace fusec
