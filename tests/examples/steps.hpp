// SPDX-License-Identifier: Apache-2.0
// Formulas of the examples that update lists in place, step by step.
#pragma once

#include "tests/examples/hexahedra.hpp"

namespace fusec::examples {

/// By stem of the example.
FormulaTable step_formulas();

} // namespace fusec::examples
