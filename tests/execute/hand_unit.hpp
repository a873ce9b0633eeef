// SPDX-License-Identifier: Apache-2.0
// The hand-written unit of units/cross.cu: its text, its interface with values, and one way to run a text in its place.
#pragma once

#include "execute/compiler.hpp"
#include "execute/process.hpp"
#include "execute/run_text.hpp"

#include <string>
#include <vector>

namespace fusec::execute {

constexpr int cross_tile = 32;

/// Small whole numbers as inputs, so that every result is exact; bounds of one rounding.
RunInterface cross_interface(std::size_t elements);

std::string cross_source();

/// The text as a unit of the name, with the standard cases: units that run together have different names.
RunJob cross_job(const std::string& source, const std::string& name = "cross");

/// Short limits, for texts that may not end.
RunSetup cross_setup(const std::filesystem::path& cache);

/// Builds the text as a unit `cross` and runs the standard cases in a child. A text that does not compile is a fault as well.
RunReport run_cross(const std::string& source, const std::filesystem::path& cache);

} // namespace fusec::execute
