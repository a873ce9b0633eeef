// SPDX-License-Identifier: Apache-2.0
// A column seen from inside its kernel: its calls, its data and its two orders, with small indices. Made once per column and shared by
// all its implementations.
#pragma once

#include "fusion/layout.hpp"
#include "fusion/linearize.hpp"
#include "fusion/plan.hpp"
#include "fusion/routines.hpp"

#include <array>
#include <vector>

namespace fusec::fusion {

struct KernelOutline {
    struct Use {
        int call = 0;
        std::size_t operand = 0;
    };
    struct Datum {
        DataId id;
        frontend::DatumKind kind = frontend::DatumKind::input;
        Shape shape;
        int bytes = 0; ///< of one element
        bool loaded = false;
        bool stored = false;
        int producer = -1;     ///< index into calls; -1: none in this kernel
        std::vector<Use> uses; ///< by call, then operand
    };
    struct Call {
        CallId id;
        const CallRoutines* routines = nullptr;
        std::vector<int> operands; ///< indices into data
        int result = 0;
        std::vector<std::vector<const AccessCost*>> costs; ///< per routine, of each operand and last of the result
    };

    std::vector<Call> calls;               ///< ascending
    std::vector<Datum> data;               ///< ascending
    std::array<std::vector<int>, 2> order; ///< indices into calls, by LoadOrder
    Precision precision = Precision::f32;
    double read_bytes = 0;
    double write_bytes = 0;

    const std::vector<int>& ordered(LoadOrder loads) const { return order[loads == LoadOrder::first ? 0 : 1]; }
    int word_bytes() const { return bytes_of(precision); }
};

/// `routines` is indexed by the graph's calls; it and `costs` must outlive the outline.
KernelOutline outline(const dag::CallGraph& graph, const Column& column, const std::vector<CallRoutines>& routines, AccessCosts& costs);

} // namespace fusec::fusion
