// SPDX-License-Identifier: Apache-2.0
// A column source with some columns left out: what the best plan would be with or without a given fusion.
#pragma once

#include "fusion/plan.hpp"

#include <functional>

namespace fusec::fusion {

/// The columns of another source that satisfy a condition, renumbered in order. The other source must outlive this one.
class RestrictedSource : public ColumnSource {
public:
    RestrictedSource(ColumnSource& all, const std::function<bool(const Column&)>& keep);

    const std::vector<Column>& columns() const override { return columns_; }
    double lower_bound(ColumnId column) const override { return all_.lower_bound(original(column)); }
    double closer_bound(ColumnId column) override { return all_.closer_bound(original(column)); }
    double seconds(ColumnId column) override { return all_.seconds(original(column)); }
    void find_seconds(const std::vector<ColumnId>& columns) override;

    /// The column's id in the unrestricted source.
    ColumnId original(ColumnId column) const { return originals_.at(column.index()); }
    /// The cover with the ids of the unrestricted source.
    Cover original(const Cover& cover) const;

private:
    ColumnSource& all_;
    std::vector<Column> columns_;
    std::vector<ColumnId> originals_;
};

} // namespace fusec::fusion
