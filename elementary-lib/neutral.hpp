// SPDX-License-Identifier: Apache-2.0
// Constant values of an operand for which a function gives back its other operand: `neutral` in the metadata.
#pragma once

#include "elementary-lib/type.hpp"

#include <string_view>
#include <vector>

namespace fusec::library {

enum class Neutral {
    zero,    ///< every component is 0
    one,     ///< every component is 1
    identity ///< a square matrix with 1 on its diagonal and 0 elsewhere
};

/// As metadata write it.
std::string_view name_of(Neutral neutral);

/// The components of that value, row-major; none where no value of the shape is it.
std::vector<double> components_of(Neutral neutral, const Shape& shape);

/// Whether a constant is that value; -0 is a zero.
bool is_value(Neutral neutral, const Shape& shape, const std::vector<double>& components);

} // namespace fusec::library
