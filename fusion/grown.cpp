// SPDX-License-Identifier: Apache-2.0
// Merging by a priority queue of connected pairs. Groups stand in a topological order of the graph that they make, so that a path around a
// pair is looked for between its places only (compare Pearce and Kelly, "A dynamic topological sort algorithm", 2006).
#include "fusion/grown.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace fusec::fusion {

namespace {

using Group = std::uint32_t; ///< named by its smallest call

/// Pairs of calls of one program block that an edge or a per-element list joins, per call and ascending; of a list with very many consumers, enough to join all.
std::vector<std::vector<Group>> joins(const dag::CallGraph& graph) {
    std::vector<std::vector<Group>> result(graph.calls());
    const auto join = [&](CallId a, CallId b) {
        if (graph.block(a) == graph.block(b)) {
            result[a.index()].push_back(b.value);
            result[b.index()].push_back(a.value);
        }
    };
    for (std::size_t index = 0; index < graph.program().data.size(); ++index) {
        const DataId datum(index);
        const auto& users = graph.consumers(datum);
        if (const auto& producer = graph.datum(datum).producer) {
            std::for_each(users.begin(), users.end(), [&](CallId user) { join(*producer, user); });
        }
        for (std::size_t i = 0; i < users.size() && graph.datum(datum).per_element(); ++i) {
            for (std::size_t j = i + 1; j < users.size() && j <= i + most_joined_directly; ++j) {
                join(users[i], users[j]);
            }
        }
    }
    for (auto& list : result) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

class Merging {
public:
    Merging(const dag::CallGraph& graph, std::size_t largest, const std::vector<double>& operations)
        : graph_(graph), largest_(largest), groups_(graph.calls()), group_of_(graph.calls()), order_(graph.calls()), place_(graph.calls()) {
        std::iota(group_of_.begin(), group_of_.end(), 0U);
        // A program defines what it uses before: the calls stand in topological order.
        std::iota(order_.begin(), order_.end(), 0U);
        std::iota(place_.begin(), place_.end(), std::size_t{0});
        const std::vector<std::vector<Group>> joined = joins(graph);
        for (std::size_t index = 0; index < graph.calls(); ++index) {
            const CallId call(index);
            Members& group = groups_[index];
            group.calls = {call};
            group.operations = operations[index];
            group.neighbours = joined[index];
            std::vector<DataId> reads = graph.call(call).operands;
            std::sort(reads.begin(), reads.end());
            reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
            for (const DataId read : reads) {
                if (graph.datum(read).per_element()) {
                    group.lists.push_back({read, 1, false});
                }
            }
            group.lists.push_back({graph.call(call).result, 0, true});
            std::sort(group.lists.begin(), group.lists.end(), [](const List& a, const List& b) { return a.datum < b.datum; });
        }
        for (std::size_t index = 0; index < graph.calls(); ++index) {
            for (const Group other : groups_[index].neighbours) {
                if (other > index) {
                    propose(static_cast<Group>(index), other);
                }
            }
        }
    }

    std::vector<dag::CallSet> run() {
        std::vector<dag::CallSet> unions;
        while (!proposals_.empty()) {
            const Proposal best = proposals_.top();
            proposals_.pop();
            if (groups_[best.a].version == best.version_a && groups_[best.b].version == best.version_b && merge(best.a, best.b)) {
                unions.push_back(groups_[best.a].calls);
            }
        }
        return unions;
    }

private:
    /// A list that a group touches.
    struct List {
        DataId datum;
        std::uint32_t users = 0; ///< calls of the group
        bool made = false;
    };
    struct Members {
        dag::CallSet calls;
        double operations = 0;
        std::vector<List> lists;       ///< ascending
        std::vector<Group> neighbours; ///< may name groups that are part of another one by now
        std::uint32_t version = 0;     ///< one more after each merge; a group that is part of another one has the last
    };
    struct Proposal {
        std::int64_t saved;
        std::size_t calls;
        Group a, b; ///< a < b
        std::uint32_t version_a, version_b;

        bool operator<(const Proposal& other) const { // the greatest is the best
            return std::tuple(saved, other.calls, other.a, other.b) < std::tuple(other.saved, calls, a, b);
        }
    };

    /// Bytes per element that need not be loaded or stored if the two groups are one kernel.
    std::int64_t saved(const Members& a, const Members& b) const {
        const auto& [few, many] = a.lists.size() < b.lists.size() ? std::tie(a.lists, b.lists) : std::tie(b.lists, a.lists);
        std::int64_t sum = 0;
        for (const List& list : few) {
            const auto other = std::lower_bound(many.begin(), many.end(), list.datum, [](const List& l, DataId d) { return l.datum < d; });
            if (other == many.end() || other->datum != list.datum) {
                continue;
            }
            const std::int64_t bytes = graph_.datum(list.datum).list_bytes();
            const std::uint32_t users = list.users + other->users;
            sum += bytes; // loaded once less
            const bool made = list.made || other->made;
            sum += made && !graph_.datum(list.datum).output && users == graph_.consumers(list.datum).size() ? bytes : 0;
        }
        return sum;
    }

    void propose(Group a, Group b) {
        const Members& first = groups_[std::min(a, b)];
        const Members& second = groups_[std::max(a, b)];
        const std::size_t calls = first.calls.size() + second.calls.size();
        if (calls <= largest_ && operations_fit(calls, first.operations + second.operations)) {
            proposals_.push({saved(first, second), calls, std::min(a, b), std::max(a, b), first.version, second.version});
        }
    }

    /// Calls `visit` with the groups that use what `group` makes, some more than once.
    template <class Visit>
    void for_each_successor(Group group, Visit visit) const {
        for (const CallId call : groups_[group].calls) {
            for (const CallId user : graph_.successors(call)) {
                if (const Group next = group_of_[user.index()]; next != group) {
                    visit(next);
                }
            }
        }
    }

    /// Makes one group of two, unless a third would wait for it and it for the third.
    bool merge(Group a, Group b) {
        const Group first = place_[a] < place_[b] ? a : b;
        const Group last = first == a ? b : a;
        // Groups between the two that depend on the first one. If the last one uses any of them, it is a way around.
        std::vector<Group> open = {first};
        std::set<std::size_t> dependent; // places
        bool around = false;
        while (!open.empty() && !around) {
            const Group at = open.back();
            open.pop_back();
            for_each_successor(at, [&](Group next) {
                around = around || (next == last && at != first);
                if (place_[next] < place_[last] && dependent.insert(place_[next]).second) {
                    open.push_back(next);
                }
            });
        }
        if (around) {
            return false;
        }
        // Those that do not depend on the first one go before the union, the others after it.
        std::vector<Group> after = {a};
        std::size_t free = place_[first];
        const std::size_t end = place_[last];
        const auto put = [&](Group group) {
            order_[free] = group;
            place_[group] = free++;
        };
        for (std::size_t place = free + 1; place < end; ++place) {
            if (order_[place] == nobody) {
                continue;
            }
            if (dependent.contains(place)) {
                after.push_back(order_[place]);
            } else {
                put(order_[place]);
            }
        }
        std::for_each(after.begin(), after.end(), put);
        std::fill(order_.begin() + static_cast<std::ptrdiff_t>(free), order_.begin() + static_cast<std::ptrdiff_t>(end) + 1, nobody);
        unite(a, b);
        return true;
    }

    void unite(Group a, Group b) {
        Members& into = groups_[a];
        Members& from = groups_[b];
        for (const CallId call : from.calls) {
            group_of_[call.index()] = a;
        }
        dag::CallSet calls;
        std::merge(into.calls.begin(), into.calls.end(), from.calls.begin(), from.calls.end(), std::back_inserter(calls));
        std::vector<List> lists;
        auto other = from.lists.begin();
        for (const List& list : into.lists) {
            for (; other != from.lists.end() && other->datum < list.datum; ++other) {
                lists.push_back(*other);
            }
            lists.push_back(list);
            if (other != from.lists.end() && other->datum == list.datum) {
                lists.back().users += other->users;
                lists.back().made = list.made || other->made;
                ++other;
            }
        }
        lists.insert(lists.end(), other, from.lists.end());
        std::vector<Group> neighbours;
        for (const std::vector<Group>* some : {&into.neighbours, &from.neighbours}) {
            for (const Group neighbour : *some) {
                if (const Group now = group_of_[neighbour]; now != a) {
                    neighbours.push_back(now);
                }
            }
        }
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        into = {std::move(calls), into.operations + from.operations, std::move(lists), std::move(neighbours), into.version + 1};
        from = {{}, 0, {}, {}, nobody};
        if (into.calls.size() < largest_) {
            for (const Group neighbour : into.neighbours) {
                propose(a, neighbour);
            }
        }
    }

    static constexpr Group nobody = UINT32_MAX;

    const dag::CallGraph& graph_;
    std::size_t largest_;
    std::vector<Members> groups_; ///< by the smallest call
    std::vector<Group> group_of_; ///< per call
    std::vector<Group> order_;    ///< topological; `nobody` where a group went into another one
    std::vector<std::size_t> place_;
    std::priority_queue<Proposal> proposals_;
};

} // namespace

std::vector<dag::CallSet> chain_of_merges(const dag::CallGraph& graph, std::size_t largest, const std::vector<double>& operations) {
    return Merging(graph, largest, operations).run();
}

std::vector<CallId> cone(const dag::CallGraph& graph, CallId root, std::size_t largest) {
    const auto leads_to_root = [&](CallId call) { return call == root || graph.descendants(call).test(root.index()); };
    std::map<CallId, std::size_t> open; // users that lead to the root and are not taken yet
    const auto saved = [&](CallId call) {
        const DataId made = graph.call(call).result;
        const bool ends_here =
            !graph.datum(made).output && std::all_of(graph.successors(call).begin(), graph.successors(call).end(), leads_to_root);
        return graph.datum(made).list_bytes() * (ends_here ? 2 : 1);
    };
    std::priority_queue<std::pair<int, CallId>> ready; // ties: the latest call
    std::vector<CallId> taken;
    ready.emplace(0, root);
    while (!ready.empty() && taken.size() < largest) {
        const CallId call = ready.top().second;
        ready.pop();
        taken.push_back(call);
        for (const CallId before : graph.predecessors(call)) {
            if (graph.block(before) != graph.block(root)) {
                continue;
            }
            const auto [entry, added] = open.try_emplace(before, 0);
            if (added) {
                const std::vector<CallId>& users = graph.successors(before);
                entry->second = static_cast<std::size_t>(std::count_if(users.begin(), users.end(), leads_to_root));
            }
            if (--entry->second == 0) {
                ready.emplace(saved(before), before);
            }
        }
    }
    return taken;
}

namespace {

/// Cones of the roots, or of as many of them, evenly spread, as there may be.
std::vector<dag::CallSet> cones(const dag::CallGraph& graph, const std::vector<CallId>& roots, std::size_t above) {
    constexpr std::size_t most_roots = 64;
    constexpr std::size_t largest = calls_without_count;
    std::vector<dag::CallSet> result;
    const std::size_t count = std::min(roots.size(), most_roots);
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<CallId> calls = cone(graph, roots[i * roots.size() / count], largest);
        for (std::size_t size = largest; size >= largest / 4; size /= 2) {
            if (size == largest || calls.size() > size) {
                dag::CallSet& set =
                    result.emplace_back(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(std::min(size, calls.size())));
                std::sort(set.begin(), set.end());
            }
        }
    }
    std::erase_if(result, [&](const dag::CallSet& set) { return set.size() <= above; });
    return result;
}

/// Of the unions above `above` calls those that are larger by `factor` than the ones kept in them; the others whole.
std::vector<dag::CallSet> thinned(const std::vector<dag::CallSet>& unions, std::size_t calls, std::size_t above, double factor) {
    std::vector<std::size_t> kept_in(calls, above); // per call: size of the last union kept that holds it
    std::vector<dag::CallSet> result;
    for (const dag::CallSet& set : unions) {
        std::size_t inside = 0;
        for (const CallId call : set) {
            inside = std::max(inside, kept_in[call.index()]);
        }
        if (set.size() > above && static_cast<double>(set.size()) >= factor * static_cast<double>(inside == above ? 1 : inside)) {
            result.push_back(set);
            for (const CallId call : set) {
                kept_in[call.index()] = set.size();
            }
        }
    }
    return result;
}

} // namespace

