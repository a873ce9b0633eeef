// SPDX-License-Identifier: Apache-2.0
#include "fusion/cover_model.hpp"

#include "fusion/ascending.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace fusec::fusion {

namespace {

constexpr double broken_by = 1e-6; ///< violations below this are the solver's rounding

bool computed(const dag::CallGraph& graph, DataId datum) {
    return graph.datum(datum).kind == frontend::DatumKind::computed;
}

} // namespace

bool stores_all_its_boundary(const dag::CallGraph& graph, const Column& column) {
    for (const CallId call : column.executes) {
        const DataId made = graph.call(call).result;
        const std::vector<CallId>& users = graph.consumers(made);
        const bool needed =
            graph.datum(made).output || !std::includes(column.executes.begin(), column.executes.end(), users.begin(), users.end());
        if (needed && !contains(column.stores, made)) {
            return false;
        }
    }
    return true;
}

CoverModel::CoverModel(const dag::CallGraph& graph, const std::vector<Column>& columns, Recomputation recomputation)
    : graph_(graph), columns_(columns), first_edge_row_(graph.program().data.size(), 0), store_rows_(graph.program().data.size()) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
        internal_check(!columns[c].stores.empty(), "a column stores at least one datum");
        if (recomputation == Recomputation::allowed || stores_all_its_boundary(graph, columns[c])) {
            eligible_.push_back(ColumnId(c));
        }
    }
    add_static_rows(recomputation);
    list_direct_rows(recomputation);
}

void CoverModel::add_static_rows(Recomputation recomputation) {
    for (std::size_t i = 0; i < graph_.calls(); ++i) {
        const CallId call(i);
        if (recomputation == Recomputation::excluded) {
            rows_.push_back({.kind = CoverRow::Kind::partition, .lower = 1, .upper = 1, .call = call});
            continue;
        }
        const DataId made = graph_.call(call).result;
        if (graph_.datum(made).output) {
            store_rows_[made.index()].emplace_back(static_cast<int>(rows_.size()), 1.0);
            rows_.push_back({.kind = CoverRow::Kind::output, .lower = 1, .upper = 1, .datum = made});
            continue; // it is stored anyway: its edge rows would follow
        }
        first_edge_row_[made.index()] = static_cast<int>(rows_.size());
        for (const CallId user : graph_.consumers(made)) {
            const int row = static_cast<int>(rows_.size());
            store_rows_[made.index()].emplace_back(row, 1.0);
            rows_.push_back({.kind = CoverRow::Kind::edge, .lower = 1, .datum = made, .call = user});
        }
    }
}

void CoverModel::list_direct_rows(Recomputation recomputation) {
    direct_begin_.reserve(columns_.size() + 1);
    direct_begin_.push_back(0);
    lists_begin_.reserve(2 * columns_.size() + 1);
    lists_begin_.push_back(0);
    for (const Column& column : columns_) {
        for (const std::vector<DataId>* lists : {&column.stores, &column.loads}) {
            for (const DataId list : *lists) {
                lists_.push_back(list.value);
            }
            lists_begin_.push_back(static_cast<std::uint32_t>(lists_.size()));
        }
        for (const CallId call : column.executes) {
            if (recomputation == Recomputation::excluded) {
                direct_.push_back(static_cast<int>(call.index()));
                continue;
            }
            const DataId made = graph_.call(call).result;
            if (graph_.datum(made).output || contains(column.stores, made)) {
                continue;
            }
            int row = first_edge_row_[made.index()];
            for (const CallId user : graph_.consumers(made)) {
                if (contains(column.executes, user)) {
                    direct_.push_back(row);
                }
                ++row;
            }
        }
        direct_begin_.push_back(static_cast<std::uint32_t>(direct_.size()));
    }
}

CoverRow CoverModel::not_again(std::vector<ColumnId> chosen) {
    std::sort(chosen.begin(), chosen.end());
    const double most = static_cast<double>(chosen.size()) - 1;
    return {.kind = CoverRow::Kind::not_again, .upper = most, .columns = std::move(chosen)};
}

