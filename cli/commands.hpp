// SPDX-License-Identifier: Apache-2.0
// One function per command. Each prints data on stdout, reports into `diagnostics`, and returns when it is done; the exit code is
// the diagnostics'.
#pragma once

#include "cli/options.hpp"
#include "support/diagnostics.hpp"

namespace fusec::cli {

void run_command(const Compile& command, Diagnostics& diagnostics);
void run_command(const Run& command, Diagnostics& diagnostics);
void run_command(const Explore& command, Diagnostics& diagnostics);
void run_command(const Why& command, Diagnostics& diagnostics);
void run_command(const Verify& command, Diagnostics& diagnostics);
void run_command(const Predict& command, Diagnostics& diagnostics);
void run_command(const Bench& command, Diagnostics& diagnostics);
void run_command(const Calibrate& command, Diagnostics& diagnostics);
void run_command(const Devices& command, Diagnostics& diagnostics);
void run_command(const Library& command, Diagnostics& diagnostics);

} // namespace fusec::cli
