// SPDX-License-Identifier: Apache-2.0
// Memory of the lists that units are timed with. Inside of execute/.
#pragma once

#include "execute/buffer.hpp"
#include "execute/reference.hpp"
#include "execute/timing.hpp"

#include <map>
#include <string>

namespace fusec::execute {

/// One list for each datum of each program, and what the reference says that is in it. Lists start at different places of their pages, so that
/// times do not depend on one of them.
class TimingLists {
public:
    /// All lists filled, and placed as `placement` says. Those in huge pages are in `memory`, if there is one, as far as it has room.
    TimingLists(const std::vector<TimedUnit>& units, std::uint64_t seed, std::size_t placement, HugeMemory* memory = nullptr);

    /// Each list from another place of its page on: `placement` says which. Pointers to them are others afterwards. Fills those that a unit reads;
    /// what units write alone is theirs to fill.
    void place(std::size_t placement);
    /// Whether launches change what launches read.
    bool any_updated() const;
    /// The pointers that a unit's launch takes for elements from the first on: to inputs, then to outputs that are no updated inputs.
    std::vector<void*> arguments(std::size_t unit, std::uint64_t first);
    /// Overwrites what wrong_output looks at of what a unit's launch writes, and nothing beside, but for updated lists, which have their old values.
    void spoil_outputs(std::size_t unit);
    /// The old values into what a unit's launch has updated: other units read them too.
    void restore_updated(std::size_t unit);
    /// No cache holds anything of what a unit's launch reads or writes afterwards; returns how many cache lines were dropped. Pre: can_evict().
    std::size_t evict(std::size_t unit) const;
    /// After one launch since the lists were placed or updated ones restored: the first output of the unit, updated lists among them, whose first
    /// or last 64 elements are not what the reference computes, in words; empty where there is none.
    std::string wrong_output(std::size_t unit) const;

private:
    using Key = std::pair<const dag::CallGraph*, std::uint32_t>;
    static Key key_of(const TimedUnit& unit, const codegen::List& list) { return {unit.graph, list.datum.value}; }

    const std::vector<TimedUnit>& units_;
    std::map<const dag::CallGraph*, ReferenceResult> references_;
    struct List {
        Buffer memory;
        Precision precision;
        bool read = false; ///< by a unit
    };
    std::map<Key, List> lists_;
};

} // namespace fusec::execute
