// SPDX-License-Identifier: Apache-2.0
// docs/adr/0001-plan-formulation.md explains the steps and proves the bound.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr double mean_scaled_cost = 1e4;     ///< of the first columns, in the linear program
constexpr double converged = 1e-9;           ///< reduced costs above -this * scaled mean are zero
constexpr std::size_t columns_per_datum = 3; ///< added per pricing round and stored datum, for variety
constexpr std::size_t columns_per_round = 3000;
constexpr double least_progress = 1e-4;         ///< of the bound, by rows
constexpr std::size_t first_restriction = 2000; ///< columns of the first binary program
constexpr double enough_gap = 0.03;             ///< of large programs without a time limit: below it, only given time closes further

// Deterministic stand-ins for time, from runs on a loaded two-core machine in November 2026; not remeasured on an idle one.
constexpr double seconds_per_pivot_and_row = 1e-7;
constexpr double seconds_per_node_and_size = 1.5e-5; ///< size = rows + columns
constexpr int nodes_of_a_root = 60;                  ///< cuts and heuristics at the root cost as much as so many nodes

/// Seconds of work that a plan is worth by default. Small programs are solved to the end; large ones are cut off early enough for the
/// whole compile to stay within 2 s for 100 calls, 10 s for 300 and 60 s for 1000.
double default_work(std::size_t calls) {
    return calls <= large_program ? 20 : 0.5 + 0.008 * static_cast<double>(calls);
}

} // namespace

// ------------------------------------------------------------------ effort

Effort::Effort(const PlanOptions& options, std::size_t calls)
    : timed_(options.time_limit > 0), enough_(timed_ || calls <= large_program ? 0 : enough_gap), nodes_(timed_ ? INT32_MAX : options.nodes),
      work_(timed_ ? INFINITY : default_work(calls) * options.nodes / PlanOptions{}.nodes) {
    if (timed_) {
        end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(options.time_limit));
    }
}

bool Effort::exhausted() const {
    return timed_ ? std::chrono::steady_clock::now() >= end_ : nodes_ <= 0 || work_ <= 0;
}

BinaryLimits Effort::limits(std::size_t rows, std::size_t columns) const {
    BinaryLimits limits;
    if (timed_) {
        limits.nodes = INT32_MAX;
        limits.seconds = std::max(1e-3, std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count());
        return limits;
    }
    const double per_node = seconds_per_node_and_size * static_cast<double>(rows + columns);
    limits.nodes = std::min(nodes_, static_cast<int>(std::clamp(work_ / per_node - nodes_of_a_root, 1.0, 1e9)));
    limits.pivots = static_cast<std::uint64_t>(std::max(1.0, work_ / (seconds_per_pivot_and_row * static_cast<double>(rows + 1))));
    return limits;
}

void Effort::spend_pivots(std::uint64_t pivots, std::size_t rows) {
    work_ -= seconds_per_pivot_and_row * static_cast<double>(pivots) * static_cast<double>(rows + 1);
}

void Effort::spend_nodes(int nodes, std::size_t rows, std::size_t columns) {
    nodes_ -= std::max(1, nodes);
    work_ -= seconds_per_node_and_size * static_cast<double>(rows + columns) * (nodes + nodes_of_a_root);
}

Effort Effort::share(double part) const {
    Effort result = *this;
    if (timed_) {
        result.end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>((end_ - std::chrono::steady_clock::now()) * part);
    } else {
        result.nodes_ = static_cast<int>(nodes_ * part);
        result.work_ = work_ * part;
    }
    return result;
}

void Effort::spend_like(const Effort& part, const Effort& before) {
    nodes_ -= before.nodes_ - part.nodes_;
    work_ -= timed_ ? 0 : before.work_ - part.work_; // infinite when timed
}

// ------------------------------------------------------------------- costs

ColumnCosts::ColumnCosts(ColumnSource& source, Objective objective, double many_seconds)
    : source_(source), objective_(objective), many_seconds_(many_seconds), exact_(source.columns().size(), NAN), closer_(exact_) {}

