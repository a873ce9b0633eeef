// SPDX-License-Identifier: Apache-2.0
// The only file that sees COIN-OR: Clp for the linear program, CBC for the binary one.
#include "fusion/solver_cbc.hpp"

#include "support/diagnostics.hpp"

#include <CbcEventHandler.hpp>
#include <CbcHeuristicDiveCoefficient.hpp>
#include <CbcHeuristicLocal.hpp>
#include <CbcHeuristicRINS.hpp>
#include <CbcModel.hpp>
#include <CglClique.hpp>
#include <CglZeroHalf.hpp>
#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <OsiClpSolverInterface.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace fusec::fusion {

namespace {

/// Sends what is written to file descriptor 1 to nowhere while it lives. Process-wide, hence used under the solver's mutex only.
class SilentStandardOutput {
public:
    SilentStandardOutput() {
        std::fflush(stdout);
        kept_ = ::dup(STDOUT_FILENO);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (kept_ >= 0 && nowhere >= 0) {
            ::dup2(nowhere, STDOUT_FILENO);
        }
        if (nowhere >= 0) {
            ::close(nowhere);
        }
    }
    ~SilentStandardOutput() {
        std::fflush(stdout);
        if (kept_ >= 0) {
            ::dup2(kept_, STDOUT_FILENO);
            ::close(kept_);
        }
    }
    SilentStandardOutput(const SilentStandardOutput&) = delete;
    SilentStandardOutput& operator=(const SilentStandardOutput&) = delete;

private:
    int kept_ = -1;
};

/// COIN-OR throws its own type, which derives from no standard exception.
InternalError explained(const CoinError& error) {
    return InternalError("solver: " + error.className() + "::" + error.methodName() + ": " + error.message());
}

/// Stops the tree search after a number of simplex iterations: a limit on work that does not depend on the machine.
class PivotLimit : public CbcEventHandler {
public:
    explicit PivotLimit(std::uint64_t pivots) : pivots_(pivots) {}
    CbcAction event(CbcEvent) override {
        return static_cast<std::uint64_t>(std::max(0, model_->getIterationCount())) > pivots_ ? stop : noAction;
    }
    CbcEventHandler* clone() const override { return new PivotLimit(*this); }

private:
    std::uint64_t pivots_;
};

} // namespace

namespace {

/// Rows or columns that wait to be added together: Clp copies its matrix on every single addition.
struct Buffer {
    std::vector<double> lower, upper, cost, values;
    std::vector<int> starts{0}, indices;

    int count() const { return static_cast<int>(lower.size()); }
    void add(double low, double high, double price, const SparseVector& entries) {
        lower.push_back(low <= -LinearProgram::unbounded ? -COIN_DBL_MAX : low);
        upper.push_back(high >= LinearProgram::unbounded ? COIN_DBL_MAX : high);
        cost.push_back(price);
        for (const auto& [index, value] : entries) {
            indices.push_back(index);
            values.push_back(value);
        }
        starts.push_back(static_cast<int>(indices.size()));
    }
};

} // namespace

struct LinearProgram::State {
    ClpSimplex simplex;
    Buffer new_columns, new_rows;
    std::vector<double> primal, duals, reduced_costs;
    std::uint64_t pivots = 0;
    bool columns_last = true; ///< decides which simplex starts from a feasible basis

    void flush() {
        if (const Buffer& b = new_columns; b.count() > 0) {
            simplex.addColumns(
                b.count(), b.lower.data(), b.upper.data(), b.cost.data(), b.starts.data(), b.indices.data(), b.values.data());
            new_columns = {};
            columns_last = true;
        }
        if (const Buffer& b = new_rows; b.count() > 0) {
            simplex.addRows(b.count(), b.lower.data(), b.upper.data(), b.starts.data(), b.indices.data(), b.values.data());
            new_rows = {};
            columns_last = false;
        }
    }
    int rows() const { return simplex.numberRows() + new_rows.count(); }
    int columns() const { return simplex.numberColumns() + new_columns.count(); }
};

LinearProgram::LinearProgram() : state_(std::make_unique<State>()) {
    state_->simplex.setLogLevel(0);
    state_->simplex.setOptimizationDirection(1);
    state_->simplex.setPerturbation(50); // covers are highly degenerate
}
LinearProgram::~LinearProgram() = default;

