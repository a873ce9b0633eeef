// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over sets of finished calls: what is alive in a step depends only on which calls came before, not on their order.
// For many calls the best of three orders that rules give.
#include "fusion/linearize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace fusec::fusion {

namespace {

using Mask = std::uint64_t;
constexpr std::size_t few_calls = 10;
constexpr std::size_t most_exact = 20;       ///< calls
constexpr std::size_t most_states = 1 << 16; ///< sets of finished calls
constexpr int unreachable = std::numeric_limits<int>::max();

class Lifetimes {
public:
    Lifetimes(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads)
        : before_(set.size(), 0) {
        internal_check(set.size() <= most_exact, "linearize: more calls than the exact search takes");
        for (std::size_t i = 0; i < set.size(); ++i) {
            for (const CallId before : graph.predecessors(set[i])) {
                if (const auto found = std::lower_bound(set.begin(), set.end(), before); found != set.end() && *found == before) {
                    before_[i] |= Mask{1} << (found - set.begin());
                }
            }
        }
        std::vector<DataId> touched;
        for (CallId call : set) {
            touched.push_back(graph.call(call).result);
            touched.insert(touched.end(), graph.call(call).operands.begin(), graph.call(call).operands.end());
        }
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (DataId datum : touched) {
            const frontend::Datum& entry = graph.datum(datum);
            List list;
            list.bytes = entry.type.bytes();
            for (std::size_t i = 0; i < set.size(); ++i) {
                const auto& operands = graph.call(set[i]).operands;
                if (std::find(operands.begin(), operands.end(), datum) != operands.end()) {
                    list.users |= Mask{1} << i;
                }
                if (entry.producer == set[i]) {
                    list.producer = Mask{1} << i;
                }
            }
            if (entry.per_element()) {
                list.from_start = list.producer == 0 && loads == LoadOrder::first;
                list.to_end = list.producer != 0 && loads == LoadOrder::first && std::binary_search(stores.begin(), stores.end(), datum);
                lists_.push_back(list);
            }
        }
    }

    bool ready(Mask done, std::size_t call) const { return (done >> call & 1) == 0 && (before_[call] & ~done) == 0; }