void CoverModel::add(CoverRow row) {
    const int index = static_cast<int>(rows_.size());
    switch (row.kind) {
    case CoverRow::Kind::output:
    case CoverRow::Kind::edge:
    case CoverRow::Kind::partition:
        throw InternalError("rows that every cover has are made by the model itself");
    case CoverRow::Kind::once:
        once_rows_.emplace(row.datum, index);
        store_rows_[row.datum.index()].emplace_back(index, 1.0);
        break;
    case CoverRow::Kind::link:
        link_rows_.emplace(row.pairs.front(), index);
        store_rows_[row.datum.index()].emplace_back(index, -1.0);
        pair_rows_[row.pairs.front()].push_back(index);
        break;
    case CoverRow::Kind::cycle:
        for (const auto& pair : row.pairs) {
            pair_rows_[pair].push_back(index);
        }
        break;
    case CoverRow::Kind::not_again:
        for (const ColumnId column : row.columns) {
            column_rows_[column.value].push_back(index);
        }
        break;
    case CoverRow::Kind::at_most:
        any_rows_.push_back(index);
        break;
    }
    rows_.push_back(std::move(row));
}

double CoverModel::coefficient(const CoverRow& row, ColumnId id) const {
    const Column& c = column(id);
    const auto pairs = [&] { return std::count_if(row.pairs.begin(), row.pairs.end(), [&](const auto& pair) { return has(c, pair); }); };
    switch (row.kind) {
    case CoverRow::Kind::output:
    case CoverRow::Kind::once:
        return contains(c.stores, row.datum) ? 1 : 0;
    case CoverRow::Kind::edge:
        return contains(c.stores, row.datum) || (contains(c.executes, row.call) && contains(c.executes, *graph_.datum(row.datum).producer))
            ? 1
            : 0;
    case CoverRow::Kind::partition:
        return contains(c.executes, row.call) ? 1 : 0;
    case CoverRow::Kind::link:
        return static_cast<double>(pairs()) - (contains(c.stores, row.datum) ? 1 : 0);
    case CoverRow::Kind::cycle:
        return static_cast<double>(pairs());
    case CoverRow::Kind::not_again:
        return contains(row.columns, id) ? 1 : 0;
    case CoverRow::Kind::at_most:
        return 1;
    }
    throw InternalError("unknown kind of cover row");
}

bool CoverModel::has(const Column& column, const CoverPair& pair) const {
    if (const std::optional<DataId> updated = graph_.new_value(pair.second)) {
        return contains(column.stores, pair.first) && contains(column.stores, *updated);
    }
    const std::optional<DataId> updated = graph_.new_value(pair.first);
    return contains(column.loads, pair.first) && contains(column.stores, pair.second) && !(updated && contains(column.stores, *updated));
}

template <class Visit>
void CoverModel::for_each_pair(const Column& column, Visit visit) const {
    for (const DataId loaded : column.loads) {
        const std::optional<DataId> updated = graph_.new_value(loaded);
        if (computed(graph_, loaded) || (updated && !contains(column.stores, *updated))) {
            for (const DataId stored : column.stores) {
                visit(CoverPair{loaded, stored});
            }
        }
    }
    for (const frontend::Update& update : graph_.program().updates) {
        const DataId updated = graph_.program().outputs[update.output];
        for (const DataId stored : contains(column.stores, updated) ? column.stores : std::vector<DataId>()) {
            if (stored != updated) {
                visit(CoverPair{stored, graph_.program().inputs[update.input]});
            }
        }
    }
}

SparseVector CoverModel::entries(ColumnId id) const {
    const Column& c = column(id);
    std::map<int, double> sum;
    for (std::uint32_t i = direct_begin_[id.index()]; i < direct_begin_[id.index() + 1]; ++i) {
        sum[direct_[i]] += 1;
    }
    for (const DataId stored : c.stores) {
        for (const auto& [row, coefficient] : store_rows_[stored.index()]) {
            sum[row] += coefficient;
        }
    }
    if (!pair_rows_.empty()) {
        for_each_pair(c, [&](const CoverPair& pair) {
            if (const auto found = pair_rows_.find(pair); found != pair_rows_.end()) {
                for (const int row : found->second) {
                    sum[row] += 1;
                }
            }
        });
    }
    if (const auto found = column_rows_.find(id.value); found != column_rows_.end()) {
        for (const int row : found->second) {
            sum[row] += 1;
        }
    }
    for (const int row : any_rows_) {
        sum[row] += 1;
    }
    SparseVector result;
    for (const auto& [row, coefficient] : sum) {
        if (coefficient != 0) {
            result.emplace_back(row, coefficient);
        }
    }
    return result;
}

bool CoverModel::present(const CoverRow& row) const {
    switch (row.kind) {
    case CoverRow::Kind::once:
        return once_rows_.contains(row.datum);
    case CoverRow::Kind::link:
        return link_rows_.contains(row.pairs.front());
    default:
        return false; // a present cycle row cannot be broken again beyond the solver's rounding
    }
}

