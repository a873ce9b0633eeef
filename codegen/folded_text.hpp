// SPDX-License-Identifier: Apache-2.0
// Index expressions and loops of a routine's text with the numbers that they come to.
#pragma once

#include <string>
#include <string_view>

namespace fusec::codegen {

/// A sum of products of numbers and of words, `/` and `%` by numbers included, with numbers carried out and multiples of one term added up:
/// `e * 4096 + e * 2 + t / 64 * 64 + t % 64` is `e * 4098 + t`. Any other text is given back as it is. Integers of C++, whatever their sign.
std::string folded_index(std::string_view expression);

/// Loops `for (int i = START; i < END; ++i)` with the bounds that they come to; those of one pass are replaced by their body with the
/// number in place of the variable, those of none are left out. A variable that is then only copied goes too. `lines`: indented as
/// clang-format does, by four.
std::string with_folded_loops(std::string_view lines);

} // namespace fusec::codegen
