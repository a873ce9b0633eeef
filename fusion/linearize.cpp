// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over sets of finished calls: what is alive in a step depends only on which calls came before, not on their order.
#include "fusion/linearize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace fusec::fusion {

namespace {

using Mask = std::uint64_t;
constexpr std::size_t few_calls = 10;
constexpr std::size_t most_exact = 20;       ///< calls
constexpr std::size_t most_states = 1 << 16; ///< sets of finished calls
constexpr std::size_t most_calls = 64;
constexpr int unreachable = std::numeric_limits<int>::max();

class Lifetimes {
public:
    Lifetimes(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads)
        : before_(set.size(), 0) {
        internal_check(set.size() <= most_calls, "linearize: more than 64 calls in one kernel");
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
            for (std::size_t i = 0; i < set.size(); ++i) {
                if ((list.users >> i & 1) != 0) {
                    before_[i] |= list.producer;
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
    std::vector<Mask> before_; ///< per call, calls of the set whose results it uses
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

Linearization greedy(const Lifetimes& lifetimes, const dag::CallSet& set) {
    Linearization result;
    result.exact = false;
    Mask done = 0;
    while (result.order.size() < set.size()) {
        std::size_t best = set.size();
        for (std::size_t call = 0; call < set.size(); ++call) {
            if (lifetimes.ready(done, call) && (best == set.size() || lifetimes.alive(done, call) < lifetimes.alive(done, best))) {
                best = call;
            }
        }
        result.bytes = std::max(result.bytes, lifetimes.alive(done, best));
        result.order.push_back(set[best]);
        done |= Mask{1} << best;
    }
    return result;
}

} // namespace

Linearization linearize(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads) {
    const Lifetimes lifetimes(graph, set, stores, loads);
    if (set.size() <= few_calls) {
        return exact_few(lifetimes, set);
    }
    if (set.size() <= most_exact) {
        if (std::optional<Linearization> result = exact(lifetimes, set)) {
            return *std::move(result);
        }
    }
    return greedy(lifetimes, set);
}

} // namespace fusec::fusion
