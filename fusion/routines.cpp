// SPDX-License-Identifier: Apache-2.0
// Legal implementations of each call.
#include "fusion/routines.hpp"

#include "fusion/joined_sums.hpp"
#include "fusion/operand_loads.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

/// Components that one of several threads reads somewhere in a packed operand: rows and columns of it are no parts of their own.
int reads_of_packed(const Shape& shape, library::Touch touch, int threads) {
    switch (touch) {
    case library::Touch::row:
    case library::Touch::column:
        return shape.rows;
    case library::Touch::entry:
        return 1;
    case library::Touch::rows:
        return std::max(1, shape.size() / threads);
    case library::Touch::all:
        break;
    }
    return 0;
}

/// An operand that is a derived vector or matrix of which the thread's lane says which components it reads. Empty: none.
std::string indexed_by_lane(const dag::CallGraph& graph, const frontend::Call& call, const library::Function& function,
    const library::Implementation& implementation, const Routine& routine) {
    const bool indices_known = std::holds_alternative<library::ReferenceExpression>(function.reference);
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const frontend::Datum& operand = graph.datum(call.operands[i]);
        const int components = operand.type.shape.size();
        const bool loads_all = routine.loads.empty() || routine.loads[i] == nullptr;
        const bool whole = implementation.inputs[i] == library::Touch::all && indices_known && loads_all;
        if (operand.kind == frontend::DatumKind::derived && components > 1 && !whole) {
            return operand.name;
        }
    }
    return {};
}

/// From components of the operand to the words that hold them.
void to_words(std::vector<int>& components, const Shape& shape) {
    if (shape.packed) {
        for (int& component : components) {
            component = packed_word(component / shape.columns, component % shape.columns);
        }
        std::sort(components.begin(), components.end());
        components.erase(std::unique(components.begin(), components.end()), components.end());
    }
}

/// Routine::components of a routine of one thread whose reference names some components of an operand alone, as a trace does; else nothing.
std::vector<std::vector<int>> named_components(const library::Function& function, const library::Instance& instance,
    const std::vector<Shape>& operands, const std::vector<OperandReuse>& reuse) {
    std::vector<std::vector<int>> result;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        if (!std::holds_alternative<library::ReferenceExpression>(function.reference) || reuse[operand].read >= operands[operand].size()) {
            continue;
        }
        result.resize(operands.size());
        for (const std::vector<int>& load : operand_loads(function, instance, operands, operand, 1, library::Touch::all)) {
            result[operand].push_back(load.front());
        }
        std::sort(result[operand].begin(), result[operand].end());
    }
    return result;
}

/// Of loads, in the order of the threads.
library::ThreadLoads to_words(library::ThreadLoads loads, const Shape& shape) {
    for (std::vector<int>& load : loads) {
        for (int& component : load) {
            const int stored = component < 0 ? component : shape.stored(component);
            component = shape.packed && component >= 0 ? packed_word(stored / shape.columns, stored % shape.columns) : stored;
        }
    }
    return loads;
}

std::string signature_of(const dag::CallGraph& graph, const frontend::Call& call, const std::string& routine) {
    std::string operands;
    for (const DataId operand : call.operands) {
        operands += (operands.empty() ? "" : ", ") + to_string(graph.datum(operand).type);
    }
    return routine + "(" + operands + ") -> " + to_string(graph.datum(call.result).type);
}

