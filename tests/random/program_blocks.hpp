// SPDX-License-Identifier: Apache-2.0
// The statements of a random program divided into program blocks.
#pragma once

#include "tests/random/draw.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fusec::random_programs {

/// `body` in two to four blocks that end where statements do, at `starts` (ascending); what it defines stands in front of them. A program of one
/// statement has one block.
std::string in_program_blocks(const std::string& body, const std::vector<std::size_t>& starts, Draw& draw);

} // namespace fusec::random_programs
