// SPDX-License-Identifier: Apache-2.0
// What texts made to break a compiler must end in.
#pragma once

#include "tests/frontend/compiled.hpp"

#include <cstddef>

namespace fusec::frontend::testing {

constexpr std::size_t megabyte = 1000 * 1000;

/// The one error of a compile; an empty one, and a failure, where there are none or several.
const Diagnostic& only_error(const Compiled& compiled);

/// The one error is of that kind, with that exit code.
void expect_only_error(const Compiled& compiled, const DiagnosticKind& kind, int exit_code);

/// Errors, not too many to read, and no crash: what megabytes of noise end in.
void expect_errors_of_noise(const Compiled& compiled);

} // namespace fusec::frontend::testing
