// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fusec {

/// The noun in the number of the count: `element` of 1, `elements` and `mismatches` of any other.
inline std::string plural(std::uint64_t count, std::string_view noun) {
    const bool hisses = noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with('s') || noun.ends_with('x');
    return std::string(noun) + (count == 1 ? "" : hisses ? "es" : "s");
}

/// `1 element`, `2 elements`, `0 mismatches`.
inline std::string counted(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + plural(count, noun);
}

} // namespace fusec
