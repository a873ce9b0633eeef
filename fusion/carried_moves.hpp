// SPDX-License-Identifier: Apache-2.0
// Fusions that carry their moves: slices and assemblies take no place, so sets of calls that compute get those that they need.
#pragma once

#include "fusion/enumerate.hpp"
#include "fusion/places.hpp"

namespace fusec::fusion {

/// Of a set S of calls that take a place, ascending and not empty: S with the moving calls of one rule. A moving call is *of* S if it is in the same program block and all that it is
/// made from, through other moving calls, are inputs and results of S, with one at least of these.
///
/// - `taken`: all moving calls that S uses, itself or through others, and those of S whose results are outputs, with all that they use;
/// - `given`: of those that S uses, the ones that are made from inputs alone or, in part, from results of S; and all of S.
///
/// Left out again are those made from no result of S that a call outside uses which leads to S. Nothing if the result is not convex, or lists and
/// data that the calls pass each other do not join them all.
enum class Carrying {
    taken,
    given
};

class CarriedMoves {
public:
    /// `graph` and `places` must outlive this. O(calls * uses).
    CarriedMoves(const dag::CallGraph& graph, const Places& places);

    std::optional<dag::CallSet> with_moves(const dag::CallSet& computing, Carrying rule) const;

    /// The graph of the calls that take a place, in their order: each reads what the moving calls among its operands are made from. Moving
    /// calls are none of its calls, and nobody makes their results.
    dag::CallGraph contracted() const;
    /// The calls of the contracted graph in the whole one, ascending.
    const std::vector<CallId>& computing() const { return computing_; }

private:
    void leave_out_those_around(dag::CallSet& set) const;
    bool leads_to(CallId call, const dag::CallSet& computing) const;

    const dag::CallGraph& graph_;
    const Places& places_;
    std::vector<CallId> computing_;
    std::vector<std::vector<DataId>> made_from_; ///< per datum, without results of moving calls; of others: itself
    std::vector<std::vector<CallId>> makers_;    ///< per moving call, the calls that make what it is made from, ascending
    std::vector<std::vector<CallId>> needs_;     ///< per call, the moving calls that it uses, itself or through others, ascending
    std::vector<std::vector<CallId>> made_of_;   ///< per call that takes a place, the moving calls that are made from its result, ascending
};

/// All connected convex sets of at most `largest` calls, as enumerate_fusions(graph, largest, most) has them, and those that CarriedMoves makes by either rule of every
/// connected convex set of at most `largest` calls of the contracted graph, which have any number of moving calls besides. By size, then lexicographically,
/// each once; none of more than `largest_kernel` calls. If there are moving calls, and more than `largest` calls, at most half of `most` are of either kind.
Enumeration enumerate_fusions(const dag::CallGraph& graph, const Places& places, int largest, std::size_t most);

} // namespace fusec::fusion
