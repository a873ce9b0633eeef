// SPDX-License-Identifier: Apache-2.0
// Pareto front by sorting: in ascending seconds, only what is already kept can dominate.
#include "fusion/front.hpp"

#include <algorithm>
#include <tuple>

namespace fusec::fusion {

std::vector<Merit> pareto_front(std::vector<Merit> merits, std::size_t most) {
    std::sort(merits.begin(), merits.end(), [](const Merit& a, const Merit& b) {
        return std::tie(a.spills, a.seconds, a.shared_bytes, a.registers, a.choice) <
            std::tie(b.spills, b.seconds, b.shared_bytes, b.registers, b.choice);
    });
    std::vector<Merit> kept;
    for (const Merit& merit : merits) {
        if (kept.size() == most) {
            break;
        }
        if (std::none_of(kept.begin(), kept.end(), [&](const Merit& better) { return better.dominates(merit); })) {
            kept.push_back(merit);
        }
    }
    return kept;
}

} // namespace fusec::fusion
