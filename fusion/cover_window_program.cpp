// SPDX-License-Identifier: Apache-2.0
// One window of a plan chosen anew: a cover of its own, solved like the whole (column generation, then branch and bound). Its rows are
// those of the whole cover less what the kernels that stay contribute.
#include "fusion/cover_search.hpp"
#include "fusion/promising.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr int pricing_rounds = 12;
constexpr std::size_t columns_per_list = 3;         ///< added per round and list stored first
constexpr std::size_t most_binary = 400;            ///< columns of the binary program
constexpr std::size_t most_binary_of_another = 120; ///< the same for a runner-up, which is there to be compared with
constexpr int window_nodes = 20;
constexpr int roots_of_a_window = 6; ///< what its root costs, in nodes
constexpr int most_solutions = 8;    ///< of one window, that break a row

/// All rows of kind once and link among the columns, for the lists that are open: few enough in a window to be there from the start.
void add_store_rows(const CoverModel& model, const std::vector<ColumnId>& columns, const std::vector<bool>& open, BinaryProgram& binary) {
    std::map<DataId, int> once;
    std::map<DataId, std::map<DataId, int>> links; // loaded list -> stored list -> row
    const auto row_at = [&](auto& rows, DataId key, double upper) {
        const auto [entry, added] = rows.try_emplace(key, static_cast<int>(binary.rows.size()));
        if (added) {
            binary.rows.push_back({-LinearProgram::unbounded, upper});
        }
        return entry->second;
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = model.column(columns[i]);
        for (const DataId stored : column.stores) {
            binary.columns[i].emplace_back(row_at(once, stored, 1), 1.0);
            for (const DataId loaded : column.loads) {
                if (open[loaded.index()]) {
                    binary.columns[i].emplace_back(row_at(links[loaded], stored, 0), 1.0);
                }
            }
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (const DataId stored : model.column(columns[i]).stores) {
            for (const auto& [other, row] : links[stored]) {
                binary.columns[i].emplace_back(row, -1.0);
            }
        }
    }
}

} // namespace

/// The cover that remains when all kernels outside the window stay.
class CoverSearch::WindowProgram {
public:
    WindowProgram(CoverSearch& search, const Window& window)
        : search_(search),
          model_(search.model_),
          costs_(search.costs_),
          window_(window),
          open_(search.storing_.size(), false),
          stored_(open_),
          spent_for_(search.costs_.evaluated()) {
        std::set_difference(search.incumbent_->begin(), search.incumbent_->end(), window.columns.begin(), window.columns.end(),
            std::back_inserter(staying_));
        find_columns();
    }

    std::optional<std::vector<ColumnId>> solve(double cutoff, bool different) {
        // What must not be chosen again cannot bound the cost of what differs: then its columns only help to generate others.
        const double least = generate(different);
        if (least >= cutoff) {
            return std::nullopt;
        }
        const std::vector<ColumnId> columns = near(cutoff - least, different ? most_binary_of_another : most_binary);
        for (int round = 0; round < most_solutions && !search_.effort_.exhausted(); ++round) {
            const std::optional<std::vector<ColumnId>> chosen = branch_and_bound(columns, cutoff, different);
            if (!chosen) {
                return std::nullopt;
            }
            if (std::vector<ColumnId> order; launch_order(model_.graph(), model_.columns(), *chosen, order)) {
                return chosen;
            }
            std::vector<ColumnValue> solution;
            for (const ColumnId column : *chosen) {
                solution.emplace_back(column, 1.0);
            }
            if (!search_.add_broken_rows(solution)) {
                return std::nullopt; // a present row is broken by rounding
            }
        }
        return std::nullopt;
    }

    /// Since the last time.
    void spend_evaluations() {
        search_.effort_.spend_evaluations(costs_.evaluated() - spent_for_);
        spent_for_ = costs_.evaluated();
    }

private:
    /// The lists that the window may store, and all columns that fit between the kernels that stay.
    void find_columns() {
        for (const ColumnId kernel : staying_) {
            for (const DataId list : model_.column(kernel).stores) {
                stored_[list.index()] = true;
            }
        }
        std::vector<DataId> made;
        for (const ColumnId kernel : window_.columns) {
            for (const CallId call : model_.column(kernel).executes) {
                const DataId result = model_.graph().call(call).result;
                if (!stored_[result.index()] && !open_[result.index()]) {
                    open_[result.index()] = true;
                    made.push_back(result);
                }
            }
        }
        for (const DataId list : made) {
            for (const ColumnId column : search_.storing_first_[list.index()]) {
                if (fits(model_.column(column)) && std::isfinite(costs_.optimistic(column))) {
                    columns_.push_back(column);
                }
            }
        }
        std::sort(columns_.begin(), columns_.end());
    }

