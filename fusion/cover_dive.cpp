// SPDX-License-Identifier: Apache-2.0
// Plans from the fractional solution: dives, and repairs of solutions that break rows.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr double whole = 1 - 1e-6;
constexpr double likely = 0.7;              ///< columns of at least this value are fixed together
constexpr std::size_t steps_of_a_dive = 24; ///< about so many: each fixes its share of what is open
constexpr int pricing_rounds = 2;           ///< per step

constexpr double dear = 0.2; ///< reduced cost, in mean costs of the first columns

/// Kernels fixed so far. Knows which others can still join them.
class FixedKernels {
public:
    explicit FixedKernels(const CoverModel& model) : model_(model), stored_(model.graph().program().data.size(), false) {}

    bool stores_again(ColumnId id) const {
        const Column& column = model_.column(id);
        return std::any_of(column.stores.begin(), column.stores.end(), [&](DataId list) { return stored_[list.index()]; });
    }

    /// False if a kernel of those fixed would have to wait for itself, as far as the dependences of the program tell.
    bool add(ColumnId id) {
        Kernel kernel{id, dag::Bits(model_.graph().calls()), dag::Bits(model_.graph().calls())};
        for (const CallId call : model_.column(id).executes) {
            kernel.calls.set(call.index());
            kernel.below |= model_.graph().descendants(call);
        }
        std::vector<const Kernel*> open;
        std::vector<bool> met(kernels_.size(), false);
        const auto visit_after = [&](const Kernel& from) {
            for (std::size_t i = 0; i < kernels_.size(); ++i) {
                if (!met[i] && &kernels_[i] != &from && from.below.intersects(kernels_[i].calls)) {
                    met[i] = true;
                    open.push_back(&kernels_[i]);
                }
            }
        };
        visit_after(kernel);
        while (!open.empty()) {
            const Kernel* at = open.back();
            open.pop_back();
            if (at->below.intersects(kernel.calls)) {
                return false;
            }
            visit_after(*at);
        }
        kernels_.push_back(std::move(kernel));
        for (const DataId list : model_.column(id).stores) {
            stored_[list.index()] = true;
        }
        return true;
    }

private:
    struct Kernel {
        ColumnId id;
        dag::Bits calls, below;
    };
    const CoverModel& model_;
    std::vector<bool> stored_; ///< per list
    std::vector<Kernel> kernels_;
};

} // namespace

/// Fixes the largest columns of the fractional solution, finds the columns that fit the rest, solves again, until the solution is whole.
class CoverSearch::Dive {
public:
    explicit Dive(CoverSearch& search)
        : search_(search),
          model_(search.model_),
          program_(search.program_),
          fixed_(search.model_),
          state_(search.in_program_.size(), State::open) {}

    void run(const std::vector<ColumnId>& fixed_first) {
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (state_[i] == State::open && std::binary_search(fixed_first.begin(), fixed_first.end(), search_.in_program_[i])) {
                fix(i);
            }
        }
        if (descend()) {
            offer();
        }
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (state_[i] != State::open) {
                program_.set_bounds(search_.artificials_ + i, 0, LinearProgram::unbounded);
            }
        }
    }

