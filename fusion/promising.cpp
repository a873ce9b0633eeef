// SPDX-License-Identifier: Apache-2.0
#include "fusion/promising.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fusec::fusion {

void Promising::propose(DataId list, ColumnId column, double value) {
    std::vector<Proposal>& proposals = proposals_[list.index()];
    if (proposals.empty()) {
        lists_.push_back(list.index());
    }
    proposals.push_back({count_++, column, value});
}

std::vector<ColumnId> Promising::choose(ColumnCosts& costs, const Effort& effort, double epsilon) {
    std::vector<std::pair<std::size_t, ColumnId>> chosen;
    std::vector<std::size_t> next(proposals_.size(), 0); // per list, the first proposal not looked at
    const double before = costs.evaluated();
    while (!lists_.empty() && !effort.out_of_time() && costs.evaluated() - before <= effort.evaluations_left()) {
        std::vector<std::pair<std::size_t, Proposal>> batch; // list, proposal
        std::vector<ColumnId> columns;
        for (const std::size_t list : lists_) {
            std::size_t taken = 0;
            for (; taken < wanted_[list] && next[list] < proposals_[list].size(); ++next[list]) {
                const Proposal& proposal = proposals_[list][next[list]];
                if (costs.closer(proposal.column) - proposal.value < -epsilon) {
                    batch.emplace_back(list, proposal);
                    columns.push_back(proposal.column);
                    ++taken;
                }
            }
        }
        costs.find_exact(columns);
        for (const auto& [list, proposal] : batch) {
            const double exact = costs.exact(proposal.column);
            if (std::isfinite(exact) && exact - proposal.value < -epsilon) {
                chosen.emplace_back(proposal.number, proposal.column);
                --wanted_[list];
            }
        }
        std::erase_if(lists_, [&](std::size_t list) { return wanted_[list] == 0 || next[list] == proposals_[list].size(); });
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<ColumnId> result;
    for (const auto& [number, column] : chosen) {
        result.push_back(column);
    }
    return result;
}

} // namespace fusec::fusion
