// SPDX-License-Identifier: Apache-2.0
// What every implementation of a column does at least, found without building one.
#pragma once

#include "fusion/kernel_choice.hpp"
#include "fusion/layout.hpp"
#include "fusion/plan.hpp"
#include "fusion/routines.hpp"

#include <vector>

namespace fusec::fusion {

/// For each count of KernelWork a lower bound over all implementations of a column (see CostModel::least_seconds): the arithmetic, and of
/// the traffic on the chip the cheapest way of each list to its cheapest reader, and of each result out of the chip.
class LeastWork {
public:
    /// All must outlive this.
    LeastWork(const dag::CallGraph& graph, const std::vector<CallRoutines>& routines, const DeviceLimits& limits, CallCosts& costs)
        : graph_(graph), routines_(routines), limits_(limits), costs_(costs) {}

    KernelWork of(const Column& column);
    /// The same for the implementations of a column that use these routines; `least` is that of the column.
    KernelWork with_routines(const KernelOutline& kernel, const Combination& routines, const KernelWork& least) const;

private:
    /// The least, over the routines of a call, that its access to one list costs; per element.
    struct Access {
        double tile_passes = 0;
        double tile_instructions = 0;
        double direct_passes = 0;
        double direct_instructions = 0;
    };
    struct OfCall {
        double instructions = 0;
        std::vector<Access> operands;
        Access result;
    };

    static Access access(const AccessCost& cost, int threads);
    static Access cheapest(const Access& a, const Access& b);
    const OfCall& of_call(CallId call);

    const dag::CallGraph& graph_;
    const std::vector<CallRoutines>& routines_;
    const DeviceLimits& limits_;
    CallCosts& costs_;
    std::vector<OfCall> calls_; ///< all at once when first asked
};

} // namespace fusec::fusion