void LinearProgram::add_row(double lower, double upper, const SparseVector& columns) {
    if (state_->new_columns.count() > 0) {
        state_->flush(); // the row may name columns that are still buffered
    }
    state_->new_rows.add(lower, upper, 0, columns);
}

void LinearProgram::add_column(double cost, const SparseVector& rows) {
    if (state_->new_rows.count() > 0) {
        state_->flush();
    }
    state_->new_columns.add(0, unbounded, cost, rows);
}

void LinearProgram::remove_columns(const std::vector<std::size_t>& columns) {
    state_->flush();
    std::vector<int> which;
    for (const std::size_t column : columns) {
        which.push_back(static_cast<int>(column));
    }
    state_->simplex.deleteColumns(static_cast<int>(which.size()), which.data());
}

void LinearProgram::set_cost(std::size_t column, double cost) {
    state_->flush();
    state_->simplex.setObjectiveCoefficient(static_cast<int>(column), cost);
    state_->columns_last = true;
}

void LinearProgram::set_bounds(std::size_t column, double lower, double upper) {
    state_->flush();
    state_->simplex.setColumnBounds(static_cast<int>(column), lower, upper >= unbounded ? COIN_DBL_MAX : upper);
    state_->columns_last = false;
}

bool LinearProgram::solve(double seconds) try {
    State& s = *state_;
    s.simplex.setMaximumSeconds(seconds > 0 ? seconds : -1);
    s.flush();
    if (s.columns_last) {
        s.simplex.primal(1);
    } else {
        s.simplex.dual();
    }
    s.pivots += static_cast<std::uint64_t>(std::max(0, s.simplex.numberIterations()));
    if (s.simplex.status() != 0 && !s.simplex.hitMaximumIterations()) {
        // Degenerate covers now and then end in "stopped" after perturbation is removed; the other simplex finishes the job.
        s.simplex.primal();
        s.pivots += static_cast<std::uint64_t>(std::max(0, s.simplex.numberIterations()));
    }
    const double* x = s.simplex.primalColumnSolution();
    const double* y = s.simplex.dualRowSolution();
    s.primal.assign(x, x + s.simplex.numberColumns());
    s.duals.assign(y, y + s.simplex.numberRows());
    const double* d = s.simplex.dualColumnSolution();
    s.reduced_costs.assign(d, d + s.simplex.numberColumns());
    return s.simplex.status() == 0;
} catch (const CoinError& error) {
    throw explained(error);
}

double LinearProgram::objective() const {
    return state_->simplex.objectiveValue();
}
const std::vector<double>& LinearProgram::primal() const {
    return state_->primal;
}
const std::vector<double>& LinearProgram::duals() const {
    return state_->duals;
}
const std::vector<double>& LinearProgram::reduced_costs() const {
    return state_->reduced_costs;
}
bool LinearProgram::basic(std::size_t column) const {
    return state_->simplex.getColumnStatus(static_cast<int>(column)) == ClpSimplex::basic;
}
std::uint64_t LinearProgram::pivots() const {
    return state_->pivots;
}
std::size_t LinearProgram::rows() const {
    return static_cast<std::size_t>(state_->rows());
}
std::size_t LinearProgram::columns() const {
    return static_cast<std::size_t>(state_->columns());
}

