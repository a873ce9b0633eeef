// SPDX-License-Identifier: Apache-2.0
// `fusec predict`: what every predictor says of a program's kernels.
#include "cli/commands.hpp"
#include "cli/compiled_kernels.hpp"
#include "cli/depfile.hpp"
#include "cli/pipeline.hpp"
#include "cli/predictions.hpp"
#include "cli/report_json.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fusec::cli {

void run_command(const Predict& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    c.options.with_steps = true;
    if (!run_pipeline(c, diagnostics, "plan")) {
        return;
    }
    if (!can_write_report(command.json, diagnostics, files_read(c))) { // before it takes minutes
        return;
    }
    const std::vector<fusion::Candidate> kernels = command.all ? kept_candidates(c) : c.plans.front().kernels;
    std::optional<CompiledKernels> compiled;
    if (c.options.compiled_prices) {
        compiled = compile_kernels(c, kernels, diagnostics);
        if (!compiled) {
            return;
        }
        diagnostics.conclude(fmt::format("instructions by {}, {}", compiled->source, compiled->registers.sentence()));
    }
    const std::optional<Predictions> predictions = predict(c, kernels, command.only, diagnostics, compiled);
    if (!predictions || (command.only && report_no_answer(*predictions, c, diagnostics))) {
        return;
    }
    if (!command.json) {
        std::cout << (command.all ? predictions_table(*predictions, c) : predictions_text(*predictions, c));
    } else if (*command.json == "-") {
        std::cout << predictions_json(*predictions, c);
    } else {
        write_files({{*command.json, predictions_json(*predictions, c)}}, diagnostics, files_read(c));
    }
}

} // namespace fusec::cli
