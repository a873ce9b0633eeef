// SPDX-License-Identifier: Apache-2.0
// Addresses in shared memory: the smallest arena for tiles with known lifetimes, by branch and bound from a greedy start.
#pragma once

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// A tile that lives from step `first` to step `last`, both inclusive.
struct LiveRange {
    int first = 0;
    int last = 0;
    int bytes = 0;
};

struct Arena {
    std::vector<int> offsets; ///< per range, multiples of the alignment
    int bytes = 0;            ///< total, a multiple of the alignment
    bool optimal = true;      ///< false: the node limit ended the search and a smaller arena may exist
    std::size_t nodes = 0;    ///< of the search tree; 0 when a greedy start met the lower bound
};

/// Least total by any placement: the largest sum of sizes (each rounded up to the alignment) alive in one step.
int arena_lower_bound(const std::vector<LiveRange>& ranges, int alignment);

/// Places ranges so that those that meet in a step do not overlap and the total is least. Deterministic.
Arena place(const std::vector<LiveRange>& ranges, int alignment = 16, std::size_t node_limit = 20000);

} // namespace fusec::fusion
