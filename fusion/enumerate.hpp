// SPDX-License-Identifier: Apache-2.0
// Fusions: all convex connected sets of calls of bounded size.
#pragma once

#include "fusion/candidate.hpp"
#include "fusion/places.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// A list with more consumers than this connects no two of them: 40 calls that read one list would give C(40,8) sets.
inline constexpr std::size_t max_sharing_consumers = 8;

/// In programs of at most so many calls every list connects its consumers, however many they are: at most 2^12 sets.
inline constexpr std::size_t few_enough_for_hubs = 12;

/// No set of more calls is enumerated, whatever is asked for.
inline constexpr int largest_enumerated = 64;

/// No kernel holds more calls (fusions beyond those enumerated are grown, see grown.hpp).
inline constexpr int largest_kernel = 512;

struct Enumeration {
    std::vector<dag::CallSet> sets; ///< by size, then lexicographically; all single calls are among them
    bool complete = true;           ///< no set was left out because of `most`
};

/// Calls connected to each call: by an edge, or by a per-element list (input or computed) with at most `max_sharing_consumers`
/// consumers, or any in a program of few calls. Ascending, without the call itself.
std::vector<std::vector<CallId>> connections(const dag::CallGraph& graph);

/// True if some calls share a per-element list and are not connected, because the list has too many consumers.
bool hubs_are_left_out(const dag::CallGraph& graph);

/// True if edges and per-element lists, whatever the number of their consumers, make the calls of the set one component. Pre: not empty.
bool shares_all(const dag::CallGraph& graph, const dag::CallSet& set);

/// True if `connections` makes the calls of the set one component. Pre: the set is not empty.
bool connected(const std::vector<std::vector<CallId>>& connections, const dag::CallSet& set);

/// Why the set, in which at most `largest` calls may take a place, is no fusion, in the words of the program; nothing if it is one. Pre: not empty, ascending.
std::optional<Rejection> why_no_fusion(const dag::CallGraph& graph, const dag::CallSet& set, int largest, const Places& places = {});

/// All convex connected sets of at most `largest` (and `largest_enumerated`) calls if there are at most `most` of them. Otherwise at most
/// `most` (never fewer than the single calls): small sizes whole, larger ones in equal shares for each size; of a size, one for each call
/// that is in any, then equal shares for each first call; best saving of traffic first. A set with calls of very many operands counts as
/// several: as many as it has calls and operands over six times `largest`, or 48. Deterministic; O(sets * neighbours * largest).
Enumeration enumerate_fusions(const dag::CallGraph& graph, int largest, std::size_t most);

} // namespace fusec::fusion