double ColumnCosts::optimistic(ColumnId column) const {
    if (known(column)) {
        return exact_[column.index()];
    }
    const double closer = closer_[column.index()];
    return std::isnan(closer) ? cost_of(source_.lower_bound(column)) : closer;
}

double ColumnCosts::closer(ColumnId column) {
    double& closer = closer_[column.index()];
    if (!known(column) && std::isnan(closer)) {
        closer = cost_of(source_.closer_bound(column));
    }
    return optimistic(column);
}

double ColumnCosts::exact(ColumnId column) {
    double& cost = exact_[column.index()];
    if (std::isnan(cost)) {
        const double seconds = source_.seconds(column);
        internal_check(seconds > 0, "a kernel takes time");
        cost = cost_of(seconds);
        ++evaluated_;
    }
    return cost;
}

// ------------------------------------------------------------------ search

CoverSearch::CoverSearch(CoverModel& model, ColumnCosts& costs, Effort& effort)
    : model_(model), costs_(costs), effort_(effort), is_in_program_(model.columns().size(), false), storing_(model.graph().program().data.size()), reduced_(model.columns().size(), INFINITY) {}

double CoverSearch::total(const std::vector<ColumnId>& chosen) {
    double sum = 0;
    for (const ColumnId column : chosen) {
        sum += costs_.exact(column);
    }
    return sum;
}

/// A gap below this counts as closed.
double CoverSearch::tolerance() const {
    // Costs are sums of a few thousand doubles at most: 1e-12 relative is rounding.
    return std::isfinite(value_) ? 1e-12 * value_ : 0;
}

void CoverSearch::offer(const std::vector<ColumnId>& chosen) {
    std::vector<ColumnId> ascending = chosen;
    std::sort(ascending.begin(), ascending.end());
    const double value = total(ascending);
    if (value < value_) {
        value_ = value;
        incumbent_ = std::move(ascending);
    }
}

void CoverSearch::forbid(const std::vector<ColumnId>& chosen) {
    add_row(CoverModel::not_again(chosen));
    incumbent_.reset();
    value_ = INFINITY;
    bound_ = 0;
    dual_bound_ = 0;
    best_duals_.reset();
}

void CoverSearch::add_to_program(ColumnId column) {
    program_.add_column(costs_.exact(column) * scale_, model_.entries(column));
    for (const DataId stored : model_.column(column).stores) {
        storing_[stored.index()].push_back(static_cast<std::uint32_t>(in_program_.size()));
    }
    in_program_.push_back(column);
    is_in_program_[column.index()] = true;
}

void CoverSearch::add_row(CoverRow row) {
    if (program_.columns() > 0) {
        // Only columns that store one of the row's data, or are named by it, have a coefficient.
        std::vector<std::uint32_t> touched;
        const auto touch = [&](DataId stored) { touched.insert(touched.end(), storing_[stored.index()].begin(), storing_[stored.index()].end()); };
        if (row.kind == CoverRow::Kind::once || row.kind == CoverRow::Kind::link || row.kind == CoverRow::Kind::cycle) {
            if (row.kind != CoverRow::Kind::cycle) {
                touch(row.datum);
            }
            for (const auto& [loaded, stored] : row.pairs) {
                touch(stored);
            }
            std::sort(touched.begin(), touched.end());
            touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        } else {
            touched.resize(in_program_.size());
            std::iota(touched.begin(), touched.end(), 0U);
        }
        SparseVector entries;
        for (const std::uint32_t i : touched) {
            if (const double coefficient = model_.coefficient(row, in_program_[i]); coefficient != 0) {
                entries.emplace_back(static_cast<int>(artificials_ + i), coefficient);
            }
        }
        program_.add_row(row.lower, row.upper, entries);
    }
    model_.add(std::move(row));
}

bool CoverSearch::add_broken_rows(const std::vector<ColumnValue>& solution) {
    std::vector<CoverRow> broken = model_.broken_rows(solution);
    for (CoverRow& row : broken) {
        add_row(std::move(row));
    }
    return !broken.empty();
}

