// SPDX-License-Identifier: Apache-2.0
// Which threads make which steps of a kernel: consecutive steps of one thread map stand together in one guarded block of its text.
#pragma once

#include "codegen/kernel_ir.hpp"

#include <optional>
#include <set>

namespace fusec::codegen {

/// Which threads make a step.
struct ThreadMap {
    int threads = 1;     ///< per instance
    bool guarded = true; ///< only for elements that the block has; else for all elements of the tile
    bool operator==(const ThreadMap&) const = default;
};
/// Nothing for steps of the whole block.
std::optional<ThreadMap> thread_map(const Kernel& kernel, const Step& step);

struct ThreadGroups {
    int mapped = 0;              ///< groups of steps that some threads make
    std::set<int> granularities; ///< threads per instance of the steps
    std::set<std::size_t> early; ///< values that several groups use: they are declared before the first
};
/// A group is a run of consecutive steps with one thread map. Linear in the steps, but for the sets.
ThreadGroups thread_groups(const Kernel& kernel);

} // namespace fusec::codegen
