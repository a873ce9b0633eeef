// SPDX-License-Identifier: Apache-2.0
// The search for the best cover, step by step: docs/adr/0001-plan-formulation.md explains the steps and proves the bound.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr std::size_t calls_of_a_window = 40;

} // namespace

CoverSearch::CoverSearch(CoverModel& model, ColumnCosts& costs, Effort& effort)
    : model_(model),
      costs_(costs),
      effort_(effort),
      is_in_program_(model.columns().size(), false),
      storing_(model.graph().program().data.size()) {}

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
    // A row more can only raise the bound of the duals found without it.
    add_row(CoverModel::not_again(chosen));
    last_value_ = total(chosen);
    incumbent_.reset();
    value_ = INFINITY;
    bound_ = dual_bound_;
}

void CoverSearch::add_to_program(ColumnId column) {
    program_.add_column(costs_.exact(column) * scale_, model_.entries(column));
    for (const DataId stored : model_.column(column).stores) {
        storing_[stored.index()].push_back(static_cast<std::uint32_t>(in_program_.size()));
    }
    in_program_.push_back(column);
    is_in_program_[column.index()] = true;
}

/// `removed` is by position in in_program_.
void CoverSearch::remove_from_program(const std::vector<bool>& removed) {
    std::vector<std::size_t> positions;
    std::vector<ColumnId> kept;
    for (auto& list : storing_) {
        list.clear();
    }
    for (std::size_t i = 0; i < in_program_.size(); ++i) {
        const ColumnId column = in_program_[i];
        if (removed[i]) {
            positions.push_back(artificials_ + i);
            is_in_program_[column.index()] = false;
            continue;
        }
        for (const DataId stored : model_.column(column).stores) {
            storing_[stored.index()].push_back(static_cast<std::uint32_t>(kept.size()));
        }
        kept.push_back(column);
    }
    program_.remove_columns(positions);
    in_program_ = std::move(kept);
}

void CoverSearch::add_row(CoverRow row) {
    if (program_.columns() > 0) {
        // Only columns that store one of the row's data, or are named by it, have a coefficient.
        std::vector<std::uint32_t> touched;
        const auto touch = [&](DataId stored) {
            touched.insert(touched.end(), storing_[stored.index()].begin(), storing_[stored.index()].end());
        };
        if (row.kind == CoverRow::Kind::once || row.kind == CoverRow::Kind::link || row.kind == CoverRow::Kind::cycle) {
            if (row.kind != CoverRow::Kind::cycle) {
                touch(row.datum);
            }
            for (const auto& [loaded, stored] : row.pairs) {
                touch(model_.graph().new_value(stored) ? loaded : stored); // of a list that is stored beside an updated one
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

void CoverSearch::bound_only() {
    if (program_.columns() == 0) {
        start();
    }
    if (!infeasible_ && !converged_) {
        generate_columns();
        converged_ = true;
    }
}

void CoverSearch::run() {
    const bool first = !converged_;
    if (large() && !costs_.are_seconds()) {
        // A large program's fewest kernels are only looked for near the plan it starts from: nothing but a comparison needs them.
        if (program_.columns() == 0) {
            start();
        }
        improve_by_windows(calls_of_a_window / 2);
        return;
    }
    bound_only();
    if (!large()) {
        if (first && open()) {
            dive({});
        }
        if (first && open()) {
            // The columns that the linear program wanted make a plan that is nearly always within a percent: the better the plan,
            // the fewer columns must be looked at to prove it.
            solve_restricted(in_program_);
        }

        close_gap();
        return;
    }
    if (first && open()) {
        dive({});
    }
    improve_by_windows(calls_of_a_window);
    if (!effort_.timed()) {
        improve_by_windows(2 * calls_of_a_window); // if the gap is still wide
    } else {
        for (std::size_t calls = 2 * calls_of_a_window; open() && !effort_.exhausted() && calls < 2 * model_.graph().calls(); calls *= 2) {
            improve_by_windows(calls);
        }
        close_gap();
    }
}

} // namespace fusec::fusion
