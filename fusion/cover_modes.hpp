// SPDX-License-Identifier: Apache-2.0
// Plans made by a rule instead of a search: one call per kernel, and greedy fusion. They are modes of their own and the first
// incumbents of the search.
#pragma once

#include "fusion/cover_model.hpp"

#include <optional>
#include <vector>

namespace fusec::fusion {

/// Columns that store all their boundary, by the calls they execute: what plans without recomputation are made of.
class PartitionColumns {
public:
    /// Both must outlive this.
    PartitionColumns(const dag::CallGraph& graph, const std::vector<Column>& columns);
    std::optional<ColumnId> find(const CallSet& executes) const;

private:
    std::size_t first_slot(const CallSet& executes) const;

    const dag::CallGraph& graph_;
    const std::vector<Column>& columns_;
    std::vector<std::uint32_t> slots_; ///< open addressing, by the calls; one more than the column, 0: empty
};

/// One call per kernel; nothing if a call has no implementation by itself.
std::optional<std::vector<ColumnId>> separate_kernels(const dag::CallGraph& graph, const PartitionColumns& partition, ColumnSource& source);

/// Starts from separate kernels and fuses, again and again, the two kernels joined by an edge whose fusion saves most bytes of loads
/// and stores, while it exists, has an implementation and leaves the kernels without a cycle. Ties go to the smallest first calls.
/// O(edges * (log edges + calls)).
std::optional<std::vector<ColumnId>> greedy_kernels(const dag::CallGraph& graph, const PartitionColumns& partition, ColumnSource& source);

} // namespace fusec::fusion
