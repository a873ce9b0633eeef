// SPDX-License-Identifier: Apache-2.0
#include "cli/report_text.hpp"

#include "cli/breakdown.hpp"
#include "cli/compiled_kernels.hpp"
#include "frontend/ast.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/routines.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/counted.hpp"
#include "support/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fusec::cli {

namespace {

/// Data that a plan moves through memory between its kernels.
std::set<DataId> intermediates(const fusion::Plan& plan, const dag::CallGraph& graph) {
    std::set<DataId> result;
    for (const fusion::Candidate& kernel : plan.kernels) {
        std::ranges::copy_if(kernel.stores, std::inserter(result, result.end()), [&](DataId d) { return !graph.datum(d).output; });
    }
    return result;
}

std::string list_of(const std::set<DataId>& data, const dag::CallGraph& graph) {
    return data_names({data.begin(), data.end()}, graph);
}

double flops_per_element(const fusion::Plan& plan) {
    double flops = 0;
    for (const fusion::Candidate& kernel : plan.kernels) {
        flops += kernel.work.flops;
    }
    return flops;
}

/// What an alternative that is left out calculates, beside the best plan.
std::string flops_text(double flops, double best) {
    return fmt::format("{:g} flops per element beside {:g}", flops, best);
}

/// What a runner-up does worse than the best plan, in the order in which it matters: traffic, launches, then the bound of its kernels.
std::string why_slower(const fusion::Plan& plan, const fusion::Plan& best, const dag::CallGraph& graph) {
    std::vector<std::string> reasons;
    const double bytes = bytes_per_element(plan) - bytes_per_element(best);
    if (bytes > 0) {
        std::set<DataId> more = intermediates(plan, graph);
        for (const DataId d : intermediates(best, graph)) {
            more.erase(d);
        }
        reasons.push_back(more.empty() ? fmt::format("moves {:g} B/element more", bytes)
                                       : fmt::format("moves {:g} B/element more ({} through memory)", bytes, list_of(more, graph)));
    }
    if (plan.kernels.size() > best.kernels.size()) {
        reasons.push_back(counted(plan.kernels.size() - best.kernels.size(), "launch") + " more");
    }
    if (reasons.empty()) {
        const auto slowest = std::ranges::max_element(plan.kernels, {}, [](const fusion::Candidate& k) { return k.cost.seconds; });
        reasons.push_back(fmt::format("kernel of {} takes {}, bound by {}", call_names(slowest->calls, graph),
            time_text(slowest->cost.seconds), fusion::to_string(slowest->cost.bound_by)));
    }
    return fmt::format("{}", fmt::join(reasons, ", "));
}

} // namespace

std::string call_names(const dag::CallSet& calls, const dag::CallGraph& graph) {
    std::vector<std::string> names;
    for (const CallId call : calls) {
        names.push_back(graph.program().name_of(call));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<DataId> derived_data(const fusion::Candidate& kernel) {
    std::vector<DataId> result;
    for (const fusion::DerivedPlan& plan : kernel.derived) {
        result.push_back(plan.datum);
    }
    return result;
}

std::string some_names(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8, shown = 6;
    if (names.size() <= most) {
        return fmt::format("{}", fmt::join(names, ", "));
    }
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + shown, ", "), names.size() - shown);
}

std::string some_call_names(const dag::CallSet& calls, const dag::CallGraph& graph) {
    std::vector<std::string> names;
    for (const CallId call : calls) {
        names.push_back(graph.program().name_of(call));
    }
    return some_names(names);
}

std::string data_names(const std::vector<DataId>& data, const dag::CallGraph& graph) {
    std::vector<std::string> names;
    for (const DataId datum : data) {
        names.push_back(graph.datum(datum).name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3) {
        text.insert(i - 3, ",");
    }
    return text;
}

std::string time_text(double seconds) {
    if (std::isinf(seconds)) {
        return "no answer";
    }
    // Thresholds leave room for the rounding to three digits: 0.9996 s is 1 s, not 1e+03 ms.
    if (seconds >= 0.9995) {
        return fmt::format("{:.3g} s", seconds);
    }
    return seconds >= 0.9995e-4 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} us", seconds * 1e6);
}

