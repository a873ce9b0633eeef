// SPDX-License-Identifier: Apache-2.0
// A program without some of its calls.
#pragma once

#include "frontend/checked_program.hpp"

#include <vector>

namespace fusec::execute {

/// The program without the calls that `removed` marks, and without calls and constants that no output needs then. Data keep their names
/// and their order; inputs and uniforms stay. Pre: the result of a removed call is a constant, or used by no call that is left. Linear.
frontend::CheckedProgram compacted(const frontend::CheckedProgram& program, const std::vector<bool>& removed);

} // namespace fusec::execute
