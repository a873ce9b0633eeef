// SPDX-License-Identifier: Apache-2.0
// docs/adr/0001-plan-formulation.md explains the steps and proves the bound.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

constexpr double mean_scaled_cost = 1e4;       ///< of the first columns, in the linear program
constexpr double converged = 1e-9;             ///< reduced costs above -this * scaled mean are zero
constexpr std::size_t columns_per_datum = 3;   ///< added per pricing round and stored datum, for variety
constexpr std::size_t columns_per_round = 3000;
constexpr std::size_t first_restriction = 2000; ///< columns of the first binary program
constexpr double work_per_call = 1e6;

} // namespace

// ------------------------------------------------------------------ effort

Effort::Effort(const PlanOptions& options, std::size_t calls)
    : timed_(options.time_limit > 0), nodes_(timed_ ? INT32_MAX : options.nodes),
      work_(timed_ ? INFINITY : work_per_call * static_cast<double>(calls + 10) * options.nodes / 20000) {
    if (timed_) {
        end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(options.time_limit));
    }
}

bool Effort::exhausted() const {
    return timed_ ? std::chrono::steady_clock::now() >= end_ : nodes_ <= 0 || work_ <= 0;
}

std::uint64_t Effort::pivots(std::size_t rows) const {
    return timed_ ? UINT64_MAX : static_cast<std::uint64_t>(std::max(0.0, work_ / static_cast<double>(rows + 1)));
}

double Effort::seconds_left() const {
    return timed_ ? std::max(1e-3, std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count()) : 0;
}

void Effort::spend(int nodes, std::uint64_t pivots, std::size_t rows) {
    if (!timed_) {
        nodes_ -= std::max(1, nodes);
        work_ -= static_cast<double>(pivots) * static_cast<double>(rows + 1);
    }
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
    work_ -= timed_ ? 0 : before.work_ - part.work_;
}

// ------------------------------------------------------------------- costs

ColumnCosts::ColumnCosts(ColumnSource& source, Objective objective)
    : source_(source), objective_(objective), exact_(source.columns().size(), NAN) {}

double ColumnCosts::optimistic(ColumnId column) const {
    if (known(column)) {
        return exact_[column.index()];
    }
    return objective_ == Objective::kernels ? 1.0 : source_.lower_bound(column);
}

double ColumnCosts::exact(ColumnId column) {
    double& cost = exact_[column.index()];
    if (std::isnan(cost)) {
        const double seconds = source_.seconds(column);
        internal_check(seconds > 0, "a kernel takes time");
        cost = objective_ == Objective::kernels && std::isfinite(seconds) ? 1.0 : seconds;
        ++evaluated_;
    }
    return cost;
}

// ------------------------------------------------------------------ search

CoverSearch::CoverSearch(CoverModel& model, ColumnCosts& costs, Effort& effort, Objective objective)
    : model_(model), costs_(costs), effort_(effort), objective_(objective), is_in_program_(model.columns().size(), false), reduced_(model.columns().size(), INFINITY) {}

double CoverSearch::total(const std::vector<ColumnId>& chosen) {
    double sum = 0;
    for (const ColumnId column : chosen) {
        sum += costs_.exact(column);
    }
    return sum;
}

/// A gap below this counts as closed.
double CoverSearch::tolerance() const {
    // Costs are sums of a few thousand doubles at most: 1e-12 relative is rounding. The number of kernels is whole.
    return objective_ == Objective::kernels ? 1 - 1e-6 : std::isfinite(value_) ? 1e-12 * value_
                                                                               : 0;
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
    in_program_.push_back(column);
    is_in_program_[column.index()] = true;
}

void CoverSearch::add_row(CoverRow row) {
    SparseVector entries;
    if (program_.columns() > 0) {
        for (std::size_t i = 0; i < in_program_.size(); ++i) {
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

void CoverSearch::generate_columns() {
    while (true) {
        const std::uint64_t before = program_.pivots();
        const bool solved = program_.solve();
        effort_.spend(0, program_.pivots() - before, program_.rows());
        if (!solved) {
            return; // the bound proved so far stays valid
        }
        if (add_promising(price()) > 0) {
            if (effort_.exhausted()) {
                return;
            }
            continue;
        }
        if (add_broken_rows(fractional_solution())) {
            continue;
        }
        bool artificial = false;
        for (std::size_t i = 0; i < artificials_; ++i) {
            artificial = artificial || program_.primal()[i] > 1e-6;
        }
        if (!artificial) {
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

/// The columns with least reduced cost under the best duals, at most `most` of them, none that the incumbent excludes.
CoverSearch::Restricted CoverSearch::restrict_columns(std::size_t most) {
    const CoverModel::Prices prices(model_, *best_duals_);
    const double gap = value_ - dual_bound_;
    // The limit keeps a rounding's distance from the gap: what is excluded costs at least the incumbent.
    const double limit = gap + 1e-9 * (std::isfinite(value_) ? value_ : 0);
    std::vector<Priced> near;
    for (const ColumnId column : model_.eligible()) {
        const double optimistic = costs_.optimistic(column);
        if (const double reduced = optimistic - prices.value(column); std::isfinite(optimistic) && reduced <= limit) {
            near.push_back({reduced, column});
        }
    }
    std::sort(near.begin(), near.end());
    Restricted result;
    if (near.size() > most) {
        result.excluded_from = near[most].reduced_cost;
        near.resize(most);
    }
    for (const Priced& priced : near) {
        const double exact = costs_.exact(priced.column);
        if (std::isfinite(exact) && exact - prices.value(priced.column) <= std::min(limit, result.excluded_from)) {
            result.columns.push_back(priced.column);
        }
    }
    // Columns of the incumbent stay available: near-optimal plans share most of them.
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
        BinaryLimits limits;
        limits.nodes = effort_.nodes();
        limits.pivots = effort_.pivots(binary.rows.size());
        limits.seconds = effort_.seconds_left();
        limits.cutoff = std::isfinite(value_) ? value_ : 0;
        const BinaryResult result = solve_binary(binary, limits);
        effort_.spend(result.nodes, result.pivots, binary.rows.size());
        if (!result.found) {
            return result.complete ? INFINITY : result.bound;
        }
        std::vector<ColumnId> chosen;
        std::vector<ColumnValue> solution;
        for (const std::size_t i : result.selected) {
            chosen.push_back(restricted.columns[i]);
            solution.emplace_back(restricted.columns[i], 1.0);
        }
        if (add_broken_rows(solution)) {
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
    while (best_duals_ && value_ - bound() > tolerance() && !effort_.exhausted()) {
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
    if (!infeasible_) {
        close_gap();
    }
}

} // namespace fusec::fusion