    bool fits(const Column& column) const {
        return std::all_of(column.stores.begin(), column.stores.end(), [&](DataId list) { return open_[list.index()]; }) &&
            std::all_of(column.loads.begin(), column.loads.end(),
                [&](DataId list) { return !model_.graph().datum(list).producer || stored_[list.index()] || open_[list.index()]; });
    }

    /// Rows of the model that the columns touch, with bounds less what stays contributes.
    std::vector<BinaryRow> rows_of(const std::vector<ColumnId>& columns, std::map<int, int>& row_of) const {
        for (const ColumnId column : columns) {
            for (const auto& [row, coefficient] : model_.entries(column)) {
                row_of.try_emplace(row, static_cast<int>(row_of.size()));
            }
        }
        std::vector<BinaryRow> rows(row_of.size());
        for (const auto& [row, index] : row_of) {
            rows[static_cast<std::size_t>(index)] = {
                model_.rows()[static_cast<std::size_t>(row)].lower, model_.rows()[static_cast<std::size_t>(row)].upper};
        }
        for (const ColumnId kernel : staying_) {
            for (const auto& [row, coefficient] : model_.entries(kernel)) {
                if (const auto found = row_of.find(row); found != row_of.end()) {
                    BinaryRow& bounds = rows[static_cast<std::size_t>(found->second)];
                    bounds.lower -= bounds.lower > -LinearProgram::unbounded ? coefficient : 0;
                    bounds.upper -= bounds.upper < LinearProgram::unbounded ? coefficient : 0;
                }
            }
        }
        return rows;
    }

    SparseVector entries_of(ColumnId column, const std::map<int, int>& row_of) const {
        SparseVector entries = model_.entries(column);
        std::erase_if(entries, [&](const auto& entry) { return !row_of.contains(entry.first); });
        for (auto& [row, coefficient] : entries) {
            row = row_of.at(row);
        }
        return entries;
    }

    /// Column generation over the window's columns. What no choice costs less than, once no column prices out; else 0.
    double generate(bool different) {
        std::vector<ColumnId> first = window_.columns;
        for (const ColumnId column : columns_) {
            if (model_.column(column).executes.size() == 1 || search_.is_in_program_[column.index()]) {
                if (std::isfinite(costs_.exact(column))) {
                    first.push_back(column);
                }
            }
        }
        std::sort(first.begin(), first.end());
        first.erase(std::unique(first.begin(), first.end()), first.end());
        std::map<int, int> row_of;
        // Columns that come later touch no further row that could bind: outputs and edges of all open lists are rows of these.
        const std::vector<BinaryRow> rows = rows_of(first, row_of);
        LinearProgram program;
        for (const BinaryRow& row : rows) {
            program.add_row(row.lower, row.upper, {});
        }
        const double scale = search_.scale_;
        const auto add = [&](ColumnId column) {
            program.add_column(costs_.exact(column) * scale, entries_of(column, row_of));
            taken_.push_back(column);
        };
        std::for_each(first.begin(), first.end(), add);
        for (int round = 0; round < pricing_rounds; ++round) {
            const std::uint64_t before = program.pivots();
            if (!program.solve(search_.effort_.seconds_left())) {
                return 0;
            }
            search_.effort_.spend_pivots(program.pivots() - before, program.rows());
            duals_.assign(model_.rows().size(), 0.0);
            for (const auto& [row, index] : row_of) {
                duals_[static_cast<std::size_t>(row)] = program.duals()[static_cast<std::size_t>(index)] / scale;
            }
            const double objective = program.objective() / scale;
            if (!add_promising(add, 1e-9 * objective)) {
                return different || search_.effort_.exhausted() ? 0 : objective * (1 - 1e-9);
            }
        }
        return 0;
    }

