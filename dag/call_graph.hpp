// SPDX-License-Identifier: Apache-2.0
// The call DAG: which call feeds which, who can reach whom, and what a set of calls reads and writes. The only header of dag/ that
// others include; Boost.Graph stays behind it.
#pragma once

#include "frontend/checked_program.hpp"

#include <boost/dynamic_bitset.hpp>

#include <optional>
#include <vector>

namespace fusec::dag {

/// A set of calls, ascending and without repeats. Small (at most --max-fusion), compared lexicographically.
using CallSet = std::vector<CallId>;
using Bits = boost::dynamic_bitset<std::uint64_t>;

/// Calls of a program at most: the closures take calls^2 / 4 bits, 100 MB here, and what is searched after them grows faster.
inline constexpr std::size_t most_calls = 20000;

/// Immutable view of a checked program as a graph, of its calls without the uniform ones (`CheckedProgram::uniform_calls`).
/// Construction is O(calls * edges / 64). Pre: at most `most_calls` calls.
class CallGraph {
public:
    explicit CallGraph(frontend::CheckedProgram program);

    const frontend::CheckedProgram& program() const { return program_; }
    std::size_t calls() const { return program_.calls.size(); }
    const frontend::Call& call(CallId id) const { return program_.call(id); }
    const frontend::Datum& datum(DataId id) const { return program_.datum(id); }

    /// The program block of a call: no kernel has calls of two, and those of one block come before those of the next.
    std::uint32_t block(CallId id) const { return program_.call(id).block; }

    /// Calls that use a datum, ascending, each once.
    const std::vector<CallId>& consumers(DataId id) const { return consumers_.at(id.index()); }
    /// What a derived datum is made of, itself included: uniforms, constants and derived data, ascending. Empty for others.
    const std::vector<DataId>& derivation(DataId id) const { return derivations_.at(id.index()); }
    /// Distinct calls whose results a call uses / that use its result, ascending; and by `orders`: those that read the old value of a
    /// list before the call makes the new one / that makes the new value of what the call reads.
    const std::vector<CallId>& predecessors(CallId id) const { return predecessors_.at(id.index()); }
    const std::vector<CallId>& successors(CallId id) const { return successors_.at(id.index()); }
    /// Calls reachable from `id` by one or more edges / calls that reach it.
    const Bits& descendants(CallId id) const { return descendants_.at(id.index()); }
    const Bits& ancestors(CallId id) const { return ancestors_.at(id.index()); }

    /// Of a list that is updated in place: the old value's new one / the new value's old one. A kernel that loads the old value runs
    /// before the one that stores the new one, or is that kernel.
    std::optional<DataId> new_value(DataId old) const { return new_values_.at(old.index()); }
    std::optional<DataId> old_value(DataId updated) const { return old_values_.at(updated.index()); }
    /// True when no path leaves the set and re-enters it. O(|set| * calls / 64).
    bool convex(const CallSet& set) const;

    /// Per-element lists, uniforms, constants and derived data that a set uses and does not make, with what the derived ones are made of,
    /// ascending.
    std::vector<DataId> uses(const CallSet& set) const;
    /// The derived data among them: what a kernel of these calls computes before all else, in this order.
    std::vector<DataId> derives(const CallSet& set) const;
    /// Data made in the set that are outputs or used by a call outside it, ascending: what the set must store when no call is recomputed.
    std::vector<DataId> boundary(const CallSet& set) const;

private:
    frontend::CheckedProgram program_;
    std::vector<std::vector<CallId>> consumers_, predecessors_, successors_;
    std::vector<std::vector<DataId>> derivations_;
    std::vector<std::optional<DataId>> new_values_, old_values_; ///< by datum
    std::vector<Bits> descendants_, ancestors_;
};

/// Breaks with InternalError unless the graph agrees with its program (acyclic, closures exact).
void verify(const CallGraph& graph);

} // namespace fusec::dag
