// SPDX-License-Identifier: Apache-2.0
#include "cli/report_dot.hpp"

#include "cli/report_text.hpp"

#include "support/counted.hpp"
#include "support/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fusec::cli {

namespace {

std::string edge_label(const frontend::Datum& datum) {
    return fmt::format("{} ({} B)", datum.name, datum.list_bytes());
}

void write_list(Writer& out, DataId id, const dag::CallGraph& graph) {
    const frontend::Datum& datum = graph.datum(id);
    out.line(fmt::format("d{} [shape=oval, label=\"{}\\n{}\"];", id.value, datum.name, to_string(datum.type, datum.storage)));
}

std::string call_label(const frontend::Call& call, const dag::CallGraph& graph, const library::Catalog& catalog) {
    return fmt::format("{}\\n{}", graph.datum(call.result).name, catalog.function(call.instance.function).called());
}

std::set<DataId> operands_of(const frontend::Call& call) {
    return {call.operands.begin(), call.operands.end()};
}

/// What has one value for all elements is dashed.
void write_derived(
    Writer& out, const std::string& name, const frontend::Call& call, const dag::CallGraph& graph, const library::Catalog& catalog) {
    out.line(fmt::format("{} [shape=box, style=dashed, label=\"{}\"];", name, call_label(call, graph, catalog)));
}

} // namespace

std::string dag_dot(const dag::CallGraph& graph, const library::Catalog& catalog) {
    Writer out;
    {
        const auto block = out.block("digraph \"" + graph.program().name + "\"");
        for (const DataId input : graph.program().inputs) {
            write_list(out, input, graph);
        }
        for (const frontend::Call& call : graph.program().uniform_calls) {
            write_derived(out, fmt::format("d{}", call.result.value), call, graph, catalog);
            for (const DataId operand : operands_of(call)) {
                if (graph.datum(operand).kind != frontend::DatumKind::constant) {
                    out.line(fmt::format("d{} -> d{};", operand.value, call.result.value));
                }
            }
        }
        for (std::size_t i = 0; i < graph.calls(); ++i) {
            const CallId id{i};
            const std::string of = graph.program().block_name(id);
            out.line(fmt::format(
                "c{} [shape=box, label=\"{}{}\"];", i, call_label(graph.call(id), graph, catalog), of.empty() ? "" : "\\nblock " + of));
            for (const DataId operand : operands_of(graph.call(id))) {
                const frontend::Datum& datum = graph.datum(operand);
                if (datum.producer) {
                    out.line(fmt::format("c{} -> c{} [label=\"{}\"];", datum.producer->value, i, edge_label(datum)));
                } else if (datum.kind != frontend::DatumKind::constant) {
                    out.line(fmt::format("d{} -> c{};", operand.value, i));
                }
            }
        }
        for (const DataId output : graph.program().outputs) {
            write_list(out, output, graph);
            out.line(fmt::format("c{} -> d{};", graph.datum(output).producer->value, output.value));
        }
    }
    return out.take();
}

std::string plan_dot(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog) {
    Writer out;
    {
        const auto block = out.block("digraph \"" + graph.program().name + "\"");
        std::set<DataId> lists;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const fusion::Candidate& kernel = plan.kernels[k];
            const auto cluster = out.block(fmt::format("subgraph cluster_{}", k));
            const std::string of = graph.program().block_name(kernel.calls.front());
            out.line(fmt::format("label=\"kernel {}{}: {}, {}, {} B shared\";", k + 1, of.empty() ? "" : " of block " + of,
                fusion::granularity_text(kernel), counted(static_cast<std::uint64_t>(kernel.threads_per_block), "thread"),
                kernel.shared_bytes));
            for (const DataId derived : derived_data(kernel)) {
                write_derived(out, fmt::format("k{}d{}", k, derived.value), graph.program().derivation(derived), graph, catalog);
            }
            for (const CallId call : kernel.calls) {
                out.line(fmt::format("k{}c{} [shape=box, label=\"{}\"];", k, call.value, call_label(graph.call(call), graph, catalog)));
            }
        }
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const fusion::Candidate& kernel = plan.kernels[k];
            for (const DataId derived : derived_data(kernel)) {
                for (const DataId operand : operands_of(graph.program().derivation(derived))) {
                    if (graph.datum(operand).kind == frontend::DatumKind::derived) {
                        out.line(fmt::format("k{}d{} -> k{}d{};", k, operand.value, k, derived.value));
                    } else if (graph.datum(operand).kind == frontend::DatumKind::uniform) {
                        lists.insert(operand);
                        out.line(fmt::format("d{} -> k{}d{};", operand.value, k, derived.value));
                    }
                }
            }
            for (const CallId call : kernel.calls) {
                for (const DataId operand : operands_of(graph.call(call))) {
                    const frontend::Datum& datum = graph.datum(operand);
                    const bool inside = datum.producer && std::ranges::binary_search(kernel.calls, *datum.producer);
                    if (inside) {
                        out.line(fmt::format("k{}c{} -> k{}c{} [label=\"{}\"];", k, datum.producer->value, k, call.value, datum.name));
                    } else if (datum.kind == frontend::DatumKind::derived) {
                        out.line(fmt::format("k{}d{} -> k{}c{};", k, operand.value, k, call.value));
                    } else if (datum.kind != frontend::DatumKind::constant) {
                        lists.insert(operand);
                        out.line(fmt::format("d{} -> k{}c{};", operand.value, k, call.value));
                    }
                }
            }
            for (const DataId stored : kernel.stores) {
                lists.insert(stored);
                out.line(fmt::format("k{}c{} -> d{};", k, graph.datum(stored).producer->value, stored.value));
            }
        }
        for (const DataId list : lists) {
            write_list(out, list, graph);
        }
    }
    return out.take();
}

} // namespace fusec::cli
