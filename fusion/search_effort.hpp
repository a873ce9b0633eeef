// SPDX-License-Identifier: Apache-2.0
// How much work a plan is worth: counted without a clock unless a time limit is given.
#pragma once

#include "fusion/plan.hpp"
#include "fusion/solver_cbc.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>

namespace fusec::fusion {

/// Calls above which a gap may stay open without a time limit.
inline constexpr std::size_t large_program = 50;

/// Calls above which a dive forgets columns and rows to keep its linear programs small.
inline constexpr std::size_t huge_program = 400;
/// Relative gap of a large program below which only given time closes further.
inline constexpr double enough_gap = 0.03;

/// What may still be spent, over all solves of one plan. With a time limit only the clock counts; without one, nothing that depends on
/// the machine does.
class Effort {
public:
    Effort(const PlanOptions& options, std::size_t calls);

    bool exhausted() const;
    /// The same with a clock only: to be asked inside loops whose length must not depend on the effort otherwise.
    bool out_of_time() const { return timed_ && exhausted(); }
    bool timed() const { return timed_; }
    /// Seconds until the time limit; 0: none.
    double seconds_left() const;
    /// Limits of a binary program of this size that would use up all that is left.
    BinaryLimits limits(std::size_t rows, std::size_t columns) const;
    void spend_pivots(std::uint64_t pivots, std::size_t rows);
    /// `units` as ColumnCosts::evaluated counts them.
    void spend_evaluations(double units);
    /// Evaluations that would use up all that is left, in the same units.
    double evaluations_left() const;
    /// From now on no more work than this, in seconds of the machine where the constants were measured; nothing with a time limit.
    void cap(double work);
    /// From now on no more evaluations than this, though other work may go on; nothing with a time limit.
    void cap_evaluations(double units);
    /// Reduced costs of so many columns, once.
    void spend_pricing(std::size_t columns);
    void spend_nodes(int nodes, std::size_t rows, std::size_t columns);
    /// An effort of this share of what is left; spend on it what it used.
    Effort share(double part) const;
    void spend_like(const Effort& part, const Effort& before);

private:
    Effort() = default;
    bool timed_ = false;
    std::chrono::steady_clock::time_point end_;
    int nodes_ = 0;
    double evaluations_ = INFINITY; ///< still allowed, beside what the work allows
    double work_ = 0;               ///< seconds that the work takes on the machine where its constants were measured
};

} // namespace fusec::fusion
