// SPDX-License-Identifier: Apache-2.0
// Call graphs and column sources made by hand or at random, for tests of the plan: no front end, no library, no cost model.
#pragma once

#include "fusion/plan.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace fusec::fusion::toy {

/// Builds a call graph: inputs first, then calls in topological order.
class GraphBuilder {
public:
    DataId input(const std::string& name, int size = 9);
    /// A call named `name` on these operands; its function is told apart by `function`.
    DataId call(const std::string& name, const std::vector<DataId>& operands, int size = 9, std::size_t function = 0);
    void output(DataId datum);
    /// The datum, which becomes an output, replaces the input in its memory. Pre: no call behind its own uses the input.
    void update(DataId input, DataId datum);
    dag::CallGraph build();

private:
    DataId datum(const std::string& name, int size, frontend::DatumKind kind);
    frontend::CheckedProgram program_;
};

/// Columns with costs that are asked for one by one; the lower bound is a fixed share of the cost.
class TableSource : public ColumnSource {
public:
    std::size_t add(Column column, double seconds, double lower_bound);

    const std::vector<Column>& columns() const override { return columns_; }
    double lower_bound(ColumnId column) const override { return lower_bounds_[column.index()]; }
    double seconds(ColumnId column) override;
    double peek(ColumnId column) const { return seconds_[column.index()]; } ///< without counting as asked
    std::size_t asked() const { return asked_.size(); }

private:
    std::vector<Column> columns_;
    std::vector<double> seconds_, lower_bounds_;
    std::set<std::uint32_t> asked_;
};

/// Per-element lists the calls use and do not make, ascending.
std::vector<DataId> loads_of(const dag::CallGraph& graph, const dag::CallSet& calls);

/// A DAG of `calls` calls whose operands are random earlier data (of at most `reach` calls back) or inputs. What nobody uses is an
/// output; some used ones are too.
dag::CallGraph random_graph(std::mt19937_64& random, std::size_t calls, std::size_t reach = 1000);
/// The same with outputs that replace inputs, as many as can.
dag::CallGraph random_updating_graph(std::mt19937_64& random, std::size_t calls);

/// All convex sets of at most `largest` calls (connected or not), each with every non-empty choice of stored data among its boundary
/// for which it has no idle call; costs 2 us .. 1 ms. `impossible`: share of columns that no implementation fits.
TableSource random_columns(const dag::CallGraph& graph, std::mt19937_64& random, std::size_t largest, double impossible);

/// Legal plans of at most the cost of the `count` best ones, by depth-first search over what must still be stored; cheapest first.
/// Knows nothing of rows and bounds. Every kernel of a plan is needed by an output.
std::vector<Cover> best_plans_by_search(const dag::CallGraph& graph, const TableSource& source, std::size_t count);

} // namespace fusec::fusion::toy
