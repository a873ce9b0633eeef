// SPDX-License-Identifier: Apache-2.0
// `fusec verify`: emitted kernels executed and compared with the double-precision reference.
#include "execute/verify.hpp"
#include "cli/agree_alternatives.hpp"
#include "cli/choose_plan.hpp"
#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "cli/report_json.hpp"
#include "execute/build_folder.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/processors.hpp"

#include <fmt/format.h>

#include <iostream>

#include <sys/resource.h>

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

execute::VerifyResult verify_program(
    const Verify& command, Compilation& c, const execute::VerifyOptions& options, const execute::RunSetup& setup) {
    if (command.all) {
        execute::VerifyResult result = execute::verify_candidates(*c.space, *c.graph, *c.catalog, options, setup);
        result.merge(execute::verify_plan(c.plans.front(), *c.graph, *c.catalog, options, setup));
        return result;
    }
    return execute::verify_plan(c.plans.front(), *c.graph, *c.catalog, options, setup);
}

/// The compiler that the executor needs, and for the GPU a device: without them nothing is checked, which is an error.
/// Opens the folder to build in when it is not open yet.
std::optional<execute::RunSetup> setup_for(
    const execute::VerifyOptions& options, std::optional<execute::BuildFolder>& folder, Diagnostics& diagnostics) {
    const auto compiler = options.gpu ? execute::find_cuda_compiler(diagnostics) : execute::find_host_compiler(diagnostics);
    if (!compiler) {
        return std::nullopt;
    }
    if (!folder) {
        if (auto opened = execute::BuildFolder::open(execute::default_cache_folder(), diagnostics)) {
            folder.emplace(std::move(*opened));
        }
    }
    if (!folder) {
        return std::nullopt;
    }
    execute::RunSetup setup;
    setup.compiler = *compiler;
    setup.cache = folder->path();
    setup.library_folder = library::standard_library_folder();
    setup.jobs = threads_at_once();
    if (options.gpu) {
        setup.arch = options.arch;
        setup.seconds = 600; // nvcc takes seconds for a kernel
        if (!execute::find_gpu(*compiler, setup.cache, options.arch, diagnostics)) {
            return std::nullopt;
        }
    }
    return setup;
}

/// Of this process and of the children that it has waited for.
double processor_seconds() {
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        seconds += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return seconds;
}

/// `demo on emulated: 21 fusions, 136 candidates, 137 checked as 120 kernels in 2820 launches, 1205319 components, 0 mismatches, ...`
std::string summary(const Verify& command, const std::string& program, const std::string& executor, const execute::VerifyResult& result) {
    const std::string space =
        command.all ? fmt::format("{}, {}, ", counted(result.fusions, "fusion"), counted(result.candidates, "candidate")) : std::string();
    return fmt::format("{} on {}: {}{} checked as {} in {}, {}, {}, worst error {:.2g} of the allowed\n", program, executor, space,
        result.checked, counted(result.texts, "text"), counted(result.launches, "launch"), counted(result.components, "component"),
        counted(result.mismatches, "mismatch"), result.worst_ratio);
}

/// Whether the text is of the target that the executor runs; reports when it is not.
bool is_for(fusion::Target target, const std::string& text, const Path& path, const std::string& executor, Diagnostics& diagnostics) {
    const bool cuda = text.find("__global__") != std::string::npos;
    if (cuda == (target == fusion::Target::cuda)) {
        return true;
    }
    diagnostics.report(kind::target_mismatch, {},
        fmt::format("`{}` is text for {}, executor {} runs text for {}", path.string(), cuda ? "CUDA" : "the host", executor,
            cuda ? "the host" : "CUDA"));
    return false;
}

/// Every combination of alternatives that has a plan, or the program itself; with what to call them.
std::vector<std::pair<Compilation*, std::string>> programs_to_verify(Compilation& c, const Verify& command) {
    if (c.planned.empty() || command.source) {
        return {{&c, c.program->name}};
    }
    std::vector<std::pair<Compilation*, std::string>> programs;
    for (const PlannedCombination& one : c.planned) {
        if (one.compiled) {
            programs.emplace_back(one.compiled.get(), c.program->name + " (" + one.text + ")");
        }
    }
    return programs;
}

