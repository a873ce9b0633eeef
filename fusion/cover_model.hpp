// SPDX-License-Identifier: Apache-2.0
// The cover as rows over columns (docs/adr/0001-plan-formulation.md): which rows exist, which column has which coefficient, the
// reduced cost of a column, and which rows a solution breaks. Knows neither costs nor a solver.
#pragma once

#include "fusion/plan.hpp"
#include "fusion/solver_cbc.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace fusec::fusion {

/// What a column may do with two data. (d, t): it loads d and stores t. Of a list y that is updated, with the old value o: (o, t): it loads
/// o and stores t and not y, so that it runs before the one that stores y; (t, o): it stores y and t, so that what waits for the one waits
/// for the other.
using CoverPair = std::pair<DataId, DataId>;

/// s(d): sum of the columns that store d. z(d,t): sum of the columns that have the pair.
struct CoverRow {
    enum class Kind {
        output,    ///< s(d) = 1
        edge,      ///< call j uses d: columns that store d, or execute both d's producer and j, sum to at least 1
        partition, ///< call j is executed once; only without recomputation
        once,      ///< s(d) <= 1
        link,      ///< z(d,t) <= s(d)
        cycle,     ///< pairs of which each has one kernel wait for the next, or be it, and the last for the first: sum of z <= pairs - 1
        not_again, ///< not all of these columns
        at_most,   ///< at most `upper` columns
    } kind = Kind::output;
    double lower = -LinearProgram::unbounded;
    double upper = LinearProgram::unbounded;
    DataId datum = {};                  ///< output, edge, once, link
    CallId call = {};                   ///< edge, partition
    std::vector<CoverPair> pairs = {};  ///< link: one, loaded and stored; cycle: k
    std::vector<ColumnId> columns = {}; ///< not_again
};

/// A column with its value in a (fractional or integer) solution.
using ColumnValue = std::pair<ColumnId, double>;

enum class Recomputation {
    allowed,
    excluded
};

class CoverModel {
public:
    /// Without recomputation only columns that store all their boundary take part, and each call is executed once.
    CoverModel(const dag::CallGraph& graph, const std::vector<Column>& columns, Recomputation recomputation);

    const dag::CallGraph& graph() const { return graph_; }
    const std::vector<Column>& columns() const { return columns_; }
    const Column& column(ColumnId id) const { return columns_[id.index()]; }
    DataId first_stored(ColumnId id) const { return DataId(lists_[lists_begin_[2 * id.index()]]); }
    /// Columns that may be chosen, ascending.
    const std::vector<ColumnId>& eligible() const { return eligible_; }

    const std::vector<CoverRow>& rows() const { return rows_; }
    void add(CoverRow row);
    /// The row that forbids this choice and everything that contains it.
    static CoverRow not_again(std::vector<ColumnId> chosen);

    /// Non-zero coefficients of a column over all rows.
    SparseVector entries(ColumnId column) const;
    double coefficient(const CoverRow& row, ColumnId column) const;

    /// Rows of kind once, link and cycle that the solution breaks by more than 1e-6, none of which is present yet.
    /// Complete for integer solutions: a binary solution that breaks none, and no present row, is a legal plan.
    std::vector<CoverRow> broken_rows(const std::vector<ColumnValue>& solution) const;

    /// Duals spread over what a column consists of, so that pricing is a few additions per column.
    class Prices {
    public:
        Prices(const CoverModel& model, const std::vector<double>& duals);
        /// Sum of duals times coefficients of the column.
        double value(ColumnId column) const;
        /// Sum of duals times right-hand sides; -infinity if a dual has the wrong sign for its row by more than rounding.
        double right_hand_side() const { return right_hand_side_; }

    private:
        const CoverModel& model_;
        std::vector<double> of_row_;                                  ///< direct rows
        std::vector<double> of_store_;                                ///< per datum
        std::vector<std::vector<std::pair<DataId, double>>> of_pair_; ///< per loaded datum: stored datum, price
        std::vector<std::tuple<DataId, DataId, double>> beside_;      ///< both stored: price
        std::unordered_map<std::uint32_t, double> of_column_;
        double of_any_ = 0;
        double right_hand_side_ = 0;
    };

private:
    void add_static_rows(Recomputation recomputation);
    void list_direct_rows(Recomputation recomputation);
    void add_broken_cycles(const std::map<CoverPair, double>& pairs, std::vector<CoverRow>& broken) const;
    bool has(const Column& column, const CoverPair& pair) const;
    /// The pairs of the column, of which some cycle may be made.
    template <class Visit>
    void for_each_pair(const Column& column, Visit visit) const;
    bool present(const CoverRow& row) const;

    const dag::CallGraph& graph_;
    const std::vector<Column>& columns_;
    std::vector<ColumnId> eligible_;
    std::vector<CoverRow> rows_;
    std::vector<int> first_edge_row_; ///< per datum: of its edge rows, which stand in the order of its consumers
    // Direct rows of column c: direct_[direct_begin_[c] .. direct_begin_[c + 1]); coefficient 1.
    std::vector<std::uint32_t> direct_begin_;
    std::vector<int> direct_;
    // The same for the lists that column c stores, [2 * c], and loads, [2 * c + 1]: what the columns themselves hold lies scattered.
    std::vector<std::uint32_t> lists_begin_;
    std::vector<std::uint32_t> lists_;
    std::vector<std::vector<std::pair<int, double>>> store_rows_; ///< per datum: rows that contain s(d), with its coefficient
    std::map<CoverPair, std::vector<int>> pair_rows_;
    std::unordered_map<std::uint32_t, std::vector<int>> column_rows_;
    std::vector<int> any_rows_;
    std::map<DataId, int> once_rows_;
    std::map<CoverPair, int> link_rows_;
};

/// True if every computed datum that the column's calls make is stored whenever it is an output or used outside the column.
bool stores_all_its_boundary(const dag::CallGraph& graph, const Column& column);

} // namespace fusec::fusion
