// SPDX-License-Identifier: Apache-2.0
// Cuts by dynamic programming over the places of an order: the traffic of an interval grows call by call.
#include "fusion/segments.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>

namespace fusec::fusion {

namespace {

constexpr std::size_t smallest_cut = 16;
constexpr std::size_t most_intervals_of_a_cut = 32;
constexpr std::size_t most_waists = 16;
constexpr double narrow = 0.8; ///< of the mean of the bytes that cross a place

class Order {
public:
    Order(const dag::CallGraph& graph, const std::vector<CallId>& order, const std::vector<double>& operations)
        : graph_(graph), order_(order), operations_(operations), reads_(graph.calls()) {
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            reads_[call] = graph.call(CallId(call)).operands;
            std::erase_if(reads_[call], [&](DataId datum) { return !graph.datum(datum).per_element(); });
            std::sort(reads_[call].begin(), reads_[call].end());
            reads_[call].erase(std::unique(reads_[call].begin(), reads_[call].end()), reads_[call].end());
        }
    }

    /// Calls `visit(end, bytes loaded and stored, operations)` for the intervals that begin at `begin`, the shortest first.
    template <class Visit>
    void from(std::size_t begin, std::size_t longest, Visit visit) {
        seen_.assign(graph_.program().data.size(), unseen);
        std::int64_t bytes = 0;
        double operations = 0;
        for (std::size_t end = begin; end < order_.size() && end - begin < longest;) {
            const CallId call = order_[end++];
            operations += operations_[call.index()];
            for (const DataId read : reads_[call.index()]) {
                std::uint32_t& users_left = seen_[read.index()];
                const std::int64_t size = graph_.datum(read).list_bytes();
                if (users_left == unseen) {
                    users_left = loaded;
                    bytes += size;
                } else if (users_left < loaded && --users_left == 0) {
                    bytes -= graph_.datum(read).output ? 0 : size;
                }
            }
            const DataId made = graph_.call(call).result;
            seen_[made.index()] = static_cast<std::uint32_t>(graph_.consumers(made).size());
            bytes += graph_.datum(made).per_element() ? graph_.datum(made).list_bytes() : 0;
            if (!visit(end, bytes, operations)) {
                return;
            }
        }
    }

    /// Per place, the bytes of results before it that calls behind it use.
    std::vector<std::int64_t> crossing() const {
        std::vector<std::size_t> place(graph_.calls());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            place[order_[i].index()] = i;
        }
        std::vector<std::int64_t> change(order_.size() + 1, 0);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const DataId made = graph_.call(order_[i]).result;
            std::size_t last = i;
            for (const CallId user : graph_.consumers(made)) {
                last = std::max(last, place[user.index()]);
            }
            if (graph_.datum(made).per_element()) {
                change[i + 1] += graph_.datum(made).list_bytes();
                change[last + 1] -= last + 1 <= order_.size() ? graph_.datum(made).list_bytes() : 0;
            }
        }
        std::partial_sum(change.begin(), change.end(), change.begin());
        return change;
    }

    dag::CallSet interval(std::size_t begin, std::size_t end) const {
        dag::CallSet set(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.begin() + static_cast<std::ptrdiff_t>(end));
        std::sort(set.begin(), set.end());
        return set;
    }

    double operations(std::size_t begin, std::size_t end) const {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += operations_[order_[i].index()];
        }
        return sum;
    }

private:
    static constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t loaded = unseen - 1; ///< less: made in the interval, by so many users not in it

    const dag::CallGraph& graph_;
    const std::vector<CallId>& order_;
    const std::vector<double>& operations_;
    std::vector<std::vector<DataId>> reads_; ///< per call
    std::vector<std::uint32_t> seen_;        ///< per datum
};

/// Places of the cheapest cut into intervals of at most `sizes[k]` calls, for each k; ends included.
std::vector<std::vector<std::size_t>> cheapest_cuts(Order& order, std::size_t calls, const std::vector<std::size_t>& sizes) {
    constexpr std::int64_t bytes_of_a_kernel = 1; // fewer kernels where traffic is equal
    constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
    std::vector<std::vector<std::int64_t>> cost(sizes.size(), std::vector<std::int64_t>(calls + 1, unknown));
    std::vector<std::vector<std::size_t>> before(sizes.size(), std::vector<std::size_t>(calls + 1, 0));
    for (auto& of_size : cost) {
        of_size[0] = 0;
    }
    for (std::size_t begin = 0; begin < calls; ++begin) {
        order.from(begin, sizes.front(), [&](std::size_t end, std::int64_t bytes, double operations) {
            const bool fits = operations_fit(end - begin, operations);
            for (std::size_t k = 0; k < sizes.size() && end - begin <= sizes[k] && fits; ++k) {
                if (const std::int64_t now = cost[k][begin] + bytes + bytes_of_a_kernel; now < cost[k][end]) {
                    cost[k][end] = now;
                    before[k][end] = begin;
                }
            }
            return fits;
        });
    }
    std::vector<std::vector<std::size_t>> result;
    for (const std::vector<std::size_t>& back : before) {
        std::vector<std::size_t>& places = result.emplace_back(1, calls);
        while (places.back() != 0) {
            places.push_back(back[places.back()]);
        }
        std::reverse(places.begin(), places.end());
    }
    return result;
}

