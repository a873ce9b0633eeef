// SPDX-License-Identifier: Apache-2.0
// Which data a fusion may store.
#include "fusion/columns.hpp"

#include "fusion/workers.hpp"

#include <algorithm>
#include <iterator>

namespace fusec::fusion {

namespace {

std::vector<DataId> lists_loaded(const dag::CallGraph& graph, const CallSet& set) {
    std::vector<DataId> used = graph.uses(set);
    std::erase_if(used, [&](DataId datum) { return !graph.datum(datum).per_element(); });
    return used;
}

/// The members of `boundary` whose bits are set.
std::vector<DataId> chosen(const std::vector<DataId>& boundary, std::size_t bits) {
    std::vector<DataId> result;
    for (std::size_t i = 0; i < boundary.size(); ++i) {
        if ((bits >> i & 1) != 0) {
            result.push_back(boundary[i]);
        }
    }
    return result;
}

/// Subsets of the boundaries of those that are not grown, counted no further than `most`.
std::size_t count_subsets(const std::vector<std::vector<DataId>>& boundaries, const std::vector<bool>& grown, std::size_t most) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        const std::vector<DataId>& boundary = boundaries[i];
        if (grown[i]) {
            continue;
        }
        if (boundary.size() >= 32 || count > most) {
            return most + 1;
        }
        count += (std::size_t{1} << boundary.size()) - 1;
    }
    return count;
}

} // namespace

bool every_call_is_needed(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores) {
    std::vector<CallId> open;
    CallSet needed;
    const auto need = [&](CallId call) {
        if (std::binary_search(set.begin(), set.end(), call) && std::find(needed.begin(), needed.end(), call) == needed.end()) {
            needed.push_back(call);
            open.push_back(call);
        }
    };
    for (DataId datum : stores) {
        if (const auto& producer = graph.datum(datum).producer) {
            need(*producer);
        }
    }
    while (!open.empty()) {
        const CallId call = open.back();
        open.pop_back();
        for (DataId operand : graph.call(call).operands) { // not all calls that come first are needed
            if (const auto& producer = graph.datum(operand).producer) {
                need(*producer);
            }
        }
    }
    return needed.size() == set.size();
}

Columns make_columns(const dag::CallGraph& graph, const std::vector<CallSet>& fusions, const std::vector<double>& flops, bool recompute,
    std::size_t enumerated, const Places& places) {
    std::vector<std::vector<DataId>> boundaries(fusions.size()), loaded(fusions.size());
    constexpr std::size_t part = 1024;
    Workers::shared().run(fusions.size(), part, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t index = begin; index < end; ++index) {
            boundaries[index] = graph.boundary(fusions[index]);
            loaded[index] = lists_loaded(graph, fusions[index]);
        }
    });
    std::vector<bool> is_grown; // not by the workers: neighbours share bytes
    std::transform(
        fusions.begin(), fusions.end(), std::back_inserter(is_grown), [&](const CallSet& set) { return places.of(set) > enumerated; });
    const bool all = recompute && count_subsets(boundaries, is_grown, most_columns_with_all_stores) <= most_columns_with_all_stores;
    const auto moved = [&](DataId datum) { return !graph.datum(datum).output && places.moves(*graph.datum(datum).producer); };
    const auto cheap = [&](DataId datum) {
        return flops[graph.datum(datum).producer->index()] <= cheap_operations_per_byte * 2 * graph.datum(datum).list_bytes();
    };

    Columns result;
    result.columns.reserve(fusions.size());
    std::size_t partial = 0, members = 0;
    for (std::size_t index = 0; index < fusions.size(); ++index) {
        const CallSet& set = fusions[index];
        const std::vector<DataId>& boundary = boundaries[index];
        const std::vector<DataId>& loads = loaded[index];
        result.columns.push_back({set, loads, boundary});
        if (!recompute || boundary.size() < 2) {
            continue;
        }
        const bool grown = is_grown[index];
        if (all && !grown) {
            for (std::size_t bits = (std::size_t{1} << boundary.size()) - 1; --bits != 0;) {
                std::vector<DataId> stores = chosen(boundary, bits);
                if (every_call_is_needed(graph, set, stores)) {
                    result.columns.push_back({set, loads, std::move(stores)});
                }
            }
            continue;
        }
        result.complete = result.complete && grown;
        std::vector<DataId> left_out = boundary;
        std::erase_if(left_out, [&](DataId datum) { return !cheap(datum); });
        if (grown) {
            std::stable_sort(left_out.begin(), left_out.end(),
                [&](DataId a, DataId b) { return flops[graph.datum(a).producer->index()] < flops[graph.datum(b).producer->index()]; });
            left_out.resize(std::min(left_out.size(), most_left_out_of_a_grown_fusion));
        }
        const auto room = [&] { return grown || (partial < most_columns_with_one_left_out && members < most_members_with_one_left_out); };
        const auto add = [&](std::vector<DataId> stores) {
            if (!stores.empty() && every_call_is_needed(graph, set, stores)) {
                partial += grown ? 0 : 1;
                members += set.size() + loads.size() + stores.size();
                result.columns.push_back({set, loads, std::move(stores)});
            }
        };
        if (std::count_if(boundary.begin(), boundary.end(), moved) > 1 && room()) { // one alone is among those below
            std::vector<DataId> stores = boundary;
            std::erase_if(stores, moved);
            add(std::move(stores));
        }
        for (const DataId datum : left_out) {
            if (!room()) {
                break;
            }
            std::vector<DataId> stores = boundary;
            std::erase(stores, datum);
            add(std::move(stores));
        }
    }
    return result;
}

} // namespace fusec::fusion
