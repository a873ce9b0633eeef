// SPDX-License-Identifier: Apache-2.0
// Plans from the fractional solution: dives, and repairs of solutions that break rows.
#include "fusion/cover_search.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr double whole = 1 - 1e-6;
constexpr double likely = 0.7;            ///< columns of at least this value are fixed together
constexpr std::size_t steps_of_a_dive = 24; ///< about so many: each fixes its share of what is open
constexpr int pricing_rounds = 3;         ///< per step

} // namespace

/// Kernels fixed so far. Knows which others can still join them.
class CoverSearch::Fixed {
public:
    explicit Fixed(const CoverModel& model)
        : model_(model), stored_(model.graph().program().data.size(), false) {}

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

/// A first good plan: fix the largest columns of the fractional solution, find the columns that fit the rest, solve again, until it is
/// whole.
void CoverSearch::dive(const std::vector<ColumnId>& fixed_first) {
    Fixed fixed(model_);
    std::vector<std::size_t> changed; // columns of the program with other bounds
    std::vector<bool> decided(in_program_.size(), false);
    const auto set = [&](std::size_t i, double lower, double upper) {
        decided[i] = true;
        changed.push_back(i);
        program_.set_bounds(artificials_ + i, lower, upper);
    };
    const auto fix = [&](std::size_t i) {
        const ColumnId column = in_program_[i];
        if (fixed.stores_again(column) || !fixed.add(column)) {
            set(i, 0, 0);
            return;
        }
        set(i, 1, LinearProgram::unbounded);
        for (const DataId list : model_.column(column).stores) {
            for (const std::uint32_t other : storing_[list.index()]) {
                if (!decided[other]) {
                    set(other, 0, 0); // a list is stored once
                }
            }
        }
    };
    for (std::size_t i = 0; i < in_program_.size(); ++i) {
        if (!decided[i] && std::binary_search(fixed_first.begin(), fixed_first.end(), in_program_[i])) {
            fix(i);
        }
    }
    bool done = false;
    int rounds = 0;
    std::size_t share = 0;
    for (std::size_t steps = 0; !done && steps < 4 * model_.graph().calls() + 100 && !effort_.exhausted() && solve_program(); ++steps) {
        const bool covered = covers_without_artificials();
        if (!covered || rounds < pricing_rounds) {
            ++rounds;
            std::vector<Priced> negative = price();
            std::erase_if(negative, [&](const Priced& priced) { return fixed.stores_again(priced.column); });
            if (add_promising(negative) > 0) {
                decided.resize(in_program_.size(), false);
                continue;
            }
            if (!covered) {
                break;
            }
        }
        if (add_broken_rows(fractional_solution())) {
            continue;
        }
        // The largest value first; ties by position. All that are whole, those that are likely, and never too few.
        std::vector<std::pair<double, std::size_t>> open;
        done = true;
        for (std::size_t i = 0; i < in_program_.size(); ++i) {
            const double x = program_.primal()[artificials_ + i];
            done = done && (x < 1 - whole || x > whole);
            if (!decided[i] && x > 1 - whole) {
                open.emplace_back(-x, i);
            }
        }
        if (done) {
            break;
        }
        std::sort(open.begin(), open.end());
        share = share == 0 ? std::max<std::size_t>(1, open.size() / (4 * steps_of_a_dive)) : share;
        std::size_t taken = 0;
        for (const auto& [negated, i] : open) {
            const double x = -negated;
            if (x <= whole && taken >= share && (x < likely || taken >= 4 * share)) {
                break;
            }
            if (!decided[i]) { // another one may have excluded it
                fix(i);
                ++taken;
            }
        }
        rounds = 0;
    }
    if (done) {
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

} // namespace fusec::fusion
