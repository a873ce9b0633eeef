// SPDX-License-Identifier: Apache-2.0
// Enumeration of convex connected sets, size by size.
//
// Every such set of more than one call has a source or sink that is no cut vertex of its connection graph: in a leaf block with cut
// vertex c, leave c out; if the first call of what is left had a predecessor and a last call below it a successor in the set, both
// would be c and close a cycle. Removing a source or sink keeps a set convex. So each set of size m + 1 is a convex connected set of
// size m plus one neighbour, and growing all sets of one size by all neighbours that keep convexity meets every set of the next.
#include "fusion/enumerate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace fusec::fusion {

namespace {

using Call = std::uint32_t;

/// Extensions tried per set and neighbours looked at once the space is known to be too large to list whole.
constexpr std::size_t extensions_when_cut = 8;
constexpr std::size_t neighbours_when_cut = 48;

/// Sets of one size, each ascending, one after the other; with the bytes of traffic that fusing saves.
struct Level {
    std::size_t size = 0;
    std::vector<Call> calls;
    std::vector<std::int64_t> saved;

    std::size_t count() const { return saved.size(); }
    const Call* set(std::size_t index) const { return calls.data() + index * size; }
};

std::uint64_t mixed(std::uint64_t value) {
    // Finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/// Open-addressing table of the sets of one level, by content.
class Index {
public:
    Index()
        : slots_(1024, none) {}

    /// Appends the set unless it is there.
    void insert(Level& level, const Call* set, std::int64_t saved) {
        if (level.count() * 2 >= slots_.size()) {
            grow(level);
        }
        std::size_t slot = find(level, set);
        if (slots_[slot] == none) {
            slots_[slot] = static_cast<std::uint32_t>(level.count());
            level.calls.insert(level.calls.end(), set, set + level.size);
            level.saved.push_back(saved);
        }
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::size_t find(const Level& level, const Call* set) const {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < level.size; ++i) {
            hash = mixed(hash ^ set[i]);
        }
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != none && std::memcmp(level.set(slots_[slot]), set, level.size * sizeof(Call)) != 0) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }

    void grow(const Level& level) {
        slots_.assign(slots_.size() * 2, none);
        for (std::size_t i = 0; i < level.count(); ++i) {
            slots_[find(level, level.set(i))] = static_cast<std::uint32_t>(i);
        }
    }

    std::vector<std::uint32_t> slots_;
};

class Enumerator {
public:
    Enumerator(const dag::CallGraph& graph, int largest, std::size_t most)
        : graph_(graph), connections_(connections(graph)), largest_(static_cast<std::size_t>(std::clamp(largest, 1, largest_kernel))), most_(most) {}

    Enumeration run() {
        Enumeration result;
        std::vector<Level> levels = {singles()};
        std::size_t total = levels.front().count();
        while (total <= most_ && levels.back().size < largest_ && levels.back().count() != 0) {
            levels.push_back(grown(levels.back(), most_ - total));
            total += levels.back().count();
        }
        if (total > most_) {
            result.complete = false;
            levels = sampled();
        }
        for (Level& level : levels) {
            for (std::size_t index : lexicographic(level)) {
                dag::CallSet& set = result.sets.emplace_back();
                set.reserve(level.size);
                std::transform(level.set(index), level.set(index) + level.size, std::back_inserter(set), [](Call call) { return CallId(call); });
            }
        }
        return result;
    }

private:
    static bool holds(const Call* set, std::size_t size, std::size_t call) { return std::find(set, set + size, call) != set + size; }

    Level singles() const {
        Level level{1, {}, {}};
        for (std::size_t call = 0; call < graph_.calls(); ++call) {
            level.calls.push_back(static_cast<Call>(call));
            level.saved.push_back(0);
        }
        return level;
    }

    /// Pre: `set` is convex. A path that leaves the set and ends in `call` does so through a predecessor of `call` below the set.
    bool stays_convex(const Call* set, std::size_t size, std::size_t call) const {
        for (CallId before : graph_.predecessors(CallId(call))) {
            if (!holds(set, size, before.index()) && std::any_of(set, set + size, [&](Call member) { return graph_.descendants(CallId(member)).test(before.index()); })) {
                return false;
            }
        }
        for (CallId after : graph_.successors(CallId(call))) {
            if (!holds(set, size, after.index()) && std::any_of(set, set + size, [&](Call member) { return graph_.ancestors(CallId(member)).test(after.index()); })) {
                return false;
            }
        }
        return true;
    }

