// SPDX-License-Identifier: Apache-2.0
// The plan: the kernels chosen, in launch order, with a proven bound; and the interface between the candidate space and the solver.
#pragma once

#include "fusion/candidate.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace fusec::fusion {

/// A column of the cover: a kernel as the solver sees it.
struct Column {
    CallSet executes;
    std::vector<DataId> loads;  ///< per-element lists, ascending
    std::vector<DataId> stores; ///< ascending, at least one
};

/// The candidate space as a source of columns. Costs are found on demand: a lower bound is cheap, the exact time builds the candidates.
class ColumnSource {
public:
    static constexpr double impossible = std::numeric_limits<double>::infinity();

    virtual ~ColumnSource() = default;
    virtual const std::vector<Column>& columns() const = 0;
    /// lower_bound(c) <= seconds(c); O(1) after the first call.
    virtual double lower_bound(ColumnId column) const = 0;
    /// A closer lower bound, dearer than lower_bound and much cheaper than seconds. Memoised.
    virtual double closer_bound(ColumnId column) { return lower_bound(column); }
    /// Predicted seconds of the best kept implementation; `impossible` when every implementation was rejected. Memoised.
    virtual double seconds(ColumnId column) = 0;
    /// The seconds of all these will be asked for: a source may find them at once. Each at most once in the list.
    virtual void find_seconds(const std::vector<ColumnId>& columns) { static_cast<void>(columns); }
};

enum class PlanMode {
    automatic,
    none,
    max,
    greedy
};

/// How a plan is searched for. The defaults give the best mix that the effort finds, the same on every machine.
struct PlanOptions {
    PlanMode mode = PlanMode::automatic;
    int nodes = 20000;     ///< branch-and-bound nodes over all solves; deterministic
    double time_limit = 0; ///< seconds; 0: none
    int runners_up = 0;    ///< further plans, each different from all before
    bool recompute = true; ///< false: every call is executed in exactly one kernel
    bool bound = true;     ///< false: the bound of a plan by a rule (none, max, greedy) is not wanted and is 0
};

/// A feasible choice of columns in launch order.
struct Cover {
    std::vector<ColumnId> columns;
    double seconds = 0;
};

/// What a search for covers found, and what it proved.
struct CoverResult {
    std::vector<Cover> covers; ///< best first; empty only if the problem has no solution
    double bound = 0;          ///< no cover of the given columns is predicted faster
    /// (objective - bound) / objective of the best
    double gap() const { return covers.empty() ? 0 : (covers.front().seconds - bound) / covers.front().seconds; }
};

/// Chooses the kernel mix (DESIGN.md section 4, "Plan"). Each output is stored by exactly one kernel, any other datum by at most one;
/// every loaded computed datum has its storing kernel, which is launched before; the storer-to-loader graph is acyclic. Columns have calls
/// of one program block, and data cross forwards, so that all kernels of a block precede those of the next (ties by smallest call).
CoverResult solve_cover(const dag::CallGraph& graph, ColumnSource& source, const PlanOptions& options);

/// True if the columns form a legal plan; then `order` is a launch order (ties by smallest executed call).
bool launch_order(
    const dag::CallGraph& graph, const std::vector<Column>& columns, const std::vector<ColumnId>& chosen, std::vector<ColumnId>& order);

/// An intermediate that crosses kernels: which reusable slot of the workspace holds it. Slot s of n elements starts at the sum over
/// earlier slots of their bytes_per_element * n, each rounded up to 256.
struct Workspace {
    struct Slot {
        int bytes_per_element = 0;
    };
    std::vector<Slot> slots;
    std::vector<std::pair<DataId, std::size_t>> placed; ///< datum, slot; ascending by datum
    int bytes_per_element() const;
    /// Bytes for n elements, as NAME_workspace_bytes(n) gives them.
    std::uint64_t bytes(std::uint64_t n) const;
};

/// The kernels that make a program, and the memory between them. Every output is stored once; `seconds` is the sum over the kernels,
/// `bound` what no plan of the space is below, `gap` their distance relative to `seconds`.
struct Plan {
    std::vector<Candidate> kernels; ///< in launch order
    Workspace workspace;
    double seconds = 0;
    double bound = 0;
    double gap = 0;
};

/// Assigns slots by liveness over the launch order: a datum dead after its last loading kernel frees its slot. Never reuses a slot
/// within the kernel that still reads it, nor one of a datum that a later program block loads.
Workspace plan_workspace(const dag::CallGraph& graph, const std::vector<Candidate>& kernels);

/// Breaks with InternalError unless the plan is a legal execution of the whole graph.
void verify(const Plan& plan, const dag::CallGraph& graph);

} // namespace fusec::fusion
