// SPDX-License-Identifier: Apache-2.0
// Closing the gap: branch and bound over the columns that the bound cannot exclude.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr std::size_t first_restriction = 2000; ///< columns of the first binary program
constexpr int nodes_of_a_root = 60;             ///< cuts and heuristics at the root cost as much as so many nodes
constexpr double next_plan_within = 2e-3;       ///< relative

} // namespace

/// The columns with a reduced cost under the best duals of at most `limit`, at most `most` of them, none that the incumbent excludes.
CoverSearch::Restricted CoverSearch::restrict_columns(std::size_t most, double limit) {
    const CoverModel::Prices prices(model_, *best_duals_);
    Restricted result;
    const double gap = value_ - dual_bound_;
    if (limit < gap) {
        result.excluded_from = limit;
    } else {
        // A rounding's distance from the gap: what is excluded costs at least the incumbent.
        limit = gap + 1e-9 * (std::isfinite(value_) ? value_ : 0);
    }
    // Where many columns tie, those of the linear program come first: they fit each other.
    const double nearly = 1e-6 * mean_scaled_cost / scale_;
    std::vector<std::tuple<double, bool, double, ColumnId>> near; // reduced cost in steps of `nearly`, outside the program, reduced cost
    for (const ColumnId column : model_.eligible()) {
        if (effort_.out_of_time()) {
            result.excluded_from = 0; // nothing is known of the rest
            return result;
        }
        const double value = prices.value(column);
        if (const double optimistic = costs_.optimistic(column); !std::isfinite(optimistic) || optimistic - value > limit) {
            continue;
        }
        if (const double reduced = costs_.closer(column) - value; reduced <= limit) {
            near.emplace_back(std::floor(reduced / nearly), !is_in_program_[column.index()], reduced, column);
        }
    }
    std::sort(near.begin(), near.end());
    // What the effort does not last for is excluded like the rest; a few hundred are worth a try in any case.
    constexpr double least = 300;
    most = static_cast<std::size_t>(std::min(static_cast<double>(most), std::max(least, effort_.evaluations_left())));
    if (near.size() > most) {
        result.excluded_from = std::min(result.excluded_from, std::get<0>(near[most]) * nearly); // all after it have at least this
        near.resize(most);
    }
    if (!effort_.timed()) { // else one by one, while there is time
        std::vector<ColumnId> asked;
        for (const auto& [step, outside, reduced, column] : near) {
            asked.push_back(column);
        }
        costs_.find_exact(asked);
    }
    const double before = costs_.evaluated();
    for (const auto& [step, outside, reduced, column] : near) {
        if (effort_.out_of_time()) {
            result.excluded_from = std::min(result.excluded_from, reduced);
            break;
        }
        const double exact = costs_.exact(column);
        if (std::isfinite(exact) && exact - prices.value(column) <= std::min(limit, result.excluded_from)) {
            result.columns.push_back(column);
        }
    }
    effort_.spend_evaluations(costs_.evaluated() - before);
    // Those of the incumbent stay: near-optimal plans share most of them.
    if (incumbent_) {
        result.columns.insert(result.columns.end(), incumbent_->begin(), incumbent_->end());
    }
    std::sort(result.columns.begin(), result.columns.end());
    result.columns.erase(std::unique(result.columns.begin(), result.columns.end()), result.columns.end());
    return result;
}

/// Branch and bound over these columns, again after each solution that breaks a row not yet present. Improves the incumbent; gives a
/// bound on every plan made of these columns (infinite: none is below the incumbent).
double CoverSearch::solve_restricted(const std::vector<ColumnId>& columns) {
    while (true) {
        BinaryProgram binary;
        for (const CoverRow& row : model_.rows()) {
            binary.rows.push_back({row.lower, row.upper});
        }
        for (const ColumnId column : columns) {
            binary.costs.push_back(costs_.exact(column));
            binary.columns.push_back(model_.entries(column));
        }
        BinaryLimits limits = effort_.limits(binary.rows.size(), binary.columns.size());
        limits.cutoff = std::isfinite(value_) ? value_ : 0;
        const BinaryResult result = solve_binary(binary, limits);
        effort_.spend_nodes(result.nodes + nodes_of_a_root, binary.rows.size(), binary.columns.size());
        if (!result.found) {
            return result.complete ? INFINITY : result.bound;
        }
        std::vector<ColumnId> chosen;
        std::vector<ColumnValue> solution;
        for (const std::size_t i : result.selected) {
            chosen.push_back(columns[i]);
            solution.emplace_back(columns[i], 1.0);
        }
        const std::size_t rows_before = model_.rows().size();
        if (add_broken_rows(solution)) {
            repair(chosen, rows_before);
            if (effort_.exhausted()) {
                return result.bound;
            }
            continue;
        }
        std::vector<ColumnId> order;
        internal_check(launch_order(model_.graph(), model_.columns(), chosen, order), "a solution that breaks no row is a legal plan");
        offer(chosen);
        return result.complete ? INFINITY : result.bound;
    }
}

void CoverSearch::close_gap() {
    std::size_t most = first_restriction;
    // The next best plan mostly costs little more than the one before.
    double limit = last_value_ + next_plan_within * last_value_ - dual_bound_;
    while (best_duals_ && open() && !effort_.exhausted()) {
        const double before = value_;
        const double base =
            dual_bound_; // repairs of broken solutions may find better duals, to which the excluded columns were not compared
        const Restricted restricted = restrict_columns(most, limit);
        if (restricted.columns.empty() && std::isinf(restricted.excluded_from)) {
            break;
        }
        const double of_these = restricted.columns.empty() ? INFINITY : solve_restricted(restricted.columns);
        // A plan either uses an excluded column, or is made of these.
        bound_ = std::max(bound_, std::min({value_, base + restricted.excluded_from, of_these}));
        if (std::isinf(restricted.excluded_from) && (std::isinf(of_these) || value_ == before)) {
            break;
        }
        if (limit == INFINITY && effort_.evaluations_left() <= 0) {
            break; // more columns would be the same ones
        }
        if (restricted.excluded_from < limit || limit == INFINITY) {
            most *= 4;
        }
        limit = INFINITY;
    }
    if (value_ - bound_ <= tolerance()) {
        bound_ = value_;
    }
}

} // namespace fusec::fusion
