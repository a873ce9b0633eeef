// SPDX-License-Identifier: Apache-2.0
// Enumeration of convex connected sets, size by size.
//
// Every such set of more than one call has a source or sink that is no cut vertex of its connection graph: in a leaf block with cut
// vertex c, leave c out; if the first call of what is left had a predecessor and a last call below it a successor in the set, both
// would be c and close a cycle. Removing a source or sink keeps a set convex. So each set of size m + 1 is a convex connected set of
// size m plus one neighbour, and growing all sets of one size by all neighbours that keep convexity meets every set of the next.
#include "fusion/enumerate.hpp"

#include "fusion/workers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace fusec::fusion {

namespace {

using Call = std::uint32_t;

/// Extensions tried per set and neighbours looked at once the space is known to be too large to list whole.
constexpr std::size_t extensions_when_cut = 8;
constexpr std::size_t neighbours_when_cut = 48;
/// Operands of a call, and one, that the limit on the number of sets allows for. Calls of the library have up to three.
constexpr std::size_t weight_of_a_call = 6;

std::uint64_t mixed(std::uint64_t value) {
    // Finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/// Sets of one size, each ascending, one after the other; with the bytes of traffic that fusing saves and a hash (the sum of its calls'
/// mixed numbers, so that one call more is one addition more).
struct Level {
    std::size_t size = 0;
    std::vector<Call> calls;
    std::vector<std::int64_t> saved;
    std::vector<std::uint64_t> hash;

    std::size_t count() const { return saved.size(); }
    const Call* set(std::size_t index) const { return calls.data() + index * size; }

    void append(const Level& other, std::size_t index) {
        calls.insert(calls.end(), other.set(index), other.set(index) + size);
        saved.push_back(other.saved[index]);
        hash.push_back(other.hash[index]);
    }
    bool lexicographically_before(std::size_t a, std::size_t b) const {
        return std::lexicographical_compare(set(a), set(a) + size, set(b), set(b) + size);
    }
};

/// Open-addressing table of the sets of one level, by content.
class Index {
public:
    explicit Index(Level& level) : level_(level), slots_(1024, none) {}

    /// Appends the set of one call less with `call` and gives true, unless the result is there.
    bool insert(const Call* smaller, std::uint64_t hash, Call call) {
        if (level_.count() * 2 >= slots_.size()) {
            grow();
        }
        hash += mixed(call);
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != none) {
            if (level_.hash[slots_[slot]] == hash && is(level_.set(slots_[slot]), smaller, call)) {
                return false;
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = static_cast<std::uint32_t>(level_.count());
        const Call* end = smaller + level_.size - 1;
        const Call* middle = std::upper_bound(smaller, end, call);
        level_.calls.insert(level_.calls.end(), smaller, middle);
        level_.calls.push_back(call);
        level_.calls.insert(level_.calls.end(), middle, end);
        level_.hash.push_back(hash);
        level_.saved.push_back(0);
        return true;
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    bool is(const Call* set, const Call* smaller, Call call) const {
        for (std::size_t i = 0, j = 0; i < level_.size; ++i) {
            if (set[i] == call) {
                continue;
            }
            if (j + 1 == level_.size || set[i] != smaller[j++]) {
                return false;
            }
        }
        return true;
    }

    void grow() {
        slots_.assign(slots_.size() * 4, none);
        for (std::size_t i = 0; i < level_.count(); ++i) {
            std::size_t slot = level_.hash[i] & (slots_.size() - 1);
            while (slots_[slot] != none) {
                slot = (slot + 1) & (slots_.size() - 1);
            }
            slots_[slot] = static_cast<std::uint32_t>(i);
        }
    }

    Level& level_;
    std::vector<std::uint32_t> slots_;
};

/// What one set's extensions are judged by; made once per set, so that a question to one call is a few look-ups.
class Around {
public:
    Around(const dag::CallGraph& graph, const std::vector<std::vector<CallId>>& connections)
        : graph_(graph),
          connections_(connections),
          inside_(graph.calls(), 0),
          met_(graph.calls(), 0),
          users_inside_(graph.program().data.size(), 0),
          below_(graph.calls()),
          above_(graph.calls()) {
        for (std::size_t datum = 0; datum < users_inside_.size(); ++datum) {
            const frontend::Datum& entry = graph.datum(DataId(datum));
            const auto users = static_cast<std::uint32_t>(graph.consumers(DataId(datum)).size());
            lists_.push_back({entry.list_bytes(), entry.output ? never : users, entry.producer ? entry.producer->value : never});
        }
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            std::vector<std::uint32_t>& reads = reads_.emplace_back();
            for (const DataId operand : graph.call(CallId(call)).operands) {
                if (graph.datum(operand).per_element() && std::find(reads.begin(), reads.end(), operand.value) == reads.end()) {
                    reads.push_back(operand.value);
                }
            }
        }
    }

    /// The questions that follow are about this set.
    void begin(const Call* set, std::size_t size) {
        for (const Call call : set_) {
            count_reads(call, std::uint32_t{0} - 1);
        }
        set_.assign(set, set + size);
        ++number_;
        neighbours_.clear();
        below_.reset();
        above_.reset();
        for (const Call call : set_) {
            inside_[call] = met_[call] = number_;
            below_ |= graph_.descendants(CallId(call));
            above_ |= graph_.ancestors(CallId(call));
            count_reads(call, 1);
        }
        for (const Call call : set_) {
            for (const CallId other : connections_[call]) {
                if (met_[other.index()] != number_) {
                    met_[other.index()] = number_;
                    neighbours_.push_back(other.value);
                }
            }
        }
    }

    /// Calls connected to the set, each once.
    std::vector<Call>& neighbours() { return neighbours_; }

    /// Pre: the set is convex. A path that leaves the set and ends in `call` does so through a predecessor of `call` below the set.
    bool stays_convex(Call call) const {
        const auto between = [&](const std::vector<CallId>& next, const dag::Bits& reached) {
            return std::any_of(
                next.begin(), next.end(), [&](CallId other) { return inside_[other.index()] != number_ && reached.test(other.index()); });
        };
        return !between(graph_.predecessors(CallId(call)), below_) && !between(graph_.successors(CallId(call)), above_);
    }

    /// Bytes per element that need not cross global memory because `call` joins the set.
    std::int64_t gain(Call call) const {
        std::int64_t saved = 0;
        for (const std::uint32_t read : reads_[call]) {
            const List& list = lists_[read];
            const bool made_inside = list.producer != never && inside_[list.producer] == number_;
            saved += made_inside || users_inside_[read] != 0 ? list.bytes : 0;
            saved += made_inside && users_inside_[read] + 1 == list.users_if_kept ? list.bytes : 0; // nobody else needs it
        }
        const std::uint32_t made = graph_.call(CallId(call)).result.value;
        if (users_inside_[made] != 0) {
            saved += lists_[made].bytes * (users_inside_[made] == lists_[made].users_if_kept ? 2 : 1);
        }
        return saved;
    }

private:
    static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
    struct List {
        std::int64_t bytes;
        std::uint32_t users_if_kept; ///< calls that use it: with all of them inside it need not be stored; `never` for an output
        std::uint32_t producer;      ///< `never`: an input
    };

    void count_reads(Call call, std::uint32_t more) {
        for (const std::uint32_t read : reads_[call]) {
            users_inside_[read] += more;
        }
    }

    const dag::CallGraph& graph_;
    const std::vector<std::vector<CallId>>& connections_;
    std::vector<List> lists_;                       ///< per datum
    std::vector<std::vector<std::uint32_t>> reads_; ///< per call, the per-element lists among its operands, each once
    std::vector<Call> set_;
    std::uint32_t number_ = 0;                ///< of the set
    std::vector<std::uint32_t> inside_, met_; ///< per call, number of the last set that holds it, or that it is near or in
    std::vector<std::uint32_t> users_inside_; ///< per datum
    dag::Bits below_, above_;                 ///< calls that depend on the set, and that it depends on
    std::vector<Call> neighbours_;
};

class Enumerator {
public:
    Enumerator(const dag::CallGraph& graph, int largest, std::size_t most)
        : graph_(graph),
          connections_(connections(graph)),
          around_(Workers::shared().count()),
          largest_(static_cast<std::size_t>(std::clamp(largest, 1, largest_enumerated))),
          ordinary_(weight_of_a_call * std::max<std::size_t>(largest_, 8)),
          budget_(most > std::numeric_limits<std::size_t>::max() / ordinary_ ? std::numeric_limits<std::size_t>::max() : most * ordinary_) {
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            weight_.push_back(1 + graph.call(CallId(call)).operands.size());
        }
    }

    Enumeration run() {
        Enumeration result;
        std::vector<Level> levels = {singles()};
        std::size_t left = budget_ - std::min(budget_, price_of(levels.front()));
        bool whole = budget_ >= price_of(levels.front());
        while (whole && levels.back().size < largest_ && levels.back().count() != 0) {
            levels.push_back(grown(levels.back(), left));
            const std::size_t price = price_of(levels.back());
            whole = price <= left;
            left -= std::min(left, price);
        }
        if (!whole) {
            result.complete = false;
            levels = sampled();
        }
        for (const Level& level : levels) {
            for (std::size_t index : lexicographic(level)) {
                dag::CallSet& set = result.sets.emplace_back();
                set.reserve(level.size);
                std::transform(
                    level.set(index), level.set(index) + level.size, std::back_inserter(set), [](Call call) { return CallId(call); });
            }
        }
        return result;
    }

private:
    Level singles() const {
        Level level{1, {}, {}, {}};
        for (std::size_t call = 0; call < graph_.calls(); ++call) {
            level.calls.push_back(static_cast<Call>(call));
            level.saved.push_back(0);
            level.hash.push_back(mixed(call));
        }
        return level;
    }

    /// What a set takes of the budget: as an ordinary one, or by its weight where calls with very many operands are in it. Their sets
    /// take memory and time for each operand in all that follows.
    std::size_t price(const Level& level, std::size_t index) const {
        std::size_t weight = 0;
        for (const Call* call = level.set(index); call != level.set(index) + level.size; ++call) {
            weight += weight_[*call];
        }
        return std::max(ordinary_, weight);
    }
    std::size_t price_of(const Level& level) const {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < level.count(); ++i) {
            sum += price(level, i);
        }
        return sum;
    }

    /// Extensions of a set, with the traffic that each saves.
    using Extensions = std::vector<std::pair<std::int64_t, Call>>;

    /// Appends the sets that `extend(around, number of the set, extensions)` makes of those of the level, found on all threads and taken
    /// in the order of the level; stops when their prices sum to more than `most`.
    template <class Extend>
    Level extended(const Level& level, std::size_t most, Extend extend) {
        constexpr std::size_t part = 256;
        constexpr std::size_t parts_together = 64;
        Level next{level.size + 1, {}, {}, {}};
        Index index(next);
        std::vector<Extensions> found(part * parts_together);
        std::size_t price_so_far = 0;
        for (std::size_t first = 0; first < level.count() && price_so_far <= most; first += found.size()) {
            const std::size_t sets = std::min(found.size(), level.count() - first);
            Workers::shared().run(sets, part, [&](std::size_t worker, std::size_t begin, std::size_t end) {
                std::unique_ptr<Around>& around = around_[worker];
                if (!around) {
                    around = std::make_unique<Around>(graph_, connections_);
                }
                for (std::size_t i = begin; i < end; ++i) {
                    around->begin(level.set(first + i), level.size);
                    found[i].clear();
                    extend(*around, first + i, found[i]);
                }
            });
            for (std::size_t i = 0; i < sets && price_so_far <= most; ++i) {
                for (const auto& [saved, call] : found[i]) {
                    if (index.insert(level.set(first + i), level.hash[first + i], call)) {
                        next.saved.back() = level.saved[first + i] + saved;
                        price_so_far += price(next, next.count() - 1);
                    }
                }
            }
        }
        return next;
    }

    /// All sets one call larger, their savings left at 0.
    Level grown(const Level& level, std::size_t most) {
        return extended(level, most, [](Around& around, std::size_t, Extensions& extensions) {
            for (const Call call : around.neighbours()) {
                if (around.stays_convex(call)) {
                    extensions.emplace_back(0, call);
                }
            }
        });
    }

    /// Sets one call larger, from each set by the extensions that save most.
    Level grown_best(const Level& level) {
        return extended(level, std::numeric_limits<std::size_t>::max(), [](Around& around, std::size_t number, Extensions& extensions) {
            std::vector<Call>& neighbours = around.neighbours();
            // A hub has too many neighbours to weigh for each set: another part of them for each.
            const std::size_t looked_at = std::min(neighbours.size(), neighbours_when_cut);
            if (looked_at < neighbours.size()) {
                std::sort(neighbours.begin(), neighbours.end());
            }
            for (std::size_t j = 0; j < looked_at; ++j) {
                const Call call = neighbours[(number * looked_at + j) % neighbours.size()];
                if (around.stays_convex(call)) {
                    extensions.emplace_back(around.gain(call), call);
                }
            }
            const std::size_t kept = std::min(extensions.size(), extensions_when_cut);
            std::partial_sort(extensions.begin(), extensions.begin() + static_cast<std::ptrdiff_t>(kept), extensions.end(),
                [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
            extensions.resize(kept);
        });
    }

    /// Indices of the sets in lexicographic order.
    static std::vector<std::size_t> lexicographic(const Level& level) {
        // The first two calls in one word decide most comparisons.
        std::vector<std::pair<std::uint64_t, std::size_t>> order;
        order.reserve(level.count());
        for (std::size_t i = 0; i < level.count(); ++i) {
            const Call* set = level.set(i);
            order.emplace_back(std::uint64_t{set[0]} << 32 | (level.size > 1 ? set[1] : 0), i);
        }
        std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : level.lexicographically_before(a.second, b.second);
        });
        std::vector<std::size_t> result;
        result.reserve(order.size());
        for (const auto& [key, index] : order) {
            result.push_back(index);
        }
        return result;
    }

    /// Sets of the level worth at most `share`. First, for each call that has none yet, the best set that holds it; then equal parts of
    /// what is left for each first call, those with few sets giving what they do not need to the others. Best is most traffic saved, ties
    /// lexicographic.
    Level cut(const Level& level, std::size_t share) const {
        const auto better = [&](std::size_t a, std::size_t b) {
            return level.saved[a] != level.saved[b] ? level.saved[a] > level.saved[b] : level.lexicographically_before(a, b);
        };
        std::vector<bool> taken(level.count(), false);
        std::size_t left = share;
        const auto take = [&](std::size_t index) {
            if (const std::size_t cost = price(level, index); !taken[index] && cost <= left) {
                taken[index] = true;
                left -= cost;
            }
        };

        std::vector<std::size_t> best(graph_.calls(), level.count());
        for (std::size_t i = 0; i < level.count(); ++i) {
            for (const Call* call = level.set(i); call != level.set(i) + level.size; ++call) {
                if (best[*call] == level.count() || better(i, best[*call])) {
                    best[*call] = i;
                }
            }
        }
        std::vector<bool> held(graph_.calls(), false);
        for (std::size_t call = 0; call < graph_.calls(); ++call) {
            if (const std::size_t i = best[call]; i != level.count() && !held[call]) {
                take(i);
                std::for_each(level.set(i), level.set(i) + level.size, [&](Call member) { held[member] = taken[i]; });
            }
        }

        struct Region {
            std::vector<std::size_t> sets; ///< not taken yet
            std::size_t price = 0;
        };
        std::vector<Region> regions(graph_.calls());
        for (std::size_t i = 0; i < level.count(); ++i) {
            if (!taken[i]) {
                regions[level.set(i)[0]].sets.push_back(i);
                regions[level.set(i)[0]].price += price(level, i);
            }
        }
        std::erase_if(regions, [](const Region& region) { return region.sets.empty(); });
        std::stable_sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.price < b.price; });
        for (std::size_t r = 0; r < regions.size(); ++r) {
            Region& region = regions[r];
            const std::size_t part = left / (regions.size() - r);
            if (region.price > part) {
                // About as many as the part is worth.
                const std::size_t count = std::max<std::size_t>(1,
                    static_cast<std::size_t>(
                        static_cast<double>(region.sets.size()) * static_cast<double>(part) / static_cast<double>(region.price)));
                std::nth_element(
                    region.sets.begin(), region.sets.begin() + static_cast<std::ptrdiff_t>(count - 1), region.sets.end(), better);
                region.sets.resize(count);
            }
            std::for_each(region.sets.begin(), region.sets.end(), take);
        }

