// SPDX-License-Identifier: Apache-2.0
// The costs of columns as far as the search knows them.
#pragma once

#include "fusion/plan.hpp"

#include <cmath>
#include <vector>

namespace fusec::fusion {

/// What is minimised.
enum class Objective {
    seconds,
    kernels, ///< their number; among equal numbers, seconds
};

/// Exact where `ColumnSource::seconds` was asked, a lower bound elsewhere.
/// To minimise the number of kernels, a kernel costs 1 + seconds / many_seconds: one kernel less is worth more than any time below
/// `many_seconds`.
class ColumnCosts {
public:
    ColumnCosts(ColumnSource& source, Objective objective, double many_seconds = 1);
    double optimistic(ColumnId column) const { return best_known_[column.index()]; }
    /// The same after asking the source for its closer bound.
    double closer(ColumnId column);
    bool known(ColumnId column) const { return state_[column.index()] == State::exact; }
    double exact(ColumnId column);
    /// `exact` will be asked for all these: found together, on several threads where the source can. Each at most once in the list.
    void find_exact(const std::vector<ColumnId>& columns);
    bool are_seconds() const { return objective_ == Objective::seconds; }
    /// Exact costs found so far; that of a kernel with very many calls and lists counts as several.
    double evaluated() const { return evaluated_; }

private:
    enum class State : std::uint8_t {
        bound,
        closer_bound,
        exact
    };
    double cost_of(double seconds) const { return objective_ == Objective::kernels ? 1 + seconds / many_seconds_ : seconds; }

    ColumnSource& source_;
    Objective objective_;
    double many_seconds_;
    std::vector<double> best_known_;
    std::vector<State> state_;
    double evaluated_ = 0;
};

} // namespace fusec::fusion