void CoverSearch::start() {
    // The first columns: single calls and the incumbent. Their mean cost sets the unit of the linear program.
    std::vector<ColumnId> first;
    for (const ColumnId column : model_.eligible()) {
        if (model_.column(column).executes.size() == 1 && std::isfinite(costs_.exact(column))) {
            first.push_back(column);
        }
    }
    if (incumbent_) {
        first.insert(first.end(), incumbent_->begin(), incumbent_->end());
    }
    for (std::size_t i = 0; first.empty() && i < model_.eligible().size(); ++i) {
        if (std::isfinite(costs_.exact(model_.eligible()[i]))) {
            first.push_back(model_.eligible()[i]);
        }
    }
    if (first.empty()) {
        infeasible_ = true;
        return;
    }
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    double sum = 0;
    for (const ColumnId column : first) {
        sum += costs_.exact(column);
    }
    scale_ = mean_scaled_cost * static_cast<double>(first.size()) / sum;

    for (const CoverRow& row : model_.rows()) {
        program_.add_row(row.lower, row.upper, {});
    }
    artificial_cost_ = 100 * mean_scaled_cost;
    for (std::size_t i = 0; i < model_.rows().size(); ++i) {
        if (model_.rows()[i].lower > 0) {
            program_.add_column(artificial_cost_, {{static_cast<int>(i), 1.0}});
            ++artificials_;
        }
    }
    for (const ColumnId column : first) {
        add_to_program(column);
    }
}

std::vector<ColumnValue> CoverSearch::fractional_solution() const {
    std::vector<ColumnValue> solution;
    for (std::size_t i = 0; i < in_program_.size(); ++i) {
        if (const double x = program_.primal()[artificials_ + i]; x > 1e-9) {
            solution.emplace_back(in_program_[i], x);
        }
    }
    return solution;
}

/// Reduced costs of all columns under the program's duals, the Lagrangian bound they prove, and the columns outside the program
/// whose (optimistic) reduced cost is negative, ascending.
std::vector<CoverSearch::Priced> CoverSearch::price() {
    std::vector<double> duals = program_.duals();
    for (double& y : duals) {
        y /= scale_;
    }
    const CoverModel::Prices prices(model_, duals);
    // Every column stores something, and no datum is stored twice: at most one column per first stored datum is chosen.
    std::vector<double> least(model_.graph().program().data.size(), 0.0);
    std::vector<Priced> negative;
    const double epsilon = converged * mean_scaled_cost / scale_;
    for (const ColumnId column : model_.eligible()) {
        const double optimistic = costs_.optimistic(column);
        if (std::isinf(optimistic)) {
            continue;
        }
        const double reduced = optimistic - prices.value(column);
        double& of_datum = least[model_.column(column).stores.front().index()];
        of_datum = std::min(of_datum, reduced);
        if (reduced < -epsilon && !is_in_program_[column.index()]) {
            negative.push_back({reduced, column});
        }
    }
    double bound = prices.right_hand_side();
    for (const double reduced : least) {
        bound += reduced;
    }
    if (!best_duals_ || bound > dual_bound_) {
        dual_bound_ = bound;
        best_duals_ = std::move(duals);
        bound_ = std::max(bound_, bound);
    }
    std::sort(negative.begin(), negative.end());
    return negative;
}

/// Evaluates columns in the order given until enough of them are worth adding; adds those.
std::size_t CoverSearch::add_promising(const std::vector<Priced>& negative) {
    std::vector<std::size_t> taken(model_.graph().program().data.size(), 0);
    std::size_t added = 0;
    for (const Priced& priced : negative) {
        std::size_t& of_datum = taken[model_.column(priced.column).stores.front().index()];
        if (of_datum >= columns_per_datum) {
            continue;
        }
        const double optimistic = costs_.optimistic(priced.column);
        if (priced.reduced_cost + (costs_.closer(priced.column) - optimistic) >= 0) {
            continue;
        }
        const double exact = costs_.exact(priced.column);
        if (!std::isfinite(exact) || priced.reduced_cost + (exact - optimistic) >= 0) {
            continue;
        }
        ++of_datum;
        add_to_program(priced.column);
        if (++added >= columns_per_round) {
            break;
        }
    }
    return added;
}