        Level result{level.size, {}, {}, {}};
        for (std::size_t i = 0; i < level.count(); ++i) {
            if (taken[i]) {
                result.append(level, i);
            }
        }
        return result;
    }

    std::vector<Level> sampled() {
        std::vector<Level> levels = {singles()};
        std::size_t left = budget_ - std::min(budget_, price_of(levels.front()));
        while (levels.back().size < largest_ && left != 0 && levels.back().count() != 0) {
            Level next = grown_best(levels.back());
            const std::size_t share = left / (largest_ - levels.back().size);
            levels.push_back(price_of(next) > share ? cut(next, share) : std::move(next));
            left -= std::min(left, price_of(levels.back()));
        }
        return levels;
    }

    const dag::CallGraph& graph_;
    std::vector<std::vector<CallId>> connections_;
    std::vector<std::unique_ptr<Around>> around_; ///< per worker
    std::size_t largest_;
    std::size_t ordinary_;            ///< least price of a set
    std::size_t budget_;              ///< for the prices of all sets
    std::vector<std::size_t> weight_; ///< per call, with its operands
};

} // namespace

std::vector<std::vector<CallId>> connections(const dag::CallGraph& graph) {
    const std::size_t most = graph.calls() <= few_enough_for_hubs ? few_enough_for_hubs : max_sharing_consumers;
    std::vector<std::vector<CallId>> result(graph.calls());
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const auto& before = graph.predecessors(CallId(index));
        const auto& after = graph.successors(CallId(index));
        result[index].insert(result[index].end(), before.begin(), before.end());
        result[index].insert(result[index].end(), after.begin(), after.end());
    }
    for (std::size_t index = 0; index < graph.program().data.size(); ++index) {
        const DataId datum(index);
        const auto& users = graph.consumers(datum);
        if (!graph.datum(datum).per_element() || users.size() > most) {
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
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        std::erase_if(result[index], [&](CallId other) { return graph.block(other) != graph.block(CallId(index)); });
    }
    return result;
}

