// SPDX-License-Identifier: Apache-2.0
#include "fusion/column_costs.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fusec::fusion {

namespace {

/// What finding the seconds of a column takes, in those of an ordinary one.
double units(const Column& column) {
    constexpr double ordinary = 20; // calls and lists
    const double size = static_cast<double>(column.executes.size() + column.loads.size() + column.stores.size()) / ordinary;
    return std::max(1.0, size * std::sqrt(size)); // lists are compared with each other, in fewer implementations
}

} // namespace

ColumnCosts::ColumnCosts(ColumnSource& source, Objective objective, double many_seconds)
    : source_(source), objective_(objective), many_seconds_(many_seconds), state_(source.columns().size(), State::bound) {
    best_known_.reserve(state_.size());
    for (std::size_t i = 0; i < state_.size(); ++i) {
        best_known_.push_back(cost_of(source.lower_bound(ColumnId(i))));
    }
}

double ColumnCosts::closer(ColumnId column) {
    double& cost = best_known_[column.index()];
    if (state_[column.index()] == State::bound) {
        cost = cost_of(source_.closer_bound(column));
        state_[column.index()] = State::closer_bound;
    }
    return cost;
}

void ColumnCosts::find_exact(const std::vector<ColumnId>& columns) {
    std::vector<ColumnId> open;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(open), [&](ColumnId column) { return !known(column); });
    source_.find_seconds(open);
}

double ColumnCosts::exact(ColumnId column) {
    double& cost = best_known_[column.index()];
    if (state_[column.index()] != State::exact) {
        const double seconds = source_.seconds(column);
        internal_check(seconds > 0, "a kernel takes time");
        cost = cost_of(seconds);
        state_[column.index()] = State::exact;
        evaluated_ += units(source_.columns()[column.index()]);
    }
    return cost;
}

} // namespace fusec::fusion
