// SPDX-License-Identifier: Apache-2.0
// Statements of random programs that multiply several values, whose order `--reassociate` may change.
#pragma once

#include "tests/random/draw.hpp"
#include "tests/random/value.hpp"

#include <set>
#include <string>
#include <vector>

namespace fusec::random_programs {

/// `target` = a product of three to five matrices, some transposed, the last maybe a vector, in random brackets, maybe with scalars among
/// them and with a name for a part of it. Empty where no values fit.
std::string chain_statement(const std::string& target, std::vector<Value>& values, std::set<std::string>& used, Draw& draw);

} // namespace fusec::random_programs
