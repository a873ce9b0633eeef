// SPDX-License-Identifier: Apache-2.0
// Sets of the contracted graph, made sets of the whole one.
#include "fusion/carried_moves.hpp"

#include "fusion/workers.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace fusec::fusion {

namespace {

template <class Id>
void sort_unique(std::vector<Id>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

bool contains(const dag::CallSet& set, CallId call) {
    return std::binary_search(set.begin(), set.end(), call);
}

bool meets(const std::vector<CallId>& calls, const dag::CallSet& set) {
    return std::any_of(calls.begin(), calls.end(), [&](CallId call) { return contains(set, call); });
}

bool smaller(const dag::CallSet& a, const dag::CallSet& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

CarriedMoves::CarriedMoves(const dag::CallGraph& graph, const Places& places)
    : graph_(graph),
      places_(places),
      made_from_(graph.program().data.size()),
      makers_(graph.calls()),
      needs_(graph.calls()),
      made_of_(graph.calls()) {
    for (std::size_t index = 0; index < made_from_.size(); ++index) {
        made_from_[index] = {DataId(index)};
    }
    // A program defines what it uses before.
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const CallId id(index);
        const frontend::Call& call = graph.call(id);
        std::vector<CallId>& needs = needs_[index];
        std::vector<DataId> from;
        for (const DataId operand : call.operands) {
            from.insert(from.end(), made_from_[operand.index()].begin(), made_from_[operand.index()].end());
            if (const auto& producer = graph.datum(operand).producer; producer && places.moves(*producer)) {
                needs.push_back(*producer);
                needs.insert(needs.end(), needs_[producer->index()].begin(), needs_[producer->index()].end());
            }
        }
        sort_unique(needs);
        if (!places.moves(id)) {
            computing_.push_back(id);
            continue;
        }
        sort_unique(from);
        for (const DataId datum : from) {
            if (const auto& producer = graph.datum(datum).producer) {
                makers_[index].push_back(*producer);
                made_of_[producer->index()].push_back(id);
            }
        }
        sort_unique(makers_[index]);
        made_from_[call.result.index()] = std::move(from);
    }
}

dag::CallGraph CarriedMoves::contracted() const {
    const frontend::CheckedProgram& whole = graph_.program();
    frontend::CheckedProgram program; // without the functions, whose maps may be large
    program.name = whole.name;
    program.data = whole.data;
    program.uniform_calls = whole.uniform_calls;
    program.inputs = whole.inputs;
    program.outputs = whole.outputs;
    program.updates = whole.updates;
    program.blocks = whole.blocks;
    for (frontend::Datum& datum : program.data) {
        if (datum.producer && places_.moves(*datum.producer)) { // nobody reads it here
            datum.kind = frontend::DatumKind::input;
            datum.output = false;
        }
        datum.producer.reset();
    }
    for (const CallId id : computing_) {
        frontend::Call call = graph_.call(id);
        std::vector<DataId> operands;
        for (const DataId operand : call.operands) {
            for (const DataId from : made_from_[operand.index()]) {
                if (std::find(operands.begin(), operands.end(), from) == operands.end()) {
                    operands.push_back(from);
                }
            }
        }
        call.operands = std::move(operands);
        program.data[call.result.index()].producer = CallId(program.calls.size());
        program.calls.push_back(std::move(call));
    }
    return dag::CallGraph(std::move(program));
}

bool CarriedMoves::leads_to(CallId call, const dag::CallSet& computing) const {
    return std::any_of(computing.begin(), computing.end(), [&](CallId member) { return graph_.descendants(call).test(member.index()); });
}

void CarriedMoves::leave_out_those_around(dag::CallSet& set) const {
    dag::CallSet computing = set;
    std::erase_if(computing, [&](CallId call) { return places_.moves(call); });
    std::size_t before = 0;
    do {
        before = set.size();
        const dag::CallSet now = set;
        std::erase_if(set, [&](CallId call) {
            const std::vector<CallId>& users = graph_.successors(call);
            return places_.moves(call) && !meets(makers_[call.index()], computing) &&
                std::any_of(users.begin(), users.end(), [&](CallId user) { return !contains(now, user) && leads_to(user, computing); });
        });
    } while (set.size() != before);
}

std::optional<dag::CallSet> CarriedMoves::with_moves(const dag::CallSet& computing, Carrying rule) const {
    const auto of_the_set = [&](CallId move) {
        const std::vector<CallId>& makers = makers_[move.index()];
        return std::all_of(makers.begin(), makers.end(), [&](CallId maker) { return contains(computing, maker); });
    };
    const auto is_taken = [&](CallId move) {
        return rule == Carrying::taken || makers_[move.index()].empty() || meets(makers_[move.index()], computing);
    };
    dag::CallSet set = computing;
    const auto add_needs = [&](CallId call) {
        std::copy_if(needs_[call.index()].begin(), needs_[call.index()].end(), std::back_inserter(set), is_taken);
    };
    for (const CallId call : computing) {
        add_needs(call);
        for (const CallId move : made_of_[call.index()]) {
            if (graph_.block(move) == graph_.block(call) && of_the_set(move) &&
                (rule == Carrying::given || graph_.datum(graph_.call(move).result).output)) {
                set.push_back(move);
                add_needs(move);
            }
        }
    }
    sort_unique(set);
    leave_out_those_around(set);
    if (!graph_.convex(set) || !shares_all(graph_, set)) {
        return std::nullopt;
    }
    return set;
}

Enumeration enumerate_fusions(const dag::CallGraph& graph, const Places& places, int largest, std::size_t most) {
    if (!places.any_moves() || graph.calls() <= static_cast<std::size_t>(std::max(largest, 1))) {
        return enumerate_fusions(graph, largest, most);
    }
    Enumeration result = enumerate_fusions(graph, largest, most / 2);
    const CarriedMoves moves(graph, places);
    if (moves.computing().empty()) {
        return result;
    }
    // Up to two of each.
    const Enumeration computing = enumerate_fusions(moves.contracted(), largest, most / 4);
    constexpr std::size_t part = 256;
    std::vector<std::array<std::optional<dag::CallSet>, 2>> found(computing.sets.size());
    Workers::shared().run(found.size(), part, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            dag::CallSet set;
            set.reserve(computing.sets[i].size());
            std::transform(computing.sets[i].begin(), computing.sets[i].end(), std::back_inserter(set),
                [&](CallId call) { return moves.computing()[call.index()]; });
            for (const Carrying rule : {Carrying::taken, Carrying::given}) {
                found[i][static_cast<std::size_t>(rule)] = moves.with_moves(set, rule);
            }
        }
    });
    std::vector<dag::CallSet> carrying;
    for (auto& of_one : found) {
        for (std::optional<dag::CallSet>& set : of_one) {
            if (set && set->size() <= static_cast<std::size_t>(largest_kernel)) {
                carrying.push_back(std::move(*set));
            }
        }
    }
    std::sort(carrying.begin(), carrying.end(), smaller);
    carrying.erase(std::unique(carrying.begin(), carrying.end()), carrying.end());
    std::vector<dag::CallSet> all;
    all.reserve(result.sets.size() + carrying.size());
    std::set_union(std::make_move_iterator(result.sets.begin()), std::make_move_iterator(result.sets.end()),
        std::make_move_iterator(carrying.begin()), std::make_move_iterator(carrying.end()), std::back_inserter(all), smaller);
    result.sets = std::move(all);
    result.complete = result.complete && computing.complete;
    return result;
}

} // namespace fusec::fusion
