// SPDX-License-Identifier: Apache-2.0
// Graphviz pictures of the call DAG and of the plan.
#pragma once

#include "dag/call_graph.hpp"
#include "fusion/plan.hpp"

#include <string>

namespace fusec::cli {

/// Calls as boxes, data as edges, interface lists as ovals.
std::string dag_dot(const dag::CallGraph& graph, const library::Catalog& catalog);
/// The same with one cluster per kernel; a call executed in several kernels appears in each.
std::string plan_dot(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog);

} // namespace fusec::cli
