// SPDX-License-Identifier: Apache-2.0
// Which scalar calls belong together: see condense.hpp.
#pragma once

#include "elementary-lib/entry_wise.hpp"
#include "frontend/checked_program.hpp"

#include <map>
#include <optional>
#include <vector>

namespace fusec::frontend {

/// Steps from a unit's root to the furthest of its calls, at most.
inline constexpr int deepest_unit = 400;
/// Steps of a unit, at most.
inline constexpr std::size_t largest_unit = 20000;

class Units {
public:
    struct Component {
        DataId datum;
        int component = 0;
    };

    Units(const CheckedProgram& program, const library::Catalog& catalog);

    /// The map of a call that moves components; null for others.
    const library::ComponentMap* map_of(CallId call) const { return maps_[call.index()]; }
    /// A scalar call that may be a step.
    bool is_scalar(CallId call) const { return scalar_[call.index()]; }
    /// What an entry-wise call of vectors or matrices does to a component, if it belongs to the unit of an assembly; else null.
    const library::EntryWise* entry_wise_of(CallId call) const { return root_of(call) == call ? nullptr : entry_wise_[call.index()]; }
    /// The root of the unit that the call belongs to; itself for calls of no other unit.
    CallId root_of(CallId call) const { return roots_[call.index()]; }
    /// True for roots of units that are to become one call.
    bool is_condensed(CallId root) const { return condensed_[root.index()]; }
    bool any_condensed() const;
    /// Where a unit reads a component: followed through slices and assemblies to what it holds; of a scalar that another unit puts into
    /// its value, the component there. Nothing for 0.
    std::optional<Component> source(Component component, CallId root) const;

private:
    void find_root(CallId call);
    bool is_inside(CallId user) const;
    void find_root_of_entry_wise(CallId call);
    bool join(CallId call, CallId root);
    std::optional<Component> place_in(CallId assembly, DataId scalar) const;
    bool reaches(CallId from, CallId to) const;
    void find_condensed();

    const CheckedProgram& program_;
    std::vector<const library::ComponentMap*> maps_; ///< per call
    std::vector<bool> scalar_;                       ///< per call
    std::map<FunctionId, std::optional<library::EntryWise>> entry_wise_functions_;
    std::vector<const library::EntryWise*> entry_wise_; ///< per call
    std::vector<int> depth_;                            ///< per call: steps from its root
    std::vector<std::size_t> steps_;                    ///< per root
    std::vector<std::vector<CallId>> users_;            ///< per datum
    std::vector<CallId> roots_;                         ///< per call
    std::map<DataId, Component> read_from_;             ///< scalars that other units read from a value
    std::map<CallId, std::vector<CallId>> readers_;     ///< per assembly: calls that read a component of it so
    std::vector<bool> condensed_;                       ///< per call
};

} // namespace fusec::frontend
