// SPDX-License-Identifier: Apache-2.0
// Random programs with assertions.
#pragma once

#include "frontend/frontend.hpp"
#include "tests/random/draw.hpp"

#include <string>

namespace fusec::random_programs {

/// The text with up to five assertions in front of `return`, on its line: components of inputs and of values that have a name, compared with
/// numbers, with uniforms and with each other. Numbers are such that few elements, and mostly not the first ones, fail. `program` is the
/// text's. One of the assertions may stand in a loop.
std::string with_checks(const std::string& text, const frontend::CheckedProgram& program, const library::Catalog& catalog, Draw& draw);

} // namespace fusec::random_programs
