// SPDX-License-Identifier: Apache-2.0
// Fusions of more calls than enumeration reaches: groups merged where that saves most traffic, what single results are made from, and
// intervals of the program.
#pragma once

#include "fusion/segments.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Grown sets of one program at most, beyond those of the size that is enumerated.
inline constexpr std::size_t most_grown = 512;
/// Unions of merges fill up to so many.
inline constexpr std::size_t most_grown_with_merges = 256;

/// Consumers of a list up to which each is joined with all others; of more, each with as many of the next ones.
inline constexpr std::size_t most_joined_directly = 64;

/// From single calls on, again and again the two groups that an edge or a per-element list joins, together have at most `largest` calls
/// and do no more than `most_operations` where that counts (segments.hpp), leave the groups without a cycle, and save most bytes of traffic
/// by being one; ties go to the smaller union, then to the smaller first calls. `operations`: arithmetic of each call.
/// Each union in the order made, ascending in itself; convex and connected. O(joins * log joins + merges * groups between them).
std::vector<dag::CallSet> chain_of_merges(const dag::CallGraph& graph, std::size_t largest, const std::vector<double>& operations);

/// What `root` is made from: itself and, one after another, the call that saves most traffic among those whose users on the way to
/// `root` are all there already; `largest` calls at most. In the order taken: every beginning of it is convex and connected.
std::vector<CallId> cone(const dag::CallGraph& graph, CallId root, std::size_t largest);

/// Unions of the chains of merges of at most 64 and of at most `largest_kernel` calls, of every size; and of more than `above` calls:
/// segments (segments.hpp), and of the cones of `roots` what has more: whole up to 64, and cut to 32 and 16. Of those above `above` calls
/// not more than `most_grown`: segments, cones, and then, up to `most_grown_with_merges`, unions that are larger than those in them by a factor, the smallest factor
/// that will do. By size, then lexicographically, each once.
std::vector<dag::CallSet> grown_fusions(
    const dag::CallGraph& graph, const std::vector<CallId>& roots, const std::vector<double>& operations, std::size_t above);

} // namespace fusec::fusion
