// SPDX-License-Identifier: Apache-2.0
// The reason why a set of calls cannot be one kernel.
#include "fusion/enumerate.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

/// A call outside the set that one call of the set reaches and that reaches another: the smallest one.
std::string way_out_and_back(const dag::CallGraph& graph, const dag::CallSet& set) {
    const auto name = [&](CallId call) { return "`" + graph.program().name_of(call) + "`"; };
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const CallId outside(index);
        if (std::binary_search(set.begin(), set.end(), outside)) {
            continue;
        }
        const auto from = std::find_if(set.begin(), set.end(), [&](CallId call) { return graph.descendants(call).test(index); });
        const auto to = std::find_if(set.begin(), set.end(), [&](CallId call) { return graph.ancestors(call).test(index); });
        if (from != set.end() && to != set.end()) {
            return "a path from " + name(*from) + " to " + name(*to) + " leaves the kernel through " + name(outside);
        }
    }
    throw InternalError("fusion: a convex set has no path that leaves it");
}

} // namespace

std::optional<Rejection> why_no_fusion(const dag::CallGraph& graph, const dag::CallSet& set, int largest, const Places& places) {
    const auto other = std::find_if(set.begin(), set.end(), [&](CallId call) { return graph.block(call) != graph.block(set.front()); });
    if (other != set.end()) {
        const auto place = [&](CallId call) {
            return "`" + graph.program().name_of(call) + "` is computed in block `" + graph.program().block_name(call) + "`";
        };
        return Rejection{
            Rejection::Reason::several_blocks, place(set.front()) + ", " + place(*other) + ": a kernel has calls of one block"};
    }
    largest = std::clamp(largest, 1, largest_enumerated);
    if (const std::size_t size = places.of(set); size > static_cast<std::size_t>(largest)) {
        return Rejection{
            Rejection::Reason::too_large, std::to_string(size) + " calls, at most " + std::to_string(largest) + " allowed in one kernel"};
    }
    if (!graph.convex(set)) {
        return Rejection{Rejection::Reason::not_convex, way_out_and_back(graph, set)};
    }
    if (!connected(connections(graph), set)) {
        return Rejection{Rejection::Reason::not_connected,
            shares_all(graph, set) ? "its calls share lists with more than " + std::to_string(max_sharing_consumers) +
                    " users only, of which not every set is tried"
                : set.size() == 2 ? "its calls pass each other no data and share no list"
                                  : "neither data that its calls pass each other nor lists that they share join them all"};
    }
    return std::nullopt;
}

} // namespace fusec::fusion
