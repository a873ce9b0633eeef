// SPDX-License-Identifier: Apache-2.0
// Column generation: reduced costs, the bound they prove, and the columns worth adding.
#include "fusion/cover_search.hpp"
#include "fusion/promising.hpp"
#include "fusion/workers.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr double converged = 1e-9;           ///< reduced costs above -this * scaled mean are zero
constexpr std::size_t columns_per_datum = 3; ///< added per pricing round and stored datum, for variety
constexpr std::size_t columns_per_round = 3000;
constexpr double least_progress = 1e-4;           ///< of the bound, by rows
constexpr std::size_t scanned_together = 1 << 14; ///< columns, by one thread
/// A large program's bound this close to the linear program's value is not worth more rounds.
constexpr double near_enough = 2e-3;

} // namespace

std::vector<ColumnValue> CoverSearch::fractional_solution() const {
    std::vector<ColumnValue> solution;
    for (std::size_t i = 0; i < in_program_.size(); ++i) {
        if (const double x = program_.primal()[artificials_ + i]; x > 1e-9) {
            solution.emplace_back(in_program_[i], x);
        }
    }
    return solution;
}

std::vector<double> CoverSearch::present_duals() const {
    std::vector<double> duals = program_.duals();
    for (double& y : duals) {
        y /= scale_;
    }
    return duals;
}

std::vector<CoverSearch::Priced> CoverSearch::negative_among(
    const std::vector<ColumnId>& columns, const CoverModel::Prices& prices, std::vector<double>& least) const {
    const double epsilon = converged * mean_scaled_cost / scale_;
    Workers& workers = Workers::shared();
    std::vector<std::vector<double>> least_of(workers.count());
    std::vector<std::vector<Priced>> negative_of((columns.size() + scanned_together - 1) / scanned_together); // in the order of the columns
    workers.run(columns.size(), scanned_together, [&](std::size_t worker, std::size_t begin, std::size_t end) {
        std::vector<double>& mine = least_of[worker];
        mine.resize(least.size(), 0.0);
        std::vector<Priced>& negative = negative_of[begin / scanned_together];
        for (std::size_t i = begin; i < end; ++i) {
            const ColumnId column = columns[i];
            const double optimistic = costs_.optimistic(column);
            if (std::isinf(optimistic)) {
                continue;
            }
            const double reduced = optimistic - prices.value(column);
            if (reduced < 0) {
                double& of_list = mine[model_.first_stored(column).index()];
                of_list = std::min(of_list, reduced);
                if (reduced < -epsilon && !is_in_program_[column.index()]) {
                    negative.push_back({reduced, column});
                }
            }
        }
    });
    for (const std::vector<double>& part : least_of) {
        for (std::size_t list = 0; list < part.size(); ++list) {
            least[list] = std::min(least[list], part[list]);
        }
    }
    std::vector<Priced> negative;
    for (const std::vector<Priced>& part : negative_of) {
        negative.insert(negative.end(), part.begin(), part.end());
    }
    std::sort(negative.begin(), negative.end());
    return negative;
}

/// Those of all columns under the program's duals, and the Lagrangian bound that these prove.
std::vector<CoverSearch::Priced> CoverSearch::price() {
    std::vector<double> duals = present_duals();
    const CoverModel::Prices prices(model_, duals);
    // Every column stores something, and no datum is stored twice: at most one column per first stored datum is chosen.
    std::vector<double> least(model_.graph().program().data.size(), 0.0);
    std::vector<Priced> negative = negative_among(model_.eligible(), prices, least);
    effort_.spend_pricing(model_.eligible().size());
    double bound = prices.right_hand_side();
    for (const double reduced : least) {
        bound += reduced;
    }
    if (!best_duals_ || bound > dual_bound_) {
        dual_bound_ = bound;
        best_duals_ = std::move(duals);
        bound_ = std::max(bound_, bound);
    }
    return negative;
}

std::vector<CoverSearch::Priced> CoverSearch::price_without_bound(const std::vector<ColumnId>& columns) {
    effort_.spend_pricing(columns.size());
    std::vector<double> least(model_.graph().program().data.size(), 0.0);
    return negative_among(columns, CoverModel::Prices(model_, present_duals()), least);
}

/// Evaluates columns in the order given until enough of them are worth adding; adds those.
std::size_t CoverSearch::add_promising(const std::vector<Priced>& negative) {
    Promising promising(model_.graph().program().data.size(), columns_per_datum);
    for (const Priced& priced : negative) {
        promising.propose(
            model_.column(priced.column).stores.front(), priced.column, costs_.optimistic(priced.column) - priced.reduced_cost);
    }
    const double before = costs_.evaluated();
    const std::vector<ColumnId> chosen = promising.choose(costs_, effort_, 0);
    effort_.spend_evaluations(costs_.evaluated() - before);
    const std::size_t added = std::min(chosen.size(), columns_per_round);
    for (std::size_t i = 0; i < added; ++i) {
        add_to_program(chosen[i]);
    }
    return added;
}

bool CoverSearch::solve_program() {
    const std::uint64_t before = program_.pivots();
    const bool solved = program_.solve(effort_.seconds_left());
    effort_.spend_pivots(program_.pivots() - before, program_.rows());
    return solved;
}

bool CoverSearch::covers_without_artificials() const {
    return std::all_of(program_.primal().begin(), program_.primal().begin() + static_cast<std::ptrdiff_t>(artificials_),
        [](double x) { return x <= 1e-6; });
}

void CoverSearch::generate_columns() {
    double bound_before_rows = 0;
    while (solve_program()) { // if it fails, the bound proved so far stays valid
        const std::vector<Priced> negative = price();
        if (large() && covers_without_artificials() && bound_ >= (1 - near_enough) * program_.objective() / scale_) {
            return;
        }
        const bool added = add_promising(negative) > 0;
        if (effort_.exhausted()) {
            return;
        }
        if (added) {
            continue;
        }
        // Rows that hardly move the bound are left to branch and bound, which finds those that matter.
        const bool tails_off = bound_ - bound_before_rows < least_progress * bound_;
        bound_before_rows = bound_;
        if (!tails_off && add_broken_rows(fractional_solution())) {
            continue;
        }
        if (covers_without_artificials()) {
            return;
        }
        if (artificial_cost_ > 1e6 * mean_scaled_cost) {
            infeasible_ = !incumbent_; // even at this price no set of columns covers everything
            return;
        }
        artificial_cost_ *= 100;
        for (std::size_t i = 0; i < artificials_; ++i) {
            program_.set_cost(i, artificial_cost_);
        }
    }
}

} // namespace fusec::fusion
