// SPDX-License-Identifier: Apache-2.0
// Warns of kernels that are expected to keep values in local memory because a thread has too few registers.
#pragma once

#include "cli/pipeline.hpp"

namespace fusec::cli {

/// One warning per such kernel of the chosen plan, at the call that needs the most registers. Pre: there is a plan.
void warn_of_spills(const Compilation& compilation, Diagnostics& diagnostics);

} // namespace fusec::cli
