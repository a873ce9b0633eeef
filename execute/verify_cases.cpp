// SPDX-License-Identifier: Apache-2.0
#include "execute/verify_cases.hpp"

#include "elementary-lib/selection.hpp"
#include "execute/workspace.hpp"

#include <algorithm>

namespace fusec::execute {

namespace {

/// Of the program that was written, for the drawn inputs. Pre: the program has been changed since.
ReferenceResult reference_as_written(const frontend::CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases) {
    const frontend::CheckedProgram& written = *program.written;
    DataValues given(written.data.size());
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        given[written.inputs[i].index()] = cases.given[program.inputs[i].index()];
    }
    return evaluate(written, catalog.with(written.functions), cases.elements, given);
}

/// As written, since condensed selections are parts of calls.
std::vector<OneSidedSelection> one_sided(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases) {
    if (program.written == nullptr) {
        return one_sided_selections(program, catalog, cases.reference, cases.elements);
    }
    const frontend::CheckedProgram& written = *program.written;
    const library::Catalog all = catalog.with(written.functions);
    const bool selects = std::any_of(written.calls.begin(), written.calls.end(),
        [&](const frontend::Call& call) { return library::selection_of(all.function(call.instance.function)).has_value(); });
    return selects ? one_sided_selections(written, all, reference_as_written(program, catalog, cases), cases.elements)
                   : std::vector<OneSidedSelection>{};
}

} // namespace

std::vector<std::string> differing_outputs(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases) {
    std::vector<std::string> differing;
    if (program.written == nullptr) {
        return differing;
    }
    const frontend::CheckedProgram& written = *program.written;
    const ReferenceResult reference = reference_as_written(program, catalog, cases);
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
        const std::size_t as_written = written.outputs[i].index();
        const Type& type = written.data[as_written].type;
        const Agreement agreement = compare(
            cases.reference.values[program.outputs[i].index()], reference.values[as_written], reference.bounds[as_written], type.precision);
        if (agreement.mismatches != 0) {
            const auto size = static_cast<std::size_t>(type.shape.size());
            differing.push_back("`" + written.data[as_written].name + "` is not what the program as written gives: component " +
                std::to_string(agreement.worst % size) + " of element " + std::to_string(agreement.worst / size));
        }
    }
    return differing;
}

Cases::Cases(const dag::CallGraph& graph, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed)
    : graph_(graph),
      catalog_(catalog),
      drawn_(draw_cases(graph.program(), catalog, elements, seed)),
      differing_(differing_outputs(graph.program(), catalog, drawn_)),
      one_sided_(one_sided(graph.program(), catalog, drawn_)) {}

namespace {

/// Bounds in units of the values' roundoff, with what a launch may flush to zero, as what the list's precision is compared by.
std::vector<double> bounds_in_list(const codegen::List& list, std::vector<double> bounds) {
    const Precision of_values = list.type.precision, of_list = list.list_type().precision;
    if (of_list != of_values) {
        for (double& bound : bounds) {
            bound = bound == not_compared ? not_compared : allowed_error(bound, of_values) / (4 * unit_roundoff(of_list));
        }
    }
    return bounds;
}

} // namespace

RunInterface run_interface(const codegen::Unit& unit, const ReferenceResult& reference) {
    RunInterface interface{unit.name, {}, {}, unit.slots};
    interface.entries = unit.blocks;
    for (const codegen::List& list : unit.inputs) {
        interface.inputs.push_back({list.name, list.list_type(), list.uniform, reference.values.at(list.datum.index()), {}, {}});
    }
    for (const codegen::List& list : unit.outputs) {
        interface.outputs.push_back({list.name, list.list_type(), false, reference.values.at(list.datum.index()),
            bounds_in_list(list, reference.bounds.at(list.datum.index())), {}});
        if (list.updated) {
            const auto old = std::find_if(unit.inputs.begin(), unit.inputs.end(),
                [&](const codegen::List& input) { return input.updated && input.name == list.name; });
            internal_check(old != unit.inputs.end(), "an updated list without its old value");
            interface.outputs.back().updates = static_cast<std::size_t>(old - unit.inputs.begin());
        }
    }
    for (const codegen::Check& check : unit.checks) {
        interface.checks.push_back({check.text, reference.values.at(check.flag.index())});
    }
    return interface;
}

RunInterface Cases::interface(const codegen::Unit& unit, const dag::CallSet& calls) {
    RunInterface interface = run_interface(unit, evaluated(unit, calls));
    for (const CallId call : calls) {
        const library::Instance& instance = graph_.call(call).instance;
        interface.operations += catalog_.operations(instance).flops + instance.result.shape.size(); // some only move components
    }
    return interface;
}

RunInterface Cases::interface(const codegen::Unit& unit) {
    dag::CallSet all;
    for (std::size_t c = 0; c < graph_.calls(); ++c) {
        all.push_back(CallId(c));
    }
    return interface(unit, all);
}

void Cases::count(VerifyResult& result) const {
    result.drawn += drawn_.elements;
    result.redrawn += drawn_.redrawn;
    result.still_ill += drawn_.ill;
    if (!drawn_.acceptable()) {
        result.ill_datum = graph_.datum(drawn_.cause).name;
    }
    result.ill_conditioned = result.ill_conditioned || !drawn_.acceptable();
    result.one_sided = one_sided_;
    if (!differing_.empty()) {
        ++result.mismatches;
        result.failures.push_back({"the simplified program", differing_});
    }
}

const ReferenceResult& Cases::evaluated(const codegen::Unit& unit, const dag::CallSet& calls) {
    if (calls.size() == graph_.calls()) {
        return drawn_.reference;
    }
    // The last one is kept: candidates of one column follow each other.
    if (calls != last_calls_) {
        DataValues given(drawn_.reference.values.size());
        for (const codegen::List& list : unit.inputs) {
            std::vector<double>& values = given[list.datum.index()] = drawn_.reference.values[list.datum.index()];
            for (double& value : values) {
                value = kept_precision(list.type, list.storage) == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
            }
        }
        last_ = evaluate(graph_.program(), catalog_, calls, drawn_.elements, given);
        for (std::size_t datum = 0; datum < last_.bounds.size(); ++datum) {
            for (std::size_t k = 0; k < last_.bounds[datum].size(); ++k) {
                if (drawn_.reference.bounds[datum][k] == not_compared) {
                    last_.bounds[datum][k] = not_compared;
                }
            }
        }
        last_calls_ = calls;
    }
    return last_;
}

std::vector<RunCase> plan_launches(const fusion::Plan& plan, const dag::CallGraph& graph, std::uint64_t seed) {
    std::vector<int> tiles;
    std::vector<RunCase> cases;
    for (const fusion::Candidate& kernel : plan.kernels) {
        if (std::find(tiles.begin(), tiles.end(), kernel.instances_per_block) == tiles.end()) {
            tiles.push_back(kernel.instances_per_block);
            const std::vector<RunCase> of_tile = standard_cases(kernel.instances_per_block, seed);
            cases.insert(cases.end(), of_tile.begin(), of_tile.end());
        }
    }
    std::vector<int> slots;
    for (const fusion::Workspace::Slot& slot : plan.workspace.slots) {
        slots.push_back(slot.bytes_per_element);
    }
    const std::vector<RunCase> of_workspace = workspace_cases(tiles, slots, seed);
    cases.insert(cases.end(), of_workspace.begin(), of_workspace.end());
    return with_entries(std::move(cases), graph.program().blocks.size());
}

} // namespace fusec::execute