double bytes_per_element(const fusion::Plan& plan) {
    double bytes = 0;
    for (const fusion::Candidate& kernel : plan.kernels) {
        bytes += kernel.work.read_bytes + kernel.work.write_bytes;
    }
    return bytes;
}

fusion::Bound main_bound(const fusion::Plan& plan) {
    std::map<fusion::Bound, double> seconds;
    for (const fusion::Candidate& kernel : plan.kernels) {
        seconds[kernel.cost.bound_by] += kernel.cost.seconds;
    }
    return std::ranges::max_element(seconds, {}, [](const auto& entry) { return entry.second; })->first;
}

std::string gap_text(const Compilation& c) {
    const double gap = c.plans.front().gap;
    const std::string text = gap < 5e-7 ? "gap 0" : fmt::format("gap {:.3g} %", gap * 100);
    switch (c.searched) {
    case Searched::all:
        return text;
    case Searched::some_implementations:
        return text + " over the implementations considered";
    case Searched::some_kernels:
        return text + " over the part searched";
    }
    return text;
}

std::string summary(const Compilation& c) {
    const fusion::Plan& plan = c.plans.front();
    const double faster = c.unfused_seconds / plan.seconds;
    return fmt::format("{}, {:g} B/element, predicted {} for {} {} on {} ({}), {}x over one kernel per call, {}{}",
        counted(plan.kernels.size(), "kernel"), bytes_per_element(plan), time_text(plan.seconds), grouped(c.options.elements),
        plural(c.options.elements, "element"), c.device->name + (c.device->calibration.empty() ? "" : ", calibrated"),
        fusion::to_string(main_bound(plan)), faster < 9.95 ? fmt::format("{:.1f}", faster) : fmt::format("{:.0f}", faster), gap_text(c),
        (c.compiled ? fmt::format(
                          "; its compiled kernels {}, {}", time_text(c.compiled->plans.front().seconds), c.compiled->registers.sentence())
                    : "") +
            (c.planned.empty() ? "" : "; " + c.planned.front().text));
}

std::string options_text(const Compilation& c) {
    const CompileOptions& options = c.options;
    const CompileOptions standard;
    const bool host = options.target == fusion::Target::host;
    std::vector<std::string> words;
    if (host) {
        words.emplace_back("--target host");
    }
    words.push_back("--device " + Path(options.device).filename().string());
    if (!c.device->calibration.empty()) {
        words.push_back("(calibration " + c.device->calibration + ")");
    }
    if (!host) {
        words.push_back(fmt::format("--arch sm_{}", options.arch.value_or(0)));
    }
    words.push_back(fmt::format("-n {}", options.elements));
    const auto when = [&](bool differs, std::string word) {
        if (differs) {
            words.push_back(std::move(word));
        }
    };
    when(options.real == Precision::f64, "--real double");
    when(options.reassociate, "--reassociate");
    when(options.checked, "--checked");
    when(options.max_fusion.has_value(), fmt::format("--max-fusion {}", options.max_fusion.value_or(0)));
    when(options.max_fusions != standard.max_fusions, fmt::format("--max-fusions {}", options.max_fusions));
    when(options.plan != standard.plan, "--plan " + Path(options.plan).filename().string());
    when(!options.recompute, "--no-recompute");
    when(options.predictor != standard.predictor, "--predictor " + options.predictor);
    when(options.compiled_prices, "--analysis llvm");
    when(options.time_limit != standard.time_limit, fmt::format("--time-limit {:g}", options.time_limit));
    when(options.entries, "--entries");
    when(!options.embed_runtime, "--runtime include");
    std::string text = fmt::format("{}", fmt::join(words, " "));
    // Names of files may hold any byte; the text goes into a comment of one line.
    std::replace_if(text.begin(), text.end(), [](char byte) { return perfmodel::has_control_character({&byte, 1}); }, '?');
    return text;
}

std::string dump_ast(Compilation& c) {
    return frontend::ast::to_text(*c.ast);
}

