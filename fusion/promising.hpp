// SPDX-License-Identifier: Apache-2.0
// Which of the columns with a negative reduced cost are worth adding: the first few of each list that stay negative at their exact cost.
#pragma once

#include "fusion/column_costs.hpp"
#include "fusion/search_effort.hpp"

#include <vector>

namespace fusec::fusion {

/// Columns are proposed in order of preference. No more are evaluated than if they were taken one by one: of each list, as many at a
/// time as it still wants, those of all lists together on several threads.
class Promising {
public:
    Promising(std::size_t lists, std::size_t wanted_per_list) : wanted_(lists, wanted_per_list), proposals_(lists) {}

    /// `value`: what the column is worth under the present duals. `list`: the first that it stores.
    void propose(DataId list, ColumnId column, double value);

    /// Those with cost - value < -epsilon, at most so many per list as wanted, in the order proposed; not all of them if the effort does
    /// not last.
    std::vector<ColumnId> choose(ColumnCosts& costs, const Effort& effort, double epsilon);

private:
    struct Proposal {
        std::size_t number;
        ColumnId column;
        double value;
    };
    std::size_t count_ = 0;
    std::vector<std::size_t> wanted_;              ///< per list, still
    std::vector<std::vector<Proposal>> proposals_; ///< per list
    std::vector<std::size_t> lists_;               ///< with a proposal
};

} // namespace fusec::fusion