std::vector<CoverRow> CoverModel::broken_rows(const std::vector<ColumnValue>& solution) const {
    std::map<DataId, double> stored;
    std::map<CoverPair, double> pairs;
    for (const auto& [id, value] : solution) {
        const Column& c = column(id);
        for (const DataId t : c.stores) {
            stored[t] += value;
        }
        for_each_pair(c, [&](const CoverPair& pair) { pairs[pair] += value; });
    }
    std::vector<CoverRow> broken;
    const auto keep = [&](CoverRow row) {
        if (!present(row)) {
            broken.push_back(std::move(row));
        }
    };
    for (const auto& [datum, sum] : stored) {
        if (sum > 1 + broken_by) {
            keep({.kind = CoverRow::Kind::once, .upper = 1, .datum = datum});
        }
    }
    for (const auto& [pair, sum] : pairs) {
        if (!computed(graph_, pair.first) || !computed(graph_, pair.second)) {
            continue; // an old value is there without a kernel that stores it
        }
        const auto found = stored.find(pair.first);
        if (sum > (found == stored.end() ? 0 : found->second) + broken_by) {
            keep({.kind = CoverRow::Kind::link, .upper = 0, .datum = pair.first, .pairs = {pair}});
        }
    }
    add_broken_cycles(pairs, broken);
    return broken;
}

void CoverModel::add_broken_cycles(const std::map<CoverPair, double>& pairs, std::vector<CoverRow>& broken) const {
    // A cycle row is broken if its arcs of length 1 - z have a closed walk shorter than 1. Arcs: d -> t of a kernel that loads d and stores
    // t; t -> y' of one that loads the old value of y and stores t, where y' is the kernel that stores y; y' -> t of one that stores both,
    // and y' -> y, of length 0. Arcs along the program's own dependences are acyclic, so every cycle has an arc whose end does not depend on
    // its beginning: one shortest path from its head to its tail per such arc (Dijkstra) finds the most broken cycle through it.
    struct Arc {
        std::size_t from, to; ///< datum, or behind all data y'
        double length;
        std::optional<CoverPair> pair; ///< not of y' -> y
    };
    const std::size_t data = store_rows_.size();
    std::vector<Arc> arcs;
    std::vector<Arc> backward;
    for (const auto& [pair, z] : pairs) {
        if (z <= broken_by) {
            continue;
        }
        const std::optional<DataId> replaced = graph_.new_value(pair.first), beside = graph_.new_value(pair.second);
        const DataId first = replaced ? pair.second : beside ? *beside : pair.first;
        const DataId last = replaced ? *replaced : beside ? pair.first : pair.second;
        const Arc arc{first.index() + (beside ? data : 0), last.index() + (replaced ? data : 0), std::max(0.0, 1 - z), pair};
        arcs.push_back(arc);
        if (!graph_.descendants(*graph_.datum(first).producer).test(graph_.datum(last).producer->index())) {
            backward.push_back(arc);
        }
    }
    for (const frontend::Update& update : graph_.program().updates) {
        const std::size_t updated = graph_.program().outputs[update.output].index();
        arcs.push_back({data + updated, updated, 0, std::nullopt});
    }
    std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.from < b.from; });
    std::vector<std::size_t> arcs_begin(2 * data + 1, 0); ///< by where they come from
    for (const Arc& arc : arcs) {
        ++arcs_begin[arc.from + 1];
    }
    std::partial_sum(arcs_begin.begin(), arcs_begin.end(), arcs_begin.begin());
    struct Reached {
        std::size_t search = 0; ///< the last that reached the list
        double distance = 0;
        const Arc* by = nullptr;
    };
    std::vector<Reached> reached(2 * data);
    std::vector<std::vector<CoverPair>> found;
    std::size_t search = 0;
    for (const Arc& closing : backward) {
        const double most = 1 - broken_by - closing.length;
        reached[closing.to] = {++search, 0, nullptr};
        std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>> queue;
        queue.emplace(0.0, closing.to);
        bool closed = false;
        while (!queue.empty() && !closed) {
            const auto [distance, at] = queue.top();
            queue.pop();
            if (distance > reached[at].distance) {
                continue;
            }
            if (at == closing.from) {
                closed = true;
                break;
            }
            for (std::size_t i = arcs_begin[at]; i < arcs_begin[at + 1]; ++i) {
                const double total = distance + arcs[i].length;
                Reached& known = reached[arcs[i].to];
                if (total < most && (known.search != search || total < known.distance)) {
                    known = {search, total, &arcs[i]};
                    queue.emplace(total, arcs[i].to);
                }
            }
        }
        if (!closed) {
            continue;
        }
        std::vector<CoverPair> cycle{*closing.pair};
        for (std::size_t at = closing.from; at != closing.to; at = reached[at].by->from) {
            if (reached[at].by->pair) {
                cycle.push_back(*reached[at].by->pair);
            }
        }
        std::sort(cycle.begin(), cycle.end());
        found.push_back(std::move(cycle));
    }
    // Several backward arcs may close the same cycle.
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (std::vector<CoverPair>& cycle : found) {
        const double most = static_cast<double>(cycle.size()) - 1;
        broken.push_back({.kind = CoverRow::Kind::cycle, .upper = most, .pairs = std::move(cycle)});
    }
}

