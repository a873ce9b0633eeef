// SPDX-License-Identifier: Apache-2.0
// Fusions of more calls than enumeration reaches: groups merged where that saves most traffic, and what single results are made from.
#pragma once

#include "fusion/enumerate.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Grown sets of one program at most, beyond those of the size that is enumerated.
inline constexpr std::size_t most_grown = 256;

/// From single calls on, again and again the two groups that a connection joins, together have at most `largest` calls, leave the
/// groups without a cycle, and save most bytes of traffic by being one; ties go to the smaller union, then to the smaller first calls.
/// Each union in the order made, ascending in itself; convex and connected. O(edges * log edges + merges * groups between them).
std::vector<dag::CallSet> chain_of_merges(const dag::CallGraph& graph, std::size_t largest);

/// What `root` is made from: itself and, one after another, the call that saves most traffic among those whose users on the way to
/// `root` are all there already; `largest` calls at most. In the order taken: every beginning of it is convex and connected.
std::vector<CallId> cone(const dag::CallGraph& graph, CallId root, std::size_t largest);

/// Unions of the chain of merges of every size, and of the cones of `roots` what has more than `above` calls: whole, and cut to 64, 32 and
/// 16. Of those above `above` calls not more than `most_grown`: the whole cones, and then unions that are larger than those in them by
/// a factor, the smallest factor that will do. By size, then lexicographically, each once.
std::vector<dag::CallSet> grown_fusions(const dag::CallGraph& graph, const std::vector<CallId>& roots, std::size_t above);

} // namespace fusec::fusion
