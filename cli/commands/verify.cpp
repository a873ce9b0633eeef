// SPDX-License-Identifier: Apache-2.0
// `fusec verify`: emitted kernels executed and compared with the double-precision reference.
#include "execute/verify.hpp"
#include "cli/commands.hpp"
#include "cli/pipeline.hpp"

#include <fmt/format.h>

#include <iostream>
#include <thread>

namespace fusec::cli {

namespace {

fusion::Target target_of(const std::string& executor) {
    return executor == "host" ? fusion::Target::host : fusion::Target::cuda;
}

/// Options of the program on one executor: the host has candidates and a device of its own.
CompileOptions options_for(const Verify& command, const Path& program, fusion::Target target) {
    CompileOptions options = command.options;
    options.program = program;
    if (target != options.target) {
        options.target = target;
        options.device = target == fusion::Target::host ? "host-generic" : "h200";
        options.arch.reset();
    }
    return options;
}

execute::VerifyResult verify_program(const Verify& command, Compilation& c, const execute::VerifyOptions& options, const execute::RunSetup& setup) {
    if (command.all) {
        execute::VerifyResult result = execute::verify_candidates(*c.space, *c.graph, *c.catalog, options, setup);
        result.merge(execute::verify_plan(c.plans.front(), *c.graph, *c.catalog, options, setup));
        return result;
    }
    return execute::verify_plan(c.plans.front(), *c.graph, *c.catalog, options, setup);
}

/// The compiler that the executor needs, and for the GPU a device: without them nothing is checked, which is an error.
std::optional<execute::RunSetup> setup_for(const execute::VerifyOptions& options, Diagnostics& diagnostics) {
    const auto compiler = options.gpu ? execute::find_cuda_compiler(diagnostics) : execute::find_host_compiler(diagnostics);
    if (!compiler) {
        return std::nullopt;
    }
    execute::RunSetup setup;
    setup.compiler = *compiler;
    setup.cache = execute::default_cache_folder();
    setup.library_folder = library::standard_library_folder();
    setup.jobs = std::max(1U, std::thread::hardware_concurrency());
    if (options.gpu) {
        setup.arch = options.arch;
        setup.seconds = 600; // nvcc takes seconds for a kernel
        if (!execute::find_gpu(*compiler, setup.cache, options.arch, diagnostics)) {
            return std::nullopt;
        }
    }
    return setup;
}

} // namespace

void run_command(const Verify& command, Diagnostics& diagnostics) {
    std::vector<std::string> executors = command.executors;
    if (executors.empty()) {
        executors = command.source ? std::vector<std::string>{command.source->extension() == ".cpp" ? "host" : "emulated"} : std::vector<std::string>{"host", "emulated"};
    }
    for (const Path& program : command.programs) {
        for (const std::string& executor : executors) {
            const fusion::Target target = target_of(executor);
            Compilation c;
            c.options = options_for(command, program, target);
            if (!run_pipeline(c, diagnostics, command.source ? "dag" : "plan")) {
                continue;
            }
            const execute::VerifyOptions options{.target = target, .arch = c.options.arch.value_or(c.device->limits.arch), .gpu = executor == "gpu", .seed = command.seed};
            const auto setup = setup_for(options, diagnostics);
            if (!setup) {
                return;
            }
            execute::VerifyResult result;
            if (command.source) {
                const auto text = execute::read_unit(*command.source, c.program->name, diagnostics);
                if (!text) {
                    continue;
                }
                result = execute::verify_text(*text, *c.graph, *c.catalog, options, *setup);
            } else {
                result = verify_program(command, c, options, *setup);
            }
            const std::string space = command.all ? fmt::format("{} fusions, {} candidates, ", result.fusions, result.candidates) : std::string();
            std::cout << fmt::format("{} on {}: {}{} checked in {} launches, {} components, {} mismatches, worst error {:.2g} of the allowed\n", c.program->name, executor, space, result.checked, result.launches, result.components, result.mismatches, result.worst_ratio) << std::flush;
            execute::report(result, c.program->name, diagnostics);
        }
    }
}

} // namespace fusec::cli