std::vector<dag::CallSet> grown_fusions(
    const dag::CallGraph& graph, const std::vector<CallId>& roots, const std::vector<double>& operations, std::size_t above) {
    std::vector<dag::CallSet> unions = chain_of_merges(graph, calls_without_count, operations);
    if (graph.calls() > calls_without_count) {
        for (dag::CallSet& set : chain_of_merges(graph, static_cast<std::size_t>(largest_kernel), operations)) {
            if (set.size() > calls_without_count) {
                unions.push_back(std::move(set));
            }
        }
    }
    std::vector<dag::CallSet> whole;
    const auto keep_once = [](std::vector<dag::CallSet>& sets) {
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    };
    for (const std::vector<CallId>& order : orders_to_cut(graph)) {
        const std::vector<dag::CallSet> found = segments(graph, order, operations, above);
        whole.insert(whole.end(), found.begin(), found.end());
    }
    const std::vector<dag::CallSet> of_roots = cones(graph, roots, above);
    whole.insert(whole.end(), of_roots.begin(), of_roots.end());
    whole.resize(std::min(whole.size(), most_grown));
    keep_once(whole);
    const std::size_t room = most_grown_with_merges - std::min(most_grown_with_merges, whole.size());
    std::vector<dag::CallSet> large;
    for (double factor = 1; (large = thinned(unions, graph.calls(), above, factor)).size() > room && factor < largest_kernel;) {
        factor *= 1.25;
    }
    large.resize(std::min(large.size(), room));
    std::vector<dag::CallSet> result = std::move(whole);
    result.insert(result.end(), large.begin(), large.end());
    std::copy_if(unions.begin(), unions.end(), std::back_inserter(result), [&](const dag::CallSet& set) { return set.size() <= above; });
    std::sort(result.begin(), result.end(),
        [](const dag::CallSet& a, const dag::CallSet& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace fusec::fusion
