// SPDX-License-Identifier: Apache-2.0
#include "cli/report_json.hpp"

#include "cli/report_text.hpp"
#include "support/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <map>

namespace fusec::cli {

namespace {

using Json = nlohmann::ordered_json;

Json names(const std::vector<DataId>& data, const dag::CallGraph& graph) {
    Json list = Json::array();
    for (const DataId datum : data) {
        list.push_back(graph.datum(datum).name);
    }
    return list;
}

Json names(const dag::CallSet& calls, const dag::CallGraph& graph) {
    Json list = Json::array();
    for (const CallId call : calls) {
        list.push_back(graph.program().name_of(call));
    }
    return list;
}

Json checks_json(const frontend::CheckedProgram& program) {
    Json list = Json::array();
    for (const frontend::Check& check : program.checks) {
        const SourceText& source = *check.span.source;
        list.push_back({{"name", program.datum(program.outputs[check.output]).name}, {"text", check.text}, {"file", source.path()},
            {"line", source.line(check.span.begin)}});
    }
    return list;
}

Json terms(const perfmodel::Breakdown& breakdown) {
    Json bounds = Json::object(), quantities = Json::array();
    for (const auto& [bound, seconds] : breakdown.bounds) {
        bounds[std::string(fusion::to_string(bound))] = std::isfinite(seconds) ? Json(seconds) : Json(nullptr);
    }
    for (const perfmodel::Quantity& quantity : breakdown.quantities) {
        quantities.push_back({{"name", quantity.name}, {"value", quantity.value}, {"unit", quantity.unit}});
    }
    return {{"bounds", std::move(bounds)}, {"quantities", std::move(quantities)}};
}

Json kernel_json(const fusion::Candidate& kernel, const Compilation& c) {
    const dag::CallGraph& graph = *c.graph;
    Json implementation = Json::object();
    for (const fusion::CallPlan& call : kernel.order) {
        const library::Function& function = c.catalog->function(graph.call(call.call).instance.function);
        implementation[graph.program().name_of(call.call)] = function.implementations.at(call.implementation).name;
    }
    Json entry = {
        {"name", codegen::kernel_name(kernel, graph.program())},
        {"calls", names(kernel.calls, graph)},
        {"derives", names(derived_data(kernel), graph)},
        {"loads", names(kernel.loads, graph)},
        {"stores", names(kernel.stores, graph)},
        {"implementation", std::move(implementation)},
        {"threads", kernel.threads_per_block},
        {"instances_per_block", kernel.instances_per_block},
        {"shared_bytes", kernel.shared_bytes},
        {"shared_bytes_optimal", !kernel.placement_cut},
        {"registers", kernel.work.registers},
        {"bytes_per_element", kernel.work.read_bytes + kernel.work.write_bytes},
        {"flops_per_element", kernel.work.flops},
        {"seconds", kernel.cost.seconds},
        {"bound_by", fusion::to_string(kernel.cost.bound_by)},
    };
    entry.update(terms(c.predictor->explain(kernel.work, c.options.elements)));
    if (!graph.program().blocks.empty()) {
        entry["block"] = graph.program().block_name(kernel.calls.front());
    }
    return entry;
}

Json mix_json(const perfmodel::analysis::Mix& mix) {
    Json instructions = Json::object(), bytes = Json::object();
    for (const auto& [each, number] : mix.instructions) {
        instructions[std::string(to_string(each))] = number;
    }
    for (const perfmodel::analysis::Mix::Moved& moved : mix.moved) {
        bytes[std::string(to_string(moved.space))] = {{"load", moved.loaded}, {"store", moved.stored}};
    }
    return {{"instructions", std::move(instructions)}, {"bytes", std::move(bytes)}};
}

Json loops_json(const perfmodel::analysis::KernelProfile& profile) {
    Json loops = Json::array();
    for (const perfmodel::analysis::LoopProfile& loop : profile.loops) {
        loops.push_back(
            {{"where", loop.where}, {"depth", loop.depth}, {"trip_count", loop.trip_count ? Json(*loop.trip_count) : Json(loop.expression)},
                {"entries", loop.entries}, {"iterations", loop.iterations}});
    }
    return loops;
}

Json compiled_json(const CompiledPlans::Kernel& kernel) {
    const fusion::KernelWork& work = kernel.compiled.work;
    const perfmodel::analysis::KernelProfile& profile = kernel.compiled.profile;
    Json accesses = Json::array();
    for (const perfmodel::analysis::AccessProfile& access : profile.accesses) {
        accesses.push_back({{"where", access.where}, {"space", to_string(access.space)}, {"store", access.store}, {"async", access.async},
            {"bytes", access.bytes}, {"per_block", access.count}, {"pattern", to_string(access.pattern)},
            {"stride_bytes", access.stride_bytes}, {"transactions", access.transactions}, {"least_transactions", access.least_transactions},
            {"known", access.known}});
    }
    return {{"instructions_per_element", 32 * work.instructions}, {"path_instructions", work.path_instructions},
        {"critical_path_cycles", profile.critical_path_cycles}, {"dependency_depth", profile.longest.dependency_depth},
        {"flops_per_element", work.flops}, {"mix_per_element", mix_json(mix_per_element(profile, work.elements_per_block))},
        {"loops", loops_json(profile)}, {"registers", work.registers}, {"registers_known", kernel.compiled.registers_known},
        {"live_registers", profile.live_registers}, {"spill_bytes_per_element", work.spill_bytes}, {"seconds", kernel.cost.seconds},
        {"bound_by", fusion::to_string(kernel.cost.bound_by)}, {"accesses", std::move(accesses)}, {"estimated", kernel.compiled.estimated}};
}

Json plan_json(const fusion::Plan& plan, int rank, const Compilation& c) {
    const CompiledPlans::Plan* const compiled = c.compiled ? &c.compiled->plans.at(static_cast<std::size_t>(rank) - 1) : nullptr;
    std::map<CallId, int> executions;
    for (const fusion::Candidate& kernel : plan.kernels) {
        for (const CallId call : kernel.calls) {
            ++executions[call];
        }
    }
    dag::CallSet recomputed;
    for (const auto& [call, times] : executions) {
        if (times > 1) {
            recomputed.push_back(call);
        }
    }
    const codegen::Unit unit = codegen::lower(plan, *c.graph, *c.catalog);
    Json kernels = Json::array();
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        Json kernel = kernel_json(plan.kernels[i], c);
        if (compiled != nullptr) {
            kernel["compiled"] = compiled_json(compiled->kernels[i]);
        }
        kernels.push_back(std::move(kernel));
    }
    Json entry = {
        {"rank", rank},
        {"seconds", plan.seconds},
        {"workspace_bytes", plan.workspace.bytes(c.options.elements) + (unit.checks.empty() ? 0 : codegen::failure_bytes)},
        {"recomputed", names(recomputed, *c.graph)},
        {"kernels", std::move(kernels)},
    };
    if (compiled != nullptr) {
        entry["compiled_seconds"] = compiled->seconds;
    }
    return entry;
}

/// How lists are stored, by what the program calls them; those that are stored as their type says are left out.
Json storage(const frontend::CheckedProgram& program) {
    Json entries = Json::object();
    for (const auto* lists : {&program.inputs, &program.outputs}) {
        for (const DataId id : *lists) {
            if (const Storage& storage = program.datum(id).storage) {
                entries[program.list_name(id)] = c_name(*storage);
            }
        }
    }
    return entries;
}

/// The number as a report gives it, to so many digits: more of them say nothing.
double rounded(double value, const char* format) {
    return std::strtod(fmt::format(fmt::runtime(format), value).c_str(), nullptr);
}

} // namespace

