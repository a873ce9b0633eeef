// SPDX-License-Identifier: Apache-2.0
// `solve_cover`: the plan modes over the search, and the runner-up plans.
#include "fusion/cover_modes.hpp"
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

class PlanSolver {
public:
    PlanSolver(const dag::CallGraph& graph, ColumnSource& source, const PlanOptions& options)
        : graph_(graph), source_(source), options_(options), effort_(options, graph.calls()), partition_(graph, source.columns()), seconds_(source, Objective::seconds) {}

    CoverResult solve() {
        switch (options_.mode) {
        case PlanMode::none:
            return fixed(separate_kernels(graph_, partition_, source_));
        case PlanMode::greedy:
            return fixed(greedy_kernels(graph_, partition_, source_));
        case PlanMode::max:
            return fixed(fewest_kernels());
        case PlanMode::automatic:
            return automatic();
        }
        throw InternalError("unknown plan mode");
    }

private:
    Cover cover(const std::vector<ColumnId>& chosen) {
        Cover result;
        internal_check(launch_order(graph_, source_.columns(), chosen, result.columns), "a chosen plan is legal");
        // Summed in ascending order, so that the same plan always has the same seconds.
        std::vector<ColumnId> ascending = chosen;
        std::sort(ascending.begin(), ascending.end());
        for (const ColumnId column : ascending) {
            result.seconds += seconds_.exact(column);
        }
        return result;
    }

    /// A plan by a rule, with the bound that holds for every plan.
    CoverResult fixed(const std::optional<std::vector<ColumnId>>& chosen) {
        CoverResult result;
        if (chosen) {
            result.covers.push_back(cover(*chosen));
            result.bound = lower_bound();
        }
        return result;
    }

    /// What no plan can beat: the linear program with recomputation, without branch and bound.
    double lower_bound() {
        CoverModel model(graph_, source_.columns(), Recomputation::allowed);
        CoverSearch search(model, seconds_, effort_, Objective::seconds);
        search.bound_only();
        return search.bound();
    }

    /// Fewest kernels without recomputation, among those the fastest: two searches, the second with the number as a row.
    std::optional<std::vector<ColumnId>> fewest_kernels() {
        const std::optional<std::vector<ColumnId>> greedy = greedy_kernels(graph_, partition_, source_);
        ColumnCosts ones(source_, Objective::kernels);
        CoverModel counting(graph_, source_.columns(), Recomputation::excluded);
        CoverSearch fewest(counting, ones, effort_, Objective::kernels);
        if (greedy) {
            fewest.offer(*greedy);
        }
        fewest.run();
        if (!fewest.incumbent()) {
            return std::nullopt;
        }
        CoverModel timing(graph_, source_.columns(), Recomputation::excluded);
        timing.add({.kind = CoverRow::Kind::at_most, .upper = static_cast<double>(fewest.incumbent()->size())});
        CoverSearch fastest(timing, seconds_, effort_, Objective::seconds);
        fastest.offer(*fewest.incumbent());
        fastest.run();
        return fastest.incumbent();
    }

    CoverResult automatic() {
        std::vector<std::vector<ColumnId>> seeds;
        for (std::optional<std::vector<ColumnId>> seed : {separate_kernels(graph_, partition_, source_), greedy_kernels(graph_, partition_, source_), fewest_kernels()}) {
            if (seed) {
                seeds.push_back(std::move(*seed));
            }
        }
        CoverModel model(graph_, source_.columns(), Recomputation::allowed);
        CoverSearch search(model, seconds_, effort_, Objective::seconds);
        CoverResult result;
        for (int rank = 0; rank <= options_.runners_up; ++rank) {
            for (const std::vector<ColumnId>& seed : seeds) {
                search.offer(seed);
            }
            search.run();
            if (!search.incumbent()) {
                break;
            }
            if (rank == 0) {
                result.bound = search.bound();
            }
            const std::vector<ColumnId> chosen = *search.incumbent();
            result.covers.push_back(cover(chosen));
            std::erase_if(seeds, [&](std::vector<ColumnId> seed) {
                std::sort(seed.begin(), seed.end());
                return seed == chosen;
            });
            search.forbid(chosen);
        }
        // A search cut short may find a better plan later than a worse one.
        std::stable_sort(result.covers.begin(), result.covers.end(), [](const Cover& a, const Cover& b) { return a.seconds < b.seconds; });
        if (!result.covers.empty()) {
            result.bound = std::min(result.bound, result.covers.front().seconds);
        }
        return result;
    }

    const dag::CallGraph& graph_;
    ColumnSource& source_;
    const PlanOptions& options_;
    Effort effort_;
    PartitionColumns partition_;
    ColumnCosts seconds_;
};

} // namespace

CoverResult solve_cover(const dag::CallGraph& graph, ColumnSource& source, const PlanOptions& options) {
    return PlanSolver(graph, source, options).solve();
}

} // namespace fusec::fusion
