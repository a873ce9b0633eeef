// SPDX-License-Identifier: Apache-2.0
// Which calls take a place in a fusion: those that compute. What only moves components takes none (ADR 5, "What a slice costs").
#pragma once

#include "dag/call_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fusec::fusion {

class Places {
public:
    /// Every call takes one.
    Places() = default;
    /// By call: whether it only moves components.
    explicit Places(std::vector<bool> moves) : moves_(std::move(moves)) {}

    bool moves(CallId call) const { return call.index() < moves_.size() && moves_[call.index()]; }
    bool any_moves() const { return std::find(moves_.begin(), moves_.end(), true) != moves_.end(); }

    /// Calls of the set that take a place.
    std::size_t of(const dag::CallSet& set) const {
        return static_cast<std::size_t>(std::count_if(set.begin(), set.end(), [&](CallId call) { return !moves(call); }));
    }

private:
    std::vector<bool> moves_; ///< empty: none does
};

/// The calls of component maps (library::ComponentMap) take none, except those whose order matters beyond their operands: they read the old value
/// of a list that is updated, or make the new one; and except those with a user in another program block. Linear.
Places find_places(const dag::CallGraph& graph, const library::Catalog& catalog);

} // namespace fusec::fusion
