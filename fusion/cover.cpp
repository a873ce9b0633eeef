// SPDX-License-Identifier: Apache-2.0
// `solve_cover`: the plan modes over the search, and the runner-up plans.
#include "fusion/cover_modes.hpp"
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <tuple>

namespace fusec::fusion {

namespace {

class PlanSolver {
public:
    PlanSolver(const dag::CallGraph& graph, ColumnSource& source, const PlanOptions& options)
        : graph_(graph),
          source_(source),
          options_(options),
          effort_(options, graph.calls()),
          partition_(graph, source.columns()),
          seconds_(source, Objective::seconds) {}

    CoverResult solve() {
        switch (options_.mode) {
        case PlanMode::none:
            return fixed(separate_kernels(graph_, partition_, source_));
        case PlanMode::greedy:
            return fixed(greedy_kernels(graph_, partition_, source_));
        case PlanMode::max:
            return fixed(largest_fusions());
        case PlanMode::automatic:
            return automatic();
        }
        throw InternalError("unknown plan mode");
    }

private:
    Recomputation recomputation() const { return options_.recompute ? Recomputation::allowed : Recomputation::excluded; }

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
            result.bound = options_.bound ? lower_bound() : 0;
        }
        return result;
    }

    /// What no plan can beat: the linear program, without branch and bound.
    double lower_bound() {
        CoverModel model(graph_, source_.columns(), recomputation());
        CoverSearch search(model, seconds_, effort_);
        search.bound_only();
        return search.bound();
    }

    /// The plans that a search for the fastest starts from.
    std::vector<std::vector<ColumnId>> seeds() {
        std::vector<std::vector<ColumnId>> result;
        for (std::optional<std::vector<ColumnId>> seed :
            {separate_kernels(graph_, partition_, source_), greedy_kernels(graph_, partition_, source_)}) {
            if (seed) {
                result.push_back(std::move(*seed));
            }
        }
        return result;
    }

    bool without_recomputation(const std::vector<ColumnId>& chosen) const {
        std::size_t executed = 0;
        for (const ColumnId id : chosen) {
            const Column& column = source_.columns()[id.index()];
            executed += column.executes.size();
            if (!stores_all_its_boundary(graph_, column)) {
                return false;
            }
        }
        return executed == graph_.calls();
    }

    /// Mode `max`. A large program's fewest kernels are looked for near plans that are known: greedy fusion, and the plan of mode
    /// `automatic`, which is searched for first.
    std::optional<std::vector<ColumnId>> largest_fusions() {
        if (graph_.calls() <= large_program) {
            return fewest_kernels({});
        }
        CoverModel model(graph_, source_.columns(), recomputation());
        CoverSearch search(model, seconds_, effort_);
        for (const std::vector<ColumnId>& seed : seeds()) {
            search.offer(seed);
        }
        search.run();
        return fewest_kernels(search.incumbent());
    }

    /// Fewest kernels without recomputation, among those the fastest. A tenth of the effort, whether the plan is asked for by itself or only
    /// compared with, so that both are the same plan. `fast`: the plan of a search for the fastest.
    std::optional<std::vector<ColumnId>> fewest_kernels(const std::optional<std::vector<ColumnId>>& fast) {
        const std::optional<std::vector<ColumnId>> greedy = greedy_kernels(graph_, partition_, source_);
        // Time decides between equal numbers only; a plan with fewer kernels that is a thousand times slower than greedy fusion is the
        // one that could lose against this unit. A larger one would drown differences of 0.1 % in the solver's tolerances.
        const double many_seconds = greedy ? 1000 * cover(*greedy).seconds : 1;
        ColumnCosts costs(source_, Objective::kernels, many_seconds);
        CoverModel model(graph_, source_.columns(), Recomputation::excluded);
        const Effort whole = effort_.share(0.1);
        Effort part = whole;
        CoverSearch search(model, costs, part);
        if (greedy) {
            search.offer(*greedy);
        }
        if (fast && without_recomputation(*fast)) {
            search.offer(*fast);
        }
        search.run();
        effort_.spend_like(part, whole);
        return search.incumbent();
    }

    CoverResult automatic() {
        std::vector<std::vector<ColumnId>> offered = seeds();
        CoverModel model(graph_, source_.columns(), recomputation());
        CoverSearch search(model, seconds_, effort_);
        CoverResult result;
        for (int rank = 0; rank <= options_.runners_up; ++rank) {
            for (const std::vector<ColumnId>& seed : offered) {
                search.offer(seed);
            }
            search.run();
            if (rank == 0 && search.value() > search.bound()) {
                // An optimum is never worse than the plan of mode `max`; anything else must be compared with it.
                if (std::optional<std::vector<ColumnId>> fewest =
                        fewest_kernels(graph_.calls() > large_program ? search.incumbent() : std::nullopt)) {
                    search.offer(*fewest);
                    offered.push_back(std::move(*fewest));
                }
            }
            if (!search.incumbent()) {
                break;
            }
            if (rank == 0) {
                result.bound = search.bound();
                // Runner-ups are there to be compared with: they are worth a part of a second.
                const auto calls = static_cast<double>(graph_.calls());
                if (graph_.calls() > large_program) {
                    effort_.cap(0.25 + 0.002 * calls);
                } else {
                    effort_.cap(30 / calls);
                    effort_.cap_evaluations(1000 + 20 * calls);
                }
            }
            const std::vector<ColumnId> chosen = *search.incumbent();
            result.covers.push_back(cover(chosen));
            std::erase_if(offered, [&](std::vector<ColumnId> seed) {
                std::sort(seed.begin(), seed.end());
                return seed == chosen;
            });
            if (rank == 0 && graph_.calls() > large_program) {
                for (const std::vector<ColumnId>& other : search.alternatives(static_cast<std::size_t>(options_.runners_up))) {
                    result.covers.push_back(cover(other));
                    search.forbid(other);
                    ++rank;
                }
            }
            search.forbid(chosen);
        }
        // A search cut short may find a better plan later than a worse one.
        std::sort(result.covers.begin(), result.covers.end(),
            [](const Cover& a, const Cover& b) { return std::tie(a.seconds, a.columns) < std::tie(b.seconds, b.columns); });
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
