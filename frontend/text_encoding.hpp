// SPDX-License-Identifier: Apache-2.0
// What bytes a program may consist of.
#pragma once

#include "support/diagnostics.hpp"

namespace fusec::frontend {

/// Reports the first byte sequence that is not UTF-8 (overlong forms, surrogates and values above U+10FFFF included) and every
/// control character other than tab, line feed, form feed and carriage return. Returns whether there was none. Linear.
bool check_encoding(const SourcePtr& source, Diagnostics& diagnostics);

/// Length of a byte order mark at the start: 3 or 0. It is skipped.
std::size_t byte_order_mark_length(std::string_view text);

/// Offset of every code point of valid UTF-8 from `from` on, the end of the text last. Empty when `text` is all ASCII.
std::vector<std::size_t> code_point_offsets(std::string_view text, std::size_t from);

} // namespace fusec::frontend