std::string dump_dag(Compilation& c) {
    Writer out;
    const auto write = [&](const frontend::Call& call, const std::string& where) {
        const frontend::Datum& result = c.graph->datum(call.result);
        const library::Function& function = c.catalog->function(call.instance.function);
        const std::optional<FunctionId> base = c.catalog->find(function.base);
        std::string folded;
        if (base) {
            library::Instance whole = call.instance;
            whole.function = *base;
            folded = fmt::format(", {:g} of {:g} operations left by its constants", c.catalog->operations(call.instance).flops,
                c.catalog->operations(whole).flops);
        }
        out.line(fmt::format("{} = {}({}) : {}{}{}", result.name, function.called(), data_names(call.operands, *c.graph),
            to_string(result.type, result.storage), folded, where));
    };
    for (const frontend::Call& call : c.program->uniform_calls) {
        write(call, ", the same for all elements: in every kernel that uses it");
    }
    for (const frontend::Call& call : c.program->calls) {
        write(call, c.program->blocks.empty() ? "" : fmt::format(", in block {}", c.program->blocks[call.block]));
    }
    return out.take();
}

std::string dump_candidates(Compilation& c) {
    Writer out;
    for (std::size_t i = 0; i < c.space->columns().size(); ++i) {
        const fusion::Column& column = c.space->columns()[i];
        const fusion::Front& front = c.space->front(ColumnId(i));
        out.line(fmt::format("{{{}}} -> {}: {} considered, {} dominated, {} rejected", call_names(column.executes, *c.graph),
            data_names(column.stores, *c.graph), front.considered, front.dominated, front.rejected.size()));
        out.indent();
        for (const fusion::Candidate& candidate : front.kept) {
            out.line(fmt::format("{} T={} threads={} shared={} registers={} {} ({})", fusion::granularity_text(candidate),
                candidate.instances_per_block, candidate.threads_per_block, candidate.shared_bytes, candidate.work.registers,
                time_text(candidate.cost.seconds), fusion::to_string(candidate.cost.bound_by)));
        }
        out.dedent();
    }
    return out.take();
}

std::string kernel_line(const fusion::Candidate& kernel, const dag::CallGraph& graph) {
    const double bytes = kernel.work.read_bytes + kernel.work.write_bytes;
    const std::string derives = kernel.derived.empty() ? "" : fmt::format("derives {}; ", data_names(derived_data(kernel), graph));
    const std::string block = graph.program().block_name(kernel.calls.front());
    return fmt::format("{}{{{}}} {}: loads {}; {}stores {}; {:g} B/element, {} and {} per block, {} B shared, {} ({})",
        block.empty() ? "" : block + ": ", call_names(kernel.calls, graph), fusion::granularity_text(kernel),
        data_names(kernel.loads, graph), derives, data_names(kernel.stores, graph), bytes,
        counted(static_cast<std::uint64_t>(kernel.instances_per_block), "element"),
        counted(static_cast<std::uint64_t>(kernel.threads_per_block), "thread"), kernel.shared_bytes, time_text(kernel.cost.seconds),
        fusion::to_string(kernel.cost.bound_by));
}

std::string plan_table(const fusion::Plan& plan, const dag::CallGraph& graph) {
    Writer out;
    for (const fusion::Candidate& kernel : plan.kernels) {
        out.line(kernel_line(kernel, graph));
    }
    return out.take();
}

std::string dump_plan(Compilation& c) {
    return plan_table(c.plans.front(), *c.graph);
}

std::string dump_ir(Compilation& c) {
    return codegen::dump(*c.unit);
}

std::string time_table(const Compilation& c) {
    Writer out;
    double total = 0;
    for (std::size_t i = 0; i < c.seconds.size(); ++i) {
        const auto& [name, seconds] = c.seconds[i];
        out.line(fmt::format("{:10} {:9.3f} ms  {}", name, seconds * 1e3, stages()[i].description));
        total += seconds;
    }
    out.line(fmt::format("{:10} {:9.3f} ms", "total", total * 1e3));
    return out.take();
}

