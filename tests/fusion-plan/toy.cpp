// SPDX-License-Identifier: Apache-2.0
#include "toy.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::fusion::toy {

DataId GraphBuilder::datum(const std::string& name, int size, frontend::DatumKind kind) {
    frontend::Datum datum;
    datum.name = datum.identifier = name;
    datum.type = {{Form::vector, size, 1}, Precision::f32};
    datum.kind = kind;
    program_.data.push_back(std::move(datum));
    return DataId(program_.data.size() - 1);
}

DataId GraphBuilder::input(const std::string& name, int size) {
    const DataId id = datum(name, size, frontend::DatumKind::input);
    program_.inputs.push_back(id);
    return id;
}

DataId GraphBuilder::call(const std::string& name, const std::vector<DataId>& operands, int size, std::size_t function) {
    const DataId id = datum(name, size, frontend::DatumKind::computed);
    program_.data.back().producer = CallId(program_.calls.size());
    frontend::Call call;
    call.instance.function = FunctionId(function);
    call.instance.result = program_.data.back().type;
    call.operands = operands;
    call.result = id;
    program_.calls.push_back(std::move(call));
    return id;
}

void GraphBuilder::output(DataId datum) {
    program_.data[datum.index()].output = true;
    program_.outputs.push_back(datum);
}

void GraphBuilder::update(DataId input, DataId datum) {
    if (!program_.data[datum.index()].output) {
        output(datum);
    }
    const auto place = [](const std::vector<DataId>& list, DataId id) {
        return static_cast<std::size_t>(std::find(list.begin(), list.end(), id) - list.begin());
    };
    program_.updates.push_back({place(program_.inputs, input), place(program_.outputs, datum)});
}

dag::CallGraph GraphBuilder::build() {
    program_.name = "toy";
    return dag::CallGraph(program_);
}

std::size_t TableSource::add(Column column, double seconds, double lower_bound) {
    columns_.push_back(std::move(column));
    seconds_.push_back(seconds);
    lower_bounds_.push_back(lower_bound);
    return columns_.size() - 1;
}

double TableSource::seconds(ColumnId column) {
    asked_.insert(column.value);
    return seconds_[column.index()];
}

std::vector<DataId> loads_of(const dag::CallGraph& graph, const dag::CallSet& calls) {
    std::set<DataId> loads;
    for (const CallId call : calls) {
        for (const DataId operand : graph.call(call).operands) {
            const frontend::Datum& datum = graph.datum(operand);
            const bool made_here = datum.producer && std::count(calls.begin(), calls.end(), *datum.producer) > 0;
            if (!made_here && (datum.kind == frontend::DatumKind::input || datum.kind == frontend::DatumKind::computed)) {
                loads.insert(operand);
            }
        }
    }
    return {loads.begin(), loads.end()};
}

namespace {

dag::CallGraph random_graph(std::mt19937_64& random, std::size_t calls, std::size_t reach, bool updates) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    GraphBuilder builder;
    std::vector<DataId> inputs, results;
    for (std::size_t i = 0; i < 1 + calls / 4; ++i) {
        inputs.push_back(builder.input("in" + std::to_string(i), static_cast<int>(1 + below(9))));
    }
    std::vector<bool> used(calls, false);
    std::vector<std::size_t> last_use(inputs.size(), 0);
    for (std::size_t i = 0; i < calls; ++i) {
        std::vector<DataId> operands;
        for (std::size_t k = 0; k < 1 + below(2); ++k) {
            if (i > 0 && below(4) != 0) {
                const std::size_t from = i - 1 - below(std::min(i, reach));
                operands.push_back(results[from]);
                used[from] = true;
            } else {
                const std::size_t from = below(inputs.size());
                operands.push_back(inputs[from]);
                last_use[from] = i;
            }
        }
        results.push_back(builder.call("t" + std::to_string(i), operands, static_cast<int>(1 + below(9)), below(3)));
    }
    for (std::size_t i = 0; i < calls; ++i) {
        if (!used[i] || below(10) == 0) {
            builder.output(results[i]);
        }
    }
    std::set<std::size_t> updating;
    for (std::size_t i = 0; updates && i < inputs.size(); ++i) {
        const std::size_t by = last_use[i] + below(calls - last_use[i]);
        if (updating.insert(by).second) {
            builder.update(inputs[i], results[by]);
        }
    }
    return builder.build();
}

} // namespace

