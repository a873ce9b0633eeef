// SPDX-License-Identifier: Apache-2.0
// Constants as C++ literals: the shortest text that reads back as the same value of the precision.
#pragma once

#include "elementary-lib/type.hpp"

#include <string>
#include <vector>

namespace fusec::codegen {

/// `32`
std::string number(int value);
/// `0.5f`, `-3.0`. Pre: finite and representable in the precision.
std::string literal(double value, Precision precision);
/// `{1.0f, 0.0f}`.
std::string braced_literals(const std::vector<double>& values, Precision precision);

} // namespace fusec::codegen