namespace {

/// CBC takes 1e-5 as the least improvement whatever the unit of the objective, so costs are scaled until the cheapest is 10,000.
constexpr double cheapest_scaled_cost = 1e4;
constexpr double scaled_increment = 1e-4; ///< 1e-8 of the cheapest column

void load(OsiClpSolverInterface& solver, const BinaryProgram& program, double scale) {
    solver.messageHandler()->setLogLevel(0);
    solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
    Buffer columns, rows;
    const std::size_t n = program.columns.size();
    for (std::size_t i = 0; i < n; ++i) {
        columns.add(0, 1, program.costs[i] * scale, program.columns[i]);
    }
    for (const BinaryRow& row : program.rows) {
        rows.add(row.lower, row.upper, 0, {});
    }
    solver.loadProblem(columns.count(), rows.count(), columns.starts.data(), columns.indices.data(), columns.values.data(),
        columns.lower.data(), columns.upper.data(), columns.cost.data(), rows.lower.data(), rows.upper.data());
    for (std::size_t i = 0; i < n; ++i) {
        solver.setInteger(static_cast<int>(i));
    }
}

// Probing is left out: on covers it took more time than the nodes it saves. A small cover has few nodes: neither cuts nor dives pay.
void add_cuts_and_heuristics(CbcModel& model) {
    constexpr int small = 500; // columns
    CbcRounding rounding(model);
    model.addHeuristic(&rounding, "rounding");
    if (model.getNumCols() < small) {
        return;
    }
    CglClique clique;
    clique.setStarCliqueReport(false);
    clique.setRowCliqueReport(false);
    CglZeroHalf zero_half;
    model.addCutGenerator(&clique, -1, "clique");
    model.addCutGenerator(&zero_half, -1, "zero-half");
    CbcHeuristicDiveCoefficient dive(model);
    CbcHeuristicRINS rins(model);
    rins.setHowOften(50);
    model.addHeuristic(&dive, "dive");
    model.addHeuristic(&rins, "rins");
}

} // namespace

BinaryResult solve_binary(const BinaryProgram& program, const BinaryLimits& limits) try {
    internal_check(
        !program.columns.empty() && program.columns.size() == program.costs.size(), "a binary program needs one cost per column");
    const double cheapest = *std::min_element(program.costs.begin(), program.costs.end());
    internal_check(cheapest > 0 && std::isfinite(cheapest), "a binary program needs positive costs");
    const double scale = cheapest_scaled_cost / cheapest;

    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const SilentStandardOutput silent;

    BinaryResult result;
    OsiClpSolverInterface solver;
    load(solver, program, scale);
    CbcModel model(solver);
    model.setLogLevel(0);
    model.messageHandler()->setLogLevel(0);
    model.solver()->messageHandler()->setLogLevel(0);
    model.setNumberThreads(0);
    model.setAllowableGap(0);
    model.setAllowableFractionGap(0);
    model.setAllowablePercentageGap(0);
    model.setCutoffIncrement(scaled_increment);
    model.setIntegerTolerance(1e-6);
    model.setMaximumNodes(std::max(0, limits.nodes));
    if (limits.seconds > 0) {
        model.setMaximumSeconds(limits.seconds);
    }
    if (limits.cutoff > 0) {
        model.setCutoff(limits.cutoff * scale);
    }
    model.setNumberStrong(5); // covers have many equal candidates: the default of 20 costs four times as much per node and saves few
    model.setNumberBeforeTrust(3);
    add_cuts_and_heuristics(model);
    model.setMaximumCutPassesAtRoot(limits.quick ? 5 : 20);
    PivotLimit pivot_limit(limits.pivots);
    model.passInEventHandler(&pivot_limit);

    model.initialSolve();
    if (model.isInitialSolveProvenPrimalInfeasible()) {
        result.complete = true;
        result.bound = limits.cutoff > 0 ? limits.cutoff : INFINITY;
        return result;
    }
    const double root = model.getContinuousObjective();
    model.branchAndBound();

    result.nodes = model.getNodeCount();
    result.pivots = static_cast<std::uint64_t>(std::max(0, model.getIterationCount()));
    // status 0: the tree was exhausted; secondary status 1: infeasible (here also: nothing below the cut-off).
    result.complete = model.status() == 0 && (model.secondaryStatus() == 0 || model.secondaryStatus() == 1);
    if (const double* best = model.bestSolution()) {
        result.found = true;
        for (std::size_t i = 0; i < program.columns.size(); ++i) {
            if (best[i] > 0.5) {
                result.selected.push_back(i);
            }
        }
    }
    double bound = model.getBestPossibleObjValue();
    if (!std::isfinite(bound) || std::abs(bound) > 1e40) {
        bound = root;
    }
    // What the solver may be off by: its dual tolerance on every basic column, one increment, and rounding.
    bound = std::max(0.0, bound - 2 * scaled_increment - 1e-9 * std::abs(bound)) / scale;
    result.bound = result.complete && !result.found ? std::max(bound, limits.cutoff) : bound;
    return result;
} catch (const CoinError& error) {
    throw explained(error);
}

} // namespace fusec::fusion
