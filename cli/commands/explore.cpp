// SPDX-License-Identifier: Apache-2.0
// `fusec explore`: the space, the best plans, and why the others lost.
#include "cli/choose_plan.hpp"
#include "cli/commands.hpp"
#include "cli/depfile.hpp"
#include "cli/pipeline.hpp"
#include "cli/report_json.hpp"
#include "cli/report_text.hpp"
#include "support/files.hpp"

#include <iostream>

namespace fusec::cli {

void run_command(const Explore& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    if (!run_pipeline(c, diagnostics, "refine")) {
        return;
    }
    price_space(c);
    if (!command.json) {
        std::cout << explore_text(c);
    } else if (*command.json == "-") {
        std::cout << report_json(c);
    } else if (!write_files({{*command.json, report_json(c)}}, diagnostics, files_read(c))) {
        return;
    }
    diagnostics.conclude(c.program->name + ": " + summary(c));
}

} // namespace fusec::cli
