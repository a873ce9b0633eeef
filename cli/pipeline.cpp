// SPDX-License-Identifier: Apache-2.0
// The whole compiler on one page: program text to checked program, call DAG, candidates, plan, kernel IR, source text.
#include "cli/pipeline.hpp"

#include "cli/agree_alternatives.hpp"
#include "cli/choose_alternatives.hpp"
#include "cli/choose_plan.hpp"
#include "cli/other_kernels_warning.hpp"
#include "cli/other_machine_warning.hpp"
#include "cli/report_text.hpp"
#include "elementary-lib/metadata_counts.hpp"
#include "execute/decide_checks.hpp"
#include "execute/fold_tables.hpp"
#include "execute/simplify.hpp"
#include "frontend/condense.hpp"
#include "frontend/file_reader.hpp"
#include "frontend/order_updates.hpp"
#include "frontend/uniform_calls.hpp"
#include "fusion/workers.hpp"
#include "perfmodel/calibration.hpp"
#include "perfmodel/occupancy.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

namespace fusec::cli {

namespace {

bool load_library(Compilation& c, Diagnostics& diagnostics) {
    std::vector<Path> folders{library::standard_library_folder()};
    folders.insert(folders.end(), c.options.libraries.begin(), c.options.libraries.end());
    c.catalog = library::Catalog::load(folders, diagnostics);
    return c.catalog.has_value();
}

bool load_device(Compilation& c, Diagnostics& diagnostics) {
    if (!c.device) {
        c.device = perfmodel::find_calibrated_device(c.options.device, diagnostics);
    }
    if (!c.device || !settle_target(c.options, *c.device, diagnostics)) {
        return false;
    }
    if (c.options.device == host_base) { // which means this machine; another one is asked for by its name
        warn_of_other_machine(*c.device, Same::processor, diagnostics);
    }
    warn_of_other_kernels(*c.device, diagnostics);
    c.predictor = perfmodel::make_predictor(c.options.predictor, *c.device, diagnostics);
    return c.predictor != nullptr;
}

bool parse_text(Compilation& c, Diagnostics& diagnostics) {
    if (auto text = read_text(c.options.program, diagnostics)) {
        c.source = std::make_shared<SourceText>(c.options.program.string(), std::move(*text));
        frontend::DiskReader reader;
        c.ast = frontend::parse(c.source, diagnostics, &reader);
        c.included = reader.files();
    }
    return c.ast != nullptr;
}

bool check_program(Compilation& c, Diagnostics& diagnostics) {
    c.combinations = frontend::check_combinations(*c.ast, *c.catalog,
        {.default_precision = c.options.real, .reassociate = c.options.reassociate, .checked = c.options.checked}, diagnostics);
    if (!c.combinations.empty()) {
        c.program = c.combinations.front().program;
        if (c.options.plain_lists) {
            std::ranges::for_each(c.program->data, [](frontend::Datum& datum) { datum.storage.reset(); });
        }
        if (c.options.entries && c.program->blocks.empty()) {
            diagnostics.report(kind::no_entries, {}, "`--entries`: program `" + c.program->name + "` has no blocks").hint =
                "`block name { ... }` divides a program into parts that are launched one by one";
            return false;
        }
        c.catalog = c.catalog->with(c.program->functions);
    }
    return c.program.has_value();
}

/// Counts of metadata at the shapes of this program: loading the library has tried others.
bool check_counts(Compilation& c, Diagnostics& diagnostics) {
    std::set<std::string> reported;
    for (const frontend::Call& call : c.program->calls) {
        const library::Function& function = c.catalog->function(call.instance.function);
        if (function.metadata_path.empty()) {
            continue; // of the program itself
        }
        const auto wrong = library::wrong_count(function, call.instance.shape);
        if (wrong && reported.insert(function.name).second) {
            diagnostics.report(kind::library_metadata, call.span,
                fmt::format("{}, says `{}`, the metadata of `{}`", wrong->message, function.metadata_path.string(), function.name));
        }
    }
    return reported.empty();
}

bool simplify_program(Compilation& c, Diagnostics& diagnostics) {
    c.program = execute::without_decided_checks(*c.program, *c.catalog, diagnostics);
    if (c.program) {
        c.program = execute::simplified(*c.program, *c.catalog, diagnostics);
    }
    return c.program.has_value();
}

bool condense_components(Compilation& c, Diagnostics&) {
    c.program = frontend::condense(*c.program, *c.catalog);
    c.catalog = c.catalog->with(c.program->functions);
    return true;
}

bool fold_tables(Compilation& c, Diagnostics&) {
    c.program = execute::fold_tables(*c.program, *c.catalog);
    c.catalog = c.catalog->with(c.program->functions);
    return true;
}

bool set_uniform_calls_apart(Compilation& c, Diagnostics&) {
    c.program = frontend::set_uniform_calls_apart(*c.program, *c.catalog);
    return true;
}

bool order_updates(Compilation& c, Diagnostics&) {
    c.program = frontend::order_updates(*c.program, *c.catalog);
    c.catalog = c.catalog->with(c.program->functions);
    return true;
}

bool build_graph(Compilation& c, Diagnostics& diagnostics) {
    if (const std::size_t calls = c.program->calls.size(); calls > dag::most_calls) {
        const Span& place = c.program->calls[dag::most_calls].span;
        diagnostics.report(kind::call_limit, place, fmt::format("program of {} calls, the limit is {}", calls, dag::most_calls)).hint =
            "split it: results of one program may be inputs of another";
        return false;
    }
    c.graph.emplace(*c.program);
    return true;
}

void remark_missing_threads(Diagnostics& diagnostics) {
    const fusion::Workers& workers = fusion::Workers::shared();
    if (workers.count() < workers.asked()) {
        diagnostics.report(kind::fewer_threads, {},
            fmt::format("the system gives {} of {} for the search, which takes longer and finds the same", workers.count(),
                counted(workers.asked(), "thread")));
    }
}

bool enumerate_space(Compilation& c, Diagnostics& diagnostics) {
    remark_missing_threads(diagnostics);
    const CompileOptions& o = c.options;
    const fusion::SpaceOptions options{.max_fusion = o.max_fusion.value_or(fusion::SpaceOptions{}.max_fusion),
        .max_fusions = o.max_fusions,
        .grown = !o.max_fusion.has_value(),
        .recompute = o.recompute,
        .elements = o.elements,
        .with_steps = o.with_steps};
    c.space = std::make_unique<fusion::Space>(*c.graph, *c.catalog, c.device->limits, *c.predictor, options);
    return true;
}

bool lower_plan(Compilation& c, Diagnostics& diagnostics) {
    if (!check_emittable(*c.device, diagnostics)) {
        return false;
    }
    const auto promised_blocks = [&](const fusion::KernelWork& work) { return perfmodel::promised_blocks(c.device->limits, work); };
    c.unit = codegen::lower(c.plans.front(), *c.graph, *c.catalog, promised_blocks);
    return true;
}

bool emit_text(Compilation& c, Diagnostics&) {
    c.emitted = codegen::emit(*c.unit, *c.graph, *c.catalog, emit_options(c));
    return true;
}

void check_program_value(const Compilation& c) {
    frontend::verify(*c.program, *c.catalog);
}
void check_graph(const Compilation& c) {
    dag::verify(*c.graph);
}
void check_unit(const Compilation& c) {
    codegen::verify(*c.unit);
}
void check_plans(const Compilation& c) {
    for (const fusion::Plan& plan : c.plans) {
        fusion::verify(plan, *c.graph);
        for (const fusion::Candidate& kernel : plan.kernels) {
            fusion::verify(kernel, *c.graph, *c.catalog);
        }
    }
}

bool run_stage(const Stage& stage, Compilation& c, Diagnostics& diagnostics) {
    if (!stage.run(c, diagnostics)) {
        return false;
    }
    if (stage.check != nullptr) {
        stage.check(c);
    }
    return true;
}

} // namespace

const std::vector<Stage>& stages() {
    static const std::vector<Stage> list = {
        {"library", "load the elementary functions", load_library, nullptr, nullptr, ""},
        {"device", "load the device description and its predictor", load_device, nullptr, nullptr, ""},
        {"parse", "program text to syntax tree", parse_text, nullptr, dump_ast, "ast"},
        {"check", "names, types, constants; calls flattened and merged", check_program, check_program_value, nullptr, ""},
        {"counts", "the counts of metadata at the shapes of the program", check_counts, nullptr, nullptr, ""},
        {"agree", "alternatives compute the same values", check_agreement, nullptr, nullptr, ""},
        {"choose", "of alternatives, those with the fastest plan", choose_alternatives, check_program_value, nullptr, ""},
        {"fold", "calls on constants computed; calls that are their operand left out", simplify_program, check_program_value, nullptr, ""},
        {"condense", "arithmetic with components put together in calls", condense_components, check_program_value, nullptr, ""},
        {"tables", "zeros and ones of constants taken out of calls", fold_tables, check_program_value, nullptr, ""},
        {"uniform", "calls on uniforms left to the kernels that use them", set_uniform_calls_apart, check_program_value, nullptr, ""},
        {"updates", "old values of lists read before the new ones are stored", order_updates, check_program_value, nullptr, ""},
        {"dag", "the call DAG with its reachability", build_graph, check_graph, dump_dag, "dag"},
        {"space", "fusions and the columns of the cover", enumerate_space, nullptr, nullptr, ""},
        {"plan", "candidates on demand; the kernel mix with its bound", choose_plan, check_plans, dump_plan, "plan"},
        {"refine", "the best plans by what clang and ptxas make of their kernels", refine_plans, check_plans, nullptr, ""},
        {"lower", "kernel IR", lower_plan, check_unit, dump_ir, "ir"},
        {"emit", "source and header text", emit_text, nullptr, nullptr, ""},
    };
    return list;
}

bool run_pipeline(Compilation& compilation, Diagnostics& diagnostics, std::string_view last) {
    using Clock = std::chrono::steady_clock;
    const auto wanted = [&](std::string_view name) {
        return std::ranges::find(compilation.options.dump, name) != compilation.options.dump.end();
    };
    bool good = true;
    for (const Stage& stage : stages()) {
        const auto start = Clock::now();
        good = run_stage(stage, compilation, diagnostics);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        compilation.seconds.emplace_back(stage.name, seconds);
        compilation.space_seconds += stage.name == "space" || stage.name == "plan" ? seconds : 0;
        if (good && stage.dump != nullptr && wanted(stage.dump_name)) {
            std::cout << stage.dump(compilation);
        }
        if (good && stage.name == "plan" && wanted("candidates")) {
            std::cout << dump_candidates(compilation);
        }
        if (!good || stage.name == last) {
            break;
        }
    }
    if (compilation.options.time_stages) {
        std::cerr << time_table(compilation);
    }
    return good;
}

bool run_stages(Compilation& compilation, Diagnostics& diagnostics, std::string_view first, std::string_view last) {
    const auto named = [](std::string_view name) { return std::ranges::find(stages(), name, &Stage::name); };
    return std::all_of(named(first), named(last) + 1, [&](const Stage& stage) { return run_stage(stage, compilation, diagnostics); });
}

} // namespace fusec::cli