bool hubs_are_left_out(const dag::CallGraph& graph) {
    const std::vector<std::vector<CallId>> connected_to = connections(graph);
    for (std::size_t index = 0; index < graph.program().data.size(); ++index) {
        const auto& users = graph.consumers(DataId(index));
        if (!graph.datum(DataId(index)).per_element() || users.size() <= max_sharing_consumers) {
            continue;
        }
        for (const CallId user : users) {
            const auto& list = connected_to[user.index()];
            if (std::any_of(users.begin(), users.end(), [&](CallId other) {
                    return other != user && graph.block(other) == graph.block(user) && !std::binary_search(list.begin(), list.end(), other);
                })) {
                return true;
            }
        }
    }
    return false;
}

bool shares_all(const dag::CallGraph& graph, const dag::CallSet& set) {
    // Groups of calls, joined list by list.
    std::vector<std::size_t> group(set.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto root = [&](std::size_t at) {
        while (group[at] != at) {
            at = group[at] = group[group[at]];
        }
        return at;
    };
    std::map<DataId, std::size_t> first; // call that makes a datum (in the set, before its users), or uses a list
    std::size_t groups = set.size();
    for (std::size_t i = 0; i < set.size(); ++i) {
        for (const DataId datum : graph.call(set[i]).operands) {
            if (graph.datum(datum).per_element()) {
                first.try_emplace(datum, i);
            }
            if (const auto found = first.find(datum); found != first.end()) {
                const std::size_t other = root(found->second);
                groups -= other == root(i) ? 0U : 1U;
                group[root(i)] = other;
            }
        }
        first.try_emplace(graph.call(set[i]).result, i);
    }
    return groups == 1;
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
