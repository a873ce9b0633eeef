// SPDX-License-Identifier: Apache-2.0
// Operands that are known when the program is compiled, against the domains that the library declares for them.
#pragma once

#include "execute/grouped_messages.hpp"
#include "frontend/checked_program.hpp"

#include <optional>
#include <string>

namespace fusec::execute {

/// What is wrong with a constant as an operand of this domain, as `is -1`, `has the component [1, 0] = 0`, `is singular`; nothing where it
/// lies within. A matrix is singular, or not positive definite, if it is so to the precision of its type.
std::optional<std::string> outside(library::Domain domain, const Type& type, const std::vector<double>& components);

/// Reports `outside-domain` for each constant operand outside of its domain. `finite`: all operands are constants and the result is a
/// finite value; then signs and zeros are no matter of concern: the square root of 0 is 0.
void warn_outside_domains(const frontend::CheckedProgram& program, const frontend::Call& call, const library::Function& function,
    bool finite, GroupedMessages& messages);

} // namespace fusec::execute
