// SPDX-License-Identifier: Apache-2.0
// Improvement of a plan part by part: a window of neighbouring kernels is chosen anew by branch and bound while the others stay (large
// neighbourhood search). The rows are those of the whole cover less what the kernels that stay contribute.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace fusec::fusion {

namespace {

/// A list that more kernels touch makes no neighbours: inputs that everything reads would join everything.
constexpr std::size_t most_touching = 8;
constexpr double least_improvement = 1e-6;    ///< of the whole plan
constexpr std::size_t windows_per_kernel = 4; ///< solved at most

std::vector<ColumnId> without(const std::vector<ColumnId>& ascending, const std::vector<ColumnId>& taken) {
    std::vector<ColumnId> result;
    std::set_difference(ascending.begin(), ascending.end(), taken.begin(), taken.end(), std::back_inserter(result));
    return result;
}

} // namespace

CoverSearch::Window CoverSearch::window_around(ColumnId seed, std::size_t calls) const {
    std::map<DataId, std::vector<ColumnId>> touching;
    const auto for_each_list = [&](ColumnId kernel, auto visit) {
        std::for_each(model_.column(kernel).loads.begin(), model_.column(kernel).loads.end(), visit);
        std::for_each(model_.column(kernel).stores.begin(), model_.column(kernel).stores.end(), visit);
    };
    for (const ColumnId kernel : *incumbent_) {
        for_each_list(kernel, [&](DataId list) { touching[list].push_back(kernel); });
    }
    Window result;
    std::map<ColumnId, int> links{{seed, 0}}; // kernels outside, lists they share with the window
    std::set<ColumnId> inside;
    std::size_t size = 0;
    while (size < calls && !links.empty()) {
        // The kernel with most links; ties by column.
        const auto next =
            std::max_element(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
        links.erase(next);
        inside.insert(next);
        size += model_.column(next).executes.size();
        if (2 * size <= calls || result.core.empty()) {
            result.core.push_back(next);
        }
        for_each_list(next, [&](DataId list) {
            const std::vector<ColumnId>& kernels = touching[list];
            for (const ColumnId other : kernels) {
                if (kernels.size() <= most_touching && !inside.contains(other)) {
                    ++links[other];
                }
            }
        });
    }
    result.columns.assign(inside.begin(), inside.end());
    return result;
}

/// Windows of about so many calls, around one kernel after another, until none improves the plan.
void CoverSearch::improve_by_windows(std::size_t calls) {
    if (!incumbent_) {
        return;
    }
    // Columns stand by size: small kernels, where most is to be gained, come first.
    std::set<ColumnId> open(incumbent_->begin(), incumbent_->end());
    for (std::size_t left = windows_per_kernel * open.size(); left != 0 && !open.empty() && worth_improving(); --left) {
        Window window = window_around(*open.begin(), calls);
        window.cost = total(window.columns);
        const std::optional<std::vector<ColumnId>> better = solve_window(window, window.cost - least_improvement * value_, false);
        if (!better) {
            for (const ColumnId column : window.core) {
                open.erase(column);
            }
            continue;
        }
        const std::vector<ColumnId> fresh = without(*better, *incumbent_);
        offer(*better);
        for (const ColumnId column : window.columns) {
            open.erase(column);
        }
        open.insert(fresh.begin(), fresh.end());
    }
}

std::vector<std::vector<ColumnId>> CoverSearch::alternatives(std::size_t count) {
    constexpr std::size_t calls = 16;
    constexpr double dearest = 1.2; // times the window's present cost
    std::vector<std::pair<double, std::vector<ColumnId>>> found;
    std::set<ColumnId> open;
    if (incumbent_) {
        open.insert(incumbent_->begin(), incumbent_->end());
    }
    while (!open.empty() && found.size() < count + count / 2 && !effort_.exhausted()) {
        Window window = window_around(*open.begin(), calls);
        window.cost = total(window.columns);
        for (const ColumnId column : window.columns) {
            open.erase(column);
        }
        // One that is better than the incumbent is left alone: the best plan does not depend on whether runner-ups are asked for.
        if (std::optional<std::vector<ColumnId>> other = solve_window(window, dearest * window.cost, true);
            other && total(*other) >= value_) {
            found.emplace_back(total(*other), std::move(*other));
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    found.resize(std::min(found.size(), count));
    std::vector<std::vector<ColumnId>> result;
    for (auto& [cost, plan] : found) {
        result.push_back(std::move(plan));
    }
    return result;
}

} // namespace fusec::fusion