private:
    enum class State : std::uint8_t {
        open,
        fixed,
        excluded
    };

    void exclude(std::size_t i) {
        state_[i] = State::excluded;
        program_.set_bounds(search_.artificials_ + i, 0, 0);
    }

    void fix(std::size_t i) {
        const ColumnId column = search_.in_program_[i];
        if (fixed_.stores_again(column)) {
            exclude(i);
            return;
        }
        if (!fixed_.add(column)) {
            refused_.insert(column);
            exclude(i);
            return;
        }
        state_[i] = State::fixed;
        program_.set_bounds(search_.artificials_ + i, 1, LinearProgram::unbounded);
        for (const DataId list : model_.column(column).stores) {
            for (const std::uint32_t other : search_.storing_[list.index()]) {
                if (state_[other] == State::open) {
                    exclude(other); // a list is stored once
                }
            }
        }
    }

    bool add_columns() {
        // Once kernels are fixed, the duals prove no better bound, and what would store a list again is out.
        std::vector<Priced> negative = possible_.empty() ? search_.price() : search_.price_without_bound(possible_);
        std::erase_if(
            negative, [&](const Priced& priced) { return fixed_.stores_again(priced.column) || refused_.contains(priced.column); });
        const bool added = search_.add_promising(negative) > 0;
        state_.resize(search_.in_program_.size(), State::open);
        return added;
    }

    /// True if the solution is whole.
    bool descend() {
        int rounds = 0;
        for (std::size_t steps = 0; steps < 4 * model_.graph().calls() + 100 && !search_.effort_.exhausted() && search_.solve_program();
            ++steps) {
            const bool covered = search_.covers_without_artificials();
            if (!covered || rounds < pricing_rounds) {
                ++rounds;
                if (add_columns()) {
                    continue;
                }
                if (!covered) {
                    return false;
                }
            }
            std::vector<std::pair<double, std::size_t>> open; // negated value, position
            bool done = true;
            for (std::size_t i = 0; i < state_.size(); ++i) {
                const double x = value(i);
                done = done && (x < 1 - whole || x > whole);
                if (state_[i] == State::open && x > 1 - whole) {
                    open.emplace_back(-x, i);
                }
            }
            // What is fixed excludes what would store a list again or close a cycle, so a huge program can do with the rows that its
            // end breaks.
            if ((done || !huge()) && search_.add_broken_rows(search_.fractional_solution())) {
                continue;
            }
            if (done) {
                return true;
            }
            std::sort(open.begin(), open.end());
            fix_largest(open);
            forget_impossible();
            if (huge()) {
                forget_columns();
            }
            rounds = 0;
        }
        return false;
    }

    /// The largest value first; ties by position. All that are whole, those that are likely, and never too few.
    void fix_largest(const std::vector<std::pair<double, std::size_t>>& open) {
        share_ = share_ == 0 ? std::max<std::size_t>(1, open.size() / (4 * steps_of_a_dive)) : share_;
        std::size_t taken = 0;
        for (const auto& [negated, i] : open) {
            const double x = -negated;
            if (x <= whole && taken >= share_ && (x < likely || taken >= 4 * share_)) {
                break;
            }
            if (state_[i] == State::open) { // another one may have excluded it
                fix(i);
                ++taken;
            }
        }
    }

    void forget_impossible() {
        if (possible_.empty()) {
            possible_ = model_.eligible();
        }
        std::erase_if(possible_, [&](ColumnId column) { return fixed_.stores_again(column); });
    }

    /// Columns that are excluded, or so dear that they are no part of a near solution, only slow the simplex down. Pricing brings them
    /// back where they are wanted after all.
    void forget_columns() {
        std::vector<bool> removed(state_.size());
        std::vector<State> kept;
        for (std::size_t i = 0; i < state_.size(); ++i) {
            const std::size_t column = search_.artificials_ + i;
            const bool useless =
                state_[i] == State::excluded || (state_[i] == State::open && program_.reduced_costs()[column] > dear * mean_scaled_cost);
            removed[i] = useless && !program_.basic(column);
            if (!removed[i]) {
                kept.push_back(state_[i]);
            }
        }
        search_.remove_from_program(removed);
        state_ = std::move(kept);
    }

    void offer() {
        std::vector<ColumnId> chosen;
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (value(i) > 0.5) {
                chosen.push_back(search_.in_program_[i]);
            }
        }
        if (std::vector<ColumnId> order; launch_order(model_.graph(), model_.columns(), chosen, order)) {
            search_.offer(chosen);
        }
    }

    bool huge() const { return model_.graph().calls() > huge_program; }
    double value(std::size_t i) const { return program_.primal()[search_.artificials_ + i]; }

    CoverSearch& search_;
    const CoverModel& model_;
    LinearProgram& program_;
    FixedKernels fixed_;
    std::vector<State> state_;       ///< per column of the program
    std::set<ColumnId> refused_;     ///< they would close a cycle
    std::vector<ColumnId> possible_; ///< those that store nothing again, at the latest step; empty before the first
    std::size_t share_ = 0;
};

void CoverSearch::dive(const std::vector<ColumnId>& fixed_first) {
    Dive(*this).run(fixed_first);
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

} // namespace fusec::fusion