bool can_write_report(const std::optional<Path>& json, Diagnostics& diagnostics, const std::vector<Path>& inputs) {
    return !json || *json == "-" || can_write_files({*json}, diagnostics, inputs);
}

std::string report_json(const Compilation& c) {
    const fusion::SpaceStatistics space = c.space->statistics();
    Json rejected = Json::object();
    for (const auto& [reason, count] : space.rejected) {
        rejected[reason] = count;
    }
    Json plans = Json::array();
    for (std::size_t i = 0; i < c.plans.size(); ++i) {
        plans.push_back(plan_json(c.plans[i], static_cast<int>(i) + 1, c));
    }
    const fusion::Plan& best = c.plans.front();
    Json report = {
        {"schema", 1},
        {"program", c.program->name},
        {"device", c.device->name},
        {"calibration", c.device->calibration},
        {"predictor", c.options.predictor},
        {"elements", c.options.elements},
        {"space",
            {
                {"calls", space.calls},
                {"fusions", space.fusions},
                {"grown", space.grown},
                {"candidates", space.candidates},
                {"dominated", space.dominated},
                {"unexplored", space.unexplored},
                {"rejected", std::move(rejected)},
                {"hubs_left_out", space.hubs_left_out},
                {"complete", space.complete && space.columns_complete},
                {"seconds", c.space_seconds},
            }},
        {"optimum", {{"seconds", best.seconds}, {"bound", best.bound}, {"gap", best.gap}}},
        {"plans", std::move(plans)},
    };
    if (const std::string label = c.predictor->label(); !label.empty()) {
        report["predictor_label"] = label;
    }
    if (c.options.checked) {
        report["checks"] = checks_json(*c.program);
    }
    if (c.compiled) {
        report["analysis"] = {{"source", c.compiled->source}, {"registers", c.compiled->registers.text()}};
    }
    if (Json stored = storage(*c.program); !stored.empty()) {
        report["storage"] = std::move(stored);
    }
    for (const PlannedCombination& one : c.planned) {
        Json entry = {{"taken", one.taken}, {"text", one.text}, {"chosen", &one == &c.planned.front()}};
        entry["seconds"] = one.compiled ? Json(one.seconds()) : Json(nullptr);
        report["alternatives"].push_back(std::move(entry));
    }
    return report.dump(2) + "\n";
}