    /// Bytes per element that need not cross global memory because `call` joins the set.
    std::int64_t gain(const Call* set, std::size_t size, std::size_t call) const {
        const auto inside = [&](CallId id) { return id.index() == call || holds(set, size, id.index()); };
        const auto store_saved = [&](DataId made) {
            const auto& users = graph_.consumers(made);
            return !graph_.datum(made).output && std::all_of(users.begin(), users.end(), inside) ? graph_.datum(made).type.bytes() : 0;
        };
        const frontend::Call& joining = graph_.call(CallId(call));
        std::int64_t saved = 0;
        for (auto operand = joining.operands.begin(); operand != joining.operands.end(); ++operand) {
            const frontend::Datum& datum = graph_.datum(*operand);
            if (datum.kind == frontend::DatumKind::uniform || datum.kind == frontend::DatumKind::constant || std::find(joining.operands.begin(), operand, *operand) != operand) {
                continue;
            }
            const auto& users = graph_.consumers(*operand);
            const bool made_inside = datum.producer && inside(*datum.producer);
            if (made_inside || std::any_of(users.begin(), users.end(), [&](CallId user) { return holds(set, size, user.index()); })) {
                saved += datum.type.bytes();
            }
            if (made_inside) {
                saved += store_saved(*operand);
            }
        }
        const auto& users = graph_.consumers(joining.result);
        if (std::any_of(users.begin(), users.end(), [&](CallId user) { return holds(set, size, user.index()); })) {
            saved += graph_.datum(joining.result).type.bytes() + store_saved(joining.result);
        }
        return saved;
    }

    /// Calls connected to the set, ascending.
    void neighbours(const Call* set, std::size_t size, std::vector<Call>& result) const {
        result.clear();
        for (std::size_t i = 0; i < size; ++i) {
            for (CallId other : connections_[set[i]]) {
                if (!holds(set, size, other.index())) {
                    result.push_back(other.value);
                }
            }
        }
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
    }

    static void joined(const Call* set, std::size_t size, Call call, std::vector<Call>& result) {
        result.assign(set, set + size);
        result.insert(std::upper_bound(result.begin(), result.end(), call), call);
    }

    /// All sets one call larger; stops when there are more than `most`.
    Level grown(const Level& level, std::size_t most) const {
        Level next{level.size + 1, {}, {}};
        Index index;
        std::vector<Call> around;
        std::vector<Call> larger;
        for (std::size_t i = 0; i < level.count() && next.count() <= most; ++i) {
            const Call* set = level.set(i);
            neighbours(set, level.size, around);
            for (Call call : around) {
                if (stays_convex(set, level.size, call)) {
                    joined(set, level.size, call, larger);
                    index.insert(next, larger.data(), 0);
                }
            }
        }
        return next;
    }

    /// Sets one call larger, from each set by the extensions that save most.
    Level grown_best(const Level& level) const {
        Level next{level.size + 1, {}, {}};
        Index index;
        std::vector<Call> around;
        std::vector<Call> larger;
        std::vector<std::pair<std::int64_t, Call>> extensions; // negated gain: sorts best first, ties by call
        for (std::size_t i = 0; i < level.count(); ++i) {
            const Call* set = level.set(i);
            neighbours(set, level.size, around);
            // A hub has too many neighbours to weigh for each set: another part of them for each.
            const std::size_t looked_at = std::min(around.size(), neighbours_when_cut);
            extensions.clear();
            for (std::size_t j = 0; j < looked_at; ++j) {
                const Call call = around[(i * looked_at + j) % around.size()];
                if (stays_convex(set, level.size, call)) {
                    extensions.emplace_back(-gain(set, level.size, call), call);
                }
            }
            const std::size_t kept = std::min(extensions.size(), extensions_when_cut);
            std::partial_sort(extensions.begin(), extensions.begin() + static_cast<std::ptrdiff_t>(kept), extensions.end());
            for (std::size_t j = 0; j < kept; ++j) {
                joined(set, level.size, extensions[j].second, larger);
                index.insert(next, larger.data(), level.saved[i] - extensions[j].first);
            }
        }
        return next;
    }