/// Of the programs as they are compiled, on more elements than the stage of the compiler takes.
void check_alternatives(const Compilation& c, std::uint64_t seed, Diagnostics& diagnostics) {
    constexpr std::size_t elements = 200;
    std::vector<ComparedCombination> combinations;
    for (const PlannedCombination& one : c.planned) {
        if (one.compiled) {
            combinations.push_back({one.taken, &*one.compiled->program, &*one.compiled->catalog});
        }
    }
    const auto cases = [seed](const frontend::CheckedProgram& program, const library::Catalog& catalog, std::size_t count) {
        return execute::draw_cases(program, catalog, count, seed);
    };
    report_disagreement(c, combinations, {elements, cases}, diagnostics);
}

/// Opens every file before the first is executed, which may take minutes; reports those that cannot be read. A pipe gives its text once.
bool can_be_read(const Verify& command, Diagnostics& diagnostics) {
    std::vector<Path> files = command.programs;
    if (command.source) {
        files.push_back(*command.source);
    }
    bool readable = true;
    for (const Path& file : files) {
        readable = (is_stream(file) || read_text(file, diagnostics).has_value()) && readable;
    }
    return readable;
}

} // namespace

void run_command(const Verify& command, Diagnostics& diagnostics) {
    if (!can_be_read(command, diagnostics) || !can_write_report(command.json, diagnostics, command.programs)) { // before it takes minutes
        return;
    }
    std::vector<std::string> executors = command.executors;
    if (executors.empty()) {
        executors = command.source ? std::vector<std::string>{command.source->extension() == ".cpp" ? "host" : "emulated"}
                                   : std::vector<std::string>{"host", "emulated"};
    }
    // Standard output carries either the lines or the JSON.
    std::ostream& lines = command.json && *command.json == "-" ? std::cerr : std::cout;
    std::vector<Verified> results;
    std::optional<execute::BuildFolder> folder; // one for all programs
    for (const Path& program : command.programs) {
        for (const std::string& executor : executors) {
            const double before = processor_seconds();
            const fusion::Target target = target_of(executor);
            Compilation c;
            c.options = options_for(command, program, target);
            if (!run_pipeline(c, diagnostics, command.source ? "dag" : "plan") || !check_emittable(*c.device, diagnostics)) {
                continue;
            }
            if (&executor == &executors.front() && !c.planned.empty()) {
                check_alternatives(c, command.seed, diagnostics);
            }
            const execute::VerifyOptions options{
                .target = target, .arch = c.options.arch.value_or(c.device->limits.arch), .gpu = executor == "gpu", .seed = command.seed};
            const auto setup = setup_for(options, folder, diagnostics);
            if (!setup) {
                return;
            }
            for (const auto& [one, name] : programs_to_verify(c, command)) {
                execute::VerifyResult result;
                if (command.source) {
                    const auto text = execute::read_unit(*command.source, c.program->name, diagnostics);
                    if (!text || !is_for(target, text->files.front().text, *command.source, executor, diagnostics)) {
                        continue;
                    }
                    result = execute::verify_text(*text, *c.graph, *c.catalog, options, *setup);
                } else {
                    result = verify_program(command, *one, options, *setup);
                }
                lines << summary(command, name, executor, result) << std::flush;
                const std::string alternatives = one == &c ? "" : name.substr(c.program->name.size() + 1);
                results.push_back({c.program->name, alternatives, executor, c.device ? c.device->name : std::string(), one->graph->calls(),
                    result, processor_seconds() - before});
                execute::report(result, name, diagnostics);
            }
        }
    }
    if (command.json) {
        if (*command.json == "-") {
            std::cout << verify_json(command, results);
        } else {
            write_files({{*command.json, verify_json(command, results)}}, diagnostics, command.programs);
        }
    }
}

} // namespace fusec::cli