namespace {

std::string spilled_text(const fusion::KernelWork& work) {
    return work.spill_bytes > 0 ? fmt::format(" with {:g} B/element spilled", work.spill_bytes) : "";
}

/// What the answer of --predictor for a kernel is made of, one step further in.
void write_terms(const fusion::KernelWork& work, const Compilation& c, Writer& out) {
    const perfmodel::Breakdown said = c.predictor->explain(work, c.options.elements);
    out.indent();
    out.line(c.predictor->name() + ": " + bound_times_text(said));
    out.indent();
    for (const std::string& line : quantity_lines(said, 120)) {
        out.line(line);
    }
    out.dedent();
    out.dedent();
}

/// The kernels of the best plan, each with its terms.
std::string explained_table(const fusion::Plan& plan, const Compilation& c) {
    Writer out;
    for (const fusion::Candidate& kernel : plan.kernels) {
        out.line(kernel_line(kernel, *c.graph));
        write_terms(kernel.work, c, out);
    }
    return out.take();
}

/// What the compiled kernels of a plan differ in from what the search has taken them for. `terms`: with those of each.
std::string compiled_table(const CompiledPlans::Plan& compiled, const fusion::Plan& plan, bool terms, const Compilation& c) {
    Writer out;
    out.line(fmt::format("compiled: {} ({:+.2f} %)", time_text(compiled.seconds), (compiled.seconds / plan.seconds - 1) * 100));
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const fusion::KernelWork& before = plan.kernels[i].work;
        const CompiledPlans::Kernel& kernel = compiled.kernels[i];
        const fusion::KernelWork& now = kernel.compiled.work;
        out.line(fmt::format("kernel {}: {:.1f} warp instructions per element beside {:.1f} estimated, {} registers{}, {} ({})", i + 1,
            now.instructions, before.instructions, now.registers,
            kernel.compiled.registers_known ? fmt::format(" beside {}{}", before.registers, spilled_text(now)) : " estimated",
            time_text(kernel.cost.seconds), fusion::to_string(kernel.cost.bound_by)));
        if (terms) {
            write_terms(now, c, out);
        }
        for (const std::string& sentence : kernel.compiled.estimated) {
            out.line("estimated: " + sentence);
        }
    }
    return out.take();
}

/// The best plan of each combination of alternatives that is not taken, fastest first.
void explore_left_out(const Compilation& c, int rank, Writer& out) {
    for (std::size_t i = 1; i < c.planned.size(); ++i) {
        const PlannedCombination& one = c.planned[i];
        out.line();
        if (!one.compiled) {
            out.line(one.text + ": no plan");
            continue;
        }
        const fusion::Plan& plan = one.compiled->plans.front();
        const fusion::Plan& best = c.plans.front();
        out.line(fmt::format("{}. {}: {} ({:+.2f} %), {:g} B/element, workspace {} B/element, {}", ++rank, one.text,
            time_text(plan.seconds), (plan.seconds / best.seconds - 1) * 100, bytes_per_element(plan), plan.workspace.bytes_per_element(),
            flops_text(flops_per_element(plan), flops_per_element(best))));
        out.indent();
        out.lines(plan_table(plan, *one.compiled->graph));
        out.dedent();
    }
}

} // namespace