    /// Indices of the sets in lexicographic order.
    static std::vector<std::size_t> lexicographic(const Level& level) {
        std::vector<std::size_t> order(level.count());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::lexicographical_compare(level.set(a), level.set(a) + level.size, level.set(b), level.set(b) + level.size);
        });
        return order;
    }

    /// At most `share` sets of the level: turn by turn, each first call gives its next best set (ties lexicographic).
    static Level cut(const Level& level, std::size_t share) {
        std::vector<std::size_t> order(level.count());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (level.set(a)[0] != level.set(b)[0]) {
                return level.set(a)[0] < level.set(b)[0];
            }
            if (level.saved[a] != level.saved[b]) {
                return level.saved[a] > level.saved[b];
            }
            return std::lexicographical_compare(level.set(a), level.set(a) + level.size, level.set(b), level.set(b) + level.size);
        });
        std::vector<std::pair<std::size_t, std::size_t>> turns; // turn, position in order
        for (std::size_t position = 0, first = 0; position < order.size(); ++position) {
            if (level.set(order[position])[0] != level.set(order[first])[0]) {
                first = position;
            }
            turns.emplace_back(position - first, position);
        }
        std::sort(turns.begin(), turns.end());
        turns.resize(std::min(turns.size(), share));
        Level result{level.size, {}, {}};
        for (const auto& [turn, position] : turns) {
            const Call* set = level.set(order[position]);
            result.calls.insert(result.calls.end(), set, set + level.size);
            result.saved.push_back(level.saved[order[position]]);
        }
        return result;
    }

    std::vector<Level> sampled() const {
        std::vector<Level> levels = {singles()};
        std::size_t left = most_ - std::min(most_, levels.front().count());
        while (levels.back().size < largest_ && left != 0 && levels.back().count() != 0) {
            Level next = grown_best(levels.back());
            const std::size_t share = std::max<std::size_t>(left / (largest_ - levels.back().size), 1);
            levels.push_back(next.count() > share ? cut(next, share) : std::move(next));
            left -= levels.back().count();
        }
        return levels;
    }

    const dag::CallGraph& graph_;
    std::vector<std::vector<CallId>> connections_;
    std::size_t largest_;
    std::size_t most_;
};

} // namespace

std::vector<std::vector<CallId>> connections(const dag::CallGraph& graph) {
    std::vector<std::vector<CallId>> result(graph.calls());
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const auto& before = graph.predecessors(CallId(index));
        const auto& after = graph.successors(CallId(index));
        result[index].insert(result[index].end(), before.begin(), before.end());
        result[index].insert(result[index].end(), after.begin(), after.end());
    }
    for (std::size_t index = 0; index < graph.program().data.size(); ++index) {
        const DataId datum(index);
        const auto kind = graph.datum(datum).kind;
        const auto& users = graph.consumers(datum);
        if (kind == frontend::DatumKind::uniform || kind == frontend::DatumKind::constant || users.size() > max_sharing_consumers) {
            continue;
        }
        for (CallId user : users) {
            std::copy_if(users.begin(), users.end(), std::back_inserter(result[user.index()]), [&](CallId other) { return other != user; });
        }
    }
    for (auto& list : result) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

bool connected(const std::vector<std::vector<CallId>>& connections, const dag::CallSet& set) {
    std::vector<bool> met(set.size(), false);
    std::vector<std::size_t> open = {0};
    met[0] = true;
    std::size_t count = 0;
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        ++count;
        for (std::size_t other = 0; other < set.size(); ++other) {
            const auto& list = connections[set[at].index()];
            if (!met[other] && std::binary_search(list.begin(), list.end(), set[other])) {
                met[other] = true;
                open.push_back(other);
            }
        }
    }
    return count == set.size();
}

Enumeration enumerate_fusions(const dag::CallGraph& graph, int largest, std::size_t most) {
    return Enumerator(graph, largest, most).run();
}

} // namespace fusec::fusion
