// SPDX-License-Identifier: Apache-2.0
// The check of a candidate against graph and catalog: every rule is tested on the finished lists, nothing is shared with the code that
// made them. Races between threads are left to the kernel IR's verifier, which enumerates threads.
#include "fusion/candidate.hpp"
#include "fusion/layout.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fusec::fusion {

namespace {

using frontend::DatumKind;

class CandidateCheck {
public:
    CandidateCheck(const Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog)
        : candidate_(candidate), graph_(graph), catalog_(catalog) {}

    void run() {
        check_interface();
        check_order();
        for (const DatumPlan& plan : candidate_.data) {
            check_datum(plan);
        }
        check_steps();
        check_lifetimes();
        check_addresses();
    }

private:
    void check_interface() const {
        internal_check(!candidate_.calls.empty() && std::is_sorted(candidate_.calls.begin(), candidate_.calls.end()),
            "candidate: calls are not ascending");
        internal_check(graph_.block(candidate_.calls.front()) == graph_.block(candidate_.calls.back()),
            "candidate: its calls are of several blocks"); // calls stand by block
        internal_check(graph_.convex(candidate_.calls), "candidate: its calls are not convex");
        std::vector<DataId> lists;
        std::set<DataId> touched;
        for (DataId datum : graph_.uses(candidate_.calls)) {
            touched.insert(datum);
            const DatumKind kind = graph_.datum(datum).kind;
            if (kind == DatumKind::input || kind == DatumKind::computed) {
                lists.push_back(datum);
            }
        }
        check_derived(touched);
        internal_check(lists == candidate_.loads, "candidate: loads are not the lists it uses and does not make");
        const std::vector<DataId> boundary = graph_.boundary(candidate_.calls);
        internal_check(!candidate_.stores.empty(), "candidate: it stores nothing");
        internal_check(std::includes(boundary.begin(), boundary.end(), candidate_.stores.begin(), candidate_.stores.end()),
            "candidate: it stores what nobody needs");
        for (CallId call : candidate_.calls) {
            touched.insert(graph_.call(call).result);
        }
        std::vector<DataId> planned;
        for (const DatumPlan& plan : candidate_.data) {
            planned.push_back(plan.datum);
        }
        internal_check(
            planned == std::vector<DataId>(touched.begin(), touched.end()), "candidate: its data are not what its calls touch, ascending");
    }

    /// The kernel derives what its calls read that is derived, and what that is made of, each once.
    void check_derived(const std::set<DataId>& touched) const {
        std::set<DataId> wanted;
        const auto want = [&](const frontend::Call& call, const auto& again) -> void {
            for (const DataId operand : call.operands) {
                if (graph_.datum(operand).kind == DatumKind::derived && wanted.insert(operand).second) {
                    again(graph_.program().derivation(operand), again);
                }
            }
        };
        for (CallId call : candidate_.calls) {
            want(graph_.call(call), want);
        }
        std::vector<DataId> planned;
        for (const DerivedPlan& plan : candidate_.derived) {
            planned.push_back(plan.datum);
            const frontend::Call& call = graph_.program().derivation(plan.datum);
            const auto& implementations = catalog_.function(call.instance.function).implementations;
            internal_check(
                plan.implementation < implementations.size() && catalog_.threads(call.instance, implementations[plan.implementation]) == 1,
                "candidate: a derived datum is made by one thread");
            for (const DataId operand : call.operands) {
                internal_check(touched.count(operand) != 0, "candidate: it does not touch what a datum is derived from");
            }
        }
        internal_check(
            planned == std::vector<DataId>(wanted.begin(), wanted.end()), "candidate: it derives other data than its calls need");
    }

    void check_order() {
        std::vector<CallId> order;
        std::set<CallId> before;
        for (const CallPlan& plan : candidate_.order) {
            for (CallId needed : graph_.predecessors(plan.call)) {
                internal_check(!contains(candidate_.calls, needed) || before.count(needed) != 0,
                    "candidate: a call is ordered before one that it uses");
            }
            before.insert(plan.call);
            order.push_back(plan.call);
            const frontend::Call& call = graph_.call(plan.call);
            const auto& implementations = catalog_.function(call.instance.function).implementations;
            internal_check(plan.implementation < implementations.size(), "candidate: no such implementation");
            const auto threads = catalog_.threads(call.instance, implementations[plan.implementation]);
            internal_check(threads == plan.threads, "candidate: granularity is not the implementation's");
            plans_[plan.call] = plan;
            largest_ = std::max(largest_, plan.threads);
        }
        std::sort(order.begin(), order.end());
        internal_check(order == candidate_.calls, "candidate: the order does not hold each call once");
        const bool host = candidate_.threads_per_block == 1;
        internal_check(host ? largest_ == 1 : candidate_.threads_per_block == candidate_.instances_per_block * largest_,
            "candidate: threads per block do not fit its elements");
        internal_check(host || candidate_.threads_per_block % 32 == 0, "candidate: threads per block are no multiple of a warp");
    }

