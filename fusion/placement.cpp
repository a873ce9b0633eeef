// SPDX-License-Identifier: Apache-2.0
// Exact placement of live ranges. An optimal placement exists in which no range can be moved to a lower address; taken in ascending
// order of address, each of its ranges lies at the lowest address free of the ranges taken before. So it is enough to search
// orders whose lowest free addresses ascend.
#include "fusion/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace fusec::fusion {

namespace {

int rounded(int bytes, int alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

class Search {
public:
    Search(const std::vector<LiveRange>& ranges, int alignment, std::size_t node_limit)
        : ranges_(ranges), size_(ranges.size()), offset_(ranges.size(), unplaced), node_limit_(node_limit) {
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            size_[i] = rounded(ranges[i].bytes, alignment);
        }
        bound_ = arena_lower_bound(ranges, alignment);
    }

    Arena run() {
        greedy([&](std::size_t a, std::size_t b) { return size_[a] > size_[b]; });
        if (best_.bytes > bound_) {
            greedy([&](std::size_t a, std::size_t b) { return ranges_[a].first < ranges_[b].first; });
        }
        if (best_.bytes > bound_) {
            greedy([&](std::size_t a, std::size_t b) { return ranges_[a].last - ranges_[a].first > ranges_[b].last - ranges_[b].first; });
        }
        if (best_.bytes > bound_) {
            std::fill(offset_.begin(), offset_.end(), unplaced);
            placed_.clear();
            lowest_.resize(size_.size() * size_.size());
            branch(0, 0, 0, 0);
        }
        return best_;
    }

private:
    static constexpr int unplaced = -1;

    bool meet(std::size_t a, std::size_t b) const { return ranges_[a].first <= ranges_[b].last && ranges_[b].first <= ranges_[a].last; }

    /// Lowest address at which `range` overlaps no placed range that it meets. O(placed).
    int lowest(std::size_t range) const {
        int address = 0;
        for (const std::size_t other : placed_) {
            if (!meet(range, other)) {
                continue;
            }
            if (offset_[other] >= address + size_[range]) {
                break; // it fits below this one, and so below all that follow
            }
            address = std::max(address, offset_[other] + size_[other]);
        }
        return address;
    }

    /// First fit in the given order; ties keep the order of the ranges.
    template <class Before>
    void greedy(Before before) {
        std::vector<std::size_t> order(size_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(a, b) || (!before(b, a) && a < b); });
        std::fill(offset_.begin(), offset_.end(), unplaced);
        placed_.clear();
        int total = 0;
        for (std::size_t range : order) {
            offset_[range] = lowest(range);
            placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), range,
                               [&](std::size_t a, std::size_t b) { return offset_[a] < offset_[b]; }),
                range);
            total = std::max(total, offset_[range] + size_[range]);
        }
        keep(total);
    }

    void keep(int total) {
        if (total < best_.bytes) {
            best_.bytes = total;
            best_.offsets = offset_;
        }
    }

    /// Places the remaining ranges at ascending addresses; `last` was placed at `floor`, equal addresses go by index.
    void branch(std::size_t placed, int floor, std::size_t last, int total) {
        if (placed == size_.size()) {
            keep(total);
            return;
        }
        if (best_.nodes >= node_limit_) {
            best_.optimal = false;
            return;
        }
        ++best_.nodes;
        int* const lowest_of = lowest_.data() + placed * size_.size();
        for (std::size_t range = 0; range < size_.size(); ++range) {
            if (offset_[range] != unplaced) {
                continue;
            }
            const int address = lowest_of[range] = lowest(range);
            // Every unplaced range ends up at or above its present lowest address.
            if (address + size_[range] >= best_.bytes) {
                return;
            }
        }
        for (std::size_t range = 0; range < size_.size(); ++range) {
            if (offset_[range] != unplaced) {
                continue;
            }
            const int address = lowest_of[range];
            if (address < floor || (address == floor && placed != 0 && range < last)) {
                continue;
            }
            offset_[range] = address;
            placed_.push_back(range); // no placed range lies higher
            branch(placed + 1, address, range, std::max(total, address + size_[range]));
            placed_.pop_back();
            offset_[range] = unplaced;
            if (best_.bytes == bound_ || !best_.optimal) {
                return;
            }
        }
    }

    const std::vector<LiveRange>& ranges_;
    std::vector<int> size_;
    std::vector<int> offset_;
    std::vector<std::size_t> placed_; ///< ranges with an offset, ascending by it
    std::vector<int> lowest_;         ///< by number of ranges placed, then range: what `branch` found there
    std::size_t node_limit_;
    int bound_ = 0;
    Arena best_{{}, std::numeric_limits<int>::max(), true, 0};
};

} // namespace

int arena_lower_bound(const std::vector<LiveRange>& ranges, int alignment) {
    // The load changes where a range begins and after its end; in one step what ends there before goes first.
    std::vector<std::pair<int, int>> changes;
    changes.reserve(2 * ranges.size());
    for (const LiveRange& range : ranges) {
        changes.emplace_back(range.first, rounded(range.bytes, alignment));
        changes.emplace_back(range.last + 1, -rounded(range.bytes, alignment));
    }
    std::sort(changes.begin(), changes.end());
    int bound = 0, load = 0;
    for (const auto& [step, bytes] : changes) {
        load += bytes;
        bound = std::max(bound, load);
    }
    return bound;
}

Arena place(const std::vector<LiveRange>& ranges, int alignment, std::size_t node_limit) {
    if (ranges.empty()) {
        return {};
    }
    return Search(ranges, alignment, node_limit).run();
}

} // namespace fusec::fusion