dag::CallGraph random_graph(std::mt19937_64& random, std::size_t calls, std::size_t reach) {
    return random_graph(random, calls, reach, false);
}

dag::CallGraph random_updating_graph(std::mt19937_64& random, std::size_t calls) {
    return random_graph(random, calls, 1000, true);
}

namespace {

/// Convexity by definition: no call outside the set lies between two calls of it.
bool convex_by_definition(const dag::CallGraph& graph, const std::vector<bool>& in) {
    // Forward pass in topological order: does a path from the set that has left it reach this call?
    std::vector<bool> left(graph.calls(), false);
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        for (const DataId operand : graph.call(CallId(i)).operands) {
            if (const auto producer = graph.datum(operand).producer) {
                if (in[i] && left[producer->index()]) {
                    return false;
                }
                left[i] = left[i] || (!in[i] && (in[producer->index()] || left[producer->index()]));
            }
        }
    }
    return true;
}

bool used_by(const dag::CallGraph& graph, DataId datum, CallId call) {
    const std::vector<DataId>& operands = graph.call(call).operands;
    return std::count(operands.begin(), operands.end(), datum) > 0;
}

} // namespace

TableSource random_columns(const dag::CallGraph& graph, std::mt19937_64& random, std::size_t largest, double impossible) {
    TableSource source;
    // Costs on a grid of steps of 0.1 %; either over the whole range, or close together so that many plans nearly tie.
    const bool close = random() % 2 == 0;
    const auto seconds = [&](std::size_t calls) {
        if (static_cast<double>(random() % 1000) < impossible * 1000) {
            return ColumnSource::impossible;
        }
        return close ? 50e-6 * std::pow(static_cast<double>(calls), 0.7) * std::pow(1.001, static_cast<double>(random() % 200))
                     : 2e-6 * std::pow(1.001, static_cast<double>(random() % 6200));
    };
    for (std::uint32_t mask = 1; mask < (1U << graph.calls()); ++mask) {
        dag::CallSet calls;
        std::vector<bool> in(graph.calls(), false);
        for (std::size_t i = 0; i < graph.calls(); ++i) {
            if ((mask >> i & 1U) != 0) {
                calls.emplace_back(i);
                in[i] = true;
            }
        }
        if (calls.size() > largest || !convex_by_definition(graph, in)) {
            continue;
        }
        std::vector<DataId> boundary;
        for (const CallId call : calls) {
            const DataId made = graph.call(call).result;
            bool needed = graph.datum(made).output;
            for (std::size_t i = 0; i < graph.calls(); ++i) {
                needed = needed || (!in[i] && used_by(graph, made, CallId(i)));
            }
            if (needed) {
                boundary.push_back(made);
            }
        }
        for (std::uint32_t choice = 1; choice < (1U << boundary.size()); ++choice) {
            std::vector<DataId> stores;
            for (std::size_t i = 0; i < boundary.size(); ++i) {
                if ((choice >> i & 1U) != 0) {
                    stores.push_back(boundary[i]);
                }
            }
            // Backwards over the set: a call is busy if its result is stored or a busy call uses it.
            std::vector<bool> busy(graph.calls(), false);
            bool idle = false;
            for (std::size_t i = calls.size(); i-- > 0;) {
                const DataId made = graph.call(calls[i]).result;
                bool b = std::count(stores.begin(), stores.end(), made) > 0;
                for (const CallId user : calls) {
                    b = b || (busy[user.index()] && used_by(graph, made, user));
                }
                busy[calls[i].index()] = b;
                idle = idle || !b;
            }
            if (idle) {
                continue;
            }
            const double cost = seconds(calls.size());
            const double share = 0.5 + 0.5 * static_cast<double>(random() % 1000) / 1000;
            source.add({calls, loads_of(graph, calls), stores}, cost, std::isfinite(cost) ? cost * share : 1e-6);
        }
    }
    return source;
}

