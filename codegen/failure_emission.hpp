// SPDX-License-Identifier: Apache-2.0
// What the interface of a unit with checks has besides: NAME_first_failure, and a word in front of the workspace that launches reset.
#pragma once

#include "codegen/interface_emission.hpp"

namespace fusec::codegen {

/// `workspace == nullptr || workspace_bytes < 256 ? cudaSuccess : fusec::reset_failure(workspace, stream)`: what a launch of no elements does.
std::string reset_of_nothing(const InterfaceText& text);

/// In the header.
void declare_first_failure(Writer& writer, const Unit& unit, const InterfaceText& text, bool entries);

/// The function, with the texts of the checks as literals. Pre: the unit has checks.
void write_first_failure(Writer& writer, const Unit& unit, const InterfaceText& text, bool uses_stream);

/// The text as a literal of C: escapes for quotes, backslashes, question marks (which could begin a trigraph) and control characters.
std::string string_literal(std::string_view text);

} // namespace fusec::codegen
