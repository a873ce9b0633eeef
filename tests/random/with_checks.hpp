// SPDX-License-Identifier: Apache-2.0
// Random programs with assertions.
#pragma once

#include "frontend/frontend.hpp"
#include "tests/random/draw.hpp"

#include <string>

namespace fusec::random_programs {

/// The text with up to five assertions, each in front of a statement that may follow the value, on its line, in any of the program's blocks: components of
/// inputs, of the old and the new values of updated lists, and of values that have a name, compared with numbers and with uniforms. Numbers are such that few elements, and mostly not the first ones, fail. `program` is the
/// text's. One of the assertions may stand in a loop.
std::string with_checks(const std::string& text, const frontend::CheckedProgram& program, const library::Catalog& catalog, Draw& draw);

} // namespace fusec::random_programs
