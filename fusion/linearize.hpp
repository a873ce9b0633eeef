// SPDX-License-Identifier: Apache-2.0
// The order of calls inside a kernel that needs the least on-chip memory, fragmentation aside.
#pragma once

#include "dag/call_graph.hpp"

#include <vector>

namespace fusec::fusion {

/// When a kernel brings in the lists it reads, and with that when it writes its results out.
enum class LoadOrder {
    first,  ///< all loads before the first call (one wait for memory); results leave after the last call
    at_use, ///< each load just before its first use, each result leaves as soon as it is made (least memory)
};

struct Linearization {
    std::vector<CallId> order; ///< topological
    int bytes = 0;             ///< per element: largest sum of lists alive in one step
    bool exact = true;         ///< false: too many calls or orders for the exact search
};

/// The topological order of `set` with the least bytes; among those the lexicographically first, which is nearest to the order of the
/// program. Every per-element list that the set touches counts wherever it is kept, uniforms and constants do not.
/// Exact for at most 20 calls that can be finished in at most 2^16 different sets, O(sets * calls * lists); beyond that the best of
/// three orders: always the call that needs the least next, the order of the program, and depth first from the results (terms of a sum one
/// after the other).
Linearization linearize(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores, LoadOrder loads);

} // namespace fusec::fusion