    template <class Add>
    bool add_promising(Add add, double epsilon) {
        const CoverModel::Prices prices(model_, duals_);
        std::vector<ColumnId> sorted = taken_;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::pair<double, ColumnId>> negative;
        for (const ColumnId column : columns_) {
            const double reduced = costs_.optimistic(column) - prices.value(column);
            if (reduced < -epsilon && !std::binary_search(sorted.begin(), sorted.end(), column)) {
                negative.emplace_back(reduced, column);
            }
        }
        std::sort(negative.begin(), negative.end());
        Promising promising(open_.size(), columns_per_list);
        for (const auto& [reduced, column] : negative) {
            promising.propose(model_.column(column).stores.front(), column, costs_.optimistic(column) - reduced);
        }
        const std::vector<ColumnId> chosen = promising.choose(costs_, search_.effort_, epsilon);
        spend_evaluations();
        std::for_each(chosen.begin(), chosen.end(), add);
        return !chosen.empty();
    }

    /// The `count` columns of least reduced cost, none above `most`; and those of the window.
    std::vector<ColumnId> near(double most, std::size_t count) {
        const CoverModel::Prices prices(model_, duals_);
        std::vector<std::pair<double, ColumnId>> sorted;
        for (const ColumnId column : columns_) {
            const double value = prices.value(column);
            if (costs_.optimistic(column) - value <= most && costs_.closer(column) - value <= most) {
                sorted.emplace_back(costs_.closer(column) - value, column);
            }
        }
        std::sort(sorted.begin(), sorted.end());
        sorted.resize(std::min(sorted.size(), count));
        std::vector<ColumnId> asked;
        for (const auto& [reduced, column] : sorted) {
            asked.push_back(column);
        }
        costs_.find_exact(asked);
        std::vector<ColumnId> result = window_.columns;
        for (const auto& [reduced, column] : sorted) {
            if (std::isfinite(costs_.exact(column)) && costs_.exact(column) - prices.value(column) <= most) {
                result.push_back(column);
            }
        }
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
        return result;
    }

    std::optional<std::vector<ColumnId>> branch_and_bound(const std::vector<ColumnId>& columns, double cutoff, bool different) {
        BinaryProgram binary;
        std::map<int, int> row_of;
        binary.rows = rows_of(columns, row_of);
        for (const ColumnId column : columns) {
            binary.costs.push_back(costs_.exact(column));
            binary.columns.push_back(entries_of(column, row_of));
        }
        add_store_rows(model_, columns, open_, binary);
        if (different) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                if (std::binary_search(window_.columns.begin(), window_.columns.end(), columns[i])) {
                    binary.columns[i].emplace_back(static_cast<int>(binary.rows.size()), 1.0);
                }
            }
            binary.rows.push_back({-LinearProgram::unbounded, static_cast<double>(window_.columns.size()) - 1});
        }
        BinaryLimits limits = search_.effort_.limits(binary.rows.size(), binary.columns.size());
        limits.nodes = std::min(limits.nodes, window_nodes);
        limits.cutoff = cutoff;
        limits.quick = true;
        const BinaryResult result = solve_binary(binary, limits);
        search_.effort_.spend_nodes(result.nodes + roots_of_a_window, binary.rows.size(), binary.columns.size());
        if (!result.found) {
            return std::nullopt;
        }
        std::vector<ColumnId> chosen = staying_;
        for (const std::size_t i : result.selected) {
            chosen.push_back(columns[i]);
        }
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

    CoverSearch& search_;
    const CoverModel& model_;
    ColumnCosts& costs_;
    const Window& window_;
    std::vector<ColumnId> staying_; ///< kernels outside the window
    std::vector<bool> open_;        ///< per list: the window may store it
    std::vector<bool> stored_;      ///< per list: a kernel that stays stores it
    std::vector<ColumnId> columns_; ///< that fit, ascending
    std::vector<ColumnId> taken_;   ///< of these, in the linear program
    std::vector<double> duals_;     ///< per row of the model
    double spent_for_;              ///< evaluations
};

std::optional<std::vector<ColumnId>> CoverSearch::solve_window(const Window& window, double cutoff, bool different) {
    if (storing_first_.empty()) {
        storing_first_.resize(storing_.size());
        for (const ColumnId column : model_.eligible()) {
            storing_first_[model_.column(column).stores.front().index()].push_back(column);
        }
    }
    WindowProgram program(*this, window);
    std::optional<std::vector<ColumnId>> chosen = program.solve(cutoff, different);
    program.spend_evaluations();
    return chosen;
}

} // namespace fusec::fusion