bool CoverSearch::solve_program() {
    const std::uint64_t before = program_.pivots();
    const bool solved = program_.solve();
    effort_.spend_pivots(program_.pivots() - before, program_.rows());
    return solved;
}

bool CoverSearch::covers_without_artificials() const {
    return std::all_of(program_.primal().begin(), program_.primal().begin() + static_cast<std::ptrdiff_t>(artificials_), [](double x) { return x <= 1e-6; });
}

void CoverSearch::generate_columns() {
    double bound_before_rows = 0;
    while (solve_program()) { // if it fails, the bound proved so far stays valid
        if (add_promising(price()) > 0) {
            if (effort_.exhausted()) {
                return;
            }
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

/// A first good plan: fix the largest columns of the fractional solution, solve again, until it is whole. New columns come in only
/// where the fixed ones leave something uncovered.
void CoverSearch::dive(const std::vector<ColumnId>& fixed_first) {
    std::vector<bool> fixed(in_program_.size(), false);
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < in_program_.size(); ++i) {
        if (std::binary_search(fixed_first.begin(), fixed_first.end(), in_program_[i])) {
            fixed[i] = true;
            changed.push_back(i);
            program_.set_bounds(artificials_ + i, 1, LinearProgram::unbounded);
        }
    }
    bool whole = false;
    for (std::size_t steps = 0; !whole && steps < 4 * model_.graph().calls() + 100 && solve_program(); ++steps) {
        if (!covers_without_artificials()) {
            const std::size_t added = add_promising(price());
            if (added == 0) {
                break;
            }
            fixed.resize(in_program_.size(), false);
            continue;
        }
        if (add_broken_rows(fractional_solution())) {
            continue;
        }
        // The largest value first; ties by position. At least one is fixed, at most a tenth of what is open, all that are whole.
        std::vector<std::pair<double, std::size_t>> open;
        whole = true;
        for (std::size_t i = 0; i < in_program_.size(); ++i) {
            const double x = program_.primal()[artificials_ + i];
            whole = whole && (x < 1e-6 || x > 1 - 1e-6);
            if (!fixed[i] && x > 1e-6) {
                open.emplace_back(-x, i);
            }
        }
        std::sort(open.begin(), open.end());
        for (std::size_t k = 0; k < open.size() && (k == 0 || -open[k].first > 1 - 1e-6 || (k < open.size() / 10 && -open[k].first > 0.7)); ++k) {
            fixed[open[k].second] = true;
            changed.push_back(open[k].second);
            program_.set_bounds(artificials_ + open[k].second, 1, LinearProgram::unbounded);
        }
    }
    if (whole) {
        std::vector<ColumnId> chosen;
        for (std::size_t i = 0; i < in_program_.size(); ++i) {
            if (program_.primal()[artificials_ + i] > 0.5) {
                chosen.push_back(in_program_[i]);
            }
        }
        if (std::vector<ColumnId> order; launch_order(model_.graph(), model_.columns(), chosen, order)) {
            offer(chosen);
        }
    }
    for (const std::size_t i : changed) {
        program_.set_bounds(artificials_ + i, 0, LinearProgram::unbounded);
    }
}

/// Makes a legal plan of one that breaks the rows from `first_broken_row` on: keeps the columns that those rows do not touch.
void CoverSearch::repair(const std::vector<ColumnId>& chosen, std::size_t first_broken_row) {
    std::vector<ColumnId> kept;
    for (const ColumnId column : chosen) {
        bool touched = false;
        for (std::size_t r = first_broken_row; r < model_.rows().size(); ++r) {
            touched = touched || model_.coefficient(model_.rows()[r], column) != 0;
        }
        if (!touched) {
            kept.push_back(column);
        }
        if (!is_in_program_[column.index()]) {
            add_to_program(column);
        }
    }
    dive(kept);
}

/// The columns with least reduced cost under the best duals, at most `most` of them, none that the incumbent excludes.
CoverSearch::Restricted CoverSearch::restrict_columns(std::size_t most) {
    const CoverModel::Prices prices(model_, *best_duals_);
    const double gap = value_ - dual_bound_;
    // The limit keeps a rounding's distance from the gap: what is excluded costs at least the incumbent.
    const double limit = gap + 1e-9 * (std::isfinite(value_) ? value_ : 0);
    std::vector<Priced> near;
    for (const ColumnId column : model_.eligible()) {
        const double value = prices.value(column);
        if (const double optimistic = costs_.optimistic(column); !std::isfinite(optimistic) || optimistic - value > limit) {
            continue;
        }
        if (const double reduced = costs_.closer(column) - value; reduced <= limit) {
            near.push_back({reduced, column});
        }
    }
    // Where many columns tie, those of the linear program come first: they fit each other.
    const double nearly = 1e-6 * dual_bound_ / static_cast<double>(model_.graph().calls());
    std::sort(near.begin(), near.end(), [&](const Priced& a, const Priced& b) {
        const auto key = [&](const Priced& p) { return std::tuple(std::floor(p.reduced_cost / nearly), !is_in_program_[p.column.index()], p.reduced_cost, p.column); };
        return key(a) < key(b);
    });
    Restricted result;
    if (near.size() > most) {
        result.excluded_from = std::floor(near[most].reduced_cost / nearly) * nearly; // all after it have at least this
        near.resize(most);
    }
    for (const Priced& priced : near) {
        const double exact = costs_.exact(priced.column);
        if (std::isfinite(exact) && exact - prices.value(priced.column) <= std::min(limit, result.excluded_from)) {
            result.columns.push_back(priced.column);
        }
    }
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
double CoverSearch::solve_restricted(const Restricted& restricted) {
    while (true) {
        BinaryProgram binary;
        for (const CoverRow& row : model_.rows()) {
            binary.rows.push_back({row.lower, row.upper});
        }
        for (const ColumnId column : restricted.columns) {
            binary.costs.push_back(costs_.exact(column));
            binary.columns.push_back(model_.entries(column));
        }
        BinaryLimits limits = effort_.limits(binary.rows.size(), binary.columns.size());
        limits.cutoff = std::isfinite(value_) ? value_ : 0;
        const BinaryResult result = solve_binary(binary, limits);
        effort_.spend_nodes(result.nodes, binary.rows.size(), binary.columns.size());
        if (!result.found) {
            return result.complete ? INFINITY : result.bound;
        }
        std::vector<ColumnId> chosen;
        std::vector<ColumnValue> solution;
        for (const std::size_t i : result.selected) {
            chosen.push_back(restricted.columns[i]);
            solution.emplace_back(restricted.columns[i], 1.0);
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
    while (best_duals_ && value_ - bound() > acceptable() && !effort_.exhausted()) {
        const double before = value_;
        const Restricted restricted = restrict_columns(most);
        if (restricted.columns.empty()) {
            break;
        }
        const double of_these = solve_restricted(restricted);
        // A plan either uses an excluded column, or is made of these.
        bound_ = std::max(bound_, std::min({value_, dual_bound_ + restricted.excluded_from, of_these}));
        if (std::isinf(restricted.excluded_from) && (std::isinf(of_these) || value_ == before)) {
            break;
        }
        most *= 4;
    }
    if (value_ - bound_ <= tolerance()) {
        bound_ = value_;
    }
}

void CoverSearch::bound_only() {
    if (program_.columns() == 0) {
        start();
    }
    if (!infeasible_) {
        generate_columns();
    }
}

void CoverSearch::run() {
    bound_only();
    if (!infeasible_ && value_ - bound() > acceptable()) {
        dive({});
    }
    if (!infeasible_) {
        close_gap();
    }
}

} // namespace fusec::fusion
