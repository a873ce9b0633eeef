// SPDX-License-Identifier: Apache-2.0
// The identity of a kernel's own sub-DAG: functions, shapes, wiring and what is stored, whatever the names.
#pragma once

#include "dag/call_graph.hpp"

#include <string>
#include <vector>

namespace fusec::fusion {

/// 16 hexadecimal digits. Equal for sub-DAGs that differ in names and in the order of calls only; unequal ones differ but for
/// collisions of 64 bits and of colour refinement (what is found by hash is compared again call by call).
/// O(edges * calls of the set).
std::string structure_hash(
    const dag::CallGraph& graph, const library::Catalog& catalog, const dag::CallSet& calls, const std::vector<DataId>& stores);

} // namespace fusec::fusion
