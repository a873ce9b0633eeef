// SPDX-License-Identifier: Apache-2.0
// Plans that cut an order of the calls into intervals: of the columns that are intervals, the cheapest way from its beginning to its end.
#pragma once

#include "fusion/column_costs.hpp"

#include <vector>

namespace fusec::fusion {

/// Shortest paths that ask for costs, at most.
inline constexpr int most_rounds = 24;

/// The plan without recomputation whose kernels are intervals of `order`, a topological order of all calls, at least cost; then the next
/// ones, `count` in all, each without the largest kernel of the one before; fewer if the columns have no more. Columns are priced as shortest
/// paths over what is known of their costs ask for them; after `most_rounds` such paths, the cheapest over what is priced by then.
/// O(columns + rounds * intervals) and the pricing.
std::vector<std::vector<ColumnId>> cheapest_intervals(
    const dag::CallGraph& graph, const std::vector<Column>& columns, const std::vector<CallId>& order, ColumnCosts& costs, int count);

} // namespace fusec::fusion
