// SPDX-License-Identifier: Apache-2.0
// Assertions that the compiler can decide: their conditions are known without any element.
#pragma once

#include "frontend/checked_program.hpp"
#include "support/diagnostics.hpp"

#include <optional>

namespace fusec::execute {

/// The program without the checks whose conditions are of constants, and without what only they need. Nothing after reporting
/// `failed-assertion`, once per statement, for those that do not hold. Pre: the program is as written. As costly as `simplified`; a program without
/// checks is given back as it is.
std::optional<frontend::CheckedProgram> without_decided_checks(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics);

} // namespace fusec::execute
