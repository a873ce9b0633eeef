// SPDX-License-Identifier: Apache-2.0
#include "cli/choose_plan.hpp"

#include "cli/report_text.hpp"
#include "cli/spill_warning.hpp"
#include "cli/unmeasured_warning.hpp"
#include "codegen/codegen.hpp"
#include "fusion/plan_file.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fusec::cli {

std::optional<fusion::PlanMode> mode_of(const std::string& text) {
    if (text == "auto") {
        return fusion::PlanMode::automatic;
    }
    if (text == "none") {
        return fusion::PlanMode::none;
    }
    if (text == "max") {
        return fusion::PlanMode::max;
    }
    if (text == "greedy") {
        return fusion::PlanMode::greedy;
    }
    return std::nullopt;
}

namespace {

/// What is proved about a plan that was not searched for: how far below it any plan could be. Small programs are solved to the end for
/// it; for large ones the bound of the linear program does, which may be closer than the one that the search for the best plan keeps.
void state_gap(Compilation& c) {
    constexpr std::size_t small = 50; // calls
    const bool solved = c.graph->calls() <= small;
    fusion::PlanOptions options{.mode = solved ? fusion::PlanMode::automatic : fusion::PlanMode::greedy,
        .time_limit = c.options.time_limit,
        .recompute = c.options.recompute};
    options.nodes /= solved ? 1 : 4; // of a large program, what a part of the effort proves
    fusion::Plan& plan = c.plans.front();
    const double bound = fusion::solve_cover(*c.graph, *c.space, options).bound;
    internal_check(!mode_of(c.options.plan) || bound <= plan.seconds * (1 + 1e-9), "a bound is above the cost of a plan");
    plan.bound = std::min(plan.seconds, bound); // a plan file may have implementations that the search does not consider
    plan.gap = plan.seconds > 0 ? (plan.seconds - plan.bound) / plan.seconds : 0;
}

Searched searched_by(const fusion::SpaceStatistics& space) {
    if (!space.complete || !space.columns_complete) {
        return Searched::some_kernels;
    }
    return space.unexplored != 0 ? Searched::some_implementations : Searched::all;
}

bool plan_from_file(Compilation& c, Diagnostics& diagnostics) {
    if (!read_plan_file(c, diagnostics)) {
        return false;
    }
    if (c.combinations.size() == 1 && !c.plan_file->alternatives.empty()) {
        diagnostics
            .report(kind::plan_file, c.plan_file->span,
                fmt::format(
                    "the plan takes `alternatives` {}, but `{}` has none", fmt::join(c.plan_file->alternatives, ", "), c.program->name))
            .hint = c.options.reassociate ? "write the plan again with `--save-plan`"
                                          : "orders of products are alternatives with `--reassociate` only";
        return false;
    }
    auto plan = fusion::resolve_plan_file(*c.plan_file, *c.graph, *c.catalog, *c.space, diagnostics);
    if (!plan) {
        return false;
    }
    c.plans = {std::move(*plan)};
    return true;
}

} // namespace

bool read_plan_file(Compilation& c, Diagnostics& diagnostics) {
    if (c.plan_file) {
        return true;
    }
    auto text = read_text(c.options.plan, diagnostics);
    if (text) {
        const auto source = std::make_shared<SourceText>(c.options.plan, std::move(*text));
        c.plan_file = fusion::parse_plan_file(source, diagnostics);
    }
    return c.plan_file.has_value();
}

bool settle_target(CompileOptions& options, perfmodel::Device& device, Diagnostics& diagnostics) {
    if (device.limits.target != options.target) {
        const char* wanted = options.target == fusion::Target::host ? "host" : "cuda";
        diagnostics.report(kind::target_mismatch, {}, fmt::format("device `{}` is not a device of `--target {}`", device.name, wanted))
            .hint = std::string(options.target == fusion::Target::cuda ? "`--target host` takes it; " : "") +
            "`fusec devices` lists the devices and their targets";
        return false;
    }
    if (options.target == fusion::Target::host) {
        if (options.arch) {
            diagnostics.report(kind::target_mismatch, {}, "`--arch` is given for `--target host`");
            return false;
        }
        return true;
    }
    if (!options.arch) {
        options.arch = device.limits.arch;
    }
    if (*options.arch != device.limits.arch) {
        if (*options.arch > device.limits.arch) {
            diagnostics.report(kind::target_mismatch, {},
                fmt::format("code for sm_{} does not run on device `{}`, which is sm_{}", *options.arch, device.name, device.limits.arch));
            return false;
        }
        device.limits.arch = *options.arch;
    }
    return true;
}

