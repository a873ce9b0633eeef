// SPDX-License-Identifier: Apache-2.0
// Whether files can be written as they are named, before anything is made that they are to hold.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <vector>

namespace fusec {

/// Whether every output is a file of its own, and none is an input, links resolved; else reports `output-collision`. Devices and pipes may
/// be named twice. `write_files` asks too; commands that work long for their outputs ask before.
bool distinct_files(
    const std::vector<std::filesystem::path>& outputs, const std::vector<std::filesystem::path>& inputs, Diagnostics& diagnostics);

} // namespace fusec
