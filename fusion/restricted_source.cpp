// SPDX-License-Identifier: Apache-2.0
#include "fusion/restricted_source.hpp"

namespace fusec::fusion {

RestrictedSource::RestrictedSource(ColumnSource& all, const std::function<bool(const Column&)>& keep) : all_(all) {
    for (std::size_t i = 0; i < all.columns().size(); ++i) {
        if (keep(all.columns()[i])) {
            columns_.push_back(all.columns()[i]);
            originals_.emplace_back(i);
        }
    }
}

void RestrictedSource::find_seconds(const std::vector<ColumnId>& columns) {
    std::vector<ColumnId> originals;
    for (const ColumnId column : columns) {
        originals.push_back(original(column));
    }
    all_.find_seconds(originals);
}

Cover RestrictedSource::original(const Cover& cover) const {
    Cover result{.columns = {}, .seconds = cover.seconds};
    for (const ColumnId column : cover.columns) {
        result.columns.push_back(original(column));
    }
    return result;
}

} // namespace fusec::fusion