std::string candidate_json(const fusion::Candidate& kernel, const Compilation& c) {
    return kernel_json(kernel, c).dump();
}

std::string compiled_kernel_json(const CompiledPlans::Kernel& kernel) {
    return compiled_json(kernel).dump();
}

std::string terms_json(const perfmodel::Breakdown& breakdown) {
    return terms(breakdown).dump();
}

std::string verify_json(const Verify& command, const std::vector<Verified>& results) {
    Json entries = Json::array();
    for (const Verified& one : results) {
        const execute::VerifyResult& result = one.result;
        entries.push_back({
            {"program", one.program},
            {"calls", one.calls},
            {"executor", one.executor},
            {"device", one.device},
            {"fusions", result.fusions},
            {"candidates", result.candidates},
            {"checked", result.checked},
            {"texts", result.texts},
            {"texts_optimised", result.product},
            {"launches", result.launches},
            {"components", result.components},
            {"mismatches", result.mismatches},
            {"drawn", result.drawn},
            {"redrawn", result.redrawn},
            {"ill_conditioned", result.ill_conditioned},
            {"worst_error", rounded(result.worst_ratio, "{:.3g}")},
            {"processor_seconds", rounded(one.processor_seconds, "{:.1f}")},
        });
        if (!one.alternatives.empty()) {
            entries.back()["alternatives"] = one.alternatives;
        }
    }
    const Json report = {{"schema", 1}, {"all", command.all}, {"seed", command.seed}, {"results", std::move(entries)}};
    return report.dump(2) + "\n";
}

} // namespace fusec::cli
