// SPDX-License-Identifier: Apache-2.0
// A kernel's work as JSON: what the compiler that emitted a probe knew of it travels with the measurement, so that whoever imports that prices
// exactly the kernel that ran.
#pragma once

#include "fusion/cost_model.hpp"
#include "support/located_json.hpp"

#include <string>

namespace fusec::perfmodel {

/// One line, with every field, but `after` of steps without; reads back the same, to the last bit.
std::string to_json(const fusion::KernelWork& work);

/// Fails at the first key that is missing, unknown or given twice, and at the first value that no kernel has: a negative amount, a number of
/// threads or bytes that is none, a word for what it does that is not known.
fusion::KernelWork read_kernel_work(JsonReader& json, const JsonValue& object);

} // namespace fusec::perfmodel
