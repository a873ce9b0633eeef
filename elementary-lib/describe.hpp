// SPDX-License-Identifier: Apache-2.0
// What `fusec library list` and `fusec library show NAME` print.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <string>

namespace fusec::library {

/// `mmul(A, B) -> C`
std::string signature(const Function& function);

/// One line per function, in name order, grouped by family (the folder of the metadata): signature, operator, summary.
std::string list(const Catalog& catalog);

/// Everything the metadata says about a function, one fact per line. Files below the folder `here` are named relative to it.
std::string describe(const Function& function, const std::filesystem::path& here);

} // namespace fusec::library
