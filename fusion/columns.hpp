// SPDX-License-Identifier: Apache-2.0
// Columns of the cover: each fusion with a choice of the data it stores.
#pragma once

#include "fusion/enumerate.hpp"
#include "fusion/places.hpp"
#include "fusion/plan.hpp"

#include <vector>

namespace fusec::fusion {

/// Every legal choice of stored data is listed while the columns of the whole program stay within this number.
inline constexpr std::size_t most_columns_with_all_stores = 20000;
/// Beyond it, at most this many columns leave out one cheap datum each, those of small fusions first.
inline constexpr std::size_t most_columns_with_one_left_out = 50000;
/// Calls and lists of all columns that leave something out, together: those of calls with very many operands take more memory.
inline constexpr std::size_t most_members_with_one_left_out = 40 * most_columns_with_one_left_out;
/// Of a fusion that was grown, at most this many leave out one cheap datum, the cheapest ones.
inline constexpr std::size_t most_left_out_of_a_grown_fusion = 4;
/// A call is cheap to repeat if it does at most this many operations per byte that storing and loading its result moves. Devices do
/// 7 (f64) to 14 (f32) operations in the time that one byte takes.
inline constexpr double cheap_operations_per_byte = 8;

struct Columns {
    std::vector<Column> columns; ///< by fusion; of one fusion, the whole boundary first
    bool complete = true;        ///< every legal choice of stored data is a column
};

/// True if every call of the set reaches, inside the set, a call whose result is among `stores`.
bool every_call_is_needed(const dag::CallGraph& graph, const dag::CallSet& set, const std::vector<DataId>& stores);

/// A kernel stores its whole boundary; with `recompute` also any part of it that leaves no call useless (another kernel then makes
/// what is left out): all parts if the program is small enough, else those that leave out one datum of a cheap call.
/// Where not all parts are tried, one leaves out all results of moving calls that are no outputs: every kernel that uses them moves for itself.
/// `flops` is the arithmetic of each call. Fusions of which more than `enumerated` calls take a place are grown ones: they leave out one cheap datum at most,
/// and completeness is not asked of them.
Columns make_columns(const dag::CallGraph& graph, const std::vector<CallSet>& fusions, const std::vector<double>& flops, bool recompute,
    std::size_t enumerated = largest_kernel, const Places& places = {});

} // namespace fusec::fusion