CallRoutines routines_of(
    const library::Catalog& catalog, const dag::CallGraph& graph, const frontend::Call& call, const DeviceLimits& limits) {
    const library::Function& function = catalog.function(call.instance.function);
    CallRoutines result;
    std::vector<Shape> operands;
    for (DataId operand : call.operands) {
        operands.push_back(graph.datum(operand).type.shape);
    }
    result.operations = catalog.operations(call.instance);
    result.product = is_product(function.reference);
    result.sum = is_sum(function.reference);
    for (std::size_t index = 0; index < function.implementations.size(); ++index) {
        const library::Implementation& implementation = function.implementations[index];
        const std::optional<int> threads = catalog.threads(call.instance, implementation);
        const bool reported = graph.datum(call.result).flag; // by the thread that has it
        if (!threads || ((limits.target == Target::host || reported) && *threads != 1)) {
            continue;
        }
        if ((implementation.barrier || implementation.exchanges) && *threads > 1 && limits.warp_size % *threads != 0) {
            result.unusable.push_back("`" + function.name + "_" + implementation.name + "` " +
                (implementation.barrier ? "synchronises " : "exchanges values of ") + std::to_string(*threads) +
                " threads, which do not divide a warp of " + std::to_string(limits.warp_size));
            continue;
        }
        Routine routine{index, *threads, implementation.inputs, {}, {}, implementation.output,
            catalog.temporaries(call.instance, implementation), implementation.barrier && *threads > 1,
            *threads > 1 ? catalog.exchanges(call.instance, implementation) : 0, catalog.operations(call.instance, implementation),
            operand_reuse(function, call.instance, operands, *threads, implementation.output)};
        routine.signature = std::make_shared<const std::string>(signature_of(graph, call, function.name + "_" + implementation.name));
        // What a thread keeps of its row is another thread's above the diagonal.
        const bool passes_parts =
            implementation.keeps_row || routine.synchronises || routine.exchanges != 0 || routine.output == library::Touch::all;
        if (routine.threads > 1 && passes_parts && call.instance.result.shape.packed) {
            result.unusable.push_back("threads of `" + function.name + "_" + implementation.name +
                "` know parts of their result, which a `" + to_string(call.instance.result.shape) + "` does not have");
            continue;
        }
        if (routine.exchanges != 0) { // the reference names what the threads read together
            for (std::size_t operand = 0; operand < operands.size(); ++operand) {
                const int part = library::components_touched(operands[operand], routine.inputs[operand], routine.threads);
                OperandReuse& reuse = routine.reuse[operand];
                reuse = part == 0 ? reuse : OperandReuse{std::min(reuse.read, part), std::min(reuse.kept, part), reuse.times};
            }
        }
        if (routine.threads == 1) {
            std::fill(routine.inputs.begin(), routine.inputs.end(), library::Touch::all);
            routine.output = library::Touch::all;
            routine.components = implementation.components.empty() ? named_components(function, call.instance, operands, routine.reuse)
                                                                   : implementation.components;
            for (std::size_t operand = 0; operand < routine.components.size(); ++operand) {
                to_words(routine.components[operand], operands[operand]);
                const auto listed = static_cast<int>(routine.components[operand].size());
                const int waiting = implementation.waiting.empty() ? routine.reuse[operand].kept : implementation.waiting[operand];
                routine.reuse[operand] = listed == 0 ? routine.reuse[operand] : OperandReuse{listed, std::min(listed, waiting), 1};
            }
        }
        for (std::size_t i = 0; i < operands.size() && routine.threads > 1; ++i) {
            const bool part_of_packed = operands[i].packed && routine.inputs[i] != library::Touch::all;
            if (routine.inputs[i] != library::Touch::all && !part_of_packed) {
                continue;
            }
            library::ThreadLoads loads = implementation.loads.empty() || implementation.loads[i].empty()
                ? operand_loads(function, call.instance, operands, i, routine.threads, implementation.output)
                : implementation.loads[i];
            if (!loads.empty()) {
                OperandReuse& reuse = routine.reuse[i];
                const auto read = static_cast<int>(loads.size());
                reuse = {read, std::min(read, reuse.kept), reuse.times};
                routine.loads.resize(operands.size());
                routine.loads[i] = std::make_shared<const library::ThreadLoads>(to_words(std::move(loads), operands[i]));
            } else if (part_of_packed) {
                routine.reads.resize(operands.size());
                routine.reads[i] = reads_of_packed(operands[i], routine.inputs[i], routine.threads);
            }
            routine.inputs[i] = library::Touch::all;
        }
        if (const std::string operand = routine.threads == 1 ? "" : indexed_by_lane(graph, call, function, implementation, routine);
            !operand.empty()) {
            result.unusable.push_back("`" + function.name + "_" + implementation.name + "` indexes `" + operand +
                "` by thread, which every thread computes into registers");
            continue;
        }
        const auto same = std::find_if(result.routines.begin(), result.routines.end(), [&](const Routine& other) {
            return other.threads == routine.threads && other.inputs == routine.inputs && other.output == routine.output &&
                other.synchronises == routine.synchronises && (other.exchanges != 0) == (routine.exchanges != 0);
        });
        if (same == result.routines.end()) {
            result.routines.push_back(std::move(routine));
        } else if (routine.temporaries < same->temporaries) {
            *same = std::move(routine);
        }
    }
    internal_check(!result.routines.empty(), "routines: a function without an implementation of one thread");
    std::sort(result.routines.begin(), result.routines.end(), [](const Routine& a, const Routine& b) {
        return a.threads != b.threads ? a.threads < b.threads : a.implementation < b.implementation;
    });
    return result;
}

} // namespace

std::vector<CallRoutines> find_routines(const dag::CallGraph& graph, const library::Catalog& catalog, const DeviceLimits& limits) {
    std::vector<CallRoutines> result;
    result.reserve(graph.calls() + graph.program().uniform_calls.size());
    for (const frontend::Call& call : graph.program().calls) {
        result.push_back(routines_of(catalog, graph, call, limits));
    }
    for (const frontend::Call& call : graph.program().uniform_calls) {
        CallRoutines& made = result.emplace_back(routines_of(catalog, graph, call, limits));
        made.routines.erase(made.routines.begin() + 1, made.routines.end()); // sorted by threads
        internal_check(made.routines.front().threads == 1, "routines: a uniform call without an implementation of one thread");
        made.unusable.clear();
    }
    return result;
}

} // namespace fusec::fusion
