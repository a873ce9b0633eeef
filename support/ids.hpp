// SPDX-License-Identifier: Apache-2.0
// Strongly typed 32-bit ids: every node of every intermediate form lives in a vector and is named by its index.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fusec {

/// Index of a value in the vector that owns it. Ids of different tags do not mix; order is creation order.
template <class Tag>
struct Id {
    std::uint32_t value = 0;

    constexpr Id() = default;
    constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

    constexpr std::size_t index() const { return value; }
    friend constexpr auto operator<=>(Id, Id) = default;
};

using FunctionId = Id<struct FunctionTag>; ///< an elementary function in the catalog
using CallId = Id<struct CallTag>;         ///< one application of a function: a node of the call DAG
using DataId = Id<struct DataTag>;         ///< a value that flows on edges of the call DAG
using FusionId = Id<struct FusionTag>;     ///< an enumerated set of calls
using ColumnId = Id<struct ColumnTag>;     ///< a column of the set cover: calls executed, data loaded and stored

} // namespace fusec

template <class Tag>
struct std::hash<fusec::Id<Tag>> {
    std::size_t operator()(fusec::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
