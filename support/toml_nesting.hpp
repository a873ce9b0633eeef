// SPDX-License-Identifier: Apache-2.0
// What of a TOML text nests deeper than anything that people write: toml++ parses, and frees, tables by recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fusec {

struct TomlNesting {
    std::size_t at = 0;  ///< byte offset of the part or bracket that is one too many
    std::string message; ///< "a key of more than 16 parts"
};

/// The first key of more than 16 dotted parts, or array or inline table within 16 others; nothing: there is none, and a tree of the text is at
/// most some 300 deep. Of a text that is no TOML it says where one would nest, or nothing. Linear, without recursion.
std::optional<TomlNesting> too_deep_toml(std::string_view text);

} // namespace fusec
