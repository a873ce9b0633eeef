// SPDX-License-Identifier: Apache-2.0
// 64-bit FNV-1a, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace fusec {

/// Texts are ended, so that "a" "bc" is not "ab" "c". Not meant against an adversary.
class Fnv1a {
public:
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
    std::uint64_t value_ = 14695981039346656037U;
};

} // namespace fusec
