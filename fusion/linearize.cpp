// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over sets of finished calls: what is alive in a step depends only on which calls came before, not on their order.
#include "fusion/linearize.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace fusec::fusion {

namespace {

using Mask = std::uint64_t;
constexpr std::size_t most_exact = 20;
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
            if (entry.kind == frontend::DatumKind::input || entry.kind == frontend::DatumKind::computed) {
                list.from_start = list.producer == 0 && loads == LoadOrder::first;
                list.to_end = list.producer != 0 && loads == LoadOrder::first && std::binary_search(stores.begin(), stores.end(), datum);
                lists_.push_back(list);
            }
        }
    }

    bool ready(Mask done, std::size_t call) const { return (done >> call & 1) == 0 && (before_[call] & ~done) == 0; }

    /// Every call of the set has those that it needs in the set.
    bool closed(Mask done) const {
        for (Mask left = done; left != 0; left &= left - 1) {
            if ((before_[static_cast<std::size_t>(std::countr_zero(left))] & ~done) != 0) {
                return false;
            }
        }
        return true;
    }

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

Linearization exact(const Lifetimes& lifetimes, const dag::CallSet& set) {
    const std::size_t calls = set.size();
    const Mask all = (Mask{1} << calls) - 1;
    // Least peak of the steps that remain after each set of finished calls.
    std::vector<int> rest(all + 1, unreachable);
    rest[all] = 0;
    // A set of finished calls is smaller as a number than any set that contains it. Sets that no order of the calls passes through
    // are left unreachable: most of them, where calls depend on each other.
    for (Mask done = all; done-- != 0;) {
        if (!lifetimes.closed(done)) {
            continue;
        }
        for (std::size_t call = 0; call < calls; ++call) {
            const Mask after = done | Mask{1} << call;
            if (lifetimes.ready(done, call) && rest[after] < rest[done]) {
                rest[done] = std::min(rest[done], std::max(lifetimes.alive(done, call), rest[after]));
            }
        }
    }
    Linearization result;
    result.bytes = rest[0];
    Mask done = 0;
    while (result.order.size() < calls) {
        for (std::size_t call = 0; call < calls; ++call) { // ties: the smallest call
            const Mask after = done | Mask{1} << call;
            if (lifetimes.ready(done, call) && rest[after] <= result.bytes && lifetimes.alive(done, call) <= result.bytes) {
                result.order.push_back(set[call]);
                done = after;
                break;
            }
        }
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
    return set.size() <= most_exact ? exact(lifetimes, set) : greedy(lifetimes, set);
}

} // namespace fusec::fusion
