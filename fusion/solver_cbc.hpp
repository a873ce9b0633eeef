// SPDX-License-Identifier: Apache-2.0
// The two solver services that the plan needs, without any type of COIN-OR: a linear program that is kept warm while columns and
// rows are added, and a binary program solved by branch and bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fusec::fusion {

/// Index of a row (or column) and its coefficient. A list holds each index at most once.
using SparseVector = std::vector<std::pair<int, double>>;

/// minimise c x subject to lower <= A x <= upper, x >= 0. Not thread-safe; distinct programs may be used by distinct threads.
class LinearProgram {
public:
    static constexpr double unbounded = 1e30;

    LinearProgram();
    ~LinearProgram();
    LinearProgram(const LinearProgram&) = delete;
    LinearProgram& operator=(const LinearProgram&) = delete;

    void add_row(double lower, double upper, const SparseVector& columns);
    void add_column(double cost, const SparseVector& rows);
    /// Ascending positions. The columns after them move up.
    void remove_columns(const std::vector<std::size_t>& columns);
    void set_cost(std::size_t column, double cost);
    /// lower <= x <= upper for one column; x >= 0 without upper bound when it was added.
    void set_bounds(std::size_t column, double lower, double upper);

    /// Solves from the basis of the last call (primal simplex after columns, dual simplex after rows). False if no optimum was reached,
    /// also because this many seconds have passed (0: no limit).
    bool solve(double seconds = 0);

    double objective() const;
    const std::vector<double>& primal() const;        ///< per column
    const std::vector<double>& duals() const;         ///< per row; >= 0 where only `lower` is finite, <= 0 where only `upper` is
    const std::vector<double>& reduced_costs() const; ///< per column
    bool basic(std::size_t column) const;             ///< in the basis of the last solve
    std::uint64_t pivots() const;                     ///< simplex iterations so far
    std::size_t rows() const;
    std::size_t columns() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct BinaryRow {
    double lower = 0;
    double upper = 0;
};

/// minimise c x subject to the rows, x binary. Costs positive, of any unit.
struct BinaryProgram {
    std::vector<BinaryRow> rows;
    std::vector<double> costs;
    std::vector<SparseVector> columns; ///< entries (row, coefficient) of each column
};

/// Where branch and bound stops. `nodes` and `pivots` are deterministic.
struct BinaryLimits {
    int nodes = 20000;
    std::uint64_t pivots = UINT64_MAX; ///< simplex iterations
    double seconds = 0;                ///< wall clock; 0: none
    bool quick = false;                ///< a good solution soon is worth more than a proof
    double cutoff = 0;                 ///< only solutions that cost less are of interest; 0: any
};

struct BinaryResult {
    bool found = false;                ///< a solution below the cut-off
    std::vector<std::size_t> selected; ///< columns with x = 1, ascending
    bool complete = false;             ///< the search ended by itself: `selected` is optimal, or nothing is below the cut-off
    double bound = 0;                  ///< no solution costs less than min(bound, cutoff)
    int nodes = 0;
    std::uint64_t pivots = 0;
};

/// Branch and bound by CBC, one at a time in the process (CBC is not documented as re-entrant). Nothing is printed: standard output
/// is closed to the process while it runs, since CBC writes to it even at log level 0.
BinaryResult solve_binary(const BinaryProgram& program, const BinaryLimits& limits);

} // namespace fusec::fusion
