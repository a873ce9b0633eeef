// SPDX-License-Identifier: Apache-2.0
// Statements of random programs that update a list in place.
#pragma once

#include "tests/random/draw.hpp"
#include "tests/random/value.hpp"

#include <set>
#include <string>
#include <vector>

namespace fusec::random_programs {

/// Gives one of the inputs that has none yet a new value, of which the old one is a part or not. The old one may get a name, under which
/// later statements use it. Nothing where all inputs have one.
std::string update_statement(std::vector<Value>& values, std::set<std::string>& used, Draw& draw);

} // namespace fusec::random_programs