    library::Touch touch_of(CallId call, std::optional<std::size_t> operand) const {
        const CallPlan& plan = plans_.at(call);
        const auto& implementation = catalog_.function(graph_.call(call).instance.function).implementations[plan.implementation];
        if (plan.threads == 1) {
            return library::Touch::all;
        }
        return operand ? implementation.inputs.at(*operand) : implementation.output;
    }

    /// Calls the visitor with the threads and touch of each access of the datum.
    template <class Visit>
    void for_each_access(DataId datum, Visit visit) const {
        for (CallId id : candidate_.calls) {
            const frontend::Call& call = graph_.call(id);
            if (call.result == datum) {
                visit(plans_.at(id).threads, touch_of(id, std::nullopt));
            }
            for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                if (call.operands[operand] == datum) {
                    visit(plans_.at(id).threads, touch_of(id, operand));
                }
            }
        }
    }

    void check_datum(const DatumPlan& plan) const {
        const frontend::Datum& datum = graph_.datum(plan.datum);
        const bool loaded_list = contains(candidate_.loads, plan.datum);
        internal_check(plan.stored == contains(candidate_.stores, plan.datum), "candidate: stored data differ");
        internal_check(plan.loaded == (loaded_list || datum.kind == DatumKind::uniform), "candidate: loaded data differ");
        internal_check(
            (plan.placement == Placement::derived) == (datum.kind == DatumKind::derived), "candidate: only derived data are derived");
        internal_check(
            !datum.flag || (plan.placement == Placement::registers && plan.threads == 1 && plan.store != Staging::lanes_streaming),
            "candidate: a flag is not in the registers of one thread");
        internal_check(!datum.storage || (is_by_component(plan.load) && is_by_component(plan.store)),
            "candidate: a list that converts is copied as it is");
        internal_check(plan.slot.has_value() == (plan.placement == Placement::shared), "candidate: only shared data have a tile");
        switch (plan.placement) {
        case Placement::constant:
            internal_check(datum.kind == DatumKind::constant, "candidate: only constants are constant");
            break;
        case Placement::derived:
            internal_check(plan.touch == library::Touch::all && plan.threads == 1 && !plan.stored,
                "candidate: each thread holds a derived datum whole");
            check_readers(plan.datum);
            break;
        case Placement::memory:
            internal_check(
                plan.loaded && !plan.stored && plan.load == Staging::none, "candidate: memory is read in place and never written");
            break;
        case Placement::registers:
            if (plan.loaded) {
                internal_check(
                    candidate_.threads_per_block == 1 && plan.load == Staging::lanes, "candidate: lists go to registers only on the host");
            }
            for_each_access(plan.datum, [&](int threads, library::Touch touch) {
                internal_check(threads == plan.threads && touch == plan.touch, "candidate: threads disagree on a datum in registers");
            });
            internal_check(library::components_touched(datum.type.shape, plan.touch, plan.threads) != 0,
                "candidate: a register part that no thread has");
            break;
        case Placement::shared:
            check_slot(*plan.slot, datum);
            internal_check(!plan.loaded || plan.load == Staging::words || plan.load == Staging::vectors || plan.load == Staging::async,
                "candidate: a tile is loaded by a copy of the block");
            internal_check(!plan.stored || plan.store == Staging::words || plan.store == Staging::vectors,
                "candidate: a tile is stored by a copy of the block");
            break;
        }
    }

    static bool is_by_component(Staging staging) {
        return staging == Staging::none || staging == Staging::words || staging == Staging::lanes || staging == Staging::lanes_streaming;
    }

    /// Registers have no address: a thread that reads only some components of a derived datum must not depend on its lane for which.
    void check_readers(DataId datum) const {
        for_each_access(datum, [&](int threads, library::Touch touch) {
            internal_check(threads == 1 || touch == library::Touch::all || graph_.datum(datum).type.shape.size() == 1,
                "candidate: a derived datum is read in parts");
        });
    }

    void check_slot(const SharedSlot& slot, const frontend::Datum& datum) const {
        const int word = bytes_of(datum.type.precision);
        internal_check(slot.element_words == datum.type.shape.size(), "candidate: a tile with another element");
        internal_check((slot.run == 0) == (slot.pad_words == 0), "candidate: padding without a run");
        internal_check(slot.run == 0 || slot.run % slot.element_words == 0 || slot.run == datum.type.shape.columns,
            "candidate: padding within a row, or between parts of elements");
        internal_check(slot.pad_words * word % 16 == 0 && slot.run * word % 16 == 0, "candidate: padding breaks 16-byte copies");
        const int last = candidate_.instances_per_block * slot.element_words - 1;
        const int words = padded_word(last, slot.run, slot.pad_words) + 1;
        internal_check(
            slot.bytes >= words * word && slot.bytes < words * word + 16 && slot.bytes % 16 == 0, "candidate: a tile of the wrong size");
        internal_check(slot.offset >= 0 && slot.offset % 16 == 0 && slot.offset + slot.bytes <= candidate_.shared_bytes,
            "candidate: a tile outside the block's shared memory");
    }

