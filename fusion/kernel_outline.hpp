// SPDX-License-Identifier: Apache-2.0
// A column seen from inside its kernel: its calls, its data and its two orders, with small indices. Made once per column and shared by
// all its implementations.
#pragma once

#include "fusion/layout.hpp"
#include "fusion/linearize.hpp"
#include "fusion/plan.hpp"
#include "fusion/routines.hpp"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace fusec::fusion {

/// What the accesses of each call cost, by its routines; found once per call. References stay valid. Not thread-safe.
class CallCosts {
public:
    using Table = std::vector<std::vector<const AccessCost*>>; ///< per routine, of each operand and last of the result

    /// Both must outlive this; `routines` are those of find_routines.
    CallCosts(const dag::CallGraph& graph, const std::vector<CallRoutines>& routines);
    const Table& of(CallId call);
    /// Bytes per element that the calls read of a list when they read it in place: those of its sectors that hold what they read.
    double touched_bytes(DataId list, const std::vector<CallId>& calls) const;

private:
    /// Words of the operand that the call reads; null: all of them, or nobody knows.
    const std::vector<int>* words_read(CallId call, std::size_t operand) const;

    const dag::CallGraph& graph_;
    const std::vector<CallRoutines>& routines_;
    AccessCosts accesses_;
    /// Of lists that are stored in another precision: from what they cost on chip and in their list.
    std::map<std::pair<const AccessCost*, const AccessCost*>, AccessCost> converting_;
    std::vector<Table> tables_;  ///< per call, all at once when first asked
    std::vector<bool> in_parts_; ///< per datum: some call reads a part of it alone
};

struct KernelOutline {
    struct Use {
        int call = 0;
        std::size_t operand = 0;
    };
    struct Datum {
        DataId id;
        frontend::DatumKind kind = frontend::DatumKind::input;
        Shape shape;
        Precision precision = Precision::f32; ///< on chip
        int bytes = 0;                        ///< of one element on chip
        int list_bytes = 0;                   ///< of one element in its list
        double touched_bytes = 0;             ///< of these, what the calls read when they do so in place
        bool loaded = false;
        bool stored = false;
        bool flag = false;     ///< reported where others are stored
        int producer = -1;     ///< index into calls; -1: none in this kernel
        int old_value = -1;    ///< index into data: what the kernel loads from where it stores this; -1: nothing
        std::vector<Use> uses; ///< by call, then operand

        /// Of a component on chip.
        int word_bytes() const { return bytes_of(precision); }
        /// Its list is stored in another precision: what crosses is converted, a component at a time.
        bool converts() const { return list_bytes != bytes; }
    };
    struct Call {
        CallId id;
        const CallRoutines* routines = nullptr;
        std::vector<int> operands; ///< indices into data
        int result = 0;
        const CallCosts::Table* costs = nullptr;
        /// Shares of its instructions that a host's compiler leaves (remaining_arithmetic.hpp), where they were found: in the kernel, and in one of its own, less
        /// than 1 where its operands are one value.
        double remaining = 1, alone = 1;
    };

    /// A uniform call: every thread of the kernel computes its result, before the first call.
    struct Derivation {
        int result = 0;            ///< index into data
        std::vector<int> operands; ///< indices into data: uniforms, constants and results before this one
        const Routine* routine = nullptr;
    };

    std::vector<Call> calls;               ///< ascending
    std::vector<Derivation> derivations;   ///< in order of definition
    std::vector<Datum> data;               ///< ascending
    std::array<std::vector<int>, 2> order; ///< indices into calls, by LoadOrder; empty: not found yet
    Precision precision = Precision::f32;  ///< the wider one of its data
    double write_bytes = 0;

    const std::vector<int>& ordered(LoadOrder loads) const { return order[loads == LoadOrder::first ? 0 : 1]; }
    /// Of the widest component.
    int widest_bytes() const { return bytes_of(precision); }
    /// What a call computes in: that of its result.
    Precision precision_of(const Call& call) const { return data[static_cast<std::size_t>(call.result)].precision; }
    /// Components that a call converts to another precision.
    int conversions(const Call& call) const {
        const Datum& result = data[static_cast<std::size_t>(call.result)];
        return data[static_cast<std::size_t>(call.operands.front())].precision == result.precision ? 0 : result.shape.size();
    }
};

/// `routines` are those of find_routines; they and `costs` must outlive the outline.
KernelOutline outline(const dag::CallGraph& graph, const Column& column, const std::vector<CallRoutines>& routines, CallCosts& costs);
/// The same without its orders, which not all choices of a large space come to need.
KernelOutline outline_without_orders(
    const dag::CallGraph& graph, const Column& column, const std::vector<CallRoutines>& routines, CallCosts& costs);
/// Finds the order unless it is known. `column` is the outline's.
void find_order(KernelOutline& outline, const dag::CallGraph& graph, const Column& column, LoadOrder loads);

} // namespace fusec::fusion