bool check_emittable(const perfmodel::Device& device, Diagnostics& diagnostics) {
    if (!codegen::emits_for(device.limits)) {
        diagnostics.report(kind::target_mismatch, {},
            fmt::format("device `{}` is for prediction only: code is emitted for sm_{} and later", device.name, codegen::oldest_arch));
        return false;
    }
    return true;
}

void price_space(Compilation& c) {
    constexpr std::size_t most = 256; // a front takes a quarter of a millisecond
    if (c.space->columns().size() <= most) {
        for (std::size_t i = 0; i < c.space->columns().size(); ++i) {
            c.space->front(ColumnId(i));
        }
    }
}

fusion::Plan make_plan(const fusion::Cover& cover, double bound, fusion::Space& space, const dag::CallGraph& graph) {
    fusion::Plan plan;
    for (const ColumnId column : cover.columns) {
        plan.kernels.push_back(space.front(column).kept.front());
    }
    plan.workspace = fusion::plan_workspace(graph, plan.kernels);
    plan.seconds = cover.seconds;
    plan.bound = bound;
    plan.gap = cover.seconds > 0 ? (cover.seconds - bound) / cover.seconds : 0;
    return plan;
}

bool choose_plan(Compilation& c, Diagnostics& diagnostics) {
    const auto mode = mode_of(c.options.plan);
    if (!mode && !plan_from_file(c, diagnostics)) {
        return false;
    }
    fusion::PlanOptions options;
    options.time_limit = c.options.time_limit;
    options.recompute = c.options.recompute;
    if (mode) {
        options.mode = *mode;
        options.runners_up = c.options.runners_up;
        const fusion::CoverResult result = fusion::solve_cover(*c.graph, *c.space, options);
        for (const fusion::Cover& cover : result.covers) {
            c.plans.push_back(make_plan(cover, result.bound, *c.space, *c.graph));
        }
        if (c.plans.empty()) {
            report_no_plan(c, diagnostics);
            return false;
        }
    }
    warn_of_spills(c, diagnostics);
    warn_of_unmeasured(c, diagnostics);
    if (mode != fusion::PlanMode::automatic) {
        state_gap(c);
    }
    const fusion::CoverResult unfused = fusion::solve_cover(*c.graph, *c.space, {.mode = fusion::PlanMode::none, .bound = false});
    c.unfused_seconds = unfused.covers.empty() ? 0 : unfused.covers.front().seconds;
    c.searched = searched_by(c.space->statistics());
    return true;
}

/// ` --library ID` when the program calls functions of the user's: the ID is that of their metadata and device sources, since a folder's
/// name says nothing about what is in it.
std::string library_text(const Compilation& c) {
    const std::string standard = library::standard_library_folder().string();
    std::map<std::string, std::string> used; // by name
    for (const frontend::Call& call : c.graph->program().calls) {
        const library::Function& called = c.catalog->function(call.instance.function);
        const library::Function& function = called.base.empty() ? called : c.catalog->function(c.catalog->find(called.base).value());
        const bool of_the_program = function.metadata_path.empty();
        if (!of_the_program && !function.metadata_path.string().starts_with(standard)) {
            Diagnostics unread; // it has been read before; if it is gone, its device source tells enough
            used[function.name] = read_file(function.metadata_path, unread).value_or("") + function.source;
        }
    }
    std::string all;
    for (const auto& [name, text] : used) {
        all += name + "\n" + text;
    }
    return used.empty() ? "" : " --library " + codegen::text_id(all);
}

codegen::EmitOptions emit_options(const Compilation& c) {
    codegen::EmitOptions options;
    options.target = c.options.target;
    options.arch = c.options.arch.value_or(c.device->limits.arch);
    options.embed_runtime = c.options.embed_runtime;
    options.entries = c.options.entries;
    options.options_text = options_text(c) + library_text(c);
    options.summary = summary(c);
    options.header_name = c.header_name;
    return options;
}

} // namespace fusec::cli
