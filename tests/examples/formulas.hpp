// SPDX-License-Identifier: Apache-2.0
// What each example computes, written with Eigen from its formula alone: nothing here knows the library or the compiler.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fusec::examples {

/// Components of each list for one element, row-major, by name.
using Values = std::map<std::string, std::vector<double>>;

/// The outputs of an example for one element, in double. Pre: `name` is the stem of a file in examples/ and the inputs are complete.
Values formula(const std::string& name, const Values& inputs);

/// Stems of all examples that have a formula, sorted.
std::vector<std::string> example_names();

} // namespace fusec::examples