    void check_steps() const {
        std::set<DataId> present; // data that can be read
        std::set<DataId> in_flight;
        std::set<DataId> stored;
        std::set<DataId> replaced; // old values of lists that have their new ones
        std::size_t computed = 0;
        std::size_t derived = 0;
        for (const DatumPlan& plan : candidate_.data) {
            if (plan.placement == Placement::memory || plan.placement == Placement::constant) {
                present.insert(plan.datum);
            }
        }
        for (const Step& step : candidate_.steps) {
            switch (step.kind) {
            case Step::Kind::load: {
                const DatumPlan& plan = candidate_.plan_of(step.datum);
                internal_check(plan.loaded && plan.load != Staging::none, "candidate: a load of what is not staged");
                internal_check(replaced.count(step.datum) == 0, "candidate: an old value is loaded behind the store of the new one");
                auto& arrived = plan.load == Staging::async ? in_flight : present;
                internal_check(arrived.insert(step.datum).second, "candidate: a list is loaded twice");
                break;
            }
            case Step::Kind::derive:
                internal_check(computed == 0 && derived < candidate_.derived.size() && candidate_.derived[derived].datum == step.datum,
                    "candidate: data are not derived in order, before all calls");
                ++derived;
                for (DataId operand : graph_.program().derivation(step.datum).operands) {
                    internal_check(present.count(operand) != 0, "candidate: what a datum is derived from is not there yet");
                }
                present.insert(step.datum);
                break;
            case Step::Kind::async_wait:
                internal_check(!in_flight.empty(), "candidate: a wait for nothing");
                present.insert(in_flight.begin(), in_flight.end());
                in_flight.clear();
                break;
            case Step::Kind::block_barrier:
            case Step::Kind::warp_barrier:
                break;
            case Step::Kind::compute:
                internal_check(computed < candidate_.order.size() && candidate_.order[computed].call == step.call,
                    "candidate: calls are not computed in order");
                ++computed;
                for (DataId operand : graph_.call(step.call).operands) {
                    internal_check(present.count(operand) != 0, "candidate: an operand is not there yet");
                    internal_check(replaced.count(operand) == 0 || candidate_.plan_of(operand).placement != Placement::memory,
                        "candidate: an old value is read behind the store of the new one");
                }
                present.insert(graph_.call(step.call).result);
                break;
            case Step::Kind::store:
                internal_check(
                    contains(candidate_.stores, step.datum) && present.count(step.datum) != 0, "candidate: a store of what is not there");
                internal_check(stored.insert(step.datum).second, "candidate: a datum is stored twice");
                if (const std::optional<DataId> old = graph_.old_value(step.datum)) {
                    replaced.insert(*old);
                }
                break;
            }
        }
        internal_check(in_flight.empty(), "candidate: an asynchronous copy is never waited for");
        internal_check(computed == candidate_.order.size(), "candidate: a call is not computed");
        internal_check(derived == candidate_.derived.size(), "candidate: a datum is not derived");
        internal_check(stored.size() == candidate_.stores.size(), "candidate: a datum is not stored");
    }

    bool touches(const Step& step, DataId datum) const {
        switch (step.kind) {
        case Step::Kind::load:
        case Step::Kind::store:
            return step.datum == datum;
        case Step::Kind::compute: {
            const frontend::Call& call = graph_.call(step.call);
            return call.result == datum || std::find(call.operands.begin(), call.operands.end(), datum) != call.operands.end();
        }
        case Step::Kind::async_wait:
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
        case Step::Kind::derive: // touches no tile
            return false;
        }
        return false;
    }

    void check_lifetimes() const {
        for (const DatumPlan& plan : candidate_.data) {
            if (!plan.slot) {
                continue;
            }
            int first = -1;
            int last = -1;
            for (std::size_t step = 0; step < candidate_.steps.size(); ++step) {
                if (touches(candidate_.steps[step], plan.datum)) {
                    first = first < 0 ? static_cast<int>(step) : first;
                    last = static_cast<int>(step);
                }
            }
            internal_check(plan.slot->first_step == first && plan.slot->last_step == last, "candidate: a tile's lifetime is wrong");
        }
    }

    void check_addresses() const {
        int end = 0;
        for (auto a = candidate_.data.begin(); a != candidate_.data.end(); ++a) {
            if (!a->slot) {
                continue;
            }
            end = std::max(end, a->slot->offset + a->slot->bytes);
            for (auto b = std::next(a); b != candidate_.data.end(); ++b) {
                if (b->slot && a->slot->first_step <= b->slot->last_step && b->slot->first_step <= a->slot->last_step) {
                    internal_check(
                        a->slot->offset + a->slot->bytes <= b->slot->offset || b->slot->offset + b->slot->bytes <= a->slot->offset,
                        "candidate: tiles that live together overlap");
                }
            }
        }
        internal_check(end == candidate_.shared_bytes, "candidate: shared memory that no tile uses");
    }

    template <class Id>
    static bool contains(const std::vector<Id>& sorted, Id id) {
        return std::binary_search(sorted.begin(), sorted.end(), id);
    }

    const Candidate& candidate_;
    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    std::map<CallId, CallPlan> plans_;
    int largest_ = 1;
};

} // namespace

void verify(const Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog) {
    CandidateCheck(candidate, graph, catalog).run();
}

} // namespace fusec::fusion
