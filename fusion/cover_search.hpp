// SPDX-License-Identifier: Apache-2.0
// The search for the best cover: column generation for a bound, branch and bound over the columns that the bound cannot exclude.
#pragma once

#include "fusion/cover_model.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

namespace fusec::fusion {

/// What may still be spent, over all solves of one plan. With a time limit only the clock counts; without one, nothing that depends on
/// the machine does.
class Effort {
public:
    Effort(const PlanOptions& options, std::size_t calls);

    bool exhausted() const;
    /// Limits of a binary program of this size that would use up all that is left.
    BinaryLimits limits(std::size_t rows, std::size_t columns) const;
    void spend_pivots(std::uint64_t pivots, std::size_t rows);
    void spend_nodes(int nodes, std::size_t rows, std::size_t columns);
    /// An effort of this share of what is left; spend on it what it used.
    Effort share(double part) const;
    void spend_like(const Effort& part, const Effort& before);

private:
    Effort() = default;
    bool timed_ = false;
    std::chrono::steady_clock::time_point end_;
    int nodes_ = 0;
    double work_ = 0; ///< seconds that the work takes on the machine where its constants were measured
};

/// What is minimised.
enum class Objective {
    seconds,
    kernels, ///< their number; among equal numbers, seconds
};

/// The costs of columns as far as they are known: exact where `ColumnSource::seconds` was asked, a lower bound elsewhere.
/// To minimise the number of kernels, a kernel costs 1 + seconds / many_seconds: one kernel less is worth more than any time below
/// `many_seconds`.
class ColumnCosts {
public:
    ColumnCosts(ColumnSource& source, Objective objective, double many_seconds = 1);
    double optimistic(ColumnId column) const;
    /// The same after asking the source for its closer bound.
    double closer(ColumnId column);
    bool known(ColumnId column) const { return !std::isnan(exact_[column.index()]); }
    double exact(ColumnId column);
    std::size_t evaluated() const { return evaluated_; }

private:
    ColumnSource& source_;
    Objective objective_;
    double many_seconds_;
    double cost_of(double seconds) const { return objective_ == Objective::kernels ? 1 + seconds / many_seconds_ : seconds; }

    std::vector<double> exact_;
    std::vector<double> closer_; ///< NaN: not asked
    std::size_t evaluated_ = 0;
};

class CoverSearch {
public:
    CoverSearch(CoverModel& model, ColumnCosts& costs, Effort& effort);

    /// A legal plan to start from; kept if it is the best so far.
    void offer(const std::vector<ColumnId>& chosen);
    /// Searches for a plan below the incumbent. Afterwards `bound` holds for every plan that the model's rows allow.
    void run();
    /// Only the bound, without an integer solution.
    void bound_only();
    /// Forbids the plan (and what contains it), forgets the incumbent; the linear program and the costs stay.
    void forbid(const std::vector<ColumnId>& chosen);

    const std::optional<std::vector<ColumnId>>& incumbent() const { return incumbent_; } ///< ascending
    double value() const { return value_; }
    double bound() const { return std::min(bound_, value_); }

private:
    struct Priced {
        double reduced_cost;
        ColumnId column;
        auto operator<=>(const Priced&) const = default;
    };

    void start();
    void add_to_program(ColumnId column);
    void add_row(CoverRow row);
    bool add_broken_rows(const std::vector<ColumnValue>& solution);
    std::vector<ColumnValue> fractional_solution() const;
    void generate_columns();
    void dive(const std::vector<ColumnId>& fixed_first);
    void repair(const std::vector<ColumnId>& chosen, std::size_t first_broken_row);
    bool solve_program();
    bool covers_without_artificials() const;
    std::vector<Priced> price();
    std::size_t add_promising(const std::vector<Priced>& negative);
    void close_gap();
    struct Restricted {
        std::vector<ColumnId> columns;
        double excluded_from = INFINITY; ///< every other column has at least this reduced cost
    };
    Restricted restrict_columns(std::size_t most);
    double solve_restricted(const Restricted& restricted);
    double total(const std::vector<ColumnId>& chosen);
    double tolerance() const;

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
    std::optional<std::vector<double>> best_duals_;   ///< those that gave bound_, in units of cost
    double dual_bound_ = 0;                           ///< the bound of best_duals_
    std::vector<double> reduced_;                     ///< under the duals priced last

    std::optional<std::vector<ColumnId>> incumbent_;
    double value_ = INFINITY;
    double bound_ = 0;
    bool infeasible_ = false;
};

} // namespace fusec::fusion
