// SPDX-License-Identifier: Apache-2.0
// C++ text without all that is no code, as the preprocessor and the lexer see it: comments, what stands in literals, directives, and the
// groups of `#if 0`. Offsets stay those of the source.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

/// What keeps brackets, comments, literals or conditions of a source from being matched.
struct SourceFault {
    std::size_t begin = 0; ///< bytes [begin, end) of the source
    std::size_t end = 0;
    std::string message;
    std::optional<std::size_t> opened; ///< where the bracket stands that something else closes
};

/// The bytes [begin, end) of a source.
struct TextRange {
    std::size_t begin = 0, end = 0;
};

struct DeviceText {
    std::string code;                 ///< of the same length; blanks where there is no code
    std::vector<TextRange> macros;    ///< names that `#define` defines
    std::optional<SourceFault> fault; ///< the first
};

/// Of a condition only `0`, `1`, `false` and `true` are evaluated: where it is anything else, all groups are read. Linear in the source.
DeviceText device_text(std::string_view source);

/// What a word of C++ consists of.
inline bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}
inline bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_decimal_digit(c) || c == '_';
}

} // namespace fusec::library