namespace {

class PlanEnumeration {
public:
    PlanEnumeration(const dag::CallGraph& graph, const TableSource& source, std::size_t count)
        : graph_(graph), source_(source), count_(count), storers_(graph.program().data.size()) {
        for (std::size_t c = 0; c < source.columns().size(); ++c) {
            if (std::isfinite(source.peek(ColumnId(c)))) {
                for (const DataId stored : source.columns()[c].stores) {
                    storers_[stored.index()].emplace_back(source.peek(ColumnId(c)), ColumnId(c));
                }
            }
        }
        for (auto& storers : storers_) {
            std::sort(storers.begin(), storers.end());
        }
    }

    std::vector<Cover> run() {
        std::set<DataId> required(graph_.program().outputs.begin(), graph_.program().outputs.end());
        extend(required, {}, {}, 0);
        return best_;
    }

private:
    /// Whether the column overwrites what the other one loads.
    bool replaces_load(const Column& column, ColumnId other) const {
        const frontend::CheckedProgram& program = graph_.program();
        const std::vector<DataId>& loads = source_.columns()[other.index()].loads;
        return std::any_of(program.updates.begin(), program.updates.end(), [&](const frontend::Update& update) {
            return std::count(column.stores.begin(), column.stores.end(), program.outputs[update.output]) > 0 &&
                std::count(loads.begin(), loads.end(), program.inputs[update.input]) > 0;
        });
    }

    bool acyclic(const std::vector<ColumnId>& chosen) const {
        std::vector<ColumnId> waiting = chosen;
        std::set<DataId> ready;
        while (!waiting.empty()) {
            const auto can_start = [&](ColumnId c) {
                const Column& column = source_.columns()[c.index()];
                return std::all_of(column.loads.begin(), column.loads.end(),
                           [&](DataId d) { return !graph_.datum(d).producer || ready.contains(d); }) &&
                    std::none_of(
                        waiting.begin(), waiting.end(), [&](ColumnId other) { return other != c && replaces_load(column, other); });
            };
            const auto next = std::find_if(waiting.begin(), waiting.end(), can_start);
            if (next == waiting.end()) {
                return false;
            }
            ready.insert(source_.columns()[next->index()].stores.begin(), source_.columns()[next->index()].stores.end());
            waiting.erase(next);
        }
        return true;
    }

    void extend(const std::set<DataId>& required, const std::set<DataId>& stored, const std::vector<ColumnId>& chosen, double seconds) {
        if (required.empty()) {
            if (acyclic(chosen)) {
                Cover cover{chosen, seconds};
                std::sort(cover.columns.begin(), cover.columns.end());
                best_.insert(std::upper_bound(
                                 best_.begin(), best_.end(), cover, [](const Cover& a, const Cover& b) { return a.seconds < b.seconds; }),
                    cover);
                if (best_.size() > count_) {
                    best_.pop_back();
                }
            }
            return;
        }
        const DataId datum = *required.rbegin();
        for (const auto& [cost, column] : storers_[datum.index()]) {
            if (best_.size() == count_ && seconds + cost >= best_.back().seconds) {
                break;
            }
            const Column& c = source_.columns()[column.index()];
            if (std::any_of(c.stores.begin(), c.stores.end(), [&](DataId d) { return stored.contains(d); })) {
                continue;
            }
            std::set<DataId> now_stored = stored, still_required = required;
            now_stored.insert(c.stores.begin(), c.stores.end());
            for (const DataId d : c.loads) {
                if (graph_.datum(d).producer) {
                    still_required.insert(d);
                }
            }
            for (const DataId d : now_stored) {
                still_required.erase(d);
            }
            std::vector<ColumnId> now_chosen = chosen;
            now_chosen.push_back(column);
            extend(still_required, now_stored, now_chosen, seconds + cost);
        }
    }

    const dag::CallGraph& graph_;
    const TableSource& source_;
    std::size_t count_;
    std::vector<std::vector<std::pair<double, ColumnId>>> storers_;
    std::vector<Cover> best_;
};

} // namespace

std::vector<Cover> best_plans_by_search(const dag::CallGraph& graph, const TableSource& source, std::size_t count) {
    return PlanEnumeration(graph, source, count).run();
}

} // namespace fusec::fusion::toy