    /// Bytes alive while `call` runs after the calls of `done`.
    int alive(Mask done, std::size_t call) const {
        const Mask now = Mask{1} << call;
        int bytes = 0;
        for (const List& list : lists_) {
            const Mask touches = list.users | list.producer;
            const bool begun = list.from_start || (touches & done) != 0;
            const bool pending = (list.users & ~(done | now)) != 0 || list.to_end;
            if ((touches & now) != 0 || (begun && pending)) {
                bytes += list.bytes;
            }
        }
        return bytes;
    }

private:
    struct List {
        Mask users = 0;
        Mask producer = 0; ///< 0: loaded
        int bytes = 0;
        bool from_start = false;
        bool to_end = false;
    };
    std::vector<List> lists_;
    std::vector<Mask> before_; ///< per call, calls of the set that come first: whose results it uses, or that read what it replaces
};

/// The sets of finished calls that some order passes through, by size; few where calls depend on each other. Nothing if there are too
/// many.
std::vector<std::vector<Mask>> finished_sets(const Lifetimes& lifetimes, std::size_t calls) {
    std::vector<std::vector<Mask>> levels{{0}};
    std::size_t states = 1;
    while (levels.size() <= calls) {
        std::vector<Mask> next;
        for (const Mask done : levels.back()) {
            for (std::size_t call = 0; call < calls; ++call) {
                if (lifetimes.ready(done, call)) {
                    next.push_back(done | Mask{1} << call);
                }
            }
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        states += next.size();
        if (states > most_states) {
            return {};
        }
        levels.push_back(std::move(next));
    }
    return levels;
}

std::optional<Linearization> exact(const Lifetimes& lifetimes, const dag::CallSet& set) {
    const std::size_t calls = set.size();
    const std::vector<std::vector<Mask>> levels = finished_sets(lifetimes, calls);
    if (levels.empty()) {
        return std::nullopt;
    }
    // Least peak of the steps that remain after each set of finished calls.
    std::vector<std::vector<int>> rest(calls + 1);
    rest[calls] = {0};
    const auto after = [&](std::size_t level, Mask done) {
        return rest[level]
                   [static_cast<std::size_t>(std::lower_bound(levels[level].begin(), levels[level].end(), done) - levels[level].begin())];
    };
    for (std::size_t level = calls; level-- != 0;) {
        for (const Mask done : levels[level]) {
            int least = unreachable;
            for (std::size_t call = 0; call < calls; ++call) {
                if (lifetimes.ready(done, call)) {
                    if (const int peak = after(level + 1, done | Mask{1} << call); peak < least) {
                        least = std::min(least, std::max(lifetimes.alive(done, call), peak));
                    }
                }
            }
            rest[level].push_back(least);
        }
    }
    Linearization result;
    result.bytes = rest[0].front();
    Mask done = 0;
    while (result.order.size() < calls) {
        for (std::size_t call = 0; call < calls; ++call) { // ties: the smallest call
            const Mask now = done | Mask{1} << call;
            if (lifetimes.ready(done, call) && after(result.order.size() + 1, now) <= result.bytes &&
                lifetimes.alive(done, call) <= result.bytes) {
                result.order.push_back(set[call]);
                done = now;
                break;
            }
        }
    }
    return result;
}

/// The same for few calls, without lists of sets: every set of calls is its own index.
Linearization exact_few(const Lifetimes& lifetimes, const dag::CallSet& set) {
    const std::size_t calls = set.size();
    const std::size_t all = (std::size_t{1} << calls) - 1;
    std::array<bool, std::size_t{1} << few_calls> reached;
    std::array<int, std::size_t{1} << few_calls> rest; // least peak of the steps that remain
    std::fill_n(reached.begin(), all + 1, false);
    reached[0] = true;
    const auto for_each_ready = [&](Mask done, auto visit) {
        for (std::size_t call = 0; call < calls; ++call) {
            if (lifetimes.ready(done, call)) {
                visit(call, done | Mask{1} << call);
            }
        }
    };
    for (Mask done = 0; done < all; ++done) { // what follows a set is a greater number
        if (reached[done]) {
            for_each_ready(done, [&](std::size_t, Mask next) { reached[next] = true; });
        }
    }
    rest[all] = 0;
    for (Mask done = all; done-- != 0;) {
        if (reached[done]) {
            int least = unreachable;
            for_each_ready(done, [&](std::size_t call, Mask next) {
                if (rest[next] < least) {
                    least = std::min(least, std::max(lifetimes.alive(done, call), rest[next]));
                }
            });
            rest[done] = least;
        }
    }
    Linearization result;
    result.bytes = rest[0];
    for (Mask done = 0; done != all;) {
        bool found = false;
        for_each_ready(done, [&](std::size_t call, Mask next) { // ties: the smallest call
            if (!found && rest[next] <= result.bytes && lifetimes.alive(done, call) <= result.bytes) {
                found = true;
                result.order.push_back(set[call]);
            }
        });
        internal_check(found, "linearize: no call keeps to the least bytes");
        done |= Mask{1} << (std::lower_bound(set.begin(), set.end(), result.order.back()) - set.begin());
    }
    return result;
}

/// Orders of any number of calls, one call after the other.
class Walk {
public:
    Walk(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads)
        : set_(set), calls_(set.size()) {
        std::map<DataId, std::size_t> numbers;
        const auto number_of = [&](DataId datum) -> std::optional<std::size_t> {
            const frontend::Datum& entry = graph.datum(datum);
            if (entry.kind != frontend::DatumKind::input && entry.kind != frontend::DatumKind::computed) {
                return std::nullopt;
            }
            const auto [found, added] = numbers.try_emplace(datum, lists_.size());
            if (added) {
                List& list = lists_.emplace_back();
                list.bytes = entry.type.bytes();
                const bool made = entry.producer && std::binary_search(set.begin(), set.end(), *entry.producer);
                list.from_start = !made && loads == LoadOrder::first;
                list.to_end = made && loads == LoadOrder::first && std::binary_search(stores.begin(), stores.end(), datum);
            }
            return found->second;
        };
        for (std::size_t i = 0; i < set.size(); ++i) {
            std::vector<DataId> operands = graph.call(set[i]).operands;
            std::sort(operands.begin(), operands.end());
            operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
            for (const DataId operand : operands) {
                if (const std::optional<std::size_t> list = number_of(operand)) {
                    calls_[i].operands.push_back(*list);
                    ++lists_[*list].users;
                }
            }
            calls_[i].result = number_of(graph.call(set[i]).result);
            for (const CallId before : graph.predecessors(set[i])) {
                if (const auto found = std::lower_bound(set.begin(), set.end(), before); found != set.end() && *found == before) {
                    calls_[i].before.push_back(static_cast<std::size_t>(found - set.begin()));
                    calls_[static_cast<std::size_t>(found - set.begin())].after.push_back(i);
                }
            }
        }
    }

    /// Always the call that needs the least bytes next; ties: the smallest.
    std::vector<std::size_t> least_next() {
        begin();
        std::vector<std::size_t> waits_for, ready, order;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            waits_for.push_back(calls_[i].before.size());
            if (calls_[i].before.empty()) {
                ready.push_back(i);
            }
        }
        while (!ready.empty()) {
            const auto best = std::min_element(ready.begin(), ready.end(),
                [&](std::size_t a, std::size_t b) { return std::pair(bytes_during(a), a) < std::pair(bytes_during(b), b); });
            const std::size_t call = *best;
            ready.erase(best);
            order.push_back(call);
            finish(call);
            for (const std::size_t next : calls_[call].after) {
                if (--waits_for[next] == 0) {
                    ready.push_back(next);
                }
            }
        }
        return order;
    }

    std::vector<std::size_t> of_the_program() const {
        std::vector<std::size_t> order(calls_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        return order;
    }

    /// What makes an operand stands just before its first user: the terms of a sum come one after the other.
    std::vector<std::size_t> depth_first() const {
        std::vector<std::size_t> order, open;
        std::vector<bool> done(calls_.size(), false);
        for (std::size_t root = 0; root < calls_.size(); ++root) {
            if (!calls_[root].after.empty()) {
                continue;
            }
            open.push_back(root);
            while (!open.empty()) {
                const std::size_t call = open.back();
                const auto missing =
                    std::find_if(calls_[call].before.begin(), calls_[call].before.end(), [&](std::size_t before) { return !done[before]; });
                if (missing != calls_[call].before.end()) {
                    open.push_back(*missing);
                    continue;
                }
                open.pop_back();
                done[call] = true;
                order.push_back(call);
            }
        }
        return order;
    }

    Linearization with_bytes(const std::vector<std::size_t>& order) {
        Linearization result;
        result.exact = false;
        begin();
        for (const std::size_t call : order) {
            result.bytes = std::max(result.bytes, bytes_during(call));
            result.order.push_back(set_[call]);
            finish(call);
        }
        return result;
    }

private:
    struct List {
        int bytes = 0;
        std::uint32_t users = 0;
        bool from_start = false;
        bool to_end = false;
        // In the walk:
        std::uint32_t users_left = 0;
        bool begun = false;
    };
    struct Call {
        std::vector<std::size_t> operands; ///< lists, each once
        std::optional<std::size_t> result;
        std::vector<std::size_t> before, after; ///< calls of the set
    };

    void begin() {
        alive_ = 0;
        for (List& list : lists_) {
            list.users_left = list.users;
            list.begun = list.from_start;
            alive_ += list.from_start ? list.bytes : 0;
        }
    }

    int bytes_during(std::size_t call) const {
        int bytes = alive_ + (calls_[call].result ? lists_[*calls_[call].result].bytes : 0);
        for (const std::size_t operand : calls_[call].operands) {
            bytes += lists_[operand].begun ? 0 : lists_[operand].bytes;
        }
        return bytes;
    }

    void finish(std::size_t call) {
        for (const std::size_t operand : calls_[call].operands) {
            List& list = lists_[operand];
            alive_ += list.begun ? 0 : list.bytes;
            list.begun = true;
            alive_ -= --list.users_left == 0 && !list.to_end ? list.bytes : 0;
        }
        if (calls_[call].result) {
            List& list = lists_[*calls_[call].result];
            list.begun = true;
            alive_ += list.users_left != 0 || list.to_end ? list.bytes : 0;
        }
    }

    const dag::CallSet& set_;
    std::vector<List> lists_;
    std::vector<Call> calls_;
    int alive_ = 0; ///< bytes, between the calls
};

/// The best of three rules. O(calls * (calls ready + operands)).
Linearization by_rules(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads) {
    Walk walk(graph, set, stores, loads);
    Linearization best = walk.with_bytes(walk.least_next());
    for (const std::vector<std::size_t>& order : {walk.of_the_program(), walk.depth_first()}) {
        if (Linearization other = walk.with_bytes(order); other.bytes < best.bytes) {
            best = std::move(other);
        }
    }
    return best;
}

} // namespace

Linearization linearize(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads) {
    if (set.size() > most_exact) {
        return by_rules(graph, set, stores, loads);
    }
    const Lifetimes lifetimes(graph, set, stores, loads);
    if (set.size() <= few_calls) {
        return exact_few(lifetimes, set);
    }
    if (std::optional<Linearization> result = exact(lifetimes, set)) {
        return *std::move(result);
    }
    return by_rules(graph, set, stores, loads);
}

} // namespace fusec::fusion
