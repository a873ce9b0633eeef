// SPDX-License-Identifier: Apache-2.0
#include "fusion/cover_intervals.hpp"

#include "fusion/cover_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace fusec::fusion {

namespace {

class Intervals {
public:
    Intervals(const dag::CallGraph& graph, const std::vector<Column>& columns, const std::vector<CallId>& order, ColumnCosts& costs)
        : columns_(columns), costs_(costs), ending_(order.size() + 1) {
        std::vector<std::size_t> place(graph.calls());
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i].index()] = i;
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const CallSet& set = columns[c].executes;
            std::size_t first = order.size(), last = 0;
            for (const CallId call : set) {
                first = std::min(first, place[call.index()]);
                last = std::max(last, place[call.index()]);
                if (last - std::min(first, last) >= set.size()) {
                    break;
                }
            }
            if (last - first + 1 == set.size() && stores_all_its_boundary(graph, columns[c])) {
                ending_[last + 1].push_back({first, ColumnId(c)});
            }
        }
    }

    std::vector<std::vector<ColumnId>> run(int count) {
        std::vector<std::vector<ColumnId>> result;
        for (int round = 0; round < most_rounds && std::ssize(result) < count; ++round) {
            const std::vector<ColumnId> path = cheapest(false);
            std::vector<ColumnId> open;
            std::copy_if(path.begin(), path.end(), std::back_inserter(open), [&](ColumnId column) { return !costs_.known(column); });
            if (!open.empty()) {
                costs_.find_exact(open);
                for (const ColumnId column : open) {
                    costs_.exact(column);
                }
            } else if (!take(path, result)) {
                return result;
            }
        }
        while (std::ssize(result) < count && take(cheapest(true), result)) {
        }
        return result;
    }

private:
    struct Interval {
        std::size_t begin;
        ColumnId column;
    };

    /// Appends the path and leaves its largest kernel out from now on; false if there is no path.
    bool take(const std::vector<ColumnId>& path, std::vector<std::vector<ColumnId>>& result) {
        if (path.empty()) {
            return false;
        }
        result.push_back(path);
        left_out_.insert(*std::max_element(path.begin(), path.end(),
            [&](ColumnId a, ColumnId b) { return columns_[a.index()].executes.size() < columns_[b.index()].executes.size(); }));
        return true;
    }

    /// The shortest path from the first place to the last; ties: the first column found. Empty if there is none.
    std::vector<ColumnId> cheapest(bool only_known) const {
        std::vector<double> cost(ending_.size(), INFINITY);
        std::vector<const Interval*> by(ending_.size(), nullptr);
        cost[0] = 0;
        for (std::size_t end = 1; end < ending_.size(); ++end) {
            for (const Interval& interval : ending_[end]) {
                if ((only_known && !costs_.known(interval.column)) || left_out_.contains(interval.column)) {
                    continue;
                }
                if (const double now = cost[interval.begin] + costs_.optimistic(interval.column); now < cost[end]) {
                    cost[end] = now;
                    by[end] = &interval;
                }
            }
        }
        if (std::isinf(cost.back())) {
            return {};
        }
        std::vector<ColumnId> result;
        for (std::size_t end = ending_.size() - 1; end != 0; end = by[end]->begin) {
            result.push_back(by[end]->column);
        }
        return result;
    }

    const std::vector<Column>& columns_;
    ColumnCosts& costs_;
    std::vector<std::vector<Interval>> ending_; ///< per place, the intervals that end there
    std::set<ColumnId> left_out_;
};

} // namespace

std::vector<std::vector<ColumnId>> cheapest_intervals(
    const dag::CallGraph& graph, const std::vector<Column>& columns, const std::vector<CallId>& order, ColumnCosts& costs, int count) {
    return Intervals(graph, columns, order, costs).run(count);
}

} // namespace fusec::fusion
