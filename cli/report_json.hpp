// SPDX-License-Identifier: Apache-2.0
// The JSON report of `--json` and `explore` (keys: DESIGN.md section 7, documented in docs/cli.md).
#pragma once

#include "cli/pipeline.hpp"

#include <string>

namespace fusec::cli {

/// Complete JSON text with a final line break. `space.seconds` alone may differ between runs.
std::string report_json(const Compilation& compilation);

} // namespace fusec::cli