CoverModel::Prices::Prices(const CoverModel& model, const std::vector<double>& duals)
    : model_(model), of_row_(model.rows_.size(), 0.0), of_store_(model.store_rows_.size(), 0.0), of_pair_(model.store_rows_.size()) {
    for (std::size_t i = 0; i < model.rows_.size(); ++i) {
        const CoverRow& row = model.rows_[i];
        double y = i < duals.size() ? duals[i] : 0.0;
        // A dual of the wrong sign is the solver's rounding; any value of the right sign gives a valid bound.
        if (row.lower <= -LinearProgram::unbounded) {
            y = std::min(y, 0.0);
        }
        if (row.upper >= LinearProgram::unbounded) {
            y = std::max(y, 0.0);
        }
        of_row_[i] = y;
        right_hand_side_ += y *
            (y >= 0 && row.lower > -LinearProgram::unbounded ? row.lower
                    : row.upper >= LinearProgram::unbounded  ? row.lower
                                                             : row.upper);
    }
    for (std::size_t d = 0; d < model.store_rows_.size(); ++d) {
        for (const auto& [row, coefficient] : model.store_rows_[d]) {
            of_store_[d] += coefficient * of_row_[static_cast<std::size_t>(row)];
        }
    }
    for (const auto& [pair, rows] : model.pair_rows_) {
        double sum = 0;
        for (const int row : rows) {
            sum += of_row_[static_cast<std::size_t>(row)];
        }
        if (sum == 0) {
            continue;
        }
        if (const std::optional<DataId> updated = model.graph_.new_value(pair.second)) {
            beside_.emplace_back(pair.first, *updated, sum);
        } else {
            of_pair_[pair.first.index()].emplace_back(pair.second, sum);
        }
    }
    for (const auto& [column, rows] : model.column_rows_) {
        for (const int row : rows) {
            of_column_[column] += of_row_[static_cast<std::size_t>(row)];
        }
    }
    for (const int row : model.any_rows_) {
        of_any_ += of_row_[static_cast<std::size_t>(row)];
    }
}

double CoverModel::Prices::value(ColumnId id) const {
    const std::size_t c = id.index();
    double sum = of_any_;
    for (std::uint32_t i = model_.direct_begin_[c]; i < model_.direct_begin_[c + 1]; ++i) {
        sum += of_row_[static_cast<std::size_t>(model_.direct_[i])];
    }
    const std::uint32_t* const stores = model_.lists_.data() + model_.lists_begin_[2 * c];
    const std::uint32_t* const loads = model_.lists_.data() + model_.lists_begin_[2 * c + 1];
    const std::uint32_t* const end = model_.lists_.data() + model_.lists_begin_[2 * c + 2];
    for (const std::uint32_t* stored = stores; stored != loads; ++stored) {
        sum += of_store_[*stored];
    }
    const auto is_stored = [&](DataId datum) { return std::binary_search(stores, loads, datum.value); };
    for (const auto& [one, other, price] : beside_) {
        sum += is_stored(one) && is_stored(other) ? price : 0;
    }
    for (const std::uint32_t* loaded = loads; loaded != end; ++loaded) {
        if (of_pair_[*loaded].empty()) {
            continue;
        }
        if (const std::optional<DataId> updated = model_.graph_.new_value(DataId(*loaded)); updated && is_stored(*updated)) {
            continue; // it waits for nobody else
        }
        for (const auto& [stored, price] : of_pair_[*loaded]) {
            if (is_stored(stored)) {
                sum += price;
            }
        }
    }
    if (!of_column_.empty()) {
        if (const auto found = of_column_.find(id.value); found != of_column_.end()) {
            sum += found->second;
        }
    }
    return sum;
}

} // namespace fusec::fusion
