// SPDX-License-Identifier: Apache-2.0
// Formulas of the examples on hexahedra.
#pragma once

#include "tests/examples/formulas.hpp"

#include <functional>

namespace fusec::examples {

using FormulaTable = std::map<std::string, std::function<Values(const Values&)>>;

/// By stem of the example.
FormulaTable hexahedron_formulas();

} // namespace fusec::examples
