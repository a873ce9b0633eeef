// SPDX-License-Identifier: Apache-2.0
// The Pareto front over (seconds, shared bytes per block, registers per thread).
#pragma once

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// What candidates of one column are compared by; all three are better when smaller. One predicted to spill registers is kept only if
/// all are: what spilling costs is the least certain part of a prediction, and its traffic is seen in no count of bytes.
struct Merit {
    double seconds = 0;
    int shared_bytes = 0;
    int registers = 0;
    std::size_t choice = 0; ///< which candidate: order of enumeration
    bool spills = false;

    bool dominates(const Merit& other) const {
        return (!spills && other.spills) ||
            (seconds <= other.seconds && shared_bytes <= other.shared_bytes && registers <= other.registers && spills <= other.spills);
    }
};

/// The merits that none dominates, by seconds, then shared bytes, registers, choice; of equals the first enumerated; at most `most`,
/// the cheapest ones. O(n log n + n * kept).
std::vector<Merit> pareto_front(std::vector<Merit> merits, std::size_t most);

} // namespace fusec::fusion