/// The ends and the narrow waists between them, evenly thinned.
std::vector<std::size_t> waists(const Order& order, std::size_t calls) {
    const std::vector<std::int64_t> bytes = order.crossing();
    const double mean = static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})) / static_cast<double>(calls);
    std::vector<std::size_t> all;
    for (std::size_t place = 1; place < calls; ++place) {
        // Of a plateau, the first place.
        if (bytes[place] < bytes[place - 1] && bytes[place] <= bytes[place + 1] && static_cast<double>(bytes[place]) <= narrow * mean) {
            all.push_back(place);
        }
    }
    std::vector<std::size_t> result = {0};
    const std::size_t count = std::min(all.size(), most_waists);
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
    }
    result.push_back(calls);
    return result;
}

} // namespace

std::vector<std::vector<CallId>> orders_to_cut(const dag::CallGraph& graph) {
    std::vector<CallId> program, depth_first, open;
    std::vector<bool> done(graph.calls(), false);
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        program.emplace_back(index);
        if (!graph.successors(CallId(index)).empty()) {
            continue;
        }
        open.emplace_back(index);
        while (!open.empty()) {
            const CallId call = open.back();
            const auto& operands = graph.call(call).operands;
            const auto missing = std::find_if(operands.begin(), operands.end(), [&](DataId operand) {
                const auto& producer = graph.datum(operand).producer;
                return producer && !done[producer->index()];
            });
            const auto& before = graph.predecessors(call); // readers of what it replaces besides
            const auto waited_for = std::find_if(before.begin(), before.end(), [&](CallId other) { return !done[other.index()]; });
            if (missing != operands.end()) {
                open.push_back(*graph.datum(*missing).producer);
            } else if (waited_for != before.end()) {
                open.push_back(*waited_for);
            } else {
                open.pop_back();
                done[call.index()] = true;
                depth_first.push_back(call);
            }
        }
    }
    std::stable_sort(depth_first.begin(), depth_first.end(), [&](CallId a, CallId b) { return graph.block(a) < graph.block(b); });
    std::vector<std::vector<CallId>> result = {std::move(program)};
    if (depth_first != result.front()) {
        result.push_back(std::move(depth_first));
    }
    return result;
}

namespace {

/// Of the calls of one block.
std::vector<dag::CallSet> segments_of_block(
    const dag::CallGraph& graph, const std::vector<CallId>& order, const std::vector<double>& operations, std::size_t above) {
    std::vector<dag::CallSet> result;
    const std::size_t calls = order.size();
    if (calls <= above) {
        return result;
    }
    Order line(graph, order, operations);
    std::vector<std::size_t> sizes;
    for (std::size_t size = largest_kernel; size >= smallest_cut && size > above; size /= 2) {
        sizes.push_back(size);
    }
    for (const std::vector<std::size_t>& places : cheapest_cuts(line, calls, sizes)) {
        for (std::size_t i = 1; i < places.size() && places.size() <= most_intervals_of_a_cut + 1; ++i) {
            result.push_back(line.interval(places[i - 1], places[i]));
        }
    }
    const std::vector<std::size_t> places = waists(line, calls);
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = i + 1; j < places.size() && places[j] - places[i] <= largest_kernel; ++j) {
            if (operations_fit(places[j] - places[i], line.operations(places[i], places[j]))) {
                result.push_back(line.interval(places[i], places[j]));
            }
        }
    }
    std::erase_if(result, [&](const dag::CallSet& set) { return set.size() <= above || !shares_all(graph, set); });
    return result;
}

} // namespace

std::vector<dag::CallSet> segments(
    const dag::CallGraph& graph, const std::vector<CallId>& order, const std::vector<double>& operations, std::size_t above) {
    std::vector<dag::CallSet> result;
    for (auto first = order.begin(); first != order.end();) {
        const auto end = std::find_if(first, order.end(), [&](CallId call) { return graph.block(call) != graph.block(*first); });
        const std::vector<dag::CallSet> found = segments_of_block(graph, {first, end}, operations, above);
        result.insert(result.end(), found.begin(), found.end());
        first = end;
    }
    return result;
}

} // namespace fusec::fusion
