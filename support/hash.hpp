// SPDX-License-Identifier: Apache-2.0
// Hashes that are the same on every machine: names of cached files, keys of structures, and numbers that look random.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fusec {

/// 64-bit FNV-1a (Fowler, Noll, Vo 1991) of a sequence of texts and numbers. Not for adversaries.
class Fnv1a {
public:
    static constexpr std::uint64_t standard_start = 14695981039346656037U;

    explicit Fnv1a(std::uint64_t start = standard_start) : value_(start) {}

    /// Texts are ended by a zero, so that the pieces of a sequence stay apart: "a" "bc" is not "ab" "c".
    Fnv1a& add(std::string_view text) {
        for (const char c : text) {
            byte(static_cast<unsigned char>(c));
        }
        byte(0);
        return *this;
    }
    Fnv1a& add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) {
            byte(static_cast<unsigned char>(number >> (8 * i)));
        }
        return *this;
    }
    std::uint64_t value() const { return value_; }

private:
    void byte(unsigned char b) { value_ = (value_ ^ b) * 1099511628211U; }
    std::uint64_t value_;
};

/// Sixteen hexadecimal digits.
inline std::string hexadecimal(std::uint64_t value) {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[value >> shift & 15U];
    }
    return digits;
}

/// The increment of SplitMix64 (Steele, Lea, Flood 2014): the odd number nearest to 2^64 over the golden ratio.
inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15U;

/// Names content: two hashes of 64 bits from different starts, as 32 digits. Not for adversaries.
class ContentKey {
public:
    void add(std::string_view text) {
        first_.add(text);
        second_.add(text);
    }
    std::string digits() const { return hexadecimal(first_.value()) + hexadecimal(second_.value()); }

private:
    Fnv1a first_;
    Fnv1a second_{splitmix_step};
};

/// The output function of SplitMix64, Stafford's variant 13 of the 64-bit finalizer: a bijection in which every bit depends on every other.
inline constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// SplitMix64: a sequence of numbers, the same on every machine, unlike the distributions of <random>.
class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mixed(state_ += splitmix_step); }

private:
    std::uint64_t state_;
};

} // namespace fusec