std::string explore_text(Compilation& c) {
    const fusion::SpaceStatistics space = c.space->statistics();
    Writer out;
    out.line(fmt::format("{}: {}, {}{}, {} considered, {} dominated", c.program->name, counted(space.calls, "call"),
        counted(space.fusions, "fusion"), space.stopped ? " (enumeration stopped)" : "", counted(space.candidates, "candidate"),
        space.dominated));
    for (const auto& [reason, count] : space.rejected) {
        out.line(fmt::format("rejected: {} {}", count, reason));
    }
    if (space.hubs_left_out) {
        out.line(fmt::format("sets that only lists with more than {} users connect are tried in part", fusion::max_sharing_consumers));
    }
    if (!space.columns_complete) {
        out.line("not every choice of stored data is a column: recomputation is searched in part");
    }
    if (space.unexplored != 0) {
        out.line(space.unexplored >= fusion::countless ? "more implementations than can be counted were left out as less promising"
                                                       : fmt::format("{} {} left out as less promising", space.unexplored,
                                                             space.unexplored == 1 ? "implementation was" : "implementations were"));
    }
    if (!c.planned.empty()) {
        out.line("takes " + c.planned.front().text);
    }
    if (const std::string label = c.predictor->label(); !label.empty()) {
        out.line(fmt::format("{}: {}", c.predictor->name(), label));
    }
    const fusion::Plan& best = c.plans.front();
    out.line(fmt::format("optimum {}, bound {}, {}", time_text(best.seconds), time_text(best.bound), gap_text(c)));
    if (c.compiled) {
        out.line(fmt::format("ordered by their compiled kernels: instructions by {}, {}; bound and gap are those of the search",
            c.compiled->source, c.compiled->registers.sentence()));
    }
    int rank = 0;
    for (const fusion::Plan& plan : c.plans) {
        const double slower = plan.seconds / c.plans.front().seconds;
        out.line();
        out.line(++rank == 1 ? fmt::format("1. {}, {:g} B/element, workspace {} B/element", time_text(plan.seconds),
                                   bytes_per_element(plan), plan.workspace.bytes_per_element())
                             : fmt::format("{}. {} ({:+.2f} %), {:g} B/element, workspace {} B/element: {}", rank, time_text(plan.seconds),
                                   (slower - 1) * 100, bytes_per_element(plan), plan.workspace.bytes_per_element(),
                                   why_slower(plan, c.plans.front(), *c.graph)));
        out.indent();
        out.lines(rank == 1 ? explained_table(plan, c) : plan_table(plan, *c.graph));
        if (c.compiled) {
            out.lines(compiled_table(c.compiled->plans[static_cast<std::size_t>(rank - 1)], plan, rank == 1, c));
        }
        out.dedent();
    }
    explore_left_out(c, rank, out);
    return out.take();
}

/// Calls of which the table of measured times has no implementation: with `benchmark` their kernels have no price.
bool report_missing_times(const Compilation& c, Diagnostics& diagnostics) {
    if (c.options.predictor != "benchmark" || c.device->routine_times == nullptr) {
        return false;
    }
    const auto& known = c.device->routine_times->routines;
    const std::vector<fusion::CallRoutines> routines = fusion::find_routines(*c.graph, *c.catalog, c.device->limits);
    bool missing = false;
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        const std::vector<fusion::Routine>& of = routines[i].routines;
        if (std::ranges::none_of(of, [&](const fusion::Routine& each) { return known.contains(*each.signature); })) {
            Diagnostic& error = diagnostics.report(kind::missing_figure, c.graph->call(CallId(i)).span,
                fmt::format("`benchmark` needs a time of `{}` or another implementation, which `{}` does not have", *of.front().signature,
                    c.device->name));
            error.hint = "`fusec calibrate --for` measures the routines of a program";
            missing = true;
        }
    }
    return missing;
}

void report_no_plan(Compilation& c, Diagnostics& diagnostics) {
    if (report_missing_times(c, diagnostics)) {
        return;
    }
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        const CallId call{i};
        const auto column = c.space->find({call}, {c.graph->call(call).result});
        const bool feasible = column && c.space->seconds(*column) < fusion::ColumnSource::impossible;
        if (!feasible) {
            Diagnostic& error = diagnostics.report(kind::no_kernel, c.graph->call(call).span,
                fmt::format("no implementation of `{}` fits device `{}`",
                    c.catalog->function(c.graph->call(call).instance.function).called(), c.device->name));
            std::set<std::string> details;
            if (column) {
                for (const fusion::Rejection& rejection : c.space->front(*column).rejected) {
                    details.insert(rejection.detail);
                }
            }
            for (const std::string& detail : details) {
                error.notes.push_back({{}, detail});
            }
            if (c.options.predictor == "benchmark") {
                error.notes.push_back({{},
                    "with `benchmark`, kernels with a transfer of which no time was measured have no price; `fusec predict` names them"});
            }
        }
    }
    internal_check(diagnostics.has_errors(), "the solver found no plan although every call has a kernel of its own");
}

} // namespace fusec::cli
