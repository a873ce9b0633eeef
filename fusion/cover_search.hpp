// SPDX-License-Identifier: Apache-2.0
// The search for the best cover: column generation for a bound, branch and bound over the columns that the bound cannot exclude.
#pragma once

#include "fusion/column_costs.hpp"
#include "fusion/cover_model.hpp"
#include "fusion/search_effort.hpp"

#include <cmath>
#include <optional>
#include <vector>

namespace fusec::fusion {

/// Searches one cover after another: the best one, then the best of those not forbidden. The linear program and what is known of the
/// costs stay.
class CoverSearch {
public:
    CoverSearch(CoverModel& model, ColumnCosts& costs, Effort& effort);

    /// A legal plan to start from; kept if it is the best so far.
    void offer(const std::vector<ColumnId>& chosen);
    /// Searches for a plan below the incumbent. Afterwards `bound` holds for every plan that the model's rows allow.
    void run();
    /// Only the bound, without an integer solution.
    void bound_only();
    /// Forbids the plan (and what contains it), forgets the incumbent; the linear program, its bound and the costs stay.
    void forbid(const std::vector<ColumnId>& chosen);
    /// Other plans near the incumbent, cheapest first, at most `count`: what each part of the plan could be instead.
    std::vector<std::vector<ColumnId>> alternatives(std::size_t count);

    const std::optional<std::vector<ColumnId>>& incumbent() const { return incumbent_; } ///< ascending
    double value() const { return value_; }
    double bound() const { return std::min(bound_, value_); }

private:
    struct Priced {
        double reduced_cost;
        ColumnId column;
        auto operator<=>(const Priced&) const = default;
    };

    static constexpr double mean_scaled_cost = 1e4; ///< of the first columns, in the linear program

    void start();
    bool large() const { return model_.graph().calls() > large_program; }
    void add_to_program(ColumnId column);
    void add_row(CoverRow row);
    bool add_broken_rows(const std::vector<ColumnValue>& solution);
    std::vector<ColumnValue> fractional_solution() const;
    void generate_columns();
    class Dive;
    void remove_from_program(const std::vector<bool>& removed);
    void dive(const std::vector<ColumnId>& fixed_first);
    void repair(const std::vector<ColumnId>& chosen, std::size_t first_broken_row);
    bool solve_program();
    bool covers_without_artificials() const;
    std::vector<double> present_duals() const;
    /// The columns outside the program whose (optimistic) reduced cost is negative, ascending; `least`: per list, the least reduced cost
    /// of those that store it first.
    std::vector<Priced> negative_among(
        const std::vector<ColumnId>& columns, const CoverModel::Prices& prices, std::vector<double>& least) const;
    std::vector<Priced> price();
    std::vector<Priced> price_without_bound(const std::vector<ColumnId>& columns);
    std::size_t add_promising(const std::vector<Priced>& negative);
    void close_gap();
    struct Restricted {
        std::vector<ColumnId> columns;
        double excluded_from = INFINITY; ///< every other column has at least this reduced cost
    };
    Restricted restrict_columns(std::size_t most, double limit);
    double solve_restricted(const std::vector<ColumnId>& columns);
    double total(const std::vector<ColumnId>& chosen);
    double tolerance() const;
    bool open() const { return !infeasible_ && value_ - bound() > tolerance(); }

    // cover_windows.cpp
    struct Window {
        std::vector<ColumnId> columns; ///< of the incumbent, ascending
        std::vector<ColumnId> core;    ///< those whose neighbours are mostly in the window too
        double cost = 0;
    };
    Window window_around(ColumnId seed, std::size_t calls) const;
    class WindowProgram;
    /// The best choice for the window that costs less than `cutoff`, as a whole plan; `different`: not the present one.
    std::optional<std::vector<ColumnId>> solve_window(const Window& window, double cutoff, bool different);
    bool worth_improving() const {
        return !effort_.exhausted() && value_ - bound() > (effort_.timed() ? tolerance() : enough_gap * value_);
    }
    void improve_by_windows(std::size_t calls);

    CoverModel& model_;
    ColumnCosts& costs_;
    Effort& effort_;

    LinearProgram program_;
    double scale_ = 0;            ///< cost unit of the linear program
    std::size_t artificials_ = 0; ///< the first columns of the program make its first rows feasible
    double artificial_cost_ = 0;
    std::vector<ColumnId> in_program_;                ///< after the artificial ones
    std::vector<bool> is_in_program_;                 ///< per column
    std::vector<std::vector<std::uint32_t>> storing_; ///< per datum: positions in in_program_ of the columns that store it
    bool converged_ = false;                          ///< the linear program was solved as far as it is worth
    std::optional<std::vector<double>> best_duals_;   ///< those that gave bound_, in units of cost
    double dual_bound_ = 0;                           ///< the bound of best_duals_

    std::vector<std::vector<ColumnId>> storing_first_; ///< per list: eligible columns of which it is the first stored; for windows
    double last_value_ = INFINITY;                     ///< of the plan forbidden last
    std::optional<std::vector<ColumnId>> incumbent_;
    double value_ = INFINITY;
    double bound_ = 0;
    bool infeasible_ = false;
};

} // namespace fusec::fusion
