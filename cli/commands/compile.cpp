// SPDX-License-Identifier: Apache-2.0
// `fusec PROGRAM.fus -o FILE`: all outputs appear together or not at all.
#include "cli/choose_plan.hpp"
#include "cli/commands.hpp"
#include "cli/depfile.hpp"
#include "cli/pipeline.hpp"
#include "cli/report_dot.hpp"
#include "cli/report_json.hpp"
#include "cli/report_text.hpp"
#include "fusion/plan_file.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <iostream>

namespace fusec::cli {

namespace {

Path header_of(Path output) {
    return output.replace_extension(".h");
}

/// Source and header as one text for standard output, where no header can stand beside the source.
std::string one_text(const Compilation& c) {
    const auto replace = [](std::string text, const std::string& line, const std::string& by) {
        const std::size_t at = text.find(line);
        internal_check(at != std::string::npos, "emitted text lacks a line that every output has");
        return text.replace(at, line.size(), by);
    };
    return replace(c.emitted.source, "#include \"" + c.header_name + "\"\n", replace(c.emitted.header, "#pragma once\n\n", ""));
}

/// The stage after which everything asked for exists.
std::string_view last_stage(const Compile& command) {
    if (command.output) {
        return "emit";
    }
    const auto dumps = [&](std::string_view name) { return std::ranges::find(command.options.dump, name) != command.options.dump.end(); };
    if (dumps("ir")) {
        return "lower";
    }
    const bool draws_plan = std::ranges::any_of(command.dot, [](const auto& dot) { return dot.first == "plan"; });
    const bool plan = command.json || command.save_plan || dumps("plan") || dumps("candidates") || draws_plan;
    return plan ? "refine" : dumps("dag") || !command.dot.empty() ? "dag" : "parse";
}

/// What stands where the source is written: one text when no header can stand beside it.
bool is_one_text(const Path& output) {
    return output == "-" || is_stream(output);
}

/// Why no header can be named after this output; empty when one can.
std::string no_header_name(const Path& output) {
    if (header_of(output) == output) {
        return "leaves no name for the header beside it";
    }
    const bool quotable = output.filename().string().find_first_of("\"\\\n\r") == std::string::npos;
    return quotable ? "" : "has a name that `#include` cannot hold";
}

} // namespace

void run_command(const Compile& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    if (!writes_something(command)) {
        constexpr DiagnosticKind usage{"usage", Severity::error, Fault::usage}; // as parse_command_line prints them
        diagnostics.report(usage, {}, nothing_to_write).hint = "fusec --help";
        run_pipeline(c, diagnostics, "check");
        return;
    }
    const bool header_beside = command.output && !is_one_text(*command.output);
    if (header_beside) {
        if (const std::string problem = no_header_name(*command.output); !problem.empty()) {
            diagnostics.report(kind::output_collision, {}, "`-o " + command.output->string() + "` " + problem).hint =
                "give the output a name such as fused.cu";
            return;
        }
        c.header_name = header_of(command.output->filename()).string();
    }
    if (!run_pipeline(c, diagnostics, last_stage(command))) {
        return;
    }
    if (command.json) {
        price_space(c);
    }
    std::string standard_output; // printed when the files are written: an error leaves neither
    std::vector<OutputFile> files;
    const auto write = [&](const Path& path, std::string text) {
        if (path == "-") {
            standard_output = std::move(text);
        } else {
            files.push_back({path, std::move(text)});
        }
    };
    if (header_beside) {
        write(*command.output, c.emitted.source);
        write(header_of(*command.output), c.emitted.header);
    } else if (command.output) {
        write(*command.output, one_text(c));
    }
    if (command.json) {
        write(*command.json, report_json(c));
    }
    if (command.save_plan) {
        write(*command.save_plan,
            fusion::to_plan_file(
                c.plans.front(), *c.graph, *c.catalog, c.planned.empty() ? std::vector<std::size_t>{} : c.planned.front().taken));
    }
    for (const auto& [what, path] : command.dot) {
        write(path, what == "dag" ? dag_dot(*c.graph, *c.catalog) : plan_dot(c.plans.front(), *c.graph, *c.catalog));
    }
    if (command.depfile) {
        const auto rule = make_rule(*command.output, files_read(c), diagnostics);
        if (!rule) {
            return;
        }
        write(*command.depfile, *rule);
    }
    if (!std::cout.flush()) { // what --dump printed; main reports it
        return;
    }
    if (!write_files(files, diagnostics, files_read(c))) {
        return;
    }
    std::cout << standard_output;
    if (!c.plans.empty()) {
        diagnostics.conclude(c.program->name + ": " + summary(c));
    }
}

} // namespace fusec::cli
